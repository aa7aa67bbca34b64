//! Racks as Kafka looks at them.

use super::super::tables::{Bits, NONE};
use super::Topic;
use crate::Group;

/// Where members and replicas are, when it matters.
pub struct Racks {
    /// The rack of each member, or nothing.
    of_member: Vec<u32>,
    /// The racks of each partition.
    of_partition: Bits,
    /// How many members are in each rack.
    members: Vec<u32>,
}

impl Racks {
    /// Those of a group, if some member is in a rack of some partition, and not every partition is in all racks.
    pub fn of(group: &Group<'_>, topics: &[Topic]) -> Option<Self> {
        let replicas = group.replica_racks()?;
        let racks = group.racks().len();
        let of_member: Vec<u32> =
            group.members().map(|member| member.rack().map_or(NONE, |rack| rack as u32)).collect();
        let mut members = vec![0; racks];
        of_member.iter().filter(|rack| **rack != NONE).for_each(|&rack| members[rack as usize] += 1);
        let mut of_partition = Bits::new(group.partitions().len(), racks);
        let mut all = Bits::new(1, racks);
        let read = |topic: &Topic| group.topic_at(topic.index).partitions();
        for partition in topics.iter().flat_map(read) {
            for rack in replicas.of(partition).filter(|rack| *rack < racks) {
                of_partition.set(partition.index() as u32, rack as u32);
                all.set(0, rack as u32);
            }
        }
        let any_near = all.ones(0).any(|rack| members[rack as usize] > 0);
        let mut partitions = topics.iter().flat_map(Topic::partitions);
        let everywhere = partitions.all(|partition| of_partition.row(partition) == all.row(0));
        (any_near && !everywhere).then_some(Racks { of_member, of_partition, members })
    }

    /// Whether a member may keep a partition: it is in one of its racks, or in none.
    pub fn fits(&self, member: u32, partition: u32) -> bool {
        self.of_member[member as usize] == NONE || self.is_near(member, partition)
    }

    /// Whether a member is in one of the racks of a partition.
    pub fn is_near(&self, member: u32, partition: u32) -> bool {
        let rack = self.of_member[member as usize];
        rack != NONE && self.of_partition.has(partition, rack)
    }

    /// How many members are in the racks of a partition.
    pub fn members_near(&self, partition: u32) -> u32 {
        self.of_partition.ones(partition).map(|rack| self.members[rack as usize]).sum()
    }
}
