//! Groups of any size in the bytes that a leader gets, and what happened to them since their last plan. Members are made so
//! that those of a larger group are those of a smaller one and some more.

use std::collections::BTreeMap;
use std::time::Duration;

use bytes::Bytes;
use divvy::assignor::{Assignor, CallError, LeaderInput, MemberInput, Plan, lead};
use divvy::embedded::consumer::{Assignment, Subscription, Tail};
use divvy::ids::{Generation, GroupId, Mode, Protocol, ProtocolType, TopicName};
use divvy::topics::{Topic, TopicTable};
use serde_json::Value;

/// What a group is made of.
#[derive(Clone, Default)]
pub struct World {
    /// Partitions of each topic; the topics are `topic-0000`, `topic-0001`, …
    pub topics: Vec<u32>,
    /// How many members there are.
    pub members: usize,
    /// Which topics a member reads, by its number; all if there are none. Several members may share a list.
    pub reads: Vec<Vec<usize>>,
    /// Which of `reads` a member has: its number modulo as many, but the last ones as here.
    pub last_read: Option<usize>,
    /// How many racks there are; 0 if nobody says where it is.
    pub racks: usize,
}

/// Members claim what they had in it.
const GENERATION: i32 = 7;

/// Replicas of a partition, in racks that follow each other.
const REPLICAS: usize = 2;

/// Version and count before the topics of an encoded subscription without topics.
const HEAD_BYTES: usize = 2 + 4;

/// What a leader's input borrows from.
pub struct Group {
    group: GroupId,
    protocol: Protocol,
    mode: Mode,
    protocol_type: ProtocolType,
    pub members: Vec<MemberInput>,
    pub topics: TopicTable,
    config: Value,
}

impl World {
    /// So many topics of so many partitions, all read by so many members.
    pub fn even(topics: usize, partitions: u32, members: usize) -> Self {
        Self { topics: vec![partitions; topics], members, ..Self::default() }
    }

    /// All partitions.
    #[allow(dead_code, reason = "a benchmark knows them")]
    pub fn partitions(&self) -> u64 {
        self.topics.iter().map(|partitions| u64::from(*partitions)).sum()
    }

    /// The group as its leader sees it, whose members say that they have what the last plan gave them.
    pub fn group(&self, assignor: &dyn Assignor, last: Option<&Plan>, config: &Value) -> Group {
        let manifest = assignor.manifest();
        let names: Vec<String> = (0..self.topics.len()).map(|topic| format!("topic-{topic:04}")).collect();
        let subscriptions = self.subscriptions(&names);
        let owned: BTreeMap<&str, &[u8]> =
            last.into_iter().flat_map(|plan| &plan.states).map(|(id, state)| (id.as_str(), &state[..])).collect();
        let member = |number: usize| {
            let id = format!("consumer-bench-{number:05}");
            let state = owned.get(id.as_str()).copied().unwrap_or_default();
            let owned = Assignment::decode_state(state).unwrap().topics;
            let rack = (self.racks > 0).then(|| format!("rack-{}", number % self.racks));
            let tail = Tail { generation: GENERATION, owned: owned.into(), rack: rack.as_deref(), ..Tail::default() };
            let tail = Subscription { version: 3, topics: Vec::new(), tail }.encode();
            // Each member's metadata is memory of its own, as it is in a JoinGroup answer.
            let metadata = [&subscriptions[self.reads_of(number)][..], &tail[HEAD_BYTES..]].concat();
            MemberInput { id: id.into(), instance: None, metadata: metadata.into() }
        };
        let topics = names.iter().zip(&self.topics).enumerate().map(|(index, (name, &partitions))| {
            (TopicName::from(name.as_str()), Topic { partitions, racks: self.racks_of(index, partitions) })
        });
        Group {
            group: "bench".into(),
            protocol: manifest.protocol(),
            mode: manifest.mode_under(&manifest.protocol(), None),
            protocol_type: manifest.protocol_type(),
            members: (0..self.members).map(member).collect(),
            topics: TopicTable(topics.collect()),
            config: config.clone(),
        }
    }

    fn reads_of(&self, number: usize) -> usize {
        match self.last_read {
            Some(last) if number + 1 == self.members => last,
            Some(_) => number % (self.reads.len() - 1),
            None => number % self.reads.len().max(1),
        }
    }

    /// Each distinct list of topics as it stands in a subscription, version and count included.
    fn subscriptions(&self, names: &[String]) -> Vec<Bytes> {
        let all = [(0..names.len()).collect()];
        let reads = if self.reads.is_empty() { &all[..] } else { &self.reads[..] };
        let end = Subscription { version: 3, topics: Vec::new(), tail: Tail::default() }.encode().len() - HEAD_BYTES;
        let encode = |topics: &Vec<usize>| {
            let topics = topics.iter().map(|topic| names[*topic].as_str()).collect();
            let bytes = Bytes::from(Subscription { version: 3, topics, tail: Tail::default() }.encode());
            bytes.slice(..bytes.len() - end)
        };
        reads.iter().map(encode).collect()
    }

    fn racks_of(&self, topic: usize, partitions: u32) -> Vec<Vec<String>> {
        let racks = |partition: usize| {
            (0..REPLICAS).map(|replica| format!("rack-{}", (topic + partition + replica) % self.racks)).collect()
        };
        if self.racks == 0 { Vec::new() } else { (0..partitions as usize).map(racks).collect() }
    }
}

impl Group {
    /// What its leader knows.
    pub fn input(&self) -> LeaderInput<'_> {
        LeaderInput {
            group: &self.group,
            generation: Generation(GENERATION + 1),
            protocol: &self.protocol,
            mode: self.mode,
            protocol_type: &self.protocol_type,
            members: &self.members,
            topics: &self.topics,
            columns: &[],
            config: &self.config,
            context: None,
            memo: None,
            now_ms: 0,
            budget_ms: Duration::from_secs(60),
        }
    }

    /// Its plan.
    pub fn plan(&self, assignor: &dyn Assignor) -> Result<Plan, CallError> {
        lead(assignor, &self.input())
    }
}
