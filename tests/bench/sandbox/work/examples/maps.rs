//! Bound by its maps: a sticky plan with every partition a key of a hash map, the members in an ordered set by what they have, and
//! a list for each member that is sorted. Everybody reads everything.

use std::collections::{BTreeSet, HashMap};
use std::hash::{BuildHasherDefault, Hasher};

use divvy_guest::prelude::*;

assignor! { name: "maps", description: "Measures maps.", license: "Apache-2.0", assign: assign }

/// A hash that is as quick as one can be, and the same everywhere.
#[derive(Default)]
struct Quick(u64);

impl Hasher for Quick {
    fn write(&mut self, bytes: &[u8]) {
        bytes.iter().for_each(|byte| self.write_u32(u32::from(*byte)));
    }

    fn write_u32(&mut self, number: u32) {
        self.0 = (self.0.rotate_left(5) ^ u64::from(number)).wrapping_mul(0x517c_c1b7_2722_0a95);
    }

    fn finish(&self) -> u64 {
        self.0.rotate_left(26)
    }
}

/// A topic and a number to a member.
type Owned = HashMap<(u32, u32), u32, BuildHasherDefault<Quick>>;

/// Who had a partition keeps it up to the fair share; the others go to who has least.
pub(crate) fn assign(group: &Group<'_>, owners: &mut Owners) -> Result<(), Refusal> {
    let most = group.partitions().len().div_ceil(group.members().len().max(1));
    let mut owned = Owned::default();
    for topic in group.topics() {
        for (number, partition) in (0..).zip(topic.partitions()) {
            if let Some(member) = group.owner_before(partition) {
                owned.insert((topic.index() as u32, number), member.index() as u32);
            }
        }
    }
    let mut has: Vec<Vec<(u32, u32)>> = vec![Vec::new(); group.members().len()];
    owned.iter().for_each(|(&partition, &member)| has[member as usize].push(partition));
    for partitions in &mut has {
        partitions.sort_unstable();
        for given_up in partitions.drain(most.min(partitions.len())..) {
            owned.remove(&given_up);
        }
    }
    let mut least: BTreeSet<(usize, u32)> = has.iter().zip(0..).map(|(has, member)| (has.len(), member)).collect();
    for topic in group.topics() {
        for (number, partition) in (0..).zip(topic.partitions()) {
            let key = (topic.index() as u32, number);
            if !owned.contains_key(&key)
                && let Some((has, member)) = least.pop_first()
            {
                owned.insert(key, member);
                least.insert((has + 1, member));
            }
            if let Some(&member) = owned.get(&key) {
                owners.give(partition, group.member(member as usize));
            }
        }
    }
    Ok(())
}
