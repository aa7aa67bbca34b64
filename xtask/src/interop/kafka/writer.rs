//! A single writer on Kafka: one of three is active, its epoch rises with each new one, and the broker's restart changes
//! nothing.

use std::time::Duration;

use anyhow::{Context, Result, bail};

use super::super::away::Away;
use super::super::cast::Cast;
use super::super::member::STEP;
use crate::divvy::Member;
use crate::process::{wait_until, watch};

/// Protocol type `single-writer` with its own strategy; a short session, since one member is killed.
const WORDS: [&str; 4] = ["--protocol-type", "single-writer", "--session-timeout-ms", "6000"];

/// Who lost its place has been told by then.
const LONGER_THAN_A_SESSION: Duration = Duration::from_secs(10);

/// The active one leaves, the next is killed.
pub fn takes_over(cast: &mut Cast<'_>) -> Result<()> {
    let join = |name| cast.divvy_join(name, &["active-standby"], &WORDS);
    let mut members = vec![join("first")?, join("second")?, join("third")?];
    let (active, epoch) = one_is_active(&mut members)?;
    println!("    {} is active with epoch {epoch}", members[active].name);

    cast.restart(Away::Killed)?;
    watch(LONGER_THAN_A_SESSION, || match one_is_active(&mut members)? == (active, epoch) {
        true => Ok(()),
        false => bail!("another one became active when the broker was killed"),
    })?;
    println!("    the broker was killed and came back: epoch {epoch} goes on");

    members.remove(active).leave()?;
    let (active, after) = one_is_active(&mut members)?;
    risen(epoch, after)?;
    println!("    it left: {} is active with epoch {after}", members[active].name);

    members.remove(active).kill()?;
    let (active, last) = wait_until("the last one to become active", STEP, || {
        let state = one_is_active(&mut members)?;
        Ok((state.1 != after).then_some(state))
    })?;
    risen(after, last)?;
    println!("    it was killed: {} is active with epoch {last}", members[active].name);
    members.remove(active).leave()
}

fn risen(before: i64, after: i64) -> Result<()> {
    if after <= before {
        bail!("epoch {after} came after {before}");
    }
    Ok(())
}

/// Waits until exactly one is active: which, and with which epoch.
fn one_is_active(members: &mut [Member]) -> Result<(usize, i64)> {
    wait_until("one member to be active", STEP, || {
        let mut active = Vec::new();
        for (place, member) in members.iter_mut().enumerate() {
            member.news();
            let Some(assigned) = &member.assigned else { continue };
            let state = &assigned["state"];
            if state["role"] == "active" {
                active.push((place, state["epoch"].as_i64().context("an active one has an epoch")?));
            }
        }
        if active.len() > 1 {
            bail!("{active:?} are active at once");
        }
        Ok(active.first().copied())
    })
}
