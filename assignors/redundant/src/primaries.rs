//! Which copy is the first. The primary stays while it holds the partition, and primaries are spread like copies.

use divvy_guest::prelude::*;

use crate::copies::Copies;
use crate::memo::Memo;

/// How often all partitions are looked at to even out; two or three times are the rule.
const SWEEPS: usize = 64;

/// Puts the primary first among the holders of each partition.
pub fn choose(group: &Group<'_>, held: &mut Copies) {
    let mut counts = vec![0_u32; group.members().len()];
    let memo = Memo::read(group);
    let mut fresh = Vec::new();
    for topic in group.topics() {
        let before = memo.of(topic);
        for (number, partition) in topic.partitions().enumerate() {
            let holders = held.holders(partition.index());
            let stays = before.primary(number, holders);
            match stays {
                Some(primary) => {
                    counts[primary as usize] += 1;
                    held.put_first(partition.index(), primary);
                }
                None if holders.is_empty() => {}
                None => fresh.push(partition.index()),
            }
        }
    }
    for partition in fresh {
        if let Some(primary) = least(held.holders(partition), &counts) {
            counts[primary as usize] += 1;
            held.put_first(partition, primary);
        }
    }
    for _ in 0..SWEEPS {
        let mut moved = false;
        for partition in 0..group.partitions().len() {
            let holders = held.holders(partition);
            let Some(&first) = holders.first() else { continue };
            if let Some(next) =
                least(holders, &counts).filter(|&next| counts[next as usize] + 2 <= counts[first as usize])
            {
                counts[first as usize] -= 1;
                counts[next as usize] += 1;
                held.put_first(partition, next);
                moved = true;
            }
        }
        if !moved {
            break;
        }
    }
    held.order_rest();
}

/// The holder with the fewest, ties to the first by id: without a memo the same holders have the same primaries, however they came to
/// their copies.
fn least(holders: &[u32], counts: &[u32]) -> Option<u32> {
    holders.iter().copied().min_by_key(|&holder| (counts[holder as usize], holder))
}
