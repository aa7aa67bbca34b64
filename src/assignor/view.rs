//! A group as a strategy sees it: members by id, the topics that somebody reads, and one dense index over all partitions.
//!
//! Members that want the same say so in the same bytes, so each distinct list of topics is looked at once (two thousand
//! members with five hundred topics each are a million names otherwise). A subscription is a set: order, repetition and
//! topics that do not exist drop out here, and so does the second of two members with one id.

use std::collections::HashMap;
use std::sync::OnceLock;

use xxhash_rust::xxh3::Xxh3DefaultBuilder;

use super::limits::MAX_PARTITIONS;
use super::{CallError, Diagnostic, FaultKind};
use crate::embedded::consumer::{NotDecodable, SplitSubscription, Tail};
use crate::ids::{InstanceId, MemberId};

#[cfg(test)]
mod tests;

/// A member before anything of it is read.
#[derive(Clone, Copy)]
pub(super) struct Unread<'a> {
    pub id: &'a MemberId,
    pub instance: Option<&'a InstanceId>,
    pub metadata: &'a [u8],
}

/// A member.
pub(super) struct ViewMember<'a> {
    pub id: &'a MemberId,
    pub instance: Option<&'a InstanceId>,
    /// Which of the distinct sets of topics it reads.
    pub set: u32,
    /// What else its subscription says.
    pub tail: Tail<'a>,
}

/// A topic that exists, has partitions, and is read by somebody.
pub(super) struct ViewTopic<'a> {
    pub name: &'a str,
    pub partitions: u32,
    /// The dense index of its first partition.
    pub base: u32,
}

/// A set of topics: ascending ranges of their indexes, each with its first and one past its last.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub(super) struct TopicSet(pub Vec<(u32, u32)>);

impl TopicSet {
    /// From indexes that ascend.
    fn new(indexes: impl Iterator<Item = u32>) -> Self {
        let mut ranges: Vec<(u32, u32)> = Vec::new();
        for index in indexes {
            match ranges.last_mut() {
                Some(last) if last.1 == index => last.1 += 1,
                _ => ranges.push((index, index + 1)),
            }
        }
        Self(ranges)
    }

    pub fn iter(&self) -> impl Iterator<Item = u32> {
        self.0.iter().flat_map(|&(start, end)| start..end)
    }

    pub fn contains(&self, topic: u32) -> bool {
        let after = self.0.partition_point(|&(start, _)| start <= topic);
        after > 0 && topic < self.0[after - 1].1
    }
}

/// The view.
pub(super) struct View<'a> {
    /// By id.
    pub members: Vec<ViewMember<'a>>,
    /// By name.
    pub topics: Vec<ViewTopic<'a>>,
    /// What members read, each distinct set once.
    pub sets: Vec<TopicSet>,
    /// Of all topics together.
    pub partitions: usize,
    /// What was wrong with members.
    pub diagnostics: Vec<Diagnostic>,
    by_name: OnceLock<HashMap<&'a [u8], u32, Xxh3DefaultBuilder>>,
}

impl<'a> View<'a> {
    /// Reads what the members say. `table` has all known topics that have partitions, sorted by name.
    pub fn new(members: impl Iterator<Item = Unread<'a>>, table: &[(&'a str, u32)]) -> Result<Self, CallError> {
        let mut unread: Vec<Unread<'a>> = members.collect();
        unread.sort_by(|a, b| a.id.cmp(b.id));
        unread.dedup_by(|later, earlier| later.id == earlier.id);

        let mut reading = Reading::new(table);
        let mut diagnostics = Vec::new();
        let members = unread.into_iter().map(|Unread { id, instance, metadata }| {
            let (set, tail) = reading.member(metadata).unwrap_or_else(|fault| {
                let text = format!("member {id:?} gets nothing: its metadata is {fault}");
                diagnostics.push(Diagnostic { level: "warn".into(), text });
                (reading.nothing(), Tail::default())
            });
            ViewMember { id, instance, set, tail }
        });
        let members = members.collect();

        let (topics, index_of) = used_topics(table, &reading.sets)?;
        let sets =
            reading.sets.iter().map(|set| TopicSet::new(set.iter().map(|&of_table| index_of[of_table as usize])));
        let sets = sets.collect();
        let partitions = topics.last().map_or(0, |last| (last.base + last.partitions) as usize);
        Ok(Self { members, topics, sets, partitions, diagnostics, by_name: OnceLock::new() })
    }

    /// The index of a topic, found fastest when it is asked for in the topics' own order: `hint` is where to look first.
    #[inline]
    pub fn topic(&self, name: &[u8], hint: &mut usize) -> Option<usize> {
        let found = match self.topics.get(*hint) {
            Some(topic) if topic.name.as_bytes() == name => *hint,
            _ => *self.by_name().get(name)? as usize,
        };
        *hint = found + 1;
        Some(found)
    }

    /// Members that own little of much ask for topics here and there.
    fn by_name(&self) -> &HashMap<&'a [u8], u32, Xxh3DefaultBuilder> {
        let index = || (0..).zip(&self.topics).map(|(index, topic)| (topic.name.as_bytes(), index)).collect();
        self.by_name.get_or_init(index)
    }
}

