//! The embedded protocol of type `consumer`: what members subscribe to and what they are assigned, versions 0 to 3.
//!
//! Reading borrows from the bytes; fields that a newer version adds are ignored; nothing is allocated for a count that the
//! bytes cannot hold. Writing sorts, since brokers compare metadata byte by byte to tell whether it changed (KAFKA-12898).

use serde_json::{Value, json};

pub use super::classic::NotDecodable;
use super::classic::{Reader, put_count, put_nullable_bytes, put_string};
pub use super::owned::{Owned, Partitions, TopicPartitions};
use super::owned::{put_owned, read_list, read_owned};
use super::{EmbeddedProtocol, note};

#[cfg(test)]
mod tests;

/// The newest version of a subscription that is written and fully understood.
pub const NEWEST_VERSION: i16 = 3;

/// The version that assignments are written in: all versions have one body, and every client knows the oldest.
pub const ASSIGNMENT_VERSION: i16 = 0;

/// What a member says of itself: ConsumerProtocolSubscription.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Subscription<'a> {
    /// The version it was written in.
    pub version: i16,
    /// What it wants to read. A set: order and repetition mean nothing.
    pub topics: Vec<&'a str>,
    /// The rest.
    pub tail: Tail<'a>,
}

/// A subscription but for its topics.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Tail<'a> {
    /// What its strategy wants to tell the leader's.
    pub user_data: Option<&'a [u8]>,
    /// What it owns (since v1).
    pub owned: Owned<'a>,
    /// The generation that `owned` is of, or -1 (since v2).
    pub generation: i32,
    /// Where it runs (since v3); never empty.
    pub rack: Option<&'a str>,
    /// What a member of divvy's says of itself under Kafka's sticky names: [`super::note`], without its prefix.
    pub note: Option<&'a str>,
}

impl Default for Tail<'_> {
    fn default() -> Self {
        Self { user_data: None, owned: Owned::default(), generation: -1, rack: None, note: None }
    }
}

/// A subscription cut in two, its topics still encoded: members that want the same mostly say so in the same bytes, so a
/// leader need look at each distinct list only once.
#[derive(Clone, Copy, Debug)]
pub struct SplitSubscription<'a> {
    version: i16,
    topics: &'a [u8],
    tail: &'a [u8],
}

impl<'a> SplitSubscription<'a> {
    /// Finds where the topics end.
    pub fn new(bytes: &'a [u8]) -> Result<Self, NotDecodable> {
        let mut reader = Reader(bytes);
        let version = read_version(&mut reader)?;
        let start = reader.0;
        for _ in 0..reader.count(2, "topics")? {
            reader.raw_string("topics")?;
        }
        let topics = &start[..start.len() - reader.0.len()];
        Ok(Self { version, topics, tail: reader.0 })
    }

    /// The same in one comparison, if these are the topics. (The list carries its own lengths: what starts with a whole
    /// list ends where that list ends.)
    pub fn with_topics(bytes: &'a [u8], topics: &[u8]) -> Option<Self> {
        let mut reader = Reader(bytes);
        let version = read_version(&mut reader).ok()?;
        let tail = reader.0.strip_prefix(topics)?;
        Some(Self { version, topics: &reader.0[..topics.len()], tail })
    }

    /// The topics, as they stand in the frame.
    pub fn encoded_topics(&self) -> &'a [u8] {
        self.topics
    }

    /// The topics' names.
    pub fn topics(&self) -> Result<Vec<&'a str>, NotDecodable> {
        let mut reader = Reader(self.topics);
        let count = reader.count(2, "topics")?;
        (0..count).map(|_| reader.string("topics")).collect()
    }

    /// What follows the topics.
    pub fn tail(&self) -> Result<Tail<'a>, NotDecodable> {
        let mut reader = Reader(self.tail);
        let mut tail = Tail { user_data: reader.nullable_bytes("user data")?, ..Tail::default() };
        // Clients exist that claim a version and stop before its fields: those count as not said.
        if self.version >= 1 && !reader.is_empty() {
            tail.owned = read_owned(&mut reader)?;
            tail.note = tail.owned.take_note(note::PREFIX);
        }
        if self.version >= 2 && !reader.is_empty() {
            tail.generation = reader.i32("generation")?.max(-1);
        }
        if self.version >= 3 && !reader.is_empty() {
            tail.rack = reader.nullable_string("rack")?.filter(|rack| !rack.is_empty());
        }
        Ok(tail)
    }
}

impl<'a> Subscription<'a> {
    /// Reads it. A version above the newest known is read as that one.
    pub fn decode(bytes: &'a [u8]) -> Result<Self, NotDecodable> {
        let split = SplitSubscription::new(bytes)?;
        Ok(Self { version: split.version, topics: split.topics()?, tail: split.tail()? })
    }

