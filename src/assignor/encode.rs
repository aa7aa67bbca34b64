//! Writes who owns what as one Kafka assignment for each member.
//!
//! This is where a leader spends most of its time (a million partitions are 20 MB of assignments), so it is linear in the
//! bytes and writes them in order: partitions are sorted by member with a counting sort, then each member's assignment is
//! written from its own run of partitions into one buffer that all states share.

use bytes::Bytes;

use super::LeaderInput;
use super::owners::{NOBODY, Owners};
use super::view::{View, ViewMember};
use crate::embedded::consumer::ASSIGNMENT_VERSION;
use crate::embedded::sticky::{STICKY, with_history as with_sticky};
use crate::embedded::user_data::UserData;

#[cfg(test)]
mod tests;

/// Version and number of topics before, length of the user data after.
const FRAME_BYTES: usize = 2 + 4 + 4;

/// Names are copied in blocks of this size, which is one instruction each, and what was too much is taken off again.
const BLOCK: usize = 16;

/// One assignment for each member, topics by name, partitions by number. The owners have passed their verdict.
pub(super) fn assignments(view: &View<'_>, owners: &Owners, user_data: &[Option<&[u8]>]) -> Vec<Bytes> {
    let (names, places) = (EncodedNames::new(view), Places::new(view));
    let runs = Runs::new(view.members.len(), owners);
    // As large as it can get: pages that are not written are never touched.
    let mut to = Vec::with_capacity(most_bytes(view, owners, user_data) + BLOCK);
    let mut ends = Vec::with_capacity(view.members.len());
    for member in 0..view.members.len() {
        to.extend_from_slice(&ASSIGNMENT_VERSION.to_be_bytes());
        let count_at = to.len();
        to.extend_from_slice(&[0; 4]);
        let topics = write_topics(&mut to, view, &names, &places, runs.of(member));
        to[count_at..count_at + 4].copy_from_slice(&topics.to_be_bytes());
        match user_data.get(member).copied().flatten() {
            None => to.extend_from_slice(&(-1i32).to_be_bytes()),
            Some(data) => {
                to.extend_from_slice(&(data.len() as i32).to_be_bytes());
                to.extend_from_slice(data);
            }
        }
        ends.push(to.len());
    }
    let whole = Bytes::from(to);
    let mut start = 0;
    ends.into_iter().map(|end| whole.slice(std::mem::replace(&mut start, end)..end)).collect()
}

/// Under Kafka's `sticky`, members other than divvy's get what they have in their user data too: sarama's remember nothing
/// else, and nobody else looks at it.
pub(super) fn with_history(view: &View<'_>, states: Vec<Bytes>, input: &LeaderInput<'_>) -> Vec<Bytes> {
    if *input.protocol != STICKY {
        return states;
    }
    let is_divvys = |member: &ViewMember<'_>| {
        member.tail.note.is_some() || member.tail.user_data.is_some_and(|data| UserData::decode(data).is_ok())
    };
    let told = |(member, state)| if is_divvys(member) { state } else { with_sticky(&state, input.generation.0) };
    view.members.iter().zip(states).map(told).collect()
}

/// What the assignments take at most: a topic is named once for each of its partitions or for each member.
fn most_bytes(view: &View<'_>, owners: &Owners, user_data: &[Option<&[u8]>]) -> usize {
    let members = view.members.len();
    let naming = |topic: &super::view::ViewTopic<'_>| {
        (topic.partitions as usize * owners.copies()).min(members) * (2 + topic.name.len() + 4)
    };
    let data = user_data.iter().flatten().map(|data| data.len()).sum::<usize>();
    members * FRAME_BYTES + data + view.topics.iter().map(naming).sum::<usize>() + owners.cells().len() * 4
}

/// Writes ascending dense indexes as topics with their partitions and returns the number of topics.
fn write_topics(
    to: &mut Vec<u8>,
    view: &View<'_>,
    names: &EncodedNames,
    places: &Places,
    mut partitions: &[u32],
) -> u32 {
    let mut topics = 0;
    while let Some(&first) = partitions.first() {
        let at = places.topic_of(view, first);
        let base = view.topics[at].base;
        let end = base + view.topics[at].partitions;
        let run = partitions.iter().position(|&partition| partition >= end).unwrap_or(partitions.len());
        let (mine, rest) = partitions.split_at(run);
        names.write(to, at);
        to.extend_from_slice(&(run as u32).to_be_bytes());
        for &partition in mine {
            to.extend_from_slice(&(partition - base).to_be_bytes());
        }
        partitions = rest;
        topics += 1;
    }
    topics
}

