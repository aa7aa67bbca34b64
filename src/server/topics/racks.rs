//! Racks as virtual brokers: every client reads a partition's racks from the brokers of its replicas.

use std::collections::{BTreeMap, BTreeSet};

use crate::topics::{Rack, TopicTable};

/// The node that really is there. It has no rack, and it is listed whatever the topics are.
pub const COORDINATOR_NODE: i32 = 0;

/// Racks have the node ids from 1 up to this: short enough for people, and far from the ids near `i32::MAX` that the
/// Java client gives to its connections to coordinators.
const LAST_RACK_NODE: i32 = 999_999;

/// One broker as Metadata shows it. All of them are this server.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Broker {
    /// Its node id.
    pub node: i32,
    /// The rack that it stands for; the coordinator has none.
    pub rack: Option<Rack>,
}

/// The coordinator and the racks of all topics, sorted by node id. A rack's id comes from its name, not from its place
/// among the others: so neither a restart nor another rack gives it a new one (but for two names that hash alike,
/// where the second in order takes the next free id).
pub(super) fn brokers(table: &TopicTable) -> Vec<Broker> {
    let racks: BTreeSet<&Rack> = table.0.values().flat_map(|topic| &topic.racks).flatten().collect();
    let mut nodes: BTreeMap<i32, Option<Rack>> = BTreeMap::from([(COORDINATOR_NODE, None)]);
    // `MAX_RACKS` is far below; so the search for a free id ends whatever the table holds.
    for rack in racks.into_iter().take(LAST_RACK_NODE as usize) {
        let mut node = first_choice(rack);
        while nodes.contains_key(&node) {
            node = node % LAST_RACK_NODE + 1;
        }
        nodes.insert(node, Some(rack.clone()));
    }
    nodes.into_iter().map(|(node, rack)| Broker { node, rack }).collect()
}

fn first_choice(rack: &str) -> i32 {
    let hash = xxhash_rust::xxh3::xxh3_64(rack.as_bytes()) % LAST_RACK_NODE as u64;
    i32::try_from(hash).expect("a remainder of an i32 is one") + 1
}

/// The broker of a rack.
pub(super) fn node_of(brokers: &[Broker], rack: &str) -> Option<i32> {
    // Its first choice, nearly always; a look at all of them otherwise.
    let is_it = |broker: &&Broker| broker.rack.as_deref() == Some(rack);
    let first = brokers.binary_search_by_key(&first_choice(rack), |broker| broker.node).ok();
    first.map(|at| &brokers[at]).filter(is_it).or_else(|| brokers.iter().find(is_it)).map(|broker| broker.node)
}
