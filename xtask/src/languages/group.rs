//! A module of another language leads a real group: two members on a `divvy serve`, whose shares only it would give.

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

/// Two members that have nothing but this module share a topic.
pub fn led_by(program: &Path, language: &str, module: &Path) -> Result<()> {
    let folder = tempfile::tempdir().context("there is no room for a server's files")?;
    let mut server = Server::start(program, folder.path(), CONFIG)?;
    let address = server.address();
    let mut members = Vec::new();
    for name in ["first", "second"] {
        drop_module(module, &modules_of(folder.path(), name), "even")?;
        let seat = Seat { name, server: &address, group: language };
        members.push(Member::join_with(program, folder.path(), &seat, &["--topic", "clicks", "--wasi-shim", "even"])?);
    }
    let settled = wait_until(&format!("a group that {language} leads"), SETTLES_WITHIN, || {
        members.iter_mut().for_each(|member| drop(member.news()));
        let mut shares: Vec<_> = members.iter().map(|member| member.owns("clicks")).collect();
        shares.sort();
        Ok((shares == EVERY_SECOND).then_some(()))
    });
    settled.with_context(|| members.iter().map(Member::log_tail).collect::<Vec<_>>().join("\n"))?;
    let (protocol, generation) = members[0].works_in().context("a member without a generation")?;
    println!("    {language} leads a group under {protocol}: generation {generation}, every second partition each");
    members.iter_mut().try_for_each(Member::leave)?;
    server.stop()
}
