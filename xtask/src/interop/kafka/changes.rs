//! Members of divvy's that change while they work, on Kafka: facts, a member that hands everything over and comes back, and
//! strategies that are rolled out by dropping files.

use std::time::Duration;

use anyhow::{Result, bail};

use super::super::bench::PARTITIONS;
use super::super::cast::{Cast, Settled};
use super::super::clients::DIVVY;
use super::super::member::{STEP, Seat};
use super::super::never_twice::never_twice;
use crate::divvy::{drop_module, modules_of};
use crate::process::{wait_until, watch};
use crate::shell::root;

/// Within a second a member gathers what changes.
const LONGER_THAN_CHANGES_GATHER: Duration = Duration::from_secs(2);

/// A fact that changes moves work, by one rebalance.
pub fn facts(cast: &mut Cast<'_>) -> Result<()> {
    join(cast, "first", "weighted")?;
    join(cast, "second", "weighted")?;
    let (before, _) = cast.rest()?;
    println!("    by weight 1 and 1: {}", cast.who_owns_what());
    cast.member("first")?.tell("fact weight 2")?;
    wait_until("twice the weight to be twice the share", STEP, || {
        cast.members.iter_mut().try_for_each(|member| member.listen())?;
        Ok((cast.members[0].owns.len() == 2 * PARTITIONS / 3).then_some(()))
    })?;
    let (after, _) = cast.rest()?;
    println!("    by weight 2 and 1: {}", cast.who_owns_what());
    one_more(&before, &after)?;
    // What says the same again is no reason to rebalance.
    cast.member("first")?.tell("fact weight 2")?;
    watch(LONGER_THAN_CHANGES_GATHER, || match cast.settle()? == after {
        true => Ok(()),
        false => bail!("a fact that is said again costs nothing"),
    })?;
    cast.leave_all()?;
    never_twice(&cast.gone)
}

/// A member hands over in good order, is out of its group, and comes back; what it committed is where the other goes on.
pub fn drains(cast: &mut Cast<'_>, strategy: &str) -> Result<()> {
    join(cast, "first", strategy)?;
    join(cast, "second", strategy)?;
    cast.rest()?;
    println!("    two share: {}", cast.who_owns_what());
    let first = cast.member("first")?;
    let Some(partition) = first.owns.first().copied() else { bail!("the first has nothing") };
    first.commit_and_fetch(partition, 41)?;
    let answer = first.tell("drain")?;
    if answer["event"] != "drained" || !first.owns.is_empty() {
        bail!("told to drain it says {answer}, and has {:?}", first.owns);
    }
    let away = cast.part("first")?;
    cast.settle()?;
    cast.member("second")?.fetch(partition, 41)?;
    println!("    the first is drained: {}", cast.who_owns_what());

    cast.members.push(away);
    cast.member("first")?.tell("resume")?;
    cast.rest()?;
    println!("    it came back: {}", cast.who_owns_what());
    cast.leave_all()?;
    never_twice(&cast.gone)
}

/// Who has a new strategy, then a new version of it, one after the other: the group changes over when all have it, and each
/// member rejoins once for it.
pub fn roll_out(cast: &mut Cast<'_>) -> Result<()> {
    const NAMES: [&str; 3] = ["first", "second", "third"];
    let range = root().join("assignors/range.wasm");
    for name in NAMES {
        let modules = modules_of(&cast.folder, name);
        drop_module(&range, &modules, "range")?;
        cast.join_with_modules(&Seat { name, client: &DIVVY, strategy: "default", instance: None }, &modules)?;
    }
    let mut before = cast.rest()?.0;
    by_protocol(&before, "range")?;
    let versions = [root().join("assignors/rack-aware.wasm"), cast.demo_module("rack-aware-2")];
    for (version, file) in (1..).zip(&versions) {
        for (place, name) in NAMES.into_iter().enumerate() {
            drop_module(file, &modules_of(&cast.folder, name), "rack-aware")?;
            if place + 1 < NAMES.len() {
                continue;
            }
            let protocol = format!("rack-aware@{version}");
            wait_until(&format!("all to run {protocol}"), STEP, || {
                let settled = cast.settle()?;
                Ok((settled.protocol == protocol).then_some(()))
            })?;
        }
        let after = cast.rest()?.0;
        let rebalances = after.generation - before.generation;
        if !(1..=NAMES.len() as i64).contains(&rebalances) {
            bail!("each of {} members rejoins once, and there were {rebalances} rebalances", NAMES.len());
        }
        println!("    {} in {rebalances} rebalances: {}", after.protocol, cast.who_owns_what());
        before = after;
    }
    std::fs::remove_file(modules_of(&cast.folder, NAMES[1]).join("rack-aware.wasm"))?;
    wait_until("the group to go back", STEP, || Ok((!cast.settle()?.protocol.ends_with("@2")).then_some(())))?;
    println!("    rolled back in one folder: {}", cast.settle()?.protocol);
    cast.leave_all()?;
    never_twice(&cast.gone)
}

fn join(cast: &mut Cast<'_>, name: &str, strategy: &str) -> Result<()> {
    cast.join(&Seat { name, client: &DIVVY, strategy, instance: None })
}

fn by_protocol(settled: &Settled, protocol: &str) -> Result<()> {
    if settled.protocol == protocol { Ok(()) } else { bail!("{protocol} should serve: {settled:?}") }
}

fn one_more(before: &Settled, after: &Settled) -> Result<()> {
    if after.generation == before.generation + 1 {
        return Ok(());
    }
    bail!("a change is one rebalance: generation {} came after {}", after.generation, before.generation)
}
