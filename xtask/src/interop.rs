//! `cargo xtask interop [CASE]`: unmodified Kafka clients against a `divvy serve` of this tree.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use anyhow::{Context, Result, bail};
use serde_json::Value;

use crate::divvy::{self, Member, Role, Server};
use crate::process::{Process, wait_until};
use crate::shell::root;
use crate::{guests, python};

/// Each step of a script has 60 s; a script that says nothing for longer is lost.
const SAYS_SOMETHING_WITHIN: Duration = Duration::from_secs(90);

/// What a member of ours needs to get its share.
const SETTLES_WITHIN: Duration = Duration::from_secs(60);

const TOPIC: &str = "orders";
const PARTITIONS: usize = 6;

type Case = (&'static str, fn(&Bench) -> Result<()>);

const CASES: [Case; 3] = [
    ("kafka-python", |bench| one_client(bench, "kafka-python")),
    ("confluent-kafka", |bench| one_client(bench, "confluent-kafka")),
    ("mixed", mixed),
];

/// What every case stands on.
struct Bench {
    program: PathBuf,
    python: PathBuf,
    folder: tempfile::TempDir,
}

/// Runs one case, or all.
pub fn run(arguments: &[String]) -> Result<()> {
    let wanted = arguments.first();
    let names: Vec<&str> = CASES.iter().map(|(name, _)| *name).collect();
    if let Some(name) = wanted.filter(|name| !names.contains(&name.as_str())) {
        bail!("there is no case {name}; there are {}", names.join(", "));
    }
    let python = python::with(&["kafka-python", "confluent-kafka"])?;
    guests::build()?;
    let program = divvy::build()?;
    let folder = tempfile::tempdir().context("no folder for temporary files")?;
    let bench = Bench { program, python, folder };
    for (name, case) in CASES.iter().filter(|(name, _)| wanted.is_none_or(|wanted| wanted == name)) {
        println!("==> interop: {name}");
        case(&bench).with_context(|| format!("interop case {name}"))?;
    }
    Ok(())
}

impl Bench {
    fn server(&self, case: &str) -> Result<(Server, PathBuf)> {
        let folder = self.folder.path().join(case);
        fs::create_dir_all(&folder).with_context(|| format!("{} cannot be made", folder.display()))?;
        let config = format!(
            "group.initial.rebalance.delay.ms = 200

[[topic]]
name = \"{TOPIC}\"
partitions = {PARTITIONS}
"
        );
        Ok((Server::start(&self.program, &folder, &config)?, folder))
    }

    fn script(&self, name: &str, arguments: &[&str], folder: &Path) -> Result<Process> {
        let mut command = Command::new(&self.python);
        command.arg(root().join("tests/interop").join(name)).args(arguments);
        command.env("PYTHONDONTWRITEBYTECODE", "1");
        Process::start(name, &command, &folder.join("client.log"))
    }
}

/// A client among its own kind, through a restart of the coordinator.
fn one_client(bench: &Bench, client: &str) -> Result<()> {
    let (mut server, folder) = bench.server(client)?;
    let (address, partitions) = (server.address(), PARTITIONS.to_string());
    let mut script = bench.script("one_client.py", &[client, &address, client, TOPIC, &partitions], &folder)?;
    let told = follow(&mut script, |line| {
        if line == "ask: restart the coordinator" {
            server.kill()?;
            server.restart()?;
        }
        Ok(())
    });
    told.inspect_err(|_| show_log("divvy serve", &server.log_tail()))
}

/// Both clients in a group that a divvy member leads with a module.
fn mixed(bench: &Bench) -> Result<()> {
    let (server, folder) = bench.server("mixed")?;
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

fn show_log(whose: &str, tail: &str) {
    eprintln!("--- log of {whose}\n{tail}\n---");
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

/// Prints what a script says, does what it asks for, until it ends well.
fn follow(script: &mut Process, mut answer: impl FnMut(&str) -> Result<()>) -> Result<()> {
    loop {
        let line = match script.line_or_end(SAYS_SOMETHING_WITHIN)? {
            Some(line) => line,
            None => return Ok(()),
        };
        println!("    {line}");
        if line.starts_with("ask: ") {
            answer(&line)?;
            script.say("done")?;
        }
    }
}
