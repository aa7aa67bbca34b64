//! Where the coordinator keeps what must outlive it: groups, their offsets, and topics.

#[cfg(test)]
mod contract;
pub mod embedded;
#[cfg(test)]
pub(crate) mod failing;
pub mod memory;

use std::fmt;

use serde::{Deserialize, Serialize};

pub use embedded::EmbeddedStore;
pub use memory::MemoryStore;

use crate::group::Record;
use crate::ids::{GroupId, TopicName};
use crate::time::WallTime;
use crate::topics::Topic;

/// One change to make durable.
#[derive(Clone, PartialEq, Debug)]
pub enum Entry {
    /// Of a group.
    Group(GroupId, Record),
    /// A topic was made or changed.
    Topic(TopicName, Topic),
    /// A topic was deleted.
    TopicRemoved(TopicName),
    /// Which topic of a Kafka cluster a name is, or that it need not be known any more.
    Origin(TopicName, Option<Origin>),
    /// Until when the origins are sure to be kept: what is committed by then is of the topics that they tell of.
    OriginsUntil(WallTime),
}

/// Which topic of a Kafka cluster a name was when it was last seen: one that is made anew there has another id (KIP-516).
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Origin {
    /// The cluster's id; empty if it has none.
    pub cluster: String,
    /// The topic's.
    pub id: [u8; 16],
}

/// All that a store holds.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Snapshot {
    /// Each group with the last record of each key, sorted by group id and within a group by
    /// [`RecordKey`](crate::group::RecordKey). Removals are not among them: what is removed is absent.
    pub groups: Vec<(GroupId, Vec<Record>)>,
    /// Each topic, sorted by name.
    pub topics: Vec<(TopicName, Topic)>,
    /// Which topics of a Kafka cluster names were, those that are gone among them; sorted by name.
    pub origins: Vec<(TopicName, Origin)>,
    /// The last [`Entry::OriginsUntil`]; none if there is none.
    pub origins_until: Option<WallTime>,
}

/// A place that keeps records. One owner, one call at a time; every call may block.
pub trait Store: Send {
    /// Makes the whole batch durable, or none of it; a later entry of a batch outranks an earlier one. After an error
    /// the outcome is unknown: forget what the batch was about and [`Store::load_group`] it anew.
    fn append(&mut self, batch: &[Entry]) -> Result<(), StoreError>;

    /// Whether it takes batches (again): writes something that means nothing, and leaves no trace of it.
    fn probe(&mut self) -> Result<(), StoreError> {
        self.append(&[])
    }

    /// Everything.
    fn load(&mut self) -> Result<Snapshot, StoreError>;

    /// The records of one group, as [`Store::load`] orders them; empty when it has none.
    fn load_group(&mut self, group: &GroupId) -> Result<Vec<Record>, StoreError>;

    /// Whether no call ever blocks, so that it needs no thread of its own.
    fn is_instant(&self) -> bool {
        false
    }
}

/// Why a store cannot do its work, as a sentence for its operator: path, cause, remedy.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct StoreError {
    /// The whole sentence.
    pub message: String,
}

impl fmt::Display for StoreError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for StoreError {}
