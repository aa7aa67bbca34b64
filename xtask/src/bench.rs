//! `cargo xtask bench [NAME [ARGUMENT …]]`: runs the measurements of `tests/bench`, optimised like a release.

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

/// What is measured on a Kafka broker beside members of other libraries, and how it is told where they are.
const MEMBERS: &str = "members";
const KAFKA: &str = "DIVVY_BENCH_KAFKA";
const FLEET_JAVA: &str = "DIVVY_BENCH_JAVA";
/// The first member of a group waits for nobody.
const DELAY: &str = "group.initial.rebalance.delay.ms";
const FLEET_LIBRDKAFKA: &str = "DIVVY_BENCH_LIBRDKAFKA";

/// Runs one measurement with its own arguments, or all.
pub fn run(arguments: &[String]) -> Result<()> {
    let mut command = cargo(&["bench", "--workspace"]);
    match arguments.split_first() {
        Some((name, rest)) if is_there(name) => command.args(["--bench", name, "--"]).args(rest),
        Some((name, _)) => bail!("there is no tests/bench/{name}.rs and no tests/bench/{name}/main.rs"),
        None => command.args(["--bench", "assignors", "--bench", "coordinator"]),
    };
    let broker = match arguments.first() {
        Some(name) if name == MEMBERS => Some(Broker::start(&Settings::default().with(DELAY, 0))?),
        _ => None,
    };
    if let Some(broker) = &broker {
        let java = words(&java::command_with(&["-Xmx512m"], &java::compile("java", "Fleet")?, "Fleet"));
        let python = python::with(&["confluent-kafka"])?;
        let script = root().join("tests/interop/python/fleet.py");
        let librdkafka = format!("{}\n{}", python.display(), script.display());
        command.env(KAFKA, broker.address()).env(FLEET_JAVA, java).env(FLEET_LIBRDKAFKA, librdkafka);
    }
    if arguments.iter().any(|word| word == PEERS) {
        command.env(JAVA, java::compile(FOLDER, "Assignors")?).env(GO, go::build(FOLDER)?);
    }
    guests::build()?;
    show("measure", &mut command)
}

/// A command, a word a line.
fn words(command: &Command) -> String {
    let words = std::iter::once(command.get_program()).chain(command.get_args());
    words.map(|word| word.to_string_lossy().into_owned()).collect::<Vec<_>>().join("\n")
}

fn is_there(name: &str) -> bool {
    ["{}.rs", "{}/main.rs"].iter().any(|file| root().join("tests/bench").join(file.replace("{}", name)).is_file())
}