/// What was read so far.
struct Reading<'a, 't> {
    table: &'t [(&'a str, u32)],
    /// Distinct sets, as ascending indexes into the table.
    sets: Vec<Vec<u32>>,
    by_topics: HashMap<Vec<u32>, u32>,
    /// The same by the bytes that they were written in.
    by_bytes: HashMap<&'a [u8], u32, Xxh3DefaultBuilder>,
    /// The lists that members have had of late, the last one first.
    recent: Vec<(&'a [u8], u32)>,
}

/// As many distinct lists are tried before one is taken for a new one: a comparison ends at the first difference, while a list
/// that is not recognised is walked over and hashed.
const RECENT: usize = 8;

impl<'a, 't> Reading<'a, 't> {
    fn new(table: &'t [(&'a str, u32)]) -> Self {
        Self { table, sets: Vec::new(), by_topics: HashMap::new(), by_bytes: HashMap::default(), recent: Vec::new() }
    }

    fn member(&mut self, metadata: &'a [u8]) -> Result<(u32, Tail<'a>), NotDecodable> {
        for at in 0..self.recent.len() {
            let (topics, set) = self.recent[at];
            if let Some(split) = SplitSubscription::with_topics(metadata, topics) {
                self.recent[..=at].rotate_right(1);
                return Ok((set, split.tail()?));
            }
        }
        let split = SplitSubscription::new(metadata)?;
        let tail = split.tail()?;
        let bytes = split.encoded_topics();
        let set = match self.by_bytes.get(bytes) {
            Some(&set) => set,
            None => {
                let set = self.resolve(&split.topics()?);
                self.by_bytes.insert(bytes, set);
                set
            }
        };
        self.recent.truncate(RECENT - 1);
        self.recent.insert(0, (bytes, set));
        Ok((set, tail))
    }

    /// The set of those that exist.
    fn resolve(&mut self, names: &[&str]) -> u32 {
        let mut hint = 0;
        let mut indexes: Vec<u32> = names
            .iter()
            .filter_map(|name| {
                let found = find(self.table, name, hint)?;
                hint = found + 1;
                Some(found as u32)
            })
            .collect();
        indexes.sort_unstable();
        indexes.dedup();
        self.intern(indexes)
    }

    fn nothing(&mut self) -> u32 {
        self.intern(Vec::new())
    }

    fn intern(&mut self, indexes: Vec<u32>) -> u32 {
        let sets = &mut self.sets;
        *self.by_topics.entry(indexes).or_insert_with_key(|indexes| {
            sets.push(indexes.clone());
            sets.len() as u32 - 1
        })
    }
}

/// Finds a row of a table sorted by name, trying the one at `hint` first.
fn find(table: &[(&str, u32)], name: &str, hint: usize) -> Option<usize> {
    if table.get(hint).is_some_and(|row| row.0 == name) {
        return Some(hint);
    }
    table.binary_search_by(|row| row.0.cmp(name)).ok()
}

/// The topics of the table that are in any set, and for each row of the table its index among them.
fn used_topics<'a>(table: &[(&'a str, u32)], sets: &[Vec<u32>]) -> Result<(Vec<ViewTopic<'a>>, Vec<u32>), CallError> {
    let mut used = vec![false; table.len()];
    sets.iter().flatten().for_each(|&row| used[row as usize] = true);
    let mut topics = Vec::new();
    let mut index_of = vec![0; table.len()];
    let mut base = 0u32;
    for (row, &(name, partitions)) in table.iter().enumerate().filter(|(row, _)| used[*row]) {
        index_of[row] = topics.len() as u32;
        topics.push(ViewTopic { name, partitions, base });
        base = base.checked_add(partitions).filter(|&sum| sum <= MAX_PARTITIONS).ok_or_else(|| {
            let text = format!("the group reads more than {MAX_PARTITIONS} partitions (counted up to topic {name:?})");
            CallError::new(FaultKind::Input, text)
        })?;
    }
    Ok((topics, index_of))
}
