//! A strategy that knows nothing of what members had: where a partition goes depends on a number.

use divvy_guest::abi::Width;
use divvy_guest::abi::reply::{plan_head, plan_tail};
use divvy_guest::abi::request::Partitions;

use crate::assignor::manifest::Copies;
use crate::assignor::{Assignor, Budget, CallError, Export, FaultKind, Manifest, native_range};
use crate::ids::Digest;

/// Whether it changes its mind.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Mood {
    /// The same members and topics get the same plan.
    Steady,
    /// Every generation gets another.
    Restless,
}

/// The strategy.
pub(super) struct Scatter {
    manifest: Manifest,
    copies: usize,
    pub mood: Mood,
}

impl Scatter {
    pub fn new(copies: usize, mood: Mood) -> Self {
        let kind = if copies == 1 { Copies::One } else { Copies::Many };
        Self { manifest: Manifest { copies: kind, ..native_range().manifest().clone() }, copies, mood }
    }
}

impl Assignor for Scatter {
    fn manifest(&self) -> &Manifest {
        &self.manifest
    }

    fn digest(&self) -> Option<Digest> {
        None
    }

    fn call(&self, export: Export, request: &[u8], _budget: Budget) -> Result<Vec<u8>, CallError> {
        if export != Export::Assign {
            return Ok(Vec::new());
        }
        let group = Partitions::read(request).map_err(|bad| CallError::new(FaultKind::Input, bad.to_string()))?;
        let salt = if self.mood == Mood::Restless { group.head.generation as u64 } else { 0 };
        let (width, partitions) = (Width::of(group.members.len()), group.partitions as usize);
        let mut maps = vec![0xff; width.bytes() * partitions * self.copies];
        let layer = width.bytes() * partitions;
        for (index, topic) in group.topics.iter().enumerate() {
            let reads = |member: &u32| {
                let set = group.members[*member as usize].subscription as usize;
                group.subscriptions[set].contains(index as u32)
            };
            let readers: Vec<u32> = (0..group.members.len() as u32).filter(reads).collect();
            for partition in topic.base as usize..(topic.base + topic.partitions) as usize {
                let start = xxhash_rust::xxh3::xxh3_64_with_seed(&(partition as u64).to_le_bytes(), salt) as usize;
                for copy in 0..self.copies.min(readers.len()) {
                    let owner = readers[start.wrapping_add(copy) % readers.len()];
                    width.set(&mut maps[copy * layer..], partition, Some(owner));
                }
            }
        }
        let mut reply = plan_head(self.copies as u16, maps.len() as u32).to_vec();
        reply.extend_from_slice(&maps);
        plan_tail(&mut reply, None, None, None, &[]);
        Ok(reply)
    }
}
