//! The embedded protocol of type `connect`: what Kafka Connect's workers say of themselves and what they are told, versions 0 to 2.
//!
//! Metadata is `version, url, config offset`, from version 1 on also what the worker runs, as a serialised assignment. An
//! assignment is `version, error, leader, its url, config offset, work`, from version 1 on also `revoked, delay`. Task -1 is
//! the connector itself.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Map, Value, json};

use super::EmbeddedProtocol;
use super::classic::{NotDecodable, Reader, put_string};
use super::owned::{TopicPartitions, put_owned, read_list};
use crate::ids::TopicName;

/// The error of a plan that was made from an older configuration than workers have read.
const CONFIG_MISMATCH: i16 = 1;

/// The version that divvy's own workers write: incremental (KIP-415).
const INCREMENTAL: i16 = 1;

/// A worker of divvy's own.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Worker {
    /// Where it answers.
    pub url: String,
    /// How far it has read the configuration.
    pub config_offset: i64,
}

impl Worker {
    /// What it says of itself while it runs that.
    pub fn metadata(&self, runs: Vec<TopicPartitions<'_>>) -> Vec<u8> {
        let mut to = INCREMENTAL.to_be_bytes().to_vec();
        put_string(&mut to, &self.url);
        to.extend(self.config_offset.to_be_bytes());
        if runs.is_empty() {
            to.extend((-1_i32).to_be_bytes());
            return to;
        }
        let mut held = INCREMENTAL.to_be_bytes().to_vec();
        held.extend(0_i16.to_be_bytes());
        // Who leads, where, and how far it read: of no interest in what a worker runs.
        held.extend([0; 2 + 2 + 8]);
        put_owned(&mut held, None, runs.into_iter());
        held.extend((-1_i32).to_be_bytes());
        held.extend(0_i32.to_be_bytes());
        to.extend(i32::try_from(held.len()).unwrap_or(i32::MAX).to_be_bytes());
        to.extend(held);
        to
    }
}

/// What an application tells divvy's strategy `connect`: which connectors there are, with the number of tasks of each, and how far
/// it has read the configuration to know that.
pub fn context(config_offset: Option<i64>, connectors: &BTreeMap<String, u32>) -> Vec<u8> {
    rmp_serde::to_vec(&(1_u32, config_offset, connectors)).expect("names and numbers always have a MessagePack form")
}

/// What a worker says of itself.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Metadata<'a> {
    /// Where it answers.
    pub url: &'a str,
    /// How far it has read the configuration.
    pub config_offset: i64,
    /// Connectors with the tasks that it runs (since v1).
    pub runs: Vec<TopicPartitions<'a>>,
}

/// What a worker is told.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Assignment<'a> {
    /// 0 for all of a worker's work, from 1 on for what changes.
    pub version: i16,
    /// Nothing wrong, or a configuration that is too old.
    pub error: i16,
    /// The worker that leads the others.
    pub leader: &'a str,
    /// Where it answers.
    pub leader_url: &'a str,
    /// How far the configuration has to be read.
    pub config_offset: i64,
    /// All of its work (v0), or what is new.
    pub work: Vec<TopicPartitions<'a>>,
    /// What it gives up (since v1).
    pub revoked: Vec<TopicPartitions<'a>>,
    /// When it joins again (since v1); 0 for not.
    pub delay_ms: i32,
}

impl<'a> Metadata<'a> {
    /// Reads it. A version above the newest known is read as that one.
    pub fn decode(bytes: &'a [u8]) -> Result<Self, NotDecodable> {
        let mut reader = Reader(bytes);
        let version = version(&mut reader)?;
        let (url, config_offset) = (reader.string("url")?, i64(&mut reader)?);
        let mut runs = Vec::new();
        if version >= 1
            && !reader.is_empty()
            && let Some(held) = reader.nullable_bytes("allocation")?.filter(|held| !held.is_empty())
        {
            runs = Assignment::decode(held)?.work;
        }
        Ok(Self { url, config_offset, runs })
    }
}

impl<'a> Assignment<'a> {
    /// Reads it, likewise.
    pub fn decode(bytes: &'a [u8]) -> Result<Self, NotDecodable> {
        let mut reader = Reader(bytes);
        let version = version(&mut reader)?;
        let mut told = Self {
            version,
            error: reader.i16("error")?,
            leader: reader.string("leader")?,
            leader_url: reader.string("leader's url")?,
            config_offset: i64(&mut reader)?,
            work: read_list(&mut reader)?,
            revoked: Vec::new(),
            delay_ms: 0,
        };
        // Who writes an older form of v1 stops before these.
        if version >= 1 && !reader.is_empty() {
            told.revoked = read_list(&mut reader)?;
        }
        if version >= 1 && !reader.is_empty() {
            told.delay_ms = reader.i32("delay")?;
        }
        Ok(told)
    }

    /// What a worker runs from now on that ran that: connectors and tasks, in order.
    pub fn after(&self, runs: &[(TopicName, Vec<i32>)]) -> Vec<(TopicName, Vec<i32>)> {
        let mut after: BTreeMap<TopicName, BTreeSet<i32>> = BTreeMap::new();
        if self.version >= INCREMENTAL {
            let runs = runs.iter().map(|(connector, tasks)| (connector.clone(), tasks.iter().copied().collect()));
            after.extend(runs);
        }
        for of in &self.revoked {
            if let Some(tasks) = after.get_mut(of.topic) {
                of.partitions.iter().for_each(|task| _ = tasks.remove(&task));
            }
        }
        for of in &self.work {
            after.entry(TopicName::from(of.topic)).or_default().extend(of.partitions.iter());
        }
        after.retain(|_, tasks| !tasks.is_empty());
        after.into_iter().map(|(connector, tasks)| (connector, tasks.into_iter().collect())).collect()
    }
}

