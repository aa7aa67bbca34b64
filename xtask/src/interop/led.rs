//! Unmodified clients in a group that a divvy member leads with a module.

use std::time::Duration;

use anyhow::{Context, Result, bail};
use serde_json::Value;

use super::Case;
use super::bench::{Bench, PARTITIONS, TOPIC, follow, show_log};
use crate::divvy::{self, Member, Role};
use crate::process::wait_until;
use crate::shell::root;

/// The cases.
pub const CASES: &[Case] = &[Case { name: "led/module", run: module }];

/// What a member of ours needs to get its share.
const SETTLES_WITHIN: Duration = Duration::from_secs(60);

/// Both clients in a group that a divvy member leads with a module.
fn module(bench: &Bench) -> Result<()> {
    let (server, folder) = bench.server("led", "")?;
    let range = root().join("assignors/range.wasm");
    let digest = divvy::ask(&bench.program, &["assignor", "inspect", &range.to_string_lossy()])?["digest"].clone();
    divvy::drop_module(&range, &divvy::modules_of(&folder, "divvy"), "range")?;
    let address = server.address();
    let role = Role { name: "divvy", server: &address, group: "mixed", topic: TOPIC, rack: None };
    let mut member = Member::join(&bench.program, &folder, &role)?;

    let told = (|| {
        settle(&mut member, PARTITIONS)?;
        println!("    divvy's member owns every partition");
        let partitions = PARTITIONS.to_string();
        let mut script = bench.script("mixed.py", &[&address, "mixed", TOPIC, &partitions], &folder)?;
        follow(&mut script, |line| {
            if line == "ask: check who leads" {
                settle(&mut member, PARTITIONS / 3)?;
                leads_with(&member, &digest)?;
            }
            Ok(())
        })?;
        settle(&mut member, PARTITIONS)?;
        member.leave()
    })();
    told.inspect_err(|_| {
        show_log("divvy join", &member.log_tail());
        show_log("divvy serve", &server.log_tail());
    })
}

/// Waits until the member owns so many partitions.
fn settle(member: &mut Member, partitions: usize) -> Result<()> {
    wait_until(&format!("divvy's member to own {partitions} partitions"), SETTLES_WITHIN, || {
        member.news();
        Ok((member.owns(TOPIC).len() == partitions).then_some(()))
    })
}

fn leads_with(member: &Member, digest: &Value) -> Result<()> {
    let assigned = member.assigned.as_ref().context("divvy's member has no assignment")?;
    if assigned["role"] != "leader" || assigned["digest"] != *digest {
        bail!("divvy's member does not lead with the module {digest}: {assigned}");
    }
    println!("    divvy's member leads, by its module {digest}");
    Ok(())
}
