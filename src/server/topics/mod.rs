//! The topics of a running server: a value that is replaced whole, so that any number of tasks read it without waiting.

mod racks;

use std::collections::HashMap;
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock};

pub use self::racks::{Broker, COORDINATOR_NODE};
use crate::ids::TopicName;
use crate::store::Entry;
use crate::topics::{Rack, Topic, TopicTable};
use crate::wire::ErrorCode;

/// Kafka's bound: a topic's name became a folder's name there, and clients count on it.
pub const MAX_TOPIC_NAME_BYTES: usize = 249;

/// One topic of the largest size that divvy is measured with.
pub const MAX_PARTITIONS_PER_TOPIC: u32 = 1_000_000;

/// All topics together: the largest answer to Metadata is in proportion to it, and peers can create topics.
pub const MAX_PARTITIONS: u64 = 4_000_000;

/// Peers can create topics, and each creation copies the table.
pub const MAX_TOPICS: usize = 10_000;

/// Racks of one partition: more replicas than anybody runs.
pub const MAX_REPLICAS: usize = 16;

/// Racks of all topics together: each is a broker in every answer to Metadata.
pub const MAX_RACKS: usize = 1_000;

/// A rack's name travels with every broker in every answer to Metadata.
pub const MAX_RACK_NAME_BYTES: usize = 249;

/// A topic as ids on the wire name it.
pub type TopicId = [u8; 16];

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

/// The topics of one moment, with all that Metadata says about them.
#[derive(Clone, PartialEq, Debug)]
pub struct View {
    table: Arc<TopicTable>,
    names: HashMap<TopicId, TopicName>,
    brokers: Vec<Broker>,
    partitions: u64,
}

impl View {
    fn of(table: TopicTable) -> Self {
        Self {
            names: table.0.keys().map(|name| (topic_id(name.as_str()), name.clone())).collect(),
            brokers: racks::brokers(&table),
            partitions: table.0.values().map(|topic| u64::from(topic.partitions)).sum(),
            table: Arc::new(table),
        }
    }

    /// The topics by name.
    pub fn table(&self) -> &Arc<TopicTable> {
        &self.table
    }

    /// The topic that has this id.
    pub fn name_of(&self, id: &TopicId) -> Option<&TopicName> {
        self.names.get(id)
    }

    /// The virtual brokers by node id: the coordinator, then one for each rack.
    pub fn brokers(&self) -> &[Broker] {
        &self.brokers
    }

    /// The rack that this virtual broker stands for.
    pub fn rack_of(&self, node: i32) -> Option<&Rack> {
        let at = self.brokers.binary_search_by_key(&node, |broker| broker.node).ok()?;
        self.brokers[at].rack.as_ref()
    }

    /// The virtual brokers of a partition, its leader first; never empty for a partition that exists.
    pub fn replicas(&self, topic: &Topic, partition: u32) -> Vec<i32> {
        let racks = topic.racks.get(partition as usize).map(Vec::as_slice).unwrap_or_default();
        let mut nodes: Vec<i32> = racks.iter().filter_map(|rack| racks::node_of(&self.brokers, rack)).collect();
        if nodes.is_empty() {
            nodes.push(COORDINATOR_NODE);
        }
        nodes
    }
}

/// The topics of a running server.
#[derive(Debug)]
pub struct Topics {
    /// What readers take. Its lock is held only to copy or to replace a pointer.
    view: RwLock<Arc<View>>,
    /// Held by who changes the topics, from reading the view to replacing it.
    change: Mutex<()>,
}

impl Topics {
    /// The topics of the configuration together with those of the store, and a sentence for each that they disagree
    /// about. The configuration outranks the store, but partitions never vanish: members may hold work in them.
    pub fn new(configured: &[(TopicName, Topic)], stored: Vec<(TopicName, Topic)>) -> (Self, Vec<String>) {
        let mut table = TopicTable(stored.into_iter().collect());
        let mut warnings = Vec::new();
        for (name, topic) in configured {
            let merged = match table.0.get(name) {
                Some(stored) if stored.partitions != topic.partitions => {
                    warnings.push(disagreement(name, topic.partitions, stored.partitions));
                    grown(topic, stored)
                }
                _ => topic.clone(),
            };
            table.0.insert(name.clone(), merged);
        }
        (Self { view: RwLock::new(Arc::new(View::of(table))), change: Mutex::new(()) }, warnings)
    }

    /// The topics by name, as they are now.
    pub fn snapshot(&self) -> Arc<TopicTable> {
        Arc::clone(self.view().table())
    }

