//! Writes an owner map as one Kafka assignment for each member.
//!
//! This is where a leader spends most of its time (a million partitions are 20 MB of assignments), so it is linear in the
//! bytes and writes each of them once, in order: partitions are sorted by member with a counting sort, then each member's
//! assignment is written from its own run of partitions into one buffer that all states share.

use bytes::Bytes;

use super::owners::OwnerMap;
use super::view::View;
use crate::embedded::consumer::ASSIGNMENT_VERSION;

#[cfg(test)]
mod tests;

/// Version and number of topics before, length of the user data after.
const FRAME_BYTES: usize = 2 + 4 + 4;

/// One assignment for each member, topics by name, partitions by number. The owner map has passed its verdict.
pub(super) fn assignments(view: &View<'_>, owners: &OwnerMap<'_>, user_data: &[Option<&[u8]>]) -> Vec<Bytes> {
    let names = EncodedNames::new(view);
    let runs = Runs::new(view, owners);
    let data = user_data.iter().flatten().map(|data| data.len()).sum::<usize>();
    let frames = view.members.len() * FRAME_BYTES;
    let mut to = Vec::with_capacity(frames + data + runs.partitions.len() * 4 + runs.headers);
    let mut ends = Vec::with_capacity(view.members.len());
    for member in 0..view.members.len() {
        to.extend_from_slice(&ASSIGNMENT_VERSION.to_be_bytes());
        let count_at = to.len();
        to.extend_from_slice(&[0; 4]);
        let topics = write_topics(&mut to, view, &names, runs.of(member));
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

/// Writes ascending dense indexes as topics with their partitions and returns the number of topics.
fn write_topics(to: &mut Vec<u8>, view: &View<'_>, names: &EncodedNames, mut partitions: &[u32]) -> u32 {
    let mut topics = 0;
    let mut at = 0;
    while let Some(&first) = partitions.first() {
        at = topic_of(view, first, at);
        let base = view.topics[at].base;
        let end = base + view.topics[at].partitions;
        let run = partitions.iter().position(|&partition| partition >= end).unwrap_or(partitions.len());
        let (mine, rest) = partitions.split_at(run);
        to.extend_from_slice(names.get(at));
        to.extend_from_slice(&(run as u32).to_be_bytes());
        for &partition in mine {
            to.extend_from_slice(&(partition - base).to_be_bytes());
        }
        partitions = rest;
        topics += 1;
    }
    topics
}

/// The topic of a dense index, looked for from `at` on: mostly there or the next.
fn topic_of(view: &View<'_>, partition: u32, at: usize) -> usize {
    let has = |topic: usize| view.topics.get(topic).is_some_and(|t| partition < t.base + t.partitions);
    match (has(at), has(at + 1)) {
        (true, _) => at,
        (false, true) => at + 1,
        (false, false) => at + view.topics[at..].partition_point(|topic| topic.base + topic.partitions <= partition),
    }
}

/// Each topic's name as it stands in an assignment.
struct EncodedNames {
    bytes: Vec<u8>,
    starts: Vec<usize>,
}

impl EncodedNames {
    fn new(view: &View<'_>) -> Self {
        let mut names = Self { bytes: Vec::new(), starts: vec![0] };
        for topic in &view.topics {
            // A name came out of a frame whose lengths are two bytes, so its own fits.
            names.bytes.extend_from_slice(&(topic.name.len() as u16).to_be_bytes());
            names.bytes.extend_from_slice(topic.name.as_bytes());
            names.starts.push(names.bytes.len());
        }
        names
    }

    fn get(&self, topic: usize) -> &[u8] {
        &self.bytes[self.starts[topic]..self.starts[topic + 1]]
    }
}

/// The dense indexes that each member has, ascending, all in one vector.
struct Runs {
    partitions: Vec<u32>,
    starts: Vec<u32>,
    /// The bytes that names and counts of topics will take.
    headers: usize,
}

impl Runs {
    fn new(view: &View<'_>, owners: &OwnerMap<'_>) -> Self {
        let members = view.members.len();
        let mut starts = vec![0u32; members + 1];
        let mut last_topic = vec![u32::MAX; members];
        let mut headers = 0;
        for (index, topic) in view.topics.iter().enumerate() {
            for owner in Self::owners(owners, topic.base, topic.partitions).map(|(_, owner)| owner) {
                starts[owner + 1] += 1;
                if last_topic[owner] != index as u32 {
                    last_topic[owner] = index as u32;
                    headers += 2 + topic.name.len() + 4;
                }
            }
        }
        (0..members).for_each(|member| starts[member + 1] += starts[member]);
        let mut cursors = starts.clone();
        let mut partitions = vec![0u32; starts[members] as usize];
        for (partition, owner) in Self::owners(owners, 0, owners.partitions as u32) {
            partitions[cursors[owner] as usize] = partition;
            cursors[owner] += 1;
        }
        Self { partitions, starts, headers }
    }

    /// Dense index and owner of each copy of some partitions, in the order of the index.
    fn owners(owners: &OwnerMap<'_>, base: u32, partitions: u32) -> impl Iterator<Item = (u32, usize)> {
        (base..base + partitions)
            .flat_map(move |partition| owners.of(partition as usize).map(move |owner| (partition, owner as usize)))
    }

    fn of(&self, member: usize) -> &[u32] {
        &self.partitions[self.starts[member] as usize..self.starts[member + 1] as usize]
    }
}
