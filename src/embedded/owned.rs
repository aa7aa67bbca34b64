//! Lists of partitions by topic, as subscriptions, assignments and divvy's user data carry them.

use std::borrow::Cow;
use std::fmt;

use super::classic::{NotDecodable, Reader, put_count, put_string};

/// Numbers of partitions, kept as they stand in the frame.
#[derive(Clone, PartialEq, Eq, Default)]
pub struct Partitions<'a>(Cow<'a, [u8]>);

impl Partitions<'_> {
    /// How many.
    pub fn len(&self) -> usize {
        self.0.len() / 4
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Each of them, as the sender ordered them.
    pub fn iter(&self) -> impl Iterator<Item = i32> {
        self.0.as_chunks().0.iter().map(|number| i32::from_be_bytes(*number))
    }
}

impl FromIterator<i32> for Partitions<'_> {
    fn from_iter<I: IntoIterator<Item = i32>>(numbers: I) -> Self {
        Partitions(Cow::Owned(numbers.into_iter().flat_map(i32::to_be_bytes).collect()))
    }
}

impl fmt::Debug for Partitions<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.iter()).finish()
    }
}

/// Some partitions of one topic.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TopicPartitions<'a> {
    /// The topic.
    pub topic: &'a str,
    /// Its partitions.
    pub partitions: Partitions<'a>,
}

/// Reads such a list from the middle of a frame.
pub(super) fn read_owned<'a>(reader: &mut Reader<'a>) -> Result<Vec<TopicPartitions<'a>>, NotDecodable> {
    let count = reader.count(6, "partitions")?;
    (0..count)
        .map(|_| {
            let topic = reader.string("partitions")?;
            let len = reader.count(4, "partitions")?;
            Ok(TopicPartitions { topic, partitions: Partitions(Cow::Borrowed(reader.take(len * 4, "partitions")?)) })
        })
        .collect()
}

/// Reads a list of owned partitions that stands alone, as divvy's user data carries it.
pub(super) fn decode_owned(bytes: &[u8]) -> Result<Vec<TopicPartitions<'_>>, NotDecodable> {
    read_owned(&mut Reader(bytes))
}

/// Writes owned partitions, sorted by topic and number.
pub(super) fn put_owned(to: &mut Vec<u8>, owned: &[TopicPartitions<'_>]) {
    let mut sorted: Vec<_> = owned.iter().collect();
    sorted.sort_by_key(|of| of.topic);
    put_count(to, sorted.len());
    for of in sorted {
        put_string(to, of.topic);
        put_count(to, of.partitions.len());
        let mut numbers: Vec<i32> = of.partitions.iter().collect();
        numbers.sort_unstable();
        to.extend(numbers.into_iter().flat_map(i32::to_be_bytes));
    }
}
