//! The story, step by step; each step says what it expects and fails if it does not happen.

use std::path::PathBuf;
use std::process::Command;
use std::time::Duration;

use anyhow::{Context, Result, bail};
use serde_json::Value;

use super::stage::{CAST, GROUP, PARTITIONS, Stage, TOPIC, rack_of};
use super::table;
use crate::process::Process;
use crate::shell::root;

/// A client that was told to leave does so at its next poll.
const CLIENT_LEAVES_WITHIN: Duration = Duration::from_secs(20);

/// Nothing may change for longer than a member's heart needs to beat (3 s): then everybody has spoken to the new process.
const A_HEARTBEAT_AND_MORE: Duration = Duration::from_secs(4);

/// All of it. The Python with its Kafka client may be missing: then its step is told, not played.
pub fn tell(stage: &mut Stage, python: Result<PathBuf>) -> Result<()> {
    let first = three_on_range(stage)?;
    let second = roll_out(stage, 1, "range", first)?;
    let third = roll_out(stage, 2, "rack-aware@1", second)?;
    let fallen_back = broken_version(stage, third)?;
    coordinator_killed(stage, fallen_back)?;
    kafka_client_joins(stage, fallen_back, python)?;
    title(7, "they leave");
    for member in &mut stage.members {
        member.leave()?;
    }
    stage.listen();
    Ok(())
}

fn title(number: u32, text: &str) {
    println!("\n--- {number}. {text}");
}

fn three_on_range(stage: &mut Stage) -> Result<i64> {
    title(1, "three members join, each with range.wasm in a folder of its own");
    for (name, rack) in CAST {
        stage.enter(name, rack)?;
    }
    stage.settle("range", 0)
}

/// One member after the other gets the version; the group changes over when the last has it, in one rebalance.
fn roll_out(stage: &mut Stage, version: u32, from: &str, generation: i64) -> Result<i64> {
    let protocol = format!("rack-aware@{version}");
    title(version + 1, &format!("{protocol} is dropped into one folder after the other; nobody restarts"));
    let module = match version {
        1 => root().join("assignors/rack-aware.wasm"),
        later => stage.later_versions.join(format!("rack-aware-{later}.wasm")),
    };
    let last = CAST.len() - 1;
    for member in 0..last {
        stage.give(member, &module)?;
        stage.announced(member, &protocol)?;
        stage.still_in(from, generation)?;
        println!("  … not all have it: the group stays on {from}, generation {generation}");
    }
    stage.give(last, &module)?;
    let now = stage.settle(&protocol, generation)?;
    one_rebalance(generation, now)?;
    all_in_their_racks(stage)?;
    Ok(now)
}

fn one_rebalance(before: i64, now: i64) -> Result<()> {
    if now != before + 1 {
        bail!("the roll-out took {} rebalances, from generation {before} to {now}, instead of one", now - before);
    }
    println!("  … one rebalance for the whole roll-out: generation {before} became {now}");
    Ok(())
}

fn all_in_their_racks(stage: &Stage) -> Result<()> {
    for (member, (_, rack)) in stage.members.iter().zip(CAST) {
        if member.owns(TOPIC).iter().any(|partition| rack_of(*partition) != rack) {
            bail!("{} owns partitions of another rack: {:?}", member.name, member.owns(TOPIC));
        }
    }
    Ok(())
}

/// Version 3 passes every check before it is used, and traps in this group alone.
fn broken_version(stage: &mut Stage, generation: i64) -> Result<i64> {
    title(4, "rack-aware@3 is dropped into all three; it passes the smoke test and traps in this group");
    let module = stage.later_versions.join("rack-aware-3.wasm");
    for member in 0..CAST.len() {
        stage.give(member, &module)?;
    }
    let fault = stage.until("the leader to report the fault", |stage| Ok(stage.take_fault()))?;
    if fault["protocol"] != "rack-aware@3" || fault["kind"] != "trap" {
        bail!("another fault than the one that was built in: {fault}");
    }
    let now = stage.settle("rack-aware@2", generation)?;
    all_in_their_racks(stage)?;
    let group = stage.server.describe(GROUP)?;
    let suspended = group["suspended"].as_array().into_iter().flatten();
    let reason =
        suspended.filter(|entry| entry["protocol"] == "rack-aware@3").find_map(|entry| entry["reason"].as_str());
    println!(
        "  … the coordinator says why: {}",
        reason.context("`groups describe` shows no suspension of rack-aware@3")?
    );
    Ok(now)
}

fn coordinator_killed(stage: &mut Stage, generation: i64) -> Result<()> {
    title(5, "the coordinator is killed with -9 and started again");
    stage.server.kill()?;
    stage.until("all members to miss the coordinator", |stage| {
        Ok(stage.members.iter().all(|member| member.coordinator_lost).then_some(()))
    })?;
    stage.server.restart()?;
    stage.until("all members to find the coordinator again", |stage| {
        Ok(stage.members.iter().all(|member| !member.coordinator_lost).then_some(()))
    })?;
    stage.watch(A_HEARTBEAT_AND_MORE, |stage| stage.still_in("rack-aware@2", generation))?;
    let group = stage.server.describe(GROUP)?;
    let members = group["members"].as_array().map_or(0, Vec::len);
    if group["state"] != "Stable" || group["generation"] != generation || members != CAST.len() {
        bail!(
            "the restarted coordinator should have generation {generation}, stable, of {} members: {group}",
            CAST.len()
        );
    }
    println!("\n{}", table::who_owns_what(&stage.members, &[]));
    println!("  … nobody rebalanced: generation {generation} goes on");
    Ok(())
}

fn kafka_client_joins(stage: &mut Stage, generation: i64, python: Result<PathBuf>) -> Result<()> {
    title(6, "an unmodified Kafka client joins; what all have in common is range");
    let python = match python {
        Ok(python) => python,
        Err(reason) => {
            println!("  … left out, since {reason:#}");
            return Ok(());
        }
    };
    let mut command = Command::new(python);
    command.arg(root().join("tests/interop/python/member.py"));
    command.args(["kafka-python", &stage.server.address(), GROUP, TOPIC, "kafka-python", "default"]);
    command.env("PYTHONDONTWRITEBYTECODE", "1");
    let mut client = Process::start("the Kafka client", &command, &stage.folder().join("client.log"))?;
    let mut owned: Vec<i64> = Vec::new();
    let now = stage.until("the group to settle on range with the Kafka client", |stage| {
        while let Some(line) = client.line_at_hand()? {
            let said: Value = serde_json::from_str(&line).with_context(|| format!("the Kafka client said {line:?}"))?;
            owned = said["partitions"].as_array().into_iter().flatten().filter_map(Value::as_i64).collect();
            println!("  (kafka-python owns {} of {PARTITIONS} partitions)", owned.len());
        }
        let settled = stage.settled(&owned).filter(|(protocol, now)| protocol == "range" && *now > generation);
        Ok(settled.filter(|_| !owned.is_empty()).map(|(_, now)| now))
    })?;
    println!("\n{}", table::who_owns_what(&stage.members, &owned));
    println!("  … generation {generation} became {now}: after a crash no number can come back as another generation");
    client.say("leave")?;
    client.end(CLIENT_LEAVES_WITHIN)?;
    Ok(())
}