    /// The topics as they are now, with ids and brokers.
    pub fn view(&self) -> Arc<View> {
        // Only whole views are ever put in, so a poisoned lock guards a whole one.
        Arc::clone(&self.view.read().unwrap_or_else(PoisonError::into_inner))
    }

    /// Adds a topic and says what the caller must make durable before it tells anybody; if that fails, the caller
    /// takes the topic back with [`Topics::remove`]. `racks` is empty, or holds for each partition the racks of its
    /// replicas, the leader's first.
    pub fn create(&self, name: &str, partitions: u32, racks: Vec<Vec<Rack>>) -> Result<Entry, TopicError> {
        let topic = Topic { partitions, racks };
        check(name, &topic)?;
        let name = TopicName::from(name);
        let _changing = self.changing();
        let view = self.view();
        if view.table.0.contains_key(&name) {
            return Err(TopicError {
                code: ErrorCode::TopicAlreadyExists,
                message: format!("topic {name} exists already: choose another name"),
            });
        }
        has_room(&view, &name, &topic)?;
        let mut table = TopicTable::clone(&view.table);
        table.0.insert(name.clone(), topic.clone());
        self.replace(table)?;
        Ok(Entry::Topic(name, topic))
    }

    /// Takes a topic away, if it is there.
    pub fn remove(&self, name: &TopicName) {
        let _changing = self.changing();
        let mut table = TopicTable::clone(&self.view().table);
        if table.0.remove(name).is_some() {
            self.put(View::of(table));
        }
    }

    fn changing(&self) -> MutexGuard<'_, ()> {
        self.change.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn replace(&self, table: TopicTable) -> Result<(), TopicError> {
        let view = View::of(table);
        // The coordinator is a broker without a rack.
        if view.brokers.len() > MAX_RACKS + 1 {
            return Err(TopicError {
                code: ErrorCode::PolicyViolation,
                message: format!("there would be more than {MAX_RACKS} racks: name fewer"),
            });
        }
        self.put(view);
        Ok(())
    }

    fn put(&self, view: View) {
        *self.view.write().unwrap_or_else(PoisonError::into_inner) = Arc::new(view);
    }
}

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
    if racks.len() > MAX_REPLICAS {
        return Some(format!("has {} racks: name at most {MAX_REPLICAS}", racks.len()));
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

fn has_room(view: &View, name: &TopicName, topic: &Topic) -> Result<(), TopicError> {
    let full = |what: String| TopicError {
        code: ErrorCode::PolicyViolation,
        message: format!("topic {name} cannot be added: {what}; delete topics that nobody uses"),
    };
    if view.table.0.len() >= MAX_TOPICS {
        return Err(full(format!("there are {MAX_TOPICS} topics, the most that divvy keeps")));
    }
    if view.partitions + u64::from(topic.partitions) > MAX_PARTITIONS {
        return Err(full(format!("all topics together may have {MAX_PARTITIONS} partitions")));
    }
    Ok(())
}

fn disagreement(name: &TopicName, configured: u32, stored: u32) -> String {
    if configured > stored {
        format!("topic {name} grows from {stored} to {configured} partitions, as the configuration says")
    } else {
        format!(
            "topic {name} keeps the {stored} partitions of the store although the configuration says {configured}: \
             partitions are never taken away; write `partitions = {stored}`"
        )
    }
}

/// The configured topic with at least the partitions of the stored one. Racks are the configuration's as far as its
/// partitions go, and are dealt on in the same order after them.
fn grown(configured: &Topic, stored: &Topic) -> Topic {
    let partitions = configured.partitions.max(stored.partitions);
    let racks = configured.racks.iter().cycle().take(if configured.racks.is_empty() { 0 } else { partitions as usize });
    Topic { partitions, racks: racks.cloned().collect() }
}

/// The id that clients know a topic by. It is made from the name alone, so it is the same after every restart and on
/// every coordinator.
pub fn topic_id(name: &str) -> TopicId {
    let mut id = xxhash_rust::xxh3::xxh3_128(name.as_bytes()).to_be_bytes();
    // RFC 9562: version 8 (custom), variant 10. The first bit is cleared because tools take an id whose base64 begins
    // with '-' for an option (Kafka avoids it for the same reason). So it is never one of Kafka's two reserved ids.
    id[0] &= 0x7f;
    id[6] = id[6] & 0x0f | 0x80;
    id[8] = id[8] & 0x3f | 0x80;
    id
}

#[cfg(test)]
mod tests;