    /// Writes it in its version (at most the newest known), sorted.
    pub fn encode(&self) -> Vec<u8> {
        let mut topics = self.topics.clone();
        topics.sort_unstable();
        topics.dedup();
        let version = self.version.clamp(0, NEWEST_VERSION);
        let mut to = Vec::with_capacity(64 + topics.iter().map(|topic| 2 + topic.len()).sum::<usize>());
        to.extend_from_slice(&version.to_be_bytes());
        put_count(&mut to, topics.len());
        topics.iter().for_each(|topic| put_string(&mut to, topic));
        put_nullable_bytes(&mut to, self.tail.user_data);
        if version >= 1 {
            let note = self.tail.note.map(|text| format!("{}{text}", note::PREFIX));
            put_owned(&mut to, note.as_deref(), self.tail.owned.iter());
        }
        if version >= 2 {
            to.extend_from_slice(&self.tail.generation.to_be_bytes());
        }
        if version >= 3 {
            match self.tail.rack {
                None => to.extend_from_slice(&(-1i16).to_be_bytes()),
                Some(rack) => put_string(&mut to, rack),
            }
        }
        to
    }
}

/// What a member is to work on: ConsumerProtocolAssignment.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Assignment<'a> {
    /// Its partitions.
    pub topics: Vec<TopicPartitions<'a>>,
    /// What the leader's strategy wants to tell the member's.
    pub user_data: Option<&'a [u8]>,
}

impl<'a> Assignment<'a> {
    /// Reads it, in any version.
    pub fn decode(bytes: &'a [u8]) -> Result<Self, NotDecodable> {
        let mut reader = Reader(bytes);
        read_version(&mut reader)?;
        Ok(Self { topics: read_list(&mut reader)?, user_data: reader.nullable_bytes("user data")? })
    }

    /// Reads a state as members do: no bytes at all are no work.
    pub fn decode_state(bytes: &'a [u8]) -> Result<Self, NotDecodable> {
        if bytes.is_empty() { Ok(Self::default()) } else { Self::decode(bytes) }
    }

    /// The partitions of a state, left in their bytes, for those who look at all of a large plan.
    pub fn owned_of_state(bytes: &'a [u8]) -> Result<Owned<'a>, NotDecodable> {
        if bytes.is_empty() { Ok(Owned::default()) } else { split_state(bytes).map(|(owned, _)| owned) }
    }

    /// Writes it, sorted.
    pub fn encode(&self) -> Vec<u8> {
        let mut to = ASSIGNMENT_VERSION.to_be_bytes().to_vec();
        put_owned(&mut to, None, self.topics.iter().cloned());
        put_nullable_bytes(&mut to, self.user_data);
        to
    }
}

/// What follows an assignment, which its readers do not look at; none if it is no assignment.
pub(super) fn behind_state(bytes: &[u8]) -> Option<&[u8]> {
    split_state(bytes).ok().map(|(_, rest)| rest)
}

/// The partitions of an assignment, and what follows it.
fn split_state(bytes: &[u8]) -> Result<(Owned<'_>, &[u8]), NotDecodable> {
    let mut reader = Reader(bytes);
    read_version(&mut reader)?;
    let owned = read_owned(&mut reader)?;
    reader.nullable_bytes("user data").map(|_| (owned, reader.0))
}

/// An assignment of nothing: what a member gets that a plan leaves out. Zero bytes would end some clients.
pub fn empty_assignment() -> Vec<u8> {
    Assignment::default().encode()
}

fn read_version(reader: &mut Reader<'_>) -> Result<i16, NotDecodable> {
    match reader.i16("version")? {
        version if version < 0 => Err(NotDecodable("version")),
        version => Ok(version),
    }
}

/// The registry's entry.
pub(super) struct Consumer;

impl EmbeddedProtocol for Consumer {
    fn protocol_type(&self) -> &'static str {
        "consumer"
    }

    fn metadata(&self, bytes: &[u8]) -> Option<Value> {
        let Subscription { mut topics, tail, .. } = Subscription::decode(bytes).ok()?;
        topics.sort_unstable();
        topics.dedup();
        let mut shown = json!({ "topics": topics });
        if let Some(rack) = tail.rack {
            shown["rack"] = json!(rack);
        }
        if !tail.owned.is_empty() {
            shown["owned"] = show(tail.owned.iter());
            shown["generation"] = json!(tail.generation);
        }
        if let Some(data) = tail.user_data.and_then(|bytes| super::user_data::UserData::decode(bytes).ok()) {
            if !data.facts.is_empty() {
                shown["facts"] = json!(data.facts);
            }
            if let Some(last) = data.last.filter(|last| !last.owned.is_empty()) {
                shown["last"] = json!({ "generation": last.generation, "owned": show(last.owned.iter()) });
            }
        }
        Some(shown)
    }

    fn state(&self, bytes: &[u8]) -> Option<Value> {
        Assignment::decode_state(bytes).ok().map(|assignment| show(assignment.topics.into_iter()))
    }
}

fn show<'o>(owned: impl Iterator<Item = TopicPartitions<'o>>) -> Value {
    let in_order = |of: TopicPartitions<'o>| {
        let mut partitions: Vec<i32> = of.partitions.iter().collect();
        partitions.sort_unstable();
        (of.topic.to_owned(), json!(partitions))
    };
    owned.map(in_order).collect()
}
