//! What the members of a group share: partitions of topics; connectors and their tasks, played as topics and their
//! partitions, with one number more for the connector itself; or the right to be the writer, played as the one partition
//! of a topic of its own.

use std::collections::BTreeMap;

use bytes::Bytes;

use super::ledger::Unit;
use crate::embedded::connect;
use crate::embedded::single_writer::Role;
use crate::ids::TopicName;
use crate::membership::config::{CONNECT, CONSUMER, SINGLE_WRITER};
use crate::topics::Topic;

/// What the one piece of work of a writer is called here.
const WRITER: &str = "writer";

/// The number of a connector itself among its tasks.
const CONNECTOR: i32 = -1;

/// The kinds of work.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Work {
    /// Type `consumer`.
    Partitions,
    /// Type `connect`.
    Tasks,
    /// Type `single-writer`.
    Writer,
}

impl Work {
    /// That of a protocol type; else what is played.
    pub(super) fn of(protocol_type: &str) -> Result<Self, String> {
        match protocol_type {
            CONSUMER => Ok(Self::Partitions),
            CONNECT => Ok(Self::Tasks),
            SINGLE_WRITER => Ok(Self::Writer),
            _ => Err(format!("only types {CONSUMER}, {CONNECT} and {SINGLE_WRITER} are played")),
        }
    }

    /// What is followed of the topics of a life.
    pub(super) fn topics(self, declared: &BTreeMap<TopicName, Topic>) -> BTreeMap<TopicName, Topic> {
        match self {
            Self::Partitions | Self::Tasks => declared.clone(),
            Self::Writer => BTreeMap::from([(WRITER.into(), Topic { partitions: 1, racks: Vec::new() })]),
        }
    }

    /// Whether it comes and goes with topics.
    pub(super) fn has_topics(self) -> bool {
        self != Self::Writer
    }

    /// The first number of a topic's pieces.
    pub(super) fn first(self) -> i32 {
        if self == Self::Tasks { CONNECTOR } else { 0 }
    }
}

/// What a writer's state gives; nothing if it cannot be read.
pub(super) fn writers(state: &Bytes) -> Vec<Unit> {
    let active = Role::decode(state).is_ok_and(|role| role.active);
    if active { vec![(WRITER.into(), 0)] } else { Vec::new() }
}

/// Where a worker that is only played would answer.
pub(super) fn worker(name: &str, config_offset: i64) -> connect::Worker {
    connect::Worker { url: format!("http://{name}:8083/"), config_offset }
}

/// The connectors, as the application of a worker tells them to its strategy.
pub(super) fn connectors(topics: &BTreeMap<TopicName, Topic>, config_offset: i64) -> Bytes {
    let tasks = topics.iter().map(|(name, topic)| (name.to_string(), topic.partitions)).collect();
    connect::context(Some(config_offset), &tasks).into()
}
