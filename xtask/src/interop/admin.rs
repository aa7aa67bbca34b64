//! The tools that people look at a cluster with: Kafka's own, kcat, and the admin clients of two libraries.

use std::process::Command;

use anyhow::{Context, Result};

use super::Case;
use super::bench::{Bench, GROUP, PARTITIONS, TOPIC};
use super::cast::Cast;
use super::clients::{CLIENTS, Client, Runtime};
use super::member::{STEP, Seat};
use super::tools::{GROUPS, says};
use crate::process::Process;
use crate::shell::root;
use crate::{apt, python};

/// The classes behind `kafka-topics` and the others.
const TOPICS: &str = "org.apache.kafka.tools.TopicCommand";
const VERSIONS: &str = "org.apache.kafka.tools.BrokerApiVersionsCommand";
const OFFSETS: &str = "org.apache.kafka.tools.GetOffsetShell";
const CONFIGS: &str = "org.apache.kafka.tools.ConfigCommand";

/// Who is in the groups that the tools look at.
const MEMBER: &str = "kafka-python";

/// The cases.
pub fn cases() -> Vec<Case> {
    let case = |name: &str, needs: Vec<Runtime>, run: fn(&Bench) -> Result<()>| Case {
        name: format!("admin/{name}"),
        needs,
        run: Box::new(run),
    };
    vec![
        case("kafka-topics", Vec::new(), kafka_topics),
        case("kafka-consumer-groups", vec![Runtime::Python], kafka_consumer_groups),
        case("kcat", vec![Runtime::Kcat], kcat),
        case("confluent-kafka", vec![Runtime::Python], |bench| library(bench, "confluent")),
        case("kafka-python", vec![Runtime::Python], |bench| library(bench, "kafka_python")),
    ]
}

fn member() -> Result<&'static Client> {
    CLIENTS.iter().find(|client| client.name == MEMBER).with_context(|| format!("there is no client {MEMBER}"))
}

fn kafka_topics(bench: &Bench) -> Result<()> {
    Cast::play(bench, "admin-kafka-topics", "", |cast| {
        let tools = cast.server.tools()?;
        tools.says(VERSIONS, "", &["(id: 0 rack: null", "JoinGroup(11): 0 to 9", "DeleteTopics(20): 1 to 6"])?;
        tools.says(TOPICS, "--create --topic made --partitions 2", &["Created topic made."])?;
        tools.says(TOPICS, "--create --topic made", &["exists already"])?;
        tools.says(TOPICS, "--list", &["made orders"])?;
        tools.says(TOPICS, "--describe --topic made", &["Topic: made", "PartitionCount: 2", "Leader: 0"])?;
        tools.says(TOPICS, "--alter --topic made --partitions 5", &[])?;
        tools.says(TOPICS, "--describe --topic made", &["PartitionCount: 5", "Partition: 4"])?;
        tools.says(TOPICS, "--alter --topic made --partitions 3", &["has 5 partitions already"])?;
        tools.says(TOPICS, "--delete --topic orders", &["in the configuration"])?;
        tools.says(TOPICS, "--delete --topic made", &[])?;
        tools.says(TOPICS, "--describe --topic made", &["does not exist"])?;
        let bound = "group.max.session.timeout.ms=1800000";
        tools.says(CONFIGS, "--describe --all --entity-type brokers --entity-name 0", &[bound])
    })
}

fn kafka_consumer_groups(bench: &Bench) -> Result<()> {
    Cast::play(bench, "admin-kafka-consumer-groups", "", |cast| {
        let tools = cast.server.tools()?;
        let groups = |arguments: &str, texts: &[&str]| tools.says(GROUPS, arguments, texts);
        groups("--describe --group nobody", &["no group has the id"])?;

        let client = member()?;
        let seat = |name| Seat { name, client, strategy: "default", instance: None };
        cast.join(&seat("first"))?;
        cast.settle()?;
        cast.commit_each()?;
        stable(&groups)?;
        // The first is killed and cannot say so: the second waits for its session to end.
        cast.kill("first")?;
        cast.join(&seat("second"))?;
        tools.will_say(GROUPS, &format!("--describe --state --group {GROUP}"), &["PreparingRebalance"])?;
        cast.settle()?;
        cast.leave("second")?;
        tools.will_say(GROUPS, &format!("--describe --state --group {GROUP}"), &[" Empty 0"])?;
        empty(&tools)
    })
}

