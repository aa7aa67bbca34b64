//! The clients: what each can do, what it needs, and how a member made of it is started.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result};

use crate::node::Node;
use crate::shell::root;
use crate::{apt, divvy, go, java, kafka, python};

/// A client library as its users get it.
#[derive(Debug)]
pub struct Client {
    /// Its name, which is also the first argument of its program.
    pub name: &'static str,
    /// What runs it.
    pub runtime: Runtime,
    /// The strategies that it brings, by their names on the wire.
    pub strategies: &'static [&'static str],
    /// Whether it can be a static member.
    pub instances: bool,
    /// Whether it can commit an offset that it was told.
    pub commits: bool,
    /// What it does when the coordinator is away for a moment.
    pub when_lost: WhenLost,
    /// What it does when that lasts longer, as a start of Kafka's does.
    pub when_lost_long: WhenLost,
}

/// What a library does when its heartbeats meet no coordinator.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum WhenLost {
    /// Looks for it, and goes on in its generation.
    Waits,
    /// The same; but a leader may see a cluster without topics while it looks, and begin a rebalance.
    LeaderRejoins,
    /// Ends its session and joins again with its id: a follower that says the same gets the same generation, a
    /// leader begins a rebalance.
    Rejoins,
    /// The same, and says that it owns nothing: a rebalance, whoever leads.
    RejoinsEmpty,
    /// Forgets its id, and joins as a new member.
    JoinsAnew,
}

/// What must be on the machine.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Runtime {
    /// Python with the newest clients.
    Python,
    /// Python with a confluent-kafka whose librdkafka is 2.0.
    OldPython,
    /// Debian's kcat.
    Kcat,
    /// A JVM.
    Java,
    /// Go.
    Go,
    /// Node.
    Node,
    /// divvy's own library.
    Divvy,
    /// Apache Kafka's broker.
    Kafka,
}

const EAGER: &[&str] = &["range", "roundrobin", "sticky"];
const LIBRDKAFKA: &[&str] = &["range", "roundrobin", "cooperative-sticky"];
const ALL: &[&str] = &["range", "roundrobin", "sticky", "cooperative-sticky"];

const fn client(name: &'static str, runtime: Runtime, strategies: &'static [&'static str]) -> Client {
    let when_lost = WhenLost::Waits;
    Client { name, runtime, strategies, instances: true, commits: true, when_lost, when_lost_long: when_lost }
}

const fn lost(when_lost: WhenLost, client: Client) -> Client {
    Client { when_lost, when_lost_long: when_lost, ..client }
}

/// Every client that is tried.
pub const CLIENTS: &[Client] = &[
    client("kafka-python", Runtime::Python, ALL),
    client("confluent-kafka", Runtime::Python, LIBRDKAFKA),
    client("confluent-kafka-2.0", Runtime::OldPython, LIBRDKAFKA),
    client("aiokafka", Runtime::Python, EAGER),
    Client { commits: false, ..client("kcat", Runtime::Kcat, LIBRDKAFKA) },
    Client { instances: false, ..lost(WhenLost::JoinsAnew, client("kafkajs", Runtime::Node, &[])) },
    // When it reaches no broker it forgets the topics (`metadata.recovery.strategy`, KIP-899), and may find the
    // coordinator before it has them again.
    lost(WhenLost::LeaderRejoins, client("java", Runtime::Java, ALL)),
    // It dials for a while, then ends its session.
    Client { when_lost_long: WhenLost::RejoinsEmpty, ..client("franz-go", Runtime::Go, ALL) },
    Client { when_lost_long: WhenLost::RejoinsEmpty, ..lost(WhenLost::Rejoins, client("sarama", Runtime::Go, ALL)) },
];

/// The client of that name.
pub fn named(name: &str) -> Result<&'static Client> {
    let found = CLIENTS.iter().find(|client| client.name == name);
    found.with_context(|| {
        let known: Vec<&str> = CLIENTS.iter().map(|client| client.name).collect();
        format!("there is no client {name}; there are {}", known.join(", "))
    })
}

