//! Writes the format's primitives, or only counts how long they would be: a frame is counted first and then written
//! into room of exactly its size, so that large states are copied once.

use bytes::{BufMut, BytesMut};

use super::problem::{EncodeError, Problem};
use super::reader::Classic;
use super::tags::Tags;
use super::value::{Value, Version};

/// Where a message is written to.
#[derive(Debug)]
pub struct Writer<'a>(Sink<'a>);

#[derive(Debug)]
enum Sink<'a> {
    Count(usize),
    Buffer(&'a mut BytesMut),
}

impl<'a> Writer<'a> {
    /// Appends to `buffer`.
    pub fn new(buffer: &'a mut BytesMut) -> Self {
        Self(Sink::Buffer(buffer))
    }

    /// Counts what `write` would write.
    pub(super) fn count(write: impl FnOnce(&mut Writer<'_>) -> Result<(), EncodeError>) -> Result<usize, EncodeError> {
        let mut counter = Writer(Sink::Count(0));
        write(&mut counter)?;
        match counter.0 {
            Sink::Count(bytes) => Ok(bytes),
            Sink::Buffer(buffer) => Ok(buffer.len()),
        }
    }

    /// Appends `bytes` as they are.
    pub(super) fn put(&mut self, bytes: &[u8]) {
        match &mut self.0 {
            Sink::Count(count) => *count += bytes.len(),
            Sink::Buffer(buffer) => buffer.put_slice(bytes),
        }
    }

    /// Seven bits a byte, the lowest first.
    pub(super) fn varint(&mut self, mut value: u32) {
        let mut bytes = [0; 5];
        let mut length = 0;
        loop {
            let low = (value & 0x7f) as u8;
            value >>= 7;
            bytes[length] = if value == 0 { low } else { low | 0x80 };
            length += 1;
            if value == 0 {
                break;
            }
        }
        self.put(&bytes[..length]);
    }

    /// A length in the compact form or in the given classic one; none is null.
    pub(super) fn length(
        &mut self,
        length: Option<usize>,
        version: Version,
        classic: Classic,
    ) -> Result<(), EncodeError> {
        let most = match classic {
            Classic::Int16 => i16::MAX as usize,
            Classic::Int32 => i32::MAX as usize,
        };
        if let Some(length) = length.filter(|length| *length > most) {
            return Err(Problem::TooLong(length).into());
        }
        match (version.flexible, classic) {
            (true, _) => self.varint(length.map_or(0, |length| length as u32 + 1)),
            (false, Classic::Int16) => self.put(&length.map_or(-1, |length| length as i16).to_be_bytes()),
            (false, Classic::Int32) => self.put(&length.map_or(-1, |length| length as i32).to_be_bytes()),
        }
        Ok(())
    }

    /// The elements of an array, or null.
    pub(super) fn elements<T: Value>(&mut self, elements: Option<&[T]>, version: Version) -> Result<(), EncodeError> {
        self.length(elements.map(<[T]>::len), version, Classic::Int32)?;
        elements.unwrap_or_default().iter().try_for_each(|element| element.write(self, version))
    }

    /// A tagged field: its number, its length, itself.
    pub(super) fn tag<T: Value>(&mut self, tag: u32, value: &T, version: Version) -> Result<(), EncodeError> {
        let length = Writer::count(|counter| value.write(counter, version))?;
        self.varint(tag);
        self.varint(u32::try_from(length).map_err(|_| Problem::TooLong(length))?);
        value.write(self, version)
    }

    /// How many tagged fields follow.
    pub(super) fn tag_count(&mut self, known: usize, kept: &[&Tags]) {
        let count = kept.iter().fold(known, |count, tags| count + tags.len());
        self.varint(u32::try_from(count).unwrap_or(u32::MAX));
    }

    /// Tagged fields as they were read.
    pub(super) fn tags(&mut self, kept: &[&Tags]) -> Result<(), EncodeError> {
        for (tag, bytes) in kept.iter().flat_map(|tags| tags.iter()) {
            self.varint(tag);
            self.varint(u32::try_from(bytes.len()).map_err(|_| Problem::TooLong(bytes.len()))?);
            self.put(bytes);
        }
        Ok(())
    }
}
