//! Unmodified clients in a group that a divvy member leads with a module.

use std::collections::BTreeSet;

use anyhow::{Context, Result, bail};
use serde_json::Value;

use super::Case;
use super::bench::{Bench, GROUP, PARTITIONS, TOPIC};
use super::clients::{CLIENTS, Runtime};
use super::member::{Member, Place, STEP, Seat};
use crate::divvy::{self, Role};
use crate::process::wait_until;
use crate::shell::root;

/// The cases.
pub fn cases() -> Vec<Case> {
    vec![Case { name: "led/module".to_owned(), needs: vec![Runtime::Python], run: Box::new(module) }]
}

/// Two kinds of client get what a module says, which a member of divvy's runs for them.
fn module(bench: &Bench) -> Result<()> {
    let (server, folder) = bench.server("led", "")?;
    let range = root().join("assignors/range.wasm");
    let digest = divvy::ask(&bench.program, &["assignor", "inspect", &range.to_string_lossy()])?["digest"].clone();
    divvy::drop_module(&range, &divvy::modules_of(&folder, "divvy"), "range")?;
    let address = server.address();
    let role = Role { name: "divvy", server: &address, group: GROUP, topic: TOPIC, rack: None };
    let mut leader = divvy::Member::join(&bench.program, &folder, &role)?;
    let mut clients: Vec<Member> = Vec::new();

    let told = (|| {
        settle(&mut leader, PARTITIONS)?;
        println!("    divvy's member owns every partition");
        for client in CLIENTS.iter().filter(|client| ["kafka-python", "confluent-kafka"].contains(&client.name)) {
            let seat = Seat { name: client.name, client, strategy: "range", instance: None };
            let place = Place { server: &address, group: GROUP, topic: TOPIC, folder: &folder };
            clients.push(Member::start(bench, &place, &seat)?);
        }
        share(&mut leader, &mut clients)?;
        leads_with(&leader, &digest)?;
        for client in &mut clients {
            client.leave()?;
        }
        settle(&mut leader, PARTITIONS)?;
        leader.leave()
    })();
    told.inspect_err(|_| {
        for client in &clients {
            eprintln!("--- log of {}\n{}", client.name, client.log_tail());
        }
        eprintln!("--- log of divvy join\n{}", leader.log_tail());
        eprintln!("--- log of divvy serve\n{}\n---", server.log_tail());
    })
}

/// Waits until all three own a third, and nobody what another one owns.
fn share(leader: &mut divvy::Member, clients: &mut [Member]) -> Result<()> {
    wait_until("three members to own a third each", STEP, || {
        leader.news();
        let mut owned = vec![BTreeSet::from_iter(leader.owns(TOPIC))];
        for client in &mut *clients {
            client.listen()?;
            owned.push(client.owns.clone());
        }
        let all: BTreeSet<&i64> = owned.iter().flatten().collect();
        let fair = owned.iter().all(|part| part.len() == PARTITIONS / 3);
        Ok((fair && all.len() == PARTITIONS).then_some(()))
    })
}

/// Waits until the member owns so many partitions.
fn settle(member: &mut divvy::Member, partitions: usize) -> Result<()> {
    wait_until(&format!("divvy's member to own {partitions} partitions"), STEP, || {
        member.news();
        Ok((member.owns(TOPIC).len() == partitions).then_some(()))
    })
}

fn leads_with(member: &divvy::Member, digest: &Value) -> Result<()> {
    let assigned = member.assigned.as_ref().context("divvy's member has no assignment")?;
    if assigned["role"] != "leader" || assigned["digest"] != *digest {
        bail!("divvy's member does not lead with the module {digest}: {assigned}");
    }
    println!("    divvy's member leads, by its module {digest}");
    Ok(())
}