/// Those of these names that bring a strategy.
///
/// # Panics
/// If one of the names is nobody's: a case has misspelt it, and the first who looks at the cases hears of it.
pub fn among(
    names: &'static [&'static str],
    strategy: &'static str,
) -> impl DoubleEndedIterator<Item = &'static Client> {
    if let Some(error) = names.iter().find_map(|name| named(name).err()) {
        panic!("{error}");
    }
    CLIENTS.iter().filter(move |client| names.contains(&client.name) && client.strategies.contains(&strategy))
}

/// divvy's own member, for the cases where it is among the others.
pub const DIVVY: Client = client("divvy", Runtime::Divvy, ALL);

/// The programs of the clients that were set up.
#[derive(Default)]
pub struct Programs {
    python: PathBuf,
    old_python: PathBuf,
    java: String,
    go: PathBuf,
    node: Option<Node>,
    /// divvy's own member; also a coordinator that shows nothing of divvy.
    pub divvy: PathBuf,
}

impl Programs {
    /// Gets what these runtimes need.
    pub fn set_up(runtimes: &[Runtime]) -> Result<Self> {
        let mut programs = Self::default();
        for runtime in runtimes {
            match runtime {
                Runtime::Python => programs.python = python::with(&["kafka-python", "confluent-kafka", "aiokafka"])?,
                Runtime::OldPython => {
                    let requirements = "tests/interop/python/requirements-old.txt";
                    programs.old_python =
                        python::environment("interop/python-old", requirements, &["confluent-kafka"])?;
                }
                Runtime::Kcat => {
                    apt::program("kcat", &["kcat"])?;
                    programs.python = python::with(&[])?;
                }
                Runtime::Java => programs.java = java::compile("java", "Member")?,
                Runtime::Go => programs.go = go::build("go")?,
                Runtime::Node => programs.node = Some(Node::with("node")?),
                Runtime::Divvy => programs.divvy = divvy::build_member()?,
                Runtime::Kafka => kafka::fetch()?,
            }
        }
        Ok(programs)
    }

    /// A script for Python or Node, with the packages of the clients at hand; its arguments follow.
    pub fn script(&self, runtime: Runtime, script: &Path) -> Command {
        match (runtime, &self.node) {
            (Runtime::Node, Some(node)) => node.script(script),
            _ => {
                let mut command = Command::new(&self.python);
                command.arg(script);
                command
            }
        }
    }

    /// The program that is one member of a kind; its arguments follow.
    pub fn member(&self, client: &Client) -> Command {
        let python = |python: &PathBuf| {
            let mut command = Command::new(python);
            command.arg(root().join("tests/interop/python/member.py")).env("PYTHONDONTWRITEBYTECODE", "1");
            command
        };
        let mut command = match client.runtime {
            Runtime::Python | Runtime::Kcat => python(&self.python),
            Runtime::OldPython => python(&self.old_python),
            Runtime::Java => java::command(&self.java, "Member"),
            Runtime::Go => Command::new(&self.go),
            Runtime::Divvy => {
                let mut command = Command::new(&self.divvy);
                command.env("DIVVY_ASSIGNORS", root().join("assignors"));
                command
            }
            Runtime::Kafka => Command::new("false"),
            Runtime::Node => self.node.as_ref().map_or_else(|| Command::new("node"), |node| node.command("member.js")),
        };
        command.arg(client.name);
        command
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_client_that_nobody_knows_is_an_error_that_names_those_that_there_are() {
        assert_eq!(named("java").unwrap().name, "java");
        let said = named("jawa").unwrap_err().to_string();
        assert!(
            said.starts_with("there is no client jawa; there are kafka-python, ") && said.contains("sarama"),
            "{said}"
        );
    }
}
