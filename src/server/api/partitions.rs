//! Partitions that a request names: those that are not ours are answered here, the group is asked about the others.

use super::text;
use crate::server::directory::Directory;
use crate::server::topics::View;
use crate::wire::{ErrorCode, Text};

/// The partitions asked for, by topic and in order, with the answer of those that the group does not see.
#[derive(Default)]
pub(crate) struct Asked(Vec<(Text, Partitions)>);

type Partitions = Vec<(i32, Option<ErrorCode>)>;

impl Asked {
    /// Adds a topic's partitions. The name is copied: a view would keep the whole request for as long as the answer is
    /// missing.
    pub(super) fn add(&mut self, topic: &str, partitions: Partitions) {
        self.0.push((text(topic), partitions));
    }

    /// About how much memory it takes.
    pub(crate) fn bytes(&self) -> usize {
        self.0.iter().map(|(name, partitions)| name.len() + size_of_val(partitions.as_slice())).sum()
    }

    /// The answer, by topic: `results` are the group's, in the order of the partitions that it was asked about.
    pub(super) fn answered<T>(
        self,
        mut results: impl Iterator<Item = ErrorCode>,
        topic: impl Fn(Text, Vec<(i32, ErrorCode)>) -> T,
    ) -> Vec<T> {
        let mut partition = |(number, known): (i32, Option<ErrorCode>)| {
            (number, known.or_else(|| results.next()).unwrap_or(ErrorCode::UnknownServerError))
        };
        let topics = self.0.into_iter();
        topics.map(|(name, partitions)| topic(name, partitions.into_iter().map(&mut partition).collect())).collect()
    }
}

/// The answer to a partition that does not exist. While the topics are being loaded so is the group: it lets the request
/// wait, and answers if that takes long.
pub(super) fn unknown(topics: &Directory, view: &View, topic: &str, partition: i32) -> Option<ErrorCode> {
    let is_unknown = !view.table().has_partition(topic, partition) && topics.is_loaded();
    is_unknown.then_some(ErrorCode::UnknownTopicOrPartition)
}
