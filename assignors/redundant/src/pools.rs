//! Adds the copies that are missing: each goes to the reader that has least, in a rack where the partition is not yet, while there is one.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use divvy_guest::prelude::*;

use crate::copies::Copies;

/// A member by what it has, then by its place among the readers; the least comes first.
type Key = Reverse<u64>;

/// The readers of a topic by rack, those that have least on top. Those without a rack are together: they are in nobody's way.
struct Pools<'g> {
    readers: Vec<Member<'g>>,
    by_rack: Vec<BinaryHeap<Key>>,
    /// The pool of those without a rack; none when all have one.
    free: Option<u32>,
    /// Pools by their top. One that is not on top any more is passed over.
    order: BinaryHeap<Reverse<(u64, u32)>>,
    /// Taken out while a partition is looked at: racks that it is in, members that hold it.
    racks_aside: Vec<u32>,
    members_aside: Vec<(u32, Key)>,
}

/// Fills up the copies of all partitions.
pub fn fill(group: &Group<'_>, held: &mut Copies) {
    let racks = group.racks().len() as u32;
    let mut pools: Option<(Topic<'_>, Pools<'_>)> = None;
    for topic in group.topics() {
        let mut of = match pools.take() {
            Some((before, pools)) if before.has_same_subscribers(topic) => pools,
            _ => Pools::new(topic, racks, held),
        };
        let most = held.most().min(of.readers.len());
        for partition in topic.partitions() {
            if held.holders(partition.index()).len() < most {
                of.fill(partition.index(), most, held);
            }
        }
        pools = Some((topic, of));
    }
}

impl<'g> Pools<'g> {
    fn new(topic: Topic<'g>, racks: u32, held: &Copies) -> Self {
        let readers = topic.subscribers();
        let mut pool_of = vec![None; racks as usize + 1];
        let mut by_rack: Vec<Vec<Key>> = Vec::new();
        for (place, reader) in (0..).zip(&readers) {
            let rack = held.racks[reader.index()].min(racks) as usize;
            let pool = *pool_of[rack].get_or_insert_with(|| {
                by_rack.push(Vec::new());
                by_rack.len() as u32 - 1
            });
            by_rack[pool as usize].push(Reverse(u64::from(held.loads[reader.index()]) << 32 | place));
        }
        let by_rack: Vec<BinaryHeap<Key>> = by_rack.into_iter().map(BinaryHeap::from).collect();
        let (racks_aside, members_aside) = (Vec::new(), Vec::new());
        let free = pool_of[racks as usize];
        let mut pools = Pools { readers, by_rack, free, order: BinaryHeap::new(), racks_aside, members_aside };
        (0..pools.by_rack.len() as u32).for_each(|pool| pools.put_back(pool));
        pools
    }

    fn put_back(&mut self, pool: u32) {
        if let Some(Reverse(top)) = self.by_rack[pool as usize].peek() {
            self.order.push(Reverse((*top, pool)));
        }
    }

    fn fill(&mut self, partition: usize, most: usize, held: &mut Copies) {
        // First one in each rack that has no copy yet, then wherever there is least.
        for spread in [true, false] {
            while held.holders(partition).len() < most {
                let Some(Reverse((top, pool))) = self.order.pop() else { break };
                let heap = &mut self.by_rack[pool as usize];
                // Not its top any more: another entry says what is.
                if heap.peek() != Some(&Reverse(top)) {
                    continue;
                }
                let member = self.readers[top as u32 as usize].index() as u32;
                let one_each = spread && self.free != Some(pool);
                if one_each && held.has_rack(partition, held.racks[member as usize]) {
                    self.racks_aside.push(pool);
                    continue;
                }
                heap.pop();
                if held.holders(partition).contains(&member) {
                    self.members_aside.push((pool, Reverse(top)));
                } else {
                    held.add(partition, member);
                    self.members_aside.push((pool, Reverse(top + (1 << 32))));
                }
                match one_each {
                    true => self.racks_aside.push(pool),
                    false => self.put_back(pool),
                }
            }
            while let Some(pool) = self.racks_aside.pop() {
                self.put_back(pool);
            }
        }
        while let Some((pool, key)) = self.members_aside.pop() {
            let heap = &mut self.by_rack[pool as usize];
            heap.push(key);
            if heap.peek() == Some(&key) {
                self.put_back(pool);
            }
        }
    }
}
