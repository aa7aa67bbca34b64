//! `cargo xtask bench [NAME [ARGUMENT …]]`: runs a measurement of `tests/bench`, optimised like a release; without a name
//! `assignors` and `coordinator`, which need nothing but this machine.

use std::process::Command;

use anyhow::{Result, bail};

use crate::kafka::{Broker, Settings};
use crate::shell::{cargo, root, show};
use crate::{go, guests, java, python};

/// What asks `assignors` to measure other implementations as well, and how it is told where their programs are.
const PEERS: &str = "--peers";
const JAVA: &str = "DIVVY_PEER_JAVA";
const GO: &str = "DIVVY_PEER_GO";

/// The folder of `tests/interop` with those programs.
const FOLDER: &str = "assignors";

/// What is measured on a Kafka broker as well, some of it beside members of other libraries, and how it is told where those are.
const MEMBERS: &str = "members";
const KAFKA: &str = "DIVVY_BENCH_KAFKA";
const FLEET_JAVA: &str = "DIVVY_BENCH_JAVA";
const FLEET_LIBRDKAFKA: &str = "DIVVY_BENCH_LIBRDKAFKA";

/// The scenarios of `members` that want no broker, and those that want no other library.
const ON_DIVVY_ALONE: [&str; 1] = ["thousand"];
const OUR_MEMBERS_ALONE: [&str; 3] = ["thousand", "handover", "failover"];

/// The broker's groups wait for nobody when their first member comes.
const DELAY: &str = "group.initial.rebalance.delay.ms";

/// Runs one measurement with its own arguments, or those that need nothing else.
pub fn run(arguments: &[String]) -> Result<()> {
    let mut command = cargo(&["bench", "--workspace"]);
    match arguments.split_first() {
        Some((name, rest)) if is_there(name) => command.args(["--bench", name, "--"]).args(rest),
        Some((name, _)) => bail!("there is no tests/bench/{name}.rs and no tests/bench/{name}/main.rs"),
        None => command.args(["--bench", "assignors", "--bench", "coordinator"]),
    };
    let scenarios = arguments.split_first().filter(|(name, _)| *name == MEMBERS).map(|(_, scenarios)| scenarios);
    let is_wanted = |unless: &[&str]| scenarios.is_some_and(|scenarios| goes_beyond(scenarios, unless));
    let broker = match is_wanted(&ON_DIVVY_ALONE) {
        true => Some(Broker::start(&Settings::default().with(DELAY, 0))?),
        false => None,
    };
    if let Some(broker) = &broker {
        command.env(KAFKA, broker.address());
    }
    if is_wanted(&OUR_MEMBERS_ALONE) {
        let java = words(&java::command_with(&["-Xmx512m"], &java::compile("java", "Fleet")?, "Fleet"));
        let python = python::with(&["confluent-kafka"])?;
        let script = root().join("tests/interop/python/fleet.py");
        let librdkafka = format!("{}\n{}", python.display(), script.display());
        command.env(FLEET_JAVA, java).env(FLEET_LIBRDKAFKA, librdkafka);
    }
    if arguments.iter().any(|word| word == PEERS) {
        command.env(JAVA, java::compile(FOLDER, "Assignors")?).env(GO, go::build(FOLDER)?);
    }
    guests::build()?;
    show("measure", &mut command)
}

/// Whether more is to be measured than these scenarios: no name means all there are.
fn goes_beyond(words: &[String], these: &[&str]) -> bool {
    let is_name = |word: &&String| !word.starts_with('-') && word.parse::<u64>().is_err();
    let mut names = words.iter().filter(is_name).peekable();
    names.peek().is_none() || names.any(|name| !these.contains(&name.as_str()))
}

/// A command, a word a line.
fn words(command: &Command) -> String {
    let words = std::iter::once(command.get_program()).chain(command.get_args());
    words.map(|word| word.to_string_lossy().into_owned()).collect::<Vec<_>>().join("\n")
}

fn is_there(name: &str) -> bool {
    ["{}.rs", "{}/main.rs"].iter().any(|file| root().join("tests/bench").join(file.replace("{}", name)).is_file())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_is_measured_is_started() {
        let beyond = |words: &str, these: &[&str]| {
            goes_beyond(&words.split_whitespace().map(str::to_owned).collect::<Vec<_>>(), these)
        };
        assert!(!beyond("thousand --json", &ON_DIVVY_ALONE) && !beyond("thousand", &OUR_MEMBERS_ALONE));
        assert!(beyond("handover --repeats 5", &ON_DIVVY_ALONE) && !beyond("handover --repeats 5", &OUR_MEMBERS_ALONE));
        assert!(beyond("thousand restart", &OUR_MEMBERS_ALONE));
        assert!(beyond("", &ON_DIVVY_ALONE) && beyond("--restarts 3", &OUR_MEMBERS_ALONE), "all");
    }
}
