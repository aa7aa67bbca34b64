//! Who has which partition: the owner maps of requests and replies, widened and turned so that the owners of one partition lie
//! side by side.

use divvy_guest::abi::Width;

/// No owner; no member has this index.
pub(super) const NOBODY: u32 = u32::MAX;

/// The owners of each partition, its primary first.
#[derive(Clone, Debug)]
pub(super) struct Owners {
    copies: usize,
    /// `copies` cells for each partition, in the order of the dense index.
    cells: Vec<u32>,
}

impl Owners {
    /// Nobody owns anything.
    pub fn nobody(partitions: usize, copies: u16) -> Self {
        let copies = usize::from(copies);
        Self { copies, cells: vec![NOBODY; partitions * copies] }
    }

    /// From owner maps that follow each other, one for each copy.
    pub fn read(maps: &[u8], width: Width, partitions: usize, copies: u16) -> Self {
        let widened = match width {
            Width::Two => maps.as_chunks().0.iter().map(|cell| widen(u16::from_le_bytes(*cell))).collect(),
            Width::Four => maps.as_chunks().0.iter().map(|cell| u32::from_le_bytes(*cell)).collect(),
        };
        if copies == 1 {
            return Self { copies: 1, cells: widened };
        }
        let mut owners = Self::nobody(partitions, copies);
        for (layer, map) in widened.chunks_exact(partitions.max(1)).enumerate() {
            map.iter().enumerate().for_each(|(partition, &owner)| owners.of_mut(partition)[layer] = owner);
        }
        owners
    }

    /// As owner maps that follow each other.
    pub fn write(&self, width: Width) -> Vec<u8> {
        if self.copies == 1 {
            return write_map(&self.cells, width);
        }
        let mut maps = Vec::with_capacity(self.cells.len() * width.bytes());
        for layer in 0..self.copies {
            let cells: Vec<u32> = self.cells.iter().skip(layer).step_by(self.copies).copied().collect();
            maps.extend_from_slice(&write_map(&cells, width));
        }
        maps
    }

    pub fn copies(&self) -> usize {
        self.copies
    }

    /// The cells of one partition, its primary's first.
    #[cfg(test)]
    pub fn of(&self, partition: usize) -> &[u32] {
        self.range(partition, partition + 1)
    }

    /// The cells of consecutive partitions.
    pub fn range(&self, from: usize, to: usize) -> &[u32] {
        &self.cells[from * self.copies..to * self.copies]
    }

    pub fn of_mut(&mut self, partition: usize) -> &mut [u32] {
        &mut self.cells[partition * self.copies..(partition + 1) * self.copies]
    }

    /// All cells.
    pub fn cells(&self) -> &[u32] {
        &self.cells
    }

    pub fn cells_mut(&mut self) -> &mut [u32] {
        &mut self.cells
    }
}

/// One owner map.
pub(super) fn write_map(owners: &[u32], width: Width) -> Vec<u8> {
    let mut map = vec![0; owners.len() * width.bytes()];
    match width {
        // The largest number means nobody in both widths.
        Width::Two => {
            map.as_chunks_mut().0.iter_mut().zip(owners).for_each(|(to, it)| *to = (*it as u16).to_le_bytes())
        }
        Width::Four => map.as_chunks_mut().0.iter_mut().zip(owners).for_each(|(to, it)| *to = it.to_le_bytes()),
    }
    map
}

fn widen(owner: u16) -> u32 {
    if owner == u16::MAX { NOBODY } else { u32::from(owner) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn maps_are_read_and_written_back_in_both_widths() {
        for (width, maps) in [
            (Width::Two, vec![1, 0, 0xff, 0xff, 2, 0, 3, 0, 4, 0, 0xff, 0xff]),
            (Width::Four, [1u32, NOBODY, 2, 3, 4, NOBODY].map(u32::to_le_bytes).concat()),
        ] {
            let owners = Owners::read(&maps, width, 3, 2);
            assert_eq!([owners.of(0), owners.of(1), owners.of(2)], [[1, 3], [NOBODY, 4], [2, NOBODY]]);
            assert_eq!(owners.write(width), maps);
        }
    }

    #[test]
    fn no_partitions_have_no_cells() {
        assert!(Owners::read(&[], Width::Two, 0, 2).cells().is_empty());
    }
}
