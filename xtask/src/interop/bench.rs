//! What every case stands on: the program, servers with a topic, scripts that talk.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use anyhow::{Context, Result};

use crate::divvy::{self, Server};
use crate::process::Process;
use crate::shell::root;
use crate::{guests, python};

/// Each step of a script has 60 s; a script that says nothing for longer is lost.
const SAYS_SOMETHING_WITHIN: Duration = Duration::from_secs(90);

/// The topic that every group shares.
pub const TOPIC: &str = "orders";

/// Its partitions: shared evenly by 2, 3, 4 and 6 members.
pub const PARTITIONS: usize = 12;

/// What every case stands on.
pub struct Bench {
    /// `divvy`.
    pub program: PathBuf,
    python: PathBuf,
    folder: tempfile::TempDir,
}

impl Bench {
    /// Builds divvy and its modules.
    pub fn set_up() -> Result<Self> {
        let python = python::with(&["kafka-python", "confluent-kafka"])?;
        guests::build()?;
        let program = divvy::build()?;
        let folder = tempfile::tempdir().context("no folder for temporary files")?;
        Ok(Self { program, python, folder })
    }

    /// A server of its own for a case, and the folder of the case's files. `config` is added to its configuration.
    pub fn server(&self, case: &str, config: &str) -> Result<(Server, PathBuf)> {
        let folder = self.folder.path().join(case.replace('/', "-"));
        fs::create_dir_all(&folder).with_context(|| format!("{} cannot be made", folder.display()))?;
        let config = format!(
            "\"group.initial.rebalance.delay.ms\" = 200\n{config}\n[[topic]]\nname = \"{TOPIC}\"\npartitions = {PARTITIONS}\n"
        );
        Ok((Server::start(&self.program, &folder, &config)?, folder))
    }

    /// A Python script of `tests/interop`.
    pub fn script(&self, name: &str, arguments: &[&str], folder: &Path) -> Result<Process> {
        let mut command = Command::new(&self.python);
        command.arg(root().join("tests/interop").join(name)).args(arguments);
        command.env("PYTHONDONTWRITEBYTECODE", "1");
        Process::start(name, &command, &folder.join("client.log"))
    }
}

/// Prints what a script says, does what it asks for, until it ends well.
pub fn follow(script: &mut Process, mut answer: impl FnMut(&str) -> Result<()>) -> Result<()> {
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

/// Prints the end of a log to somebody who has to find out what went wrong.
pub fn show_log(whose: &str, tail: &str) {
    eprintln!("--- log of {whose}\n{tail}\n---");
}