fn version(reader: &mut Reader<'_>) -> Result<i16, NotDecodable> {
    reader.i16("version").and_then(|version| if version < 0 { Err(NotDecodable("version")) } else { Ok(version) })
}

fn i64(reader: &mut Reader<'_>) -> Result<i64, NotDecodable> {
    let bytes = reader.take(8, "config offset")?;
    bytes.first_chunk().map(|bytes| i64::from_be_bytes(*bytes)).ok_or(NotDecodable("config offset"))
}

/// The registry's entry.
pub(super) struct Connect;

impl EmbeddedProtocol for Connect {
    fn protocol_type(&self) -> &'static str {
        "connect"
    }

    fn metadata(&self, bytes: &[u8]) -> Option<Value> {
        let Metadata { url, config_offset, runs } = Metadata::decode(bytes).ok()?;
        let mut shown = json!({ "url": url, "config_offset": config_offset });
        if !runs.is_empty() {
            shown["runs"] = show(&runs);
        }
        Some(shown)
    }

    fn state(&self, bytes: &[u8]) -> Option<Value> {
        let told = Assignment::decode(bytes).ok()?;
        let mut shown = json!({
            "leader": told.leader,
            "leader_url": told.leader_url,
            "config_offset": told.config_offset,
            "work": show(&told.work),
        });
        match told.error {
            0 => {}
            CONFIG_MISMATCH => shown["error"] = json!("config mismatch"),
            other => shown["error"] = json!(other),
        }
        if !told.revoked.is_empty() {
            shown["revoked"] = show(&told.revoked);
        }
        if told.delay_ms != 0 {
            shown["delay_ms"] = json!(told.delay_ms);
        }
        Some(shown)
    }
}

/// Tasks by connector, and `connector` for the connector itself.
fn show(work: &[TopicPartitions<'_>]) -> Value {
    let piece = |task| if task == -1 { json!("connector") } else { json!(task) };
    let pieces = |of: &TopicPartitions<'_>| of.partitions.iter().map(piece).collect::<Vec<_>>();
    work.iter().map(|of| (of.topic.to_owned(), json!(pieces(of)))).collect::<Map<_, _>>().into()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bytes(hex: &str) -> Vec<u8> {
        (0..hex.len()).step_by(2).map(|at| u8::from_str_radix(&hex[at..at + 2], 16).unwrap()).collect()
    }

    /// A worker of version 1 that runs a connector and its first task.
    const HOLDING: &str = "0001000f687474703a2f2f77313a383038332f00000000000000070000003f0001000000027731000f687474703a2f\
                           2f77313a383038332f00000000000000070000000100046a64626300000002ffffffff00000000ffffffff00000000";
    /// Version 1 with work, a revocation and a delay.
    const TOLD: &str = "0001000000027731000f687474703a2f2f77313a383038332f00000000000000070000000100046a64626300000001000000\
                        01000000010004\
                        73696e6b00000002ffffffff00000000000493e0";

    #[test]
    fn workers_are_shown_in_words() {
        let shown = Connect.metadata(&bytes(HOLDING)).unwrap();
        assert_eq!(
            shown,
            json!({ "url": "http://w1:8083/", "config_offset": 7, "runs": { "jdbc": ["connector", 0] } })
        );
        let idle = Connect.metadata(&bytes("0000000f687474703a2f2f77313a383038332f0000000000000007")).unwrap();
        assert_eq!(idle, json!({ "url": "http://w1:8083/", "config_offset": 7 }));
    }

    #[test]
    fn what_they_are_told_is_shown_in_words() {
        let shown = Connect.state(&bytes(TOLD)).unwrap();
        let expected = json!({
            "leader": "w1", "leader_url": "http://w1:8083/", "config_offset": 7,
            "work": { "jdbc": [1] }, "revoked": { "sink": ["connector", 0] }, "delay_ms": 300_000,
        });
        assert_eq!(shown, expected);
        let mismatch = "0000000100027731000f687474703a2f2f77313a383038332f000000000000000900000000";
        assert_eq!(Connect.state(&bytes(mismatch)).unwrap()["error"], "config mismatch");
    }

    #[test]
    fn a_workers_own_words_are_read_back_and_changes_are_taken_in() {
        let worker = Worker { url: "http://w1:8083/".to_owned(), config_offset: 7 };
        let idle = worker.metadata(Vec::new());
        assert_eq!(Metadata::decode(&idle).unwrap().runs, []);
        let runs = vec![TopicPartitions { topic: "sink", partitions: [0, -1, 3].into_iter().collect() }];
        let said = worker.metadata(runs);
        let read = Metadata::decode(&said).unwrap();
        assert_eq!((read.url, read.config_offset), ("http://w1:8083/", 7));
        assert_eq!(read.runs[0].partitions.iter().collect::<Vec<_>>(), [-1, 0, 3]);

        let told = bytes(TOLD);
        let told = Assignment::decode(&told).unwrap();
        let after = told.after(&[("sink".into(), vec![-1, 0, 3])]);
        assert_eq!(after, [("jdbc".into(), vec![1]), ("sink".into(), vec![3])]);
        let all = Assignment { version: 0, ..told }.after(&[("sink".into(), vec![3])]);
        assert_eq!(all, [("jdbc".into(), vec![1])], "version 0 says all of it");
    }

    #[test]
    fn no_truncation_panics() {
        for whole in [bytes(HOLDING), bytes(TOLD)] {
            for cut in 0..whole.len() {
                let _ = Metadata::decode(&whole[..cut]);
                let _ = Assignment::decode(&whole[..cut]);
            }
        }
    }
}
