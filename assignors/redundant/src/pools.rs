//! Adds the copies that are missing: each goes to the reader that has least, in a rack where the partition is not yet, while there is one.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use divvy_guest::Run;
use divvy_guest::prelude::*;

use crate::copies::Copies;

/// A member by what it has, then by its place among the readers; the least comes first.
type Key = Reverse<u64>;

/// The readers of a topic by rack, those that have least on top. Those without a rack are together: they are in nobody's way.
struct Pools<'g, 'r> {
    readers: &'r [Member<'g>],
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
    for run in group.runs() {
        let most = held.most().min(run.subscribers().len());
        let mut lacking = run.partitions().filter(|partition| held.holders(partition.index()).len() < most).peekable();
        if lacking.peek().is_none() {
            continue;
        }
        if deal(&run, racks, held) {
            continue;
        }
        let mut pools = Pools::new(run.subscribers(), racks, held);
        for partition in run.partitions() {
            if held.holders(partition.index()).len() < most {
                pools.fill(partition.index(), most, held);
            }
        }
    }
}

/// The same in a group that begins: who has least is whose turn it is, as long as nobody has a copy of these partitions or a rack, and
/// loads are as good as equal.
fn deal(run: &Run<'_>, racks: u32, held: &mut Copies) -> bool {
    let readers: Vec<u32> = run.subscribers().iter().map(|reader| reader.index() as u32).collect();
    let loads = || readers.iter().map(|&reader| held.loads[reader as usize]);
    let (Some(least), Some(greatest)) = (loads().min(), loads().max()) else { return true };
    let is_free = |&reader: &u32| held.racks[reader as usize] >= racks;
    let is_new = |partition: Partition| held.holders(partition.index()).is_empty();
    if greatest > least + 1 || !readers.iter().all(is_free) || !run.partitions().all(is_new) {
        return false;
    }
    // In a round everybody gets one: first those who have one fewer yet, then by place.
    let (mut round, mut next): (Vec<u32>, Vec<u32>) =
        (0..readers.len() as u32).partition(|&place| held.loads[readers[place as usize] as usize] == least);
    let most = held.most().min(readers.len());
    let mut at = 0;
    for partition in run.partitions().map(Partition::index) {
        for _ in 0..most {
            if at == round.len() {
                std::mem::swap(&mut round, &mut next);
                (at, next) = (0, Vec::with_capacity(readers.len()));
                round.sort_unstable();
            }
            // At the end of a round a partition may already be with who is next: the one behind takes it.
            let holds = |place: u32| held.holders(partition).contains(&readers[place as usize]);
            if holds(round[at]) {
                let skipped = round[at..].iter().take_while(|&&place| holds(place)).count();
                round[at..=at + skipped].rotate_right(1);
            }
            held.add(partition, readers[round[at] as usize]);
            next.push(round[at]);
            at += 1;
        }
    }
    true
}

impl<'g, 'r> Pools<'g, 'r> {
    fn new(readers: &'r [Member<'g>], racks: u32, held: &Copies) -> Self {
        let mut pool_of = vec![None; racks as usize + 1];
        let mut by_rack: Vec<Vec<Key>> = Vec::new();
        for (place, reader) in (0..).zip(readers) {
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
