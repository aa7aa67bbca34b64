//! Adds the copies that are missing: each goes to the reader that has least, in a rack where the partition is not yet, while there is one.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use divvy_guest::prelude::*;

use crate::copies::Copies;

/// A member by what it has and its place in Kafka's order, in one number, the least first.
type Key = Reverse<(u32, u32)>;

/// The readers of a topic by rack, those that have least on top.
struct Pools<'g> {
    readers: Vec<Member<'g>>,
    by_rack: Vec<BinaryHeap<Key>>,
    /// Racks by their top. One that is not on top of its rack any more is passed over.
    order: BinaryHeap<Reverse<(u32, u32, u32)>>,
    /// Taken out while a partition is looked at: racks that it is in, members that hold it.
    racks_aside: Vec<u32>,
    members_aside: Vec<(u32, Key)>,
}

/// Fills up the copies of all partitions.
pub fn fill(group: &Group<'_>, held: &mut Copies) {
    let mut pools: Option<(Topic<'_>, Pools<'_>)> = None;
    for topic in group.topics() {
        let mut of = match pools.take() {
            Some((before, pools)) if before.has_same_subscribers(topic) => pools,
            _ => Pools::new(topic, held),
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
    fn new(topic: Topic<'g>, held: &Copies) -> Self {
        let readers = topic.subscribers();
        let mut racks: Vec<u32> = readers.iter().map(|reader| held.racks[reader.index()]).collect();
        racks.sort_unstable();
        racks.dedup();
        let mut by_rack = vec![Vec::new(); racks.len()];
        for (place, reader) in (0..).zip(&readers) {
            let rack = racks.partition_point(|&rack| rack < held.racks[reader.index()]);
            by_rack[rack].push(Reverse((held.loads[reader.index()], place)));
        }
        let by_rack: Vec<BinaryHeap<Key>> = by_rack.into_iter().map(BinaryHeap::from).collect();
        let mut pools =
            Pools { readers, by_rack, order: BinaryHeap::new(), racks_aside: Vec::new(), members_aside: Vec::new() };
        (0..racks.len() as u32).for_each(|rack| pools.put_back(rack));
        pools
    }

    fn put_back(&mut self, rack: u32) {
        if let Some(Reverse((load, place))) = self.by_rack[rack as usize].peek() {
            self.order.push(Reverse((*load, *place, rack)));
        }
    }

    fn fill(&mut self, partition: usize, most: usize, held: &mut Copies) {
        // First one in each rack that has no copy yet, then wherever there is least.
        for spread in [true, false] {
            while held.holders(partition).len() < most {
                let Some(Reverse((load, place, rack))) = self.order.pop() else { break };
                let (top, pool) = (Reverse((load, place)), &mut self.by_rack[rack as usize]);
                // Not its top any more: another entry says what is.
                if pool.peek() != Some(&top) {
                    continue;
                }
                let member = self.readers[place as usize].index() as u32;
                if spread && held.has_rack(partition, held.racks[member as usize]) {
                    self.racks_aside.push(rack);
                    continue;
                }
                pool.pop();
                if held.holders(partition).contains(&member) {
                    self.members_aside.push((rack, top));
                } else {
                    held.add(partition, member);
                    self.members_aside.push((rack, Reverse((load + 1, place))));
                }
                match spread {
                    true => self.racks_aside.push(rack),
                    false => self.put_back(rack),
                }
            }
            while let Some(rack) = self.racks_aside.pop() {
                self.put_back(rack);
            }
        }
        while let Some((rack, key)) = self.members_aside.pop() {
            let pool = &mut self.by_rack[rack as usize];
            pool.push(key);
            if pool.peek() == Some(&key) {
                self.put_back(rack);
            }
        }
    }
}
