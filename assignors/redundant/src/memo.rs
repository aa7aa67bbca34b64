//! Who was the primary of each partition: claims do not say it, and not every client could. A few bits of a hash of the member are
//! enough to find it among the holders; so many bits as a memo has room for.
//!
//! `[1, bits, bin]`: for each topic the hash of its name and its number of partitions, 4 bytes each, little-endian, then as many bits for
//! each partition, in whole bytes, the lowest bits first.

use divvy_guest::abi::msgpack::{Malformed, Reader, Writer};
use divvy_guest::prelude::*;

use crate::copies::Copies;

const VERSION: u64 = 1;

/// Leaves room for the frame in the 64 KiB that a memo may have.
const MOST_BYTES: usize = 60 * 1024;

/// What the last plan remembered.
pub struct Memo<'g> {
    bits: usize,
    /// Hash of the name and the bits of each topic, by hash.
    topics: Vec<(u32, &'g [u8])>,
    hashes: Vec<u32>,
}

/// What it remembers of a topic.
pub struct Before<'m> {
    memo: &'m Memo<'m>,
    marks: &'m [u8],
}

impl<'g> Memo<'g> {
    /// Of a group; bytes that are none of ours are none.
    pub fn read(group: &Group<'g>) -> Self {
        let hashes = hashes(group);
        let read = group.memo().and_then(|memo| parse(memo).ok());
        let (bits, mut topics) = read.unwrap_or((8, Vec::new()));
        topics.sort_by_key(|topic| topic.0);
        Memo { bits, topics, hashes }
    }

    /// Of a topic.
    pub fn of(&self, topic: Topic<'_>) -> Before<'_> {
        let hash = hash(topic.name());
        let found = self.topics.binary_search_by_key(&hash, |topic| topic.0).ok();
        Before { memo: self, marks: found.map_or(&[], |at| self.topics[at].1) }
    }
}

impl Before<'_> {
    /// Which of its holders was the primary of a partition.
    pub fn primary(&self, number: usize, holders: &[u32]) -> Option<u32> {
        let bits = self.memo.bits;
        let byte = *self.marks.get(number * bits / 8)?;
        let mark = u32::from(byte >> (number * bits % 8)) & mask(bits);
        holders.iter().copied().find(|&holder| self.memo.hashes[holder as usize] & mask(bits) == mark)
    }
}

/// Remembers the primaries of a plan; `None` when there is no room for them.
pub fn write(group: &Group<'_>, held: &Copies) -> Option<Vec<u8>> {
    let size = |bits: usize| group.topics().map(|topic| 8 + (topic.len() * bits).div_ceil(8)).sum::<usize>();
    let bits = [8, 4, 2].into_iter().find(|&bits| size(bits) <= MOST_BYTES)?;
    let hashes = hashes(group);
    let mut marks = Vec::with_capacity(size(bits));
    for topic in group.topics() {
        marks.extend(hash(topic.name()).to_le_bytes());
        marks.extend((topic.len() as u32).to_le_bytes());
        let start = marks.len();
        marks.resize(start + (topic.len() * bits).div_ceil(8), 0);
        for (number, partition) in topic.partitions().enumerate() {
            let primary = held.holders(partition.index()).first();
            let mark = primary.map_or(0, |&primary| hashes[primary as usize] & mask(bits));
            marks[start + number * bits / 8] |= (mark as u8) << (number * bits % 8);
        }
    }
    let mut memo = Vec::with_capacity(marks.len() + 8);
    let mut to = Writer::new(&mut memo);
    to.array(3);
    to.unsigned(VERSION);
    to.unsigned(bits as u64);
    to.binary(&marks);
    Some(memo)
}

/// A topic's hash, and the marks of its partitions.
type Marks<'a> = (u32, &'a [u8]);

fn parse(memo: &[u8]) -> Result<(usize, Vec<Marks<'_>>), Malformed> {
    let mut from = Reader::new(memo);
    from.fields(3, "a memo of 3 items")?;
    if from.unsigned("a version")? == 0 {
        return Err(from.malformed("a version from 1"));
    }
    let bits = match from.unsigned("a number of bits")? {
        bits @ (2 | 4 | 8) => bits as usize,
        _ => return Err(from.malformed("2, 4 or 8 bits")),
    };
    let mut rest = from.binary("marks")?;
    let mut topics = Vec::new();
    while let Some((&[h0, h1, h2, h3, n0, n1, n2, n3], tail)) = rest.split_first_chunk() {
        let partitions = u32::from_le_bytes([n0, n1, n2, n3]) as usize;
        let bytes = partitions.div_ceil(8 / bits);
        let (marks, tail) = tail.split_at_checked(bytes).ok_or_else(|| from.malformed("marks of all partitions"))?;
        topics.push((u32::from_le_bytes([h0, h1, h2, h3]), marks));
        rest = tail;
    }
    Ok((bits, topics))
}

fn mask(bits: usize) -> u32 {
    (1 << bits) - 1
}

/// Static members are known by their instance id: they have a new member id after a restart.
fn hashes(group: &Group<'_>) -> Vec<u32> {
    group.members().map(|member| hash(member.instance_id().unwrap_or(member.id()))).collect()
}

/// FNV-1a, whose lowest bits are mixed once more: ids often differ in the last letter only.
fn hash(text: &str) -> u32 {
    let hash = text.bytes().fold(0x811c_9dc5_u32, |hash, byte| (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193));
    (hash ^ (hash >> 16)).wrapping_mul(0x85eb_ca6b) >> 8
}
