//! The very answer of Kafka 3.9's sticky assignors, for groups that have to agree with it: `compat = "kafka"`.
//!
//! Members are taken in the order of their ids. Where Kafka's own answer depends on the order of a hash table, this one does not, and is
//! one of those that Kafka may give. What an older generation claims is not known here, so nothing moves back to its owner.

mod equal;
mod racks;
mod unequal;

use super::limits::{MAX_READERS, Work};
use super::tables::NONE;
use crate::{Group, Owners};
use racks::Racks;

/// Why there is no answer.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Missing {
    /// Its loops would take too long.
    TooLong,
    /// Kafka's strategy throws an exception here.
    Fails,
}

/// [`plan`], where it is asked for.
pub type AsKafka = fn(&Group<'_>, &mut Owners) -> Result<(), Missing>;

/// Gives partitions to members as Kafka does.
pub fn plan(group: &Group<'_>, owners: &mut Owners) -> Result<(), Missing> {
    let mut sheet = Sheet::of(group)?;
    let mut work = Work::new();
    let subscriptions = group.request().members.windows(2);
    match subscriptions.clone().all(|two| two[0].subscription == two[1].subscription) {
        true => equal::fill(&mut sheet, &mut work)?,
        false => unequal::fill(&mut sheet, &mut work)?,
    }
    owners.write(0, &sheet.owner);
    Ok(())
}

/// A topic that somebody reads.
struct Topic {
    /// By name.
    index: u32,
    base: u32,
    partitions: u32,
    /// By id.
    readers: Vec<u32>,
}

/// Who has what so far.
struct Sheet {
    topics: Vec<Topic>,
    /// By partition.
    owner: Vec<u32>,
    /// By member.
    size: Vec<u32>,
    racks: Option<Racks>,
}

impl Sheet {
    /// Everybody has what it had before, in a rack that fits.
    fn of(group: &Group<'_>) -> Result<Self, Missing> {
        let mut topics = Vec::new();
        let mut listed = 0;
        for topic in group.topics().filter(|topic| topic.len() > 0) {
            let readers = group.members().filter(|member| member.subscribes(topic)).map(|it| it.index() as u32);
            let readers: Vec<u32> = readers.collect();
            listed += readers.len();
            if listed > MAX_READERS {
                return Err(Missing::TooLong);
            }
            if !readers.is_empty() {
                let (base, partitions) = (topic.partitions().start() as u32, topic.len() as u32);
                topics.push(Topic { index: topic.index() as u32, base, partitions, readers });
            }
        }
        let racks = Racks::of(group, &topics);
        let mut owner = vec![NONE; group.partitions().len()];
        let mut size = vec![0; group.members().len()];
        for topic in &topics {
            for partition in group.topic_at(topic.index).partitions() {
                let Some(before) = group.owner_before(partition) else { continue };
                let member = before.index() as u32;
                let reads = topic.readers.binary_search(&member).is_ok();
                if reads && racks.as_ref().is_none_or(|racks| racks.fits(member, partition.index() as u32)) {
                    owner[partition.index()] = member;
                    size[member as usize] += 1;
                }
            }
        }
        Ok(Sheet { topics, owner, size, racks })
    }

    fn give(&mut self, partition: u32, member: u32) {
        self.owner[partition as usize] = member;
        self.size[member as usize] += 1;
    }

    /// The partitions that nobody has, by topic.
    fn unassigned(&self) -> Vec<u32> {
        let partitions = self.topics.iter().flat_map(Topic::partitions);
        partitions.filter(|&partition| self.owner[partition as usize] == NONE).collect()
    }
}

impl Topic {
    fn partitions(&self) -> std::ops::Range<u32> {
        self.base..self.base + self.partitions
    }
}
