//! Which topics there can be: names, bounds, racks.

use std::collections::HashSet;
use std::fmt;

use super::{View, racks};
use crate::ids::TopicName;
use crate::topics::{MAX_RACKS_PER_PARTITION, Rack, Topic};
use crate::wire::ErrorCode;

/// Kafka's bound: a topic's name became a folder's name there, and clients count on it.
pub const MAX_TOPIC_NAME_BYTES: usize = 249;

/// One topic of the largest size that divvy is measured with.
pub const MAX_PARTITIONS_PER_TOPIC: u32 = 1_000_000;

/// All topics together: the largest answer to Metadata is in proportion to it, and peers can create topics.
pub const MAX_PARTITIONS: u64 = 4_000_000;

/// Peers can create topics, and each creation copies the table.
pub const MAX_TOPICS: usize = 10_000;

/// Naming a topic creates it only while there are fewer than this: so a client that names whatever comes to its mind
/// leaves room for those who create a topic on purpose.
pub const MAX_NAMED_TOPICS: usize = MAX_TOPICS / 2;

/// Racks of all topics together: each is a broker in every answer to Metadata.
pub const MAX_RACKS: usize = 1_000;

/// A rack's name travels with every broker in every answer to Metadata.
pub const MAX_RACK_NAME_BYTES: usize = 249;

/// Why a topic cannot be: what the peer is told.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TopicError {
    /// For its client.
    pub code: ErrorCode,
    /// For the person: topic, cause, remedy.
    pub message: String,
}

impl fmt::Display for TopicError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for TopicError {}

/// Whether there can be such a topic at all, here and in the configuration.
pub fn check(name: &str, topic: &Topic) -> Result<(), TopicError> {
    let refuse = |code, message| Err(TopicError { code, message });
    if let Some(message) = illegal_name(name) {
        return refuse(ErrorCode::InvalidTopic, message);
    }
    let Topic { partitions, racks } = topic;
    if !(1..=MAX_PARTITIONS_PER_TOPIC).contains(partitions) {
        let message =
            format!("topic {name} with {partitions} partitions: name a number from 1 to {MAX_PARTITIONS_PER_TOPIC}");
        return refuse(ErrorCode::InvalidPartitions, message);
    }
    if !racks.is_empty() && racks.len() != *partitions as usize {
        let message =
            format!("topic {name} has {partitions} partitions, but racks for {}: name racks for each", racks.len());
        return refuse(ErrorCode::InvalidReplicaAssignment, message);
    }
    match racks.iter().enumerate().find_map(|(partition, racks)| Some((partition, illegal_racks(racks)?))) {
        Some((partition, why)) => {
            refuse(ErrorCode::InvalidReplicaAssignment, format!("partition {partition} of topic {name} {why}"))
        }
        None => Ok(()),
    }
}

fn illegal_name(name: &str) -> Option<String> {
    let legal = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'_' | b'-');
    if name.is_empty() {
        Some("a topic's name cannot be empty".to_owned())
    } else if name.len() > MAX_TOPIC_NAME_BYTES {
        Some(format!("a topic's name has at most {MAX_TOPIC_NAME_BYTES} characters, and this one has {}", name.len()))
    } else if name == "." || name == ".." {
        Some(format!("a topic cannot be named {name:?}"))
    } else if !name.bytes().all(legal) {
        Some(format!("topic {name:?}: a topic's name is made of a-z, A-Z, 0-9, '.', '_' and '-'"))
    } else {
        None
    }
}

fn illegal_racks(racks: &[Rack]) -> Option<String> {
    if racks.len() > MAX_RACKS_PER_PARTITION {
        return Some(format!("has {} racks: name at most {MAX_RACKS_PER_PARTITION}", racks.len()));
    }
    racks.iter().enumerate().find_map(|(i, rack)| {
        if rack.is_empty() || rack.len() > MAX_RACK_NAME_BYTES {
            Some(format!("has a rack whose name is not 1 to {MAX_RACK_NAME_BYTES} bytes long"))
        } else if racks[..i].contains(rack) {
            Some(format!("names rack {rack:?} twice: name each once"))
        } else {
            None
        }
    })
}

/// Whether a view is within the bounds, or no larger than the one before it.
pub(super) fn fits(before: &View, after: &View) -> Result<(), TopicError> {
    let full = |message: String| Err(TopicError { code: ErrorCode::PolicyViolation, message });
    let exceeds = |before: usize, after: usize, most: usize| after > most && after > before;
    if exceeds(before.table.0.len(), after.table.0.len(), MAX_TOPICS) {
        return full(format!("there would be more than {MAX_TOPICS} topics, the most that divvy keeps"));
    }
    if after.partitions > MAX_PARTITIONS && after.partitions > before.partitions {
        return full(format!("all topics together may have {MAX_PARTITIONS} partitions"));
    }
    if exceeds(before.brokers.len(), after.brokers.len(), MAX_RACKS + 1) {
        return full(format!("all topics together may name {MAX_RACKS} racks"));
    }
    Ok(())
}

/// How many topics with so many partitions may come to be by being named.
pub(super) fn room_for_named(view: &View, partitions: u32) -> usize {
    let topics = MAX_NAMED_TOPICS.saturating_sub(view.table.0.len());
    let by_partitions = MAX_PARTITIONS.saturating_sub(view.partitions) / u64::from(partitions.max(1));
    usize::try_from(by_partitions).map_or(topics, |by_partitions| topics.min(by_partitions))
}

/// What is left for topics, while several are added to a view.
pub(super) struct Room<'a> {
    view: &'a View,
    topics: usize,
    partitions: u64,
    new_racks: HashSet<Rack>,
}

impl<'a> Room<'a> {
    /// Nothing was added yet.
    pub(super) fn of(view: &'a View) -> Self {
        Self { view, topics: view.table.0.len(), partitions: view.partitions, new_racks: HashSet::new() }
    }

    /// Takes room for a topic, if there is enough.
    pub(super) fn take(&mut self, name: &TopicName, topic: &Topic) -> Result<(), TopicError> {
        if self.topics >= MAX_TOPICS {
            return Err(full(name, format!("there are {MAX_TOPICS} topics, the most that divvy keeps")));
        }
        self.take_partitions(name, u64::from(topic.partitions), topic)?;
        self.topics += 1;
        Ok(())
    }

    /// Takes room for what a topic grows by.
    pub(super) fn grow(&mut self, name: &TopicName, before: &Topic, after: &Topic) -> Result<(), TopicError> {
        self.take_partitions(name, u64::from(after.partitions.saturating_sub(before.partitions)), after)
    }

    fn take_partitions(&mut self, name: &TopicName, more: u64, topic: &Topic) -> Result<(), TopicError> {
        let partitions = self.partitions + more;
        if partitions > MAX_PARTITIONS {
            return Err(full(name, format!("all topics together may have {MAX_PARTITIONS} partitions")));
        }
        let is_new = |rack: &&Rack| racks::node_of(&self.view.brokers, rack).is_none();
        let mut new_racks = self.new_racks.clone();
        new_racks.extend(topic.racks.iter().flatten().filter(is_new).cloned());
        // The coordinator is a broker without a rack.
        if self.view.brokers.len() - 1 + new_racks.len() > MAX_RACKS {
            return Err(full(name, format!("all topics together may name {MAX_RACKS} racks")));
        }
        (self.partitions, self.new_racks) = (partitions, new_racks);
        Ok(())
    }
}

fn full(name: &TopicName, what: String) -> TopicError {
    TopicError { code: ErrorCode::PolicyViolation, message: format!("topic {name} cannot be added: {what}") }
}