/// Finds the topic of a dense index: in which topic every so-many-th partition is, so that a look at that is mostly all.
struct Places {
    shift: u32,
    /// The topic of each partition whose number has only zeros in its last bits; and the last topic.
    topics: Vec<u32>,
}

impl Places {
    fn new(view: &View<'_>) -> Self {
        // Two or more places for a topic of average size: half of them begin in the topic that is looked for.
        let average = view.partitions / view.topics.len().max(1);
        let shift = (average / 2).max(1).ilog2();
        let mut topics = Vec::with_capacity((view.partitions >> shift) + 2);
        for (index, topic) in (0..).zip(&view.topics) {
            let end = (topic.base + topic.partitions).div_ceil(1 << shift);
            topics.resize(topics.len().max(end as usize), index);
        }
        topics.push((view.topics.len() as u32).saturating_sub(1));
        Self { shift, topics }
    }

    #[inline]
    fn topic_of(&self, view: &View<'_>, partition: u32) -> usize {
        let place = (partition >> self.shift) as usize;
        let (first, last) = (self.topics[place] as usize, self.topics[place + 1] as usize);
        let is_before = |topic: &super::view::ViewTopic<'_>| topic.base + topic.partitions <= partition;
        if !is_before(&view.topics[first]) {
            return first;
        }
        first + 1 + view.topics[first + 1..=last].partition_point(is_before)
    }
}

/// Each topic's name as it stands in an assignment, in whole blocks.
struct EncodedNames {
    blocks: Vec<[u8; BLOCK]>,
    /// The first block and the length in bytes.
    places: Vec<(usize, usize)>,
}

impl EncodedNames {
    fn new(view: &View<'_>) -> Self {
        let mut names = Self { blocks: Vec::new(), places: Vec::with_capacity(view.topics.len()) };
        for topic in &view.topics {
            // A name came out of a frame whose lengths are two bytes, so its own fits.
            let mut bytes = (topic.name.len() as u16).to_be_bytes().to_vec();
            bytes.extend_from_slice(topic.name.as_bytes());
            names.places.push((names.blocks.len(), bytes.len()));
            bytes.resize(bytes.len().next_multiple_of(BLOCK), 0);
            names.blocks.extend_from_slice(bytes.as_chunks().0);
        }
        names
    }

    #[inline]
    fn write(&self, to: &mut Vec<u8>, topic: usize) {
        let (first, len) = self.places[topic];
        let end = to.len() + len;
        self.blocks[first..first + len.div_ceil(BLOCK)].iter().for_each(|block| to.extend_from_slice(block));
        to.truncate(end);
    }
}

/// The dense indexes that each member has, ascending, all in one vector.
struct Runs {
    partitions: Vec<u32>,
    /// Where each member's begin; and where the last one's end.
    starts: Vec<u32>,
}

impl Runs {
    fn new(members: usize, owners: &Owners) -> Self {
        // Each count goes two places up: summed up, it is the start of the next member's run one place up, and filling the
        // runs moves it to that run's end, which is where `starts` wants it.
        let mut starts = vec![0u32; members + 2];
        owners.cells().iter().filter(|owner| **owner != NOBODY).for_each(|&owner| starts[owner as usize + 2] += 1);
        for member in 2..starts.len() {
            starts[member] += starts[member - 1];
        }
        let mut partitions = vec![0u32; starts[members + 1] as usize];
        for (partition, cells) in owners.cells().chunks_exact(owners.copies()).enumerate() {
            for &owner in cells.iter().filter(|owner| **owner != NOBODY) {
                let next = &mut starts[owner as usize + 1];
                partitions[*next as usize] = partition as u32;
                *next += 1;
            }
        }
        Self { partitions, starts }
    }

    fn of(&self, member: usize) -> &[u32] {
        &self.partitions[self.starts[member] as usize..self.starts[member + 1] as usize]
    }
}