/// What the tool shows and refuses while the group works.
fn stable(groups: &dyn Fn(&str, &[&str]) -> Result<()>) -> Result<()> {
    groups("--list", &[GROUP])?;
    groups("--list --state", &["GROUP STATE", &format!("{GROUP} Stable")])?;
    groups("--list --state Empty", &[])?;
    let heads = "TOPIC PARTITION CURRENT-OFFSET LOG-END-OFFSET LAG CONSUMER-ID HOST CLIENT-ID";
    groups(&format!("--describe --group {GROUP}"), &[heads, "first"])?;
    groups(&format!("--describe --offsets --group {GROUP}"), &[heads])?;
    groups(&format!("--describe --members --verbose --group {GROUP}"), &["#PARTITIONS", "first 12", "orders:0,1,2"])?;
    groups(&format!("--describe --state --group {GROUP}"), &["range Stable 1"])?;
    groups(&format!("--delete --group {GROUP}"), &["The group is not empty"])?;
    let reset = format!("--reset-offsets --group {GROUP} --topic {TOPIC} --to-earliest --execute");
    groups(&reset, &["inactive", "Stable"])
}

/// What it sets and deletes when nobody is in the group.
fn empty(tools: &super::tools::Tools) -> Result<()> {
    let groups = |arguments: &str, texts: &[&str]| tools.says(GROUPS, arguments, texts);
    let reset =
        |partition: usize, how: &str| format!("--reset-offsets --group {GROUP} --topic {TOPIC}:{partition} {how}");
    groups(&format!("--describe --group {GROUP}"), &["has no active members"])?;
    groups(&reset(0, "--to-earliest --dry-run"), &[&format!("{GROUP} {TOPIC} 0 0")])?;
    // The member has committed for partition 0 alone: the others end at 0, and the tool goes no further.
    groups(&reset(0, "--shift-by -1 --execute"), &[&format!("{GROUP} {TOPIC} 0 ")])?;
    groups(&reset(0, "--to-earliest --execute"), &[&format!("{GROUP} {TOPIC} 0 0")])?;
    groups(&reset(1, "--shift-by -1 --execute"), &["no current committed offset"])?;
    groups(&reset(2, "--to-offset 1 --execute"), &[&format!("{GROUP} {TOPIC} 2 0")])?;
    groups(&reset(3, "--to-latest --execute"), &[&format!("{GROUP} {TOPIC} 3 ")])?;
    tools.says(OFFSETS, &format!("--topic {TOPIC}"), &[&format!("{TOPIC}:{}:", PARTITIONS - 1)])?;
    groups(&format!("--delete-offsets --group {GROUP} --topic {TOPIC}:0"), &["Successful"])?;
    groups(&format!("--delete --group {GROUP}"), &["was successful"])?;
    groups(&format!("--delete --group {GROUP}"), &["does not exist"])
}

fn kcat(bench: &Bench) -> Result<()> {
    apt::program("kcat", &["kcat"])?;
    Cast::play(bench, "admin-kcat", "", |cast| {
        let server = cast.server.address();
        let kcat = |arguments: &str, texts: &[&str]| {
            let mut command = Command::new("kcat");
            command.args(["-b", &server]).args(arguments.split_whitespace());
            says(&format!("kcat {arguments}"), &mut command, texts)
        };
        kcat("-L", &["broker 0 at", &format!("topic \"{TOPIC}\" with {PARTITIONS} partitions")])?;
        kcat(&format!("-Q -t {TOPIC}:0:-2"), &[&format!("{TOPIC} [0] offset 0")])?;
        kcat(&format!("-Q -t {TOPIC}:0:-1"), &[&format!("{TOPIC} [0] offset 0")])
    })
}

/// A story of its own in the library's language.
fn library(bench: &Bench, script: &str) -> Result<()> {
    let python = python::with(&["kafka-python", "confluent-kafka"])?;
    Cast::play(bench, &format!("admin-{script}"), "", |cast| {
        let mut command = Command::new(&python);
        command.arg(root().join(format!("tests/interop/admin/{script}.py"))).arg(cast.server.address());
        command.env("PYTHONDONTWRITEBYTECODE", "1");
        let mut story = Process::start(script, &command, &cast.folder.join("story.log"))?;
        while let Some(line) = story.line_or_end(STEP)? {
            println!("    {line}");
        }
        Ok(())
    })
}
