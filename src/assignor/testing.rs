//! Groups in a line each, for the tests of this floor.

use std::time::Duration;

use bytes::Bytes;
use serde_json::Value;

use super::manifest::Mode;
use super::{LeaderInput, MemberInput};
use crate::embedded::consumer::{Subscription, Tail, TopicPartitions};
use crate::ids::{Generation, GroupId, MemberId, Protocol, ProtocolType, TopicName};
use crate::topics::{Topic, TopicTable};

/// What a leader's input borrows from.
#[derive(Debug)]
pub struct Group {
    group: GroupId,
    pub protocol: Protocol,
    pub mode: Mode,
    pub generation: i32,
    pub protocol_type: ProtocolType,
    pub members: Vec<MemberInput>,
    pub topics: TopicTable,
    pub config: Value,
}

impl Group {
    pub fn new(topics: &[(&str, u32)]) -> Self {
        let topics = topics
            .iter()
            .map(|&(name, partitions)| (TopicName::from(name), Topic { partitions, racks: Vec::new() }))
            .collect();
        Self {
            group: "g".into(),
            protocol: "range".into(),
            mode: Mode::Eager,
            generation: 8,
            protocol_type: "consumer".into(),
            members: Vec::new(),
            topics: TopicTable(topics),
            config: Value::Null,
        }
    }

    /// The same under the name `cooperative-sticky`.
    pub fn cooperative(self) -> Self {
        Self { protocol: "cooperative-sticky".into(), mode: Mode::Cooperative, ..self }
    }

    pub fn raw(mut self, id: &str, metadata: impl Into<Bytes>) -> Self {
        self.members.push(MemberInput { id: id.into(), instance: None, metadata: metadata.into() });
        self
    }

    pub fn member(self, id: &str, topics: &[&str]) -> Self {
        self.raw(id, Subscription { version: 3, topics: topics.to_vec(), tail: Tail::default() }.encode())
    }

    pub fn owner(self, id: &str, topics: &[&str], generation: i32, owned: &[(&str, &[i32])]) -> Self {
        let owned = owned
            .iter()
            .map(|(topic, numbers)| TopicPartitions { topic, partitions: numbers.iter().copied().collect() });
        let tail = Tail { owned: owned.collect(), generation, ..Tail::default() };
        self.raw(id, Subscription { version: 3, topics: topics.to_vec(), tail }.encode())
    }

    pub fn racks(mut self, topic: &str, racks: &[&[&str]]) -> Self {
        let racks = racks.iter().map(|replicas| replicas.iter().map(|rack| rack.to_string()).collect()).collect();
        if let Some(topic) = self.topics.0.get_mut(topic) {
            topic.racks = racks;
        }
        self
    }

    pub fn input(&self) -> LeaderInput<'_> {
        LeaderInput {
            group: &self.group,
            generation: Generation(self.generation),
            protocol: &self.protocol,
            mode: self.mode,
            protocol_type: &self.protocol_type,
            members: &self.members,
            topics: &self.topics,
            columns: &[],
            config: &self.config,
            context: None,
            memo: None,
            now_ms: 1_700_000_000_000,
            budget_ms: Duration::from_secs(1),
        }
    }

    pub fn metadata(&self) -> Vec<(MemberId, Bytes)> {
        self.members.iter().map(|member| (member.id.clone(), member.metadata.clone())).collect()
    }
}
