//! Topics as divvy sees them: named sets of partitions of any work, with the racks where each partition lives.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::ids::TopicName;

/// A rack's name.
pub type Rack = String;

/// Racks of one partition: more replicas than anybody runs.
pub const MAX_RACKS_PER_PARTITION: usize = 16;

/// One topic.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Topic {
    /// How many partitions; they are numbered from 0.
    pub partitions: u32,
    /// For each partition the racks of its replicas, the leader's first; empty when nobody said.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub racks: Vec<Vec<Rack>>,
}

/// All topics by name.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub struct TopicTable(pub BTreeMap<TopicName, Topic>);

impl TopicTable {
    /// The topic of that name.
    pub fn get(&self, name: &str) -> Option<&Topic> {
        self.0.get(name)
    }

    /// Whether the topic exists and has that partition.
    pub fn has_partition(&self, name: &str, partition: i32) -> bool {
        self.get(name).is_some_and(|topic| u32::try_from(partition).is_ok_and(|p| p < topic.partitions))
    }
}
