//! What a broker has stored of a group: its generations and who led them, which DescribeGroups does not tell.
//!
//! Read from the files of `__consumer_offsets`, so that nothing lags behind: what the broker tells of a generation is in
//! its file before. The layout is Kafka's message format 2 and the schema `GroupMetadataValue`.

use std::fs;
use std::path::Path;

use anyhow::{Context, Result};

/// A generation that was handed out, or one of nobody when the last member had left.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Generation {
    /// Its number.
    pub number: i32,
    /// The protocol; empty when nobody is in.
    pub protocol: String,
    /// The member id of the leader; empty when nobody is in.
    pub leader: String,
}

/// What comes before a batch's length, and what that does not count.
const BATCH_PREFIX: usize = 12;

/// From a batch's start to its first record.
const BATCH_HEAD: usize = 61;

/// The version of a key that means a group, and not one of its offsets.
const GROUP_KEY: i16 = 2;

/// Every generation of a group, in the order in which they were stored.
pub fn generations(data: &Path, group: &str) -> Result<Vec<Generation>> {
    let mut found = Vec::new();
    let folders = fs::read_dir(data).with_context(|| format!("{} cannot be read", data.display()))?;
    for folder in folders.flatten().filter(|it| it.file_name().to_string_lossy().starts_with("__consumer_offsets-")) {
        let files = fs::read_dir(folder.path()).into_iter().flatten().flatten();
        let mut logs: Vec<_> =
            files.map(|it| it.path()).filter(|it| it.extension().is_some_and(|it| it == "log")).collect();
        logs.sort();
        for log in logs {
            let bytes = fs::read(&log).with_context(|| format!("{} cannot be read", log.display()))?;
            batches(&bytes, group, &mut found);
        }
    }
    Ok(found)
}

/// A batch that is not whole is being written: it ends the file.
fn batches(mut bytes: &[u8], group: &str, found: &mut Vec<Generation>) {
    while let Some(length) = bytes.get(8..BATCH_PREFIX).and_then(|it| it.try_into().ok()).map(i32::from_be_bytes) {
        let end = BATCH_PREFIX + usize::try_from(length).unwrap_or(usize::MAX - BATCH_PREFIX);
        let Some(batch) = bytes.get(..end).filter(|it| it.len() > BATCH_HEAD) else { return };
        let mut records = Reader(&batch[BATCH_HEAD..]);
        while let Some(generation) = record(&mut records, group) {
            found.extend(generation);
        }
        bytes = &bytes[end..];
    }
}

/// The next record: of the group, or of something else.
fn record(from: &mut Reader<'_>, group: &str) -> Option<Option<Generation>> {
    let length = from.varint()?;
    let mut record = Reader(from.take(usize::try_from(length).ok()?)?);
    record.take(1)?;
    record.varint()?;
    record.varint()?;
    let key = record.field()?;
    // A record without a value removes the group.
    Some(record.field().and_then(|value| generation(Reader(key), Reader(value), group)))
}

fn generation(mut key: Reader<'_>, mut value: Reader<'_>, group: &str) -> Option<Generation> {
    if key.i16()? != GROUP_KEY || key.text()? != group {
        return None;
    }
    let _version = value.i16()?;
    let _protocol_type = value.text()?;
    Some(Generation { number: value.i32()?, protocol: value.text()?, leader: value.text()? })
}

/// Reads Kafka's primitive types.
struct Reader<'a>(&'a [u8]);

impl<'a> Reader<'a> {
    fn take(&mut self, length: usize) -> Option<&'a [u8]> {
        let (taken, rest) = self.0.split_at_checked(length)?;
        self.0 = rest;
        Some(taken)
    }

    fn i16(&mut self) -> Option<i16> {
        Some(i16::from_be_bytes(self.take(2)?.try_into().ok()?))
    }

    fn i32(&mut self) -> Option<i32> {
        Some(i32::from_be_bytes(self.take(4)?.try_into().ok()?))
    }

    /// A text; one that is null is empty.
    fn text(&mut self) -> Option<String> {
        let length = self.i16()?;
        let bytes = self.take(usize::try_from(length).unwrap_or_default())?;
        Some(String::from_utf8_lossy(bytes).into_owned())
    }

    /// A zigzag number.
    fn varint(&mut self) -> Option<i64> {
        let mut raw = 0u64;
        for shift in (0..u64::BITS).step_by(7) {
            let byte = self.take(1)?[0];
            raw |= u64::from(byte & 0x7f) << shift;
            if byte & 0x80 == 0 {
                return Some((raw >> 1) as i64 ^ -((raw & 1) as i64));
            }
        }
        None
    }

    /// Bytes behind their length; none when they are null.
    fn field(&mut self) -> Option<&'a [u8]> {
        let length = usize::try_from(self.varint()?).ok()?;
        self.take(length)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(value: &str) -> Vec<u8> {
        [&(value.len() as i16).to_be_bytes()[..], value.as_bytes()].concat()
    }

    /// A batch of one record; lengths below 64 are one byte, twice the number.
    fn batch(key: &[u8], value: Option<&[u8]>) -> Vec<u8> {
        let field = |bytes: Option<&[u8]>| match bytes {
            Some(bytes) => [&[(bytes.len() * 2) as u8], bytes].concat(),
            None => vec![1],
        };
        let record = [&[0, 0, 0][..], &field(Some(key)), &field(value), &[0]].concat();
        let records = [&[(record.len() * 2) as u8], &record[..]].concat();
        let length = (BATCH_HEAD - BATCH_PREFIX + records.len()) as i32;
        [&[0; 8][..], &length.to_be_bytes(), &[0; BATCH_HEAD - BATCH_PREFIX], &records].concat()
    }

    fn group(name: &str, number: i32) -> Vec<u8> {
        let key = [&GROUP_KEY.to_be_bytes()[..], &text(name)].concat();
        let value = [&3i16.to_be_bytes()[..], &text("consumer"), &number.to_be_bytes(), &text("range"), &text("m-1")];
        batch(&key, Some(&value.concat()))
    }

    #[test]
    fn the_generations_of_a_group_are_read_among_other_records() {
        let commit = batch(&[0, 1, 0, 1, b'a'], Some(&[0, 3]));
        let gone = batch(&[&GROUP_KEY.to_be_bytes()[..], &text("a")].concat(), None);
        let half = &group("a", 9)[..70];
        let file = [&group("a", 1)[..], &commit, &group("b", 5), &group("a", 2), &gone, half].concat();
        let mut found = Vec::new();
        batches(&file, "a", &mut found);
        let told: Vec<_> = found.iter().map(|it| (it.number, it.protocol.as_str(), it.leader.as_str())).collect();
        assert_eq!(told, [(1, "range", "m-1"), (2, "range", "m-1")]);
    }
}
