//! Which copy is the first. The primary stays while it holds the partition, and primaries are spread like copies.

use divvy_guest::prelude::*;

use crate::copies::Copies;
use crate::memo::Memo;

/// How often all partitions are looked at to even out; two or three times are the rule.
const SWEEPS: usize = 64;

/// Puts the primary first among the holders of each partition.
pub fn choose(group: &Group<'_>, held: &mut Copies) {
    let mut counts = vec![0_u32; group.members().len()];
    let is_fresh = keep(group, held, &mut counts);
    for partition in group.partitions().map(Partition::index) {
        if is_fresh.as_ref().is_none_or(|is_fresh| is_fresh[partition])
            && let Some(primary) = least(held.holders(partition), &counts)
        {
            counts[primary as usize] += 1;
            held.put_first(partition, primary);
        }
    }
    for _ in 0..SWEEPS {
        let is_even = counts.iter().max() < counts.iter().min().map(|fewest| fewest + 2).as_ref();
        if is_even || !sweep(held, &mut counts) {
            break;
        }
    }
    held.order_rest();
}

/// Leaves primaries where the memo knows them; says for which partitions it does not, or nothing if there is none.
fn keep(group: &Group<'_>, held: &mut Copies, counts: &mut [u32]) -> Option<Vec<bool>> {
    group.memo()?;
    let memo = Memo::read(group);
    let mut is_fresh = vec![false; group.partitions().len()];
    for topic in group.topics() {
        let before = memo.of(topic);
        for (number, partition) in topic.partitions().map(Partition::index).enumerate() {
            match before.primary(number, held.holders(partition)) {
                Some(primary) => {
                    counts[primary as usize] += 1;
                    held.put_first(partition, primary);
                }
                None => is_fresh[partition] = true,
            }
        }
    }
    Some(is_fresh)
}

/// Looks at all partitions once; says whether a primary changed.
fn sweep(held: &mut Copies, counts: &mut [u32]) -> bool {
    let mut moved = false;
    for partition in 0..held.partitions() {
        let holders = held.holders(partition);
        let Some(&first) = holders.first() else { continue };
        if let Some(next) = least(holders, counts).filter(|&next| counts[next as usize] + 2 <= counts[first as usize]) {
            counts[first as usize] -= 1;
            counts[next as usize] += 1;
            held.put_first(partition, next);
            moved = true;
        }
    }
    moved
}

/// The holder with the fewest, ties to the first by id: without a memo the same holders have the same primaries, however they came to
/// their copies.
fn least(holders: &[u32], counts: &[u32]) -> Option<u32> {
    holders.iter().copied().min_by_key(|&holder| (counts[holder as usize], holder))
}
