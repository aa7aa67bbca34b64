//! A module of another language leads a real group: two members on a `divvy serve`, whose shares, or states, only it would give.

use std::path::Path;
use std::time::Duration;

use anyhow::{Context, Result};

use crate::divvy::{Member, Seat, Server, drop_module, modules_of};
use crate::process::wait_until;

/// For the group to settle: two joins, and a module of two megabytes compiled by both members.
const SETTLES_WITHIN: Duration = Duration::from_secs(60);

const CONFIG: &str = "
[[topic]]
name = \"clicks\"
partitions = 6
";

/// Cards dealt in turn: the strategy that stands in for a module that fails would give runs.
const EVERY_SECOND: [[i64; 3]; 2] = [[0, 2, 4], [1, 3, 5]];

/// A state for each: which part of how many.
const HALVES: [&str; 2] = ["1/2:", "2/2:"];

/// Two members that have nothing but this module share a topic.
pub fn led_by(program: &Path, language: &str, module: &Path) -> Result<()> {
    let generation = settles(program, language, module, ("even", &["--topic", "clicks"]), |members| {
        let mut shares: Vec<_> = members.iter().map(|member| member.owns("clicks")).collect();
        shares.sort();
        shares == EVERY_SECOND
    })?;
    println!("    {language} leads a group, {generation}, every second partition each");
    Ok(())
}

/// Two members that have nothing but this module get its states.
pub fn told_by(program: &Path, language: &str, module: &Path) -> Result<()> {
    let generation = settles(program, language, module, ("parts", &["--protocol-type", "parts"]), |members| {
        let state = |member: &Member| Some(member.assigned.as_ref()?["state"]["text"].as_str()?.to_owned());
        let mut states: Vec<_> = members.iter().filter_map(state).collect();
        states.sort();
        states == HALVES
    })?;
    println!("    {language} leads a group of states, {generation}, {} and {}", HALVES[0], HALVES[1]);
    Ok(())
}

/// Two members join with this module alone until they have what they should; in which generation, and under which protocol.
fn settles(
    program: &Path,
    language: &str,
    module: &Path,
    (strategy, about): (&str, &[&str]),
    is_right: impl Fn(&[Member]) -> bool,
) -> Result<String> {
    let folder = tempfile::tempdir().context("there is no room for a server's files")?;
    let mut server = Server::start(program, folder.path(), CONFIG)?;
    let address = server.address();
    let mut members = Vec::new();
    for name in ["first", "second"] {
        drop_module(module, &modules_of(folder.path(), name), strategy)?;
        let seat = Seat { name, server: &address, group: language };
        let words = [about, &["--wasi-shim", strategy]].concat();
        members.push(Member::join_with(program, folder.path(), &seat, &words)?);
    }
    let settled = wait_until(&format!("a group that {language} leads"), SETTLES_WITHIN, || {
        members.iter_mut().for_each(|member| drop(member.news()));
        Ok(is_right(&members).then_some(()))
    });
    settled.with_context(|| members.iter().map(Member::log_tail).collect::<Vec<_>>().join("\n"))?;
    let (protocol, generation) = members[0].works_in().context("a member without a generation")?;
    let said = format!("generation {generation} under {protocol}");
    members.iter_mut().try_for_each(Member::leave)?;
    server.stop()?;
    Ok(said)
}
