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

/// Partitions by topic. What was read stays in the bytes that it came in: a group's million claims are looked at, not copied.
#[derive(Clone, Default)]
pub struct Owned<'a> {
    /// Topics with their partitions as they stand in a frame, without their count; every name and length in it was checked.
    encoded: &'a [u8],
    /// The same in parts, of those that were made here.
    listed: Vec<TopicPartitions<'a>>,
}

impl<'a> Owned<'a> {
    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.encoded.is_empty() && self.listed.is_empty()
    }

    /// Takes a note off that came as the first topic: one without partitions whose name begins so.
    pub(super) fn take_note(&mut self, prefix: &str) -> Option<&'a str> {
        let mut reader = Reader(self.encoded);
        let (topic, numbers) = next_owned(&mut reader).ok()?;
        let text = topic.strip_prefix(prefix.as_bytes()).filter(|_| numbers.is_empty())?;
        self.encoded = reader.0;
        std::str::from_utf8(text).ok()
    }

    /// Each topic with its partitions, as the sender ordered them.
    pub fn iter(&self) -> impl Iterator<Item = TopicPartitions<'_>> {
        self.encoded().map(|(topic, numbers)| TopicPartitions {
            // It was checked when it was read.
            topic: std::str::from_utf8(topic).unwrap_or_default(),
            partitions: Partitions(Cow::Borrowed(numbers)),
        })
    }

    /// The same for those who look at all of a large group: the name and the numbers as they stand in the frame.
    pub fn encoded(&self) -> impl Iterator<Item = (&[u8], &[u8])> {
        let listed = self.listed.iter().map(|of| (of.topic.as_bytes(), &of.partitions.0[..]));
        Encoded(Reader(self.encoded)).chain(listed)
    }
}

/// Walks over what was checked before.
struct Encoded<'a>(Reader<'a>);

impl<'a> Iterator for Encoded<'a> {
    type Item = (&'a [u8], &'a [u8]);

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        next_owned(&mut self.0).ok()
    }
}

#[inline]
fn next_owned<'a>(reader: &mut Reader<'a>) -> Result<(&'a [u8], &'a [u8]), NotDecodable> {
    let topic = reader.raw_string("partitions")?;
    let len = reader.count(4, "partitions")?;
    Ok((topic, reader.take(len * 4, "partitions")?))
}

impl<'a> FromIterator<TopicPartitions<'a>> for Owned<'a> {
    fn from_iter<I: IntoIterator<Item = TopicPartitions<'a>>>(owned: I) -> Self {
        Self { encoded: &[], listed: owned.into_iter().collect() }
    }
}

impl<'a> From<Vec<TopicPartitions<'a>>> for Owned<'a> {
    fn from(listed: Vec<TopicPartitions<'a>>) -> Self {
        Self { encoded: &[], listed }
    }
}

impl PartialEq for Owned<'_> {
    fn eq(&self, other: &Self) -> bool {
        self.encoded().eq(other.encoded())
    }
}

impl Eq for Owned<'_> {}

impl fmt::Debug for Owned<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.iter()).finish()
    }
}

/// Reads such a list from the middle of a frame.
pub(super) fn read_owned<'a>(reader: &mut Reader<'a>) -> Result<Owned<'a>, NotDecodable> {
    let count = reader.count(6, "partitions")?;
    let start = reader.0;
    for _ in 0..count {
        let (topic, _) = next_owned(reader)?;
        if !topic.is_ascii() {
            std::str::from_utf8(topic).map_err(|_| NotDecodable("partitions"))?;
        }
    }
    Ok(Owned { encoded: &start[..start.len() - reader.0.len()], listed: Vec::new() })
}

/// Reads such a list, each topic with its partitions in a place of its own.
pub(super) fn read_list<'a>(reader: &mut Reader<'a>) -> Result<Vec<TopicPartitions<'a>>, NotDecodable> {
    let count = reader.count(6, "partitions")?;
    (0..count)
        .map(|_| {
            let (topic, numbers) = next_owned(reader)?;
            let topic = std::str::from_utf8(topic).map_err(|_| NotDecodable("partitions"))?;
            Ok(TopicPartitions { topic, partitions: Partitions(Cow::Borrowed(numbers)) })
        })
        .collect()
}

/// Reads a list of owned partitions that stands alone, as divvy's user data carries it.
pub(super) fn decode_owned(bytes: &[u8]) -> Result<Owned<'_>, NotDecodable> {
    read_owned(&mut Reader(bytes))
}

/// Writes owned partitions, sorted by topic and number; a note comes first, as a topic without partitions.
pub(super) fn put_owned<'o>(to: &mut Vec<u8>, note: Option<&str>, owned: impl Iterator<Item = TopicPartitions<'o>>) {
    let mut sorted: Vec<_> = owned.collect();
    sorted.sort_by_key(|of| of.topic);
    put_count(to, sorted.len() + usize::from(note.is_some()));
    if let Some(note) = note {
        put_string(to, note);
        put_count(to, 0);
    }
    for of in sorted {
        put_string(to, of.topic);
        put_count(to, of.partitions.len());
        let mut numbers: Vec<i32> = of.partitions.iter().collect();
        numbers.sort_unstable();
        to.extend(numbers.into_iter().flat_map(i32::to_be_bytes));
    }
}
