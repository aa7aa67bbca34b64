//! Metadata as divvy sees topics: the racks of a partition are those of the brokers that hold its replicas.

use std::collections::BTreeMap;

use crate::topics::{MAX_RACKS_PER_PARTITION, Rack, Topic};
use crate::wire::messages::metadata::{MetadataResponseBroker, MetadataResponsePartition, MetadataResponseTopic};

/// Where the brokers are that say so.
pub(crate) type BrokerRacks = BTreeMap<i32, Rack>;

/// Where the brokers are that say so.
pub(crate) fn racks_of_brokers(brokers: &[MetadataResponseBroker]) -> BrokerRacks {
    let known = brokers.iter().filter_map(|it| Some((it.node_id, it.rack.as_deref()?.to_owned())));
    known.filter(|(_, rack)| !rack.is_empty()).collect()
}

/// A topic with the racks of its partitions; without any if no broker has one.
pub(crate) fn topic(topic: &MetadataResponseTopic, brokers: &BrokerRacks) -> Topic {
    let partitions = u32::try_from(topic.partitions.len()).unwrap_or(u32::MAX);
    if brokers.is_empty() {
        return Topic { partitions, racks: Vec::new() };
    }
    let mut racks = vec![Vec::new(); topic.partitions.len()];
    for partition in &topic.partitions {
        if let Some(of) = usize::try_from(partition.partition_index).ok().and_then(|at| racks.get_mut(at)) {
            *of = racks_of(partition, brokers);
        }
    }
    Topic { partitions, racks }
}

/// In the order of the replicas, whose first is the preferred leader: where the leader is at the moment changes whenever a
/// broker restarts, and no group should rebalance for that.
fn racks_of(partition: &MetadataResponsePartition, brokers: &BrokerRacks) -> Vec<Rack> {
    let mut racks: Vec<Rack> = Vec::new();
    for rack in partition.replica_nodes.iter().filter_map(|node| brokers.get(node)) {
        if racks.len() < MAX_RACKS_PER_PARTITION && !racks.contains(rack) {
            racks.push(rack.clone());
        }
    }
    racks
}
