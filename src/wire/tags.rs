//! Tagged fields (KIP-482) that a message's table does not know: kept, and written back.

use bytes::Bytes;

/// Tagged fields by number.
#[derive(Clone, Default, PartialEq, Eq, Debug)]
pub struct Tags(Vec<(u32, Bytes)>);

impl Tags {
    /// The bytes of a tagged field.
    pub fn get(&self, tag: u32) -> Option<&Bytes> {
        self.iter().find(|(number, _)| *number == tag).map(|(_, bytes)| bytes)
    }

    /// Sets a tagged field; one of the same number is replaced.
    pub fn set(&mut self, tag: u32, bytes: Bytes) {
        match self.0.binary_search_by_key(&tag, |(number, _)| *number) {
            Ok(at) => self.0[at].1 = bytes,
            Err(at) => self.0.insert(at, (tag, bytes)),
        }
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// How many.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// All, in the order of their numbers, as the format wants them.
    pub fn iter(&self) -> impl Iterator<Item = (u32, &Bytes)> {
        self.0.iter().map(|(tag, bytes)| (*tag, bytes))
    }
}

/// Keeps a tagged field where there is a place for it: a part of a message has none.
pub(super) fn keep(places: &mut [&mut Tags], tag: u32, bytes: Bytes) {
    for tags in places {
        tags.set(tag, bytes.clone());
    }
}
