//! Where partitions have replicas, and whether that matters for a topic.

use divvy_guest::ReplicaRacks;
use divvy_guest::prelude::*;

/// The racks of members and replicas.
pub struct Racks<'g> {
    replicas: Option<ReplicaRacks<'g>>,
    /// How many racks there are.
    pub count: usize,
}

impl<'g> Racks<'g> {
    /// Those of a group.
    pub fn of(group: &'g Group<'_>) -> Self {
        Racks { replicas: group.replica_racks(), count: group.racks().len() }
    }

    /// The racks of a partition's replicas, whether in sync or not; a rack may come more than once.
    pub fn of_partition(&self, partition: Partition) -> impl Iterator<Item = usize> + Clone + use<'g> {
        self.replicas.map(|replicas| replicas.of(partition)).into_iter().flatten()
    }

    /// Whether racks can make a difference: some reader's rack has replicas of the topic, and not every partition is in all the racks
    /// that the topic is in.
    pub fn matter(&self, topic: Topic<'_>, members: &[Member<'_>]) -> bool {
        // Which partition a rack was last seen with, so that each counts once for a partition.
        let mut seen = vec![None; self.count];
        let mut all = 0;
        let mut fewest = usize::MAX;
        for partition in topic.partitions() {
            let mut distinct = 0;
            for rack in self.of_partition(partition) {
                let Some(seen) = seen.get_mut(rack) else { continue };
                all += usize::from(seen.is_none());
                distinct += usize::from(*seen != Some(partition));
                *seen = Some(partition);
            }
            fewest = fewest.min(distinct);
        }
        let near = |member: &Member<'_>| member.rack().is_some_and(|rack| seen[rack].is_some());
        fewest < all && members.iter().any(near)
    }
}
