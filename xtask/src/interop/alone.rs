//! Each client among its own kind: join, share, commit, leave, through a restart of the coordinator.

use anyhow::Result;

use super::Case;
use super::bench::{Bench, PARTITIONS, TOPIC, follow, show_log};

/// The cases.
pub const CASES: &[Case] = &[
    Case { name: "alone/kafka-python", run: |bench| alone(bench, "kafka-python") },
    Case { name: "alone/confluent-kafka", run: |bench| alone(bench, "confluent-kafka") },
];

fn alone(bench: &Bench, client: &str) -> Result<()> {
    let (mut server, folder) = bench.server(client, "")?;
    let (address, partitions) = (server.address(), PARTITIONS.to_string());
    let mut script = bench.script("one_client.py", &[client, &address, client, TOPIC, &partitions], &folder)?;
    let told = follow(&mut script, |line| {
        if line == "ask: restart the coordinator" {
            server.kill()?;
            server.restart()?;
        }
        Ok(())
    });
    told.inspect_err(|_| show_log("divvy serve", &server.log_tail()))
}
