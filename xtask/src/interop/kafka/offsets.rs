//! Offsets that a member of divvy's commits on Kafka: it reads them back, the next owner does, and Kafka's tool shows them.

use anyhow::Result;

use super::super::away::Away;
use super::super::cast::Cast;
use super::super::clients::DIVVY;
use super::super::member::Seat;
use super::super::tools::GROUPS;

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
    let row = |(partition, offset): &(i64, &str)| format!("{} {} {partition} {offset} ", cast.group, cast.topic);
    let rows: Vec<String> = committed.iter().map(row).collect();
    let rows: Vec<&str> = rows.iter().map(String::as_str).collect();
    cast.server.tools()?.will_say(GROUPS, &format!("--describe --group {}", cast.group), &rows)
}
