//! Where the groups are: a `divvy serve` of its own, and the Kafka broker that xtask started.

use std::process::Command;

use anyhow::{Context, Result, bail};

use crate::process::Server;

/// How xtask says where the broker is.
const KAFKA: &str = "DIVVY_BENCH_KAFKA";

/// A coordinator.
pub struct Site {
    /// For people.
    pub name: &'static str,
    /// Where it listens.
    pub address: String,
    /// Whether it is divvy, which holds heartbeats.
    pub is_divvy: bool,
    _server: Option<(Server, tempfile::TempDir)>,
}

/// divvy, and Kafka if there is one.
pub fn all() -> Result<Vec<Site>> {
    let mut sites = vec![divvy()?];
    match std::env::var(KAFKA) {
        Ok(address) => sites.push(Site { name: "kafka", address, is_divvy: false, _server: None }),
        Err(_) => println!("  (no {KAFKA}: nothing is measured on Kafka)"),
    }
    Ok(sites)
}

/// A `divvy serve`.
pub fn divvy() -> Result<Site> {
    let folder = tempfile::tempdir()?;
    let server = Server::divvy(folder.path(), "memory", "")?;
    Ok(Site { name: "divvy", address: server.addr().to_string(), is_divvy: true, _server: Some((server, folder)) })
}

impl Site {
    /// Makes a topic; its name is new on every site.
    pub fn topic(&self, scenario: &str, partitions: usize) -> Result<String> {
        let name = format!("{scenario}-{}", std::process::id());
        let mut command = Command::new(env!("CARGO_BIN_EXE_divvy"));
        command.args(["topics", "create", &name, "--partitions", &partitions.to_string(), "--server", &self.address]);
        let output = command.output().context("divvy does not start")?;
        if !output.status.success() {
            bail!("{name} was not made: {}", String::from_utf8_lossy(&output.stderr).trim());
        }
        Ok(name)
    }
}
