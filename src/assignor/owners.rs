//! Owner maps: who has which partition, as one column over the dense index, two or four bytes each.

use std::borrow::Cow;

use divvy_guest::abi::Width;

/// One or more owner maps, one after another; the first holds the primary owners.
#[derive(Clone)]
pub(super) struct OwnerMap<'a> {
    pub width: Width,
    pub partitions: usize,
    pub copies: u16,
    pub bytes: Cow<'a, [u8]>,
}

impl<'a> OwnerMap<'a> {
    /// Nobody owns anything.
    pub fn nobody(members: usize, partitions: usize, copies: u16) -> Self {
        let width = Width::of(members);
        let bytes = Cow::Owned(vec![0xff; width.bytes() * partitions * usize::from(copies)]);
        Self { width, partitions, copies, bytes }
    }

    #[inline]
    pub fn get(&self, layer: u16, partition: usize) -> Option<u32> {
        self.width.get(&self.bytes, usize::from(layer) * self.partitions + partition)
    }

    pub fn set(&mut self, layer: u16, partition: usize, owner: u32) {
        let index = usize::from(layer) * self.partitions + partition;
        self.width.set(self.bytes.to_mut(), index, Some(owner));
    }

    /// The owners of one partition, its primary first.
    pub fn of(&self, partition: usize) -> impl Iterator<Item = u32> {
        (0..self.copies).filter_map(move |layer| self.get(layer, partition))
    }
}
