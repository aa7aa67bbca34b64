//! `divvy topics list`.

use std::collections::BTreeMap;

use anyhow::Result;
use clap::Args;
use serde::Serialize;

use crate::cli::SERVER;
use crate::cli::address::host_port;
use crate::cli::kafka::{Kafka, refused};
use crate::cli::output::{Output, table};
use crate::cli::security::SecurityArgs;
use crate::wire::messages::metadata::{MetadataRequest, MetadataResponse, MetadataResponseTopic};

/// The topics with their partitions and racks.
#[derive(Args, Debug)]
pub struct List {
    /// The server
    #[arg(long, value_name = "HOST:PORT", default_value = SERVER, value_parser = host_port)]
    server: String,
    #[command(flatten)]
    security: SecurityArgs,
}

/// Of racks that do not take turns those of the first partitions are shown; `--json` has all.
const MOST_SHOWN: usize = 8;

/// A line of the list.
#[derive(Serialize)]
struct Line {
    name: String,
    partitions: usize,
    /// For each partition the racks of its replicas, the leader's first; left out when no rack is known.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    racks: Vec<Vec<String>>,
}

impl List {
    /// Prints them.
    pub fn run(self, output: &Output) -> Result<()> {
        let request = MetadataRequest { topics: None, allow_auto_topic_creation: false, ..Default::default() };
        let answer = Kafka::connect(&self.server, &self.security)?.ask(&request)?;
        if answer.error_code.is_error() {
            return Err(refused("the topics are not listed", answer.error_code, None));
        }
        let mut lines = lines(&answer);
        lines.sort_by(|a, b| a.name.cmp(&b.name));
        output.print(&lines, || match lines.is_empty() {
            true => {
                let remedy = "`divvy topics create NAME --partitions N` makes one, or the Kafka cluster that this server \
                              takes its topics from";
                format!("no topics at {}: {remedy}", self.server)
            }
            false => text(&lines),
        })
    }
}

fn lines(answer: &MetadataResponse) -> Vec<Line> {
    let known = answer.brokers.iter().filter_map(|broker| Some((broker.node_id, broker.rack.as_ref()?.to_string())));
    let racks: BTreeMap<i32, String> = known.filter(|(_, rack)| !rack.is_empty()).collect();
    let topics = answer.topics.iter().filter(|topic| !topic.error_code.is_error());
    topics.filter_map(|topic| line(topic, &racks)).collect()
}

fn line(topic: &MetadataResponseTopic, racks: &BTreeMap<i32, String>) -> Option<Line> {
    let mut partitions: Vec<_> = topic.partitions.iter().collect();
    partitions.sort_by_key(|partition| partition.partition_index);
    let of = |nodes: &[i32]| nodes.iter().filter_map(|node| racks.get(node).cloned()).collect::<Vec<_>>();
    let racks: Vec<Vec<String>> = partitions.iter().map(|partition| of(&partition.replica_nodes)).collect();
    let known = racks.iter().any(|racks| !racks.is_empty());
    let racks = if known { racks } else { Vec::new() };
    Some(Line { name: topic.name.as_ref()?.to_string(), partitions: partitions.len(), racks })
}

fn text(lines: &[Line]) -> String {
    let rows = lines.iter().map(|line| vec![line.name.clone(), line.partitions.to_string(), racks_text(&line.racks)]);
    table(&["TOPIC", "PARTITIONS", "RACKS"], rows)
}

/// `a b` for racks that take turns, `a,b b,a` where each partition has two; only as much as does not repeat itself.
fn racks_text(racks: &[Vec<String>]) -> String {
    if racks.is_empty() {
        return "-".to_owned();
    }
    let repeats = |turn: &usize| racks.iter().zip(racks.iter().skip(*turn)).all(|(a, b)| a == b);
    let turn = (1..=racks.len().min(MOST_SHOWN)).find(repeats);
    let of_partition = |racks: &Vec<String>| if racks.is_empty() { "-".to_owned() } else { racks.join(",") };
    let mut shown: Vec<String> = racks.iter().take(turn.unwrap_or(MOST_SHOWN)).map(of_partition).collect();
    if turn.is_none() {
        shown.push("…".to_owned());
    }
    shown.join(" ")
}
