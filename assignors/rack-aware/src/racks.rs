//! Where partitions have replicas, and whether that matters for a topic.

use divvy_guest::ReplicaRacks;
use divvy_guest::prelude::*;

/// The racks of a group.
pub struct Racks<'g> {
    replicas: Option<ReplicaRacks<'g>>,
    /// How many racks there are.
    pub count: usize,
}

/// For each partition number a set of racks, as bits.
pub struct RackSets {
    bits: Vec<u64>,
    words: usize,
}

impl<'g> Racks<'g> {
    /// Those of a group.
    pub fn of(group: &'g Group<'_>) -> Self {
        Racks { replicas: group.replica_racks(), count: group.racks().len() }
    }

    /// The racks of all replicas of each partition, in sync or not.
    pub fn of_topic(&self, topic: Topic<'_>) -> RackSets {
        let words = self.count.div_ceil(64).max(1);
        let mut bits = vec![0; topic.len() * words];
        if let Some(replicas) = self.replicas {
            for (set, partition) in bits.chunks_exact_mut(words).zip(topic.partitions()) {
                for rack in replicas.of(partition).filter(|&rack| rack < self.count) {
                    set[rack / 64] |= 1 << (rack % 64);
                }
            }
        }
        RackSets { bits, words }
    }

    /// Whether racks can make a difference: some reader's rack has replicas of the topic, and not every partition is in all the racks
    /// that the topic is in.
    pub fn matter(&self, topic: Topic<'_>, members: &[Member<'_>]) -> bool {
        let sets = self.of_topic(topic);
        let mut all = vec![0; sets.words];
        sets.all().for_each(|set| all.iter_mut().zip(set).for_each(|(all, word)| *all |= word));
        let near = |member: &Member<'_>| member.rack().is_some_and(|rack| all[rack / 64] >> (rack % 64) & 1 == 1);
        members.iter().any(near) && sets.all().any(|set| set != all)
    }
}

impl RackSets {
    /// The sets by partition number.
    pub fn all(&self) -> impl Iterator<Item = &[u64]> {
        self.bits.chunks_exact(self.words)
    }

    /// The racks in the set of a partition number.
    pub fn of(&self, number: usize) -> impl Iterator<Item = usize> {
        let words = self.bits[number * self.words..][..self.words].iter().enumerate();
        words.flat_map(|(at, &word)| {
            // Each step drops the lowest bit.
            let rest = std::iter::successors(Some(word), |&rest| Some(rest & rest.wrapping_sub(1)));
            rest.take_while(|&rest| rest != 0).map(move |rest| at * 64 + rest.trailing_zeros() as usize)
        })
    }

    /// Keeps the racks that the other topic's partition of the same number has too.
    pub fn keep_common(&mut self, other: &RackSets) {
        self.bits.iter_mut().zip(&other.bits).for_each(|(mine, other)| *mine &= other);
    }
}
