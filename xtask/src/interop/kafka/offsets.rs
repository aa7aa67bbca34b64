//! Offsets that a member of divvy's commits on Kafka: it reads them back, the next owner does, and Kafka's tool shows them.

use anyhow::{Context, Result};

use super::super::cast::{Away, Cast};
use super::super::clients::DIVVY;
use super::super::member::{STEP, Seat};
use crate::process::wait_until;

/// The class behind `kafka-consumer-groups`.
const GROUPS: &str = "org.apache.kafka.tools.consumer.group.ConsumerGroupCommand";

/// Two members commit, one leaves, the broker is killed; what was committed stays.
pub fn seen_by_the_tool(cast: &mut Cast<'_>) -> Result<()> {
    let seat = |name| Seat { name, client: &DIVVY, strategy: "range", instance: None };
    cast.join(&seat("first"))?;
    cast.join(&seat("second"))?;
    cast.settle()?;
    for (name, partition, offset) in [("first", 0, 5), ("second", 7, 6)] {
        let owner = cast.members.iter().find(|member| member.owns.contains(&partition));
        let owner = owner.map_or(name, |member| member.name.as_str()).to_owned();
        cast.member(&owner)?.commit_and_fetch(partition, offset)?;
    }
    shows(cast, &[(0, "5"), (7, "6"), (1, "-")])?;
    println!("    kafka-consumer-groups shows what both members committed");

    cast.restart_and_meet(Away::Killed)?;
    cast.leave("first")?;
    cast.settle()?;
    let second = cast.member("second")?;
    second.fetch(7, 6)?;
    second.commit_and_fetch(0, 8)?;
    shows(cast, &[(0, "8"), (7, "6")])?;
    println!("    the broker was killed, one left: the other goes on where it was");
    cast.leave("second")
}

/// Waits until the tool shows these offsets.
fn shows(cast: &Cast<'_>, committed: &[(i64, &str)]) -> Result<()> {
    let mut said = String::new();
    let shown = wait_until("kafka-consumer-groups to show it", STEP, || {
        let mut tool = cast.server.tool(GROUPS)?;
        let output = tool.args(["--describe", "--group", &cast.group]).output().context("the tool does not start")?;
        said = String::from_utf8_lossy(&output.stdout).into_owned();
        let rows: Vec<Vec<&str>> = said.lines().map(|line| line.split_whitespace().collect()).collect();
        let is_shown = |(partition, offset): &(i64, &str)| {
            let wanted = [&cast.group, &cast.topic, &partition.to_string(), *offset].map(str::to_owned);
            rows.iter().any(|row| row.len() > 4 && row[..4] == wanted)
        };
        Ok(committed.iter().all(is_shown).then_some(()))
    });
    shown.with_context(|| format!("it says:\n{said}"))
}
