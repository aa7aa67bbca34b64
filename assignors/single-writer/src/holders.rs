//! Who has most of some partitions, as far as anyone still knows.

use divvy_guest::prelude::*;

/// Counts claims, in one pass over the partitions and one over those that have any.
pub struct Holders<'g> {
    group: &'g Group<'g>,
    /// Claimed partitions by member index; all zero between two questions.
    counts: Vec<u32>,
    touched: Vec<usize>,
}

impl<'g> Holders<'g> {
    /// Of a group.
    pub fn new(group: &'g Group<'_>) -> Self {
        Holders { group, counts: vec![0; group.members().len()], touched: Vec::new() }
    }

    /// Which of the members that may had most of these partitions last, ties by the order in which they come.
    pub fn most<'m>(&mut self, partitions: Partitions, able: &[Member<'m>]) -> Option<Member<'m>> {
        if self.group.claim_layers() == 0 {
            return None;
        }
        for member in partitions.filter_map(|partition| self.group.owner_before(partition)) {
            if self.counts[member.index()] == 0 {
                self.touched.push(member.index());
            }
            self.counts[member.index()] += 1;
        }
        let count = |member: &&Member<'_>| self.counts[member.index()];
        let most = able.iter().rev().filter(|member| count(member) > 0).max_by_key(count).copied();
        self.touched.drain(..).for_each(|index| self.counts[index] = 0);
        most
    }
}
