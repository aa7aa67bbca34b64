//! Reads the format's primitives out of a frame. Every length is held against the bytes that are there before
//! anything is made of it.

use bytes::Bytes;

use super::limits::{ELEMENTS_MAX, TAGS_MAX};
use super::problem::{DecodeError, Problem};
use super::text::Text;
use super::value::{Value, Version};

/// A frame, or a part of one, and how far it has been read.
#[derive(Clone, Debug)]
pub struct Reader {
    bytes: Bytes,
    at: usize,
    /// Where `bytes` begins in the whole, so that errors name the place in the whole.
    base: usize,
}

impl Reader {
    /// Reads `bytes` from their start.
    pub fn new(bytes: Bytes) -> Self {
        Self { bytes, at: 0, base: 0 }
    }

    /// How far it has come, in bytes.
    pub fn position(&self) -> usize {
        self.base + self.at
    }

    /// How many bytes are left.
    pub fn remaining(&self) -> usize {
        self.bytes.len() - self.at
    }

    /// Whether nothing else holds the bytes that it reads.
    #[cfg(test)]
    pub(crate) fn is_unique(&self) -> bool {
        self.bytes.is_unique()
    }

    /// An error unless everything was read.
    pub fn finish(&self) -> Result<(), DecodeError> {
        match self.remaining() {
            0 => Ok(()),
            left => Err(self.error(Problem::LeftOver(left)).of("end of message")),
        }
    }

    pub(super) fn error(&self, problem: Problem) -> DecodeError {
        DecodeError::at(self.position(), problem)
    }

    fn wants(&self, wanted: usize) -> Result<(), DecodeError> {
        match self.remaining() {
            left if wanted <= left => Ok(()),
            left => Err(self.error(Problem::Short { wanted, left })),
        }
    }

    pub(super) fn array<const N: usize>(&mut self) -> Result<[u8; N], DecodeError> {
        match self.bytes[self.at..].first_chunk::<N>() {
            Some(chunk) => {
                self.at += N;
                Ok(*chunk)
            }
            None => Err(self.error(Problem::Short { wanted: N, left: self.remaining() })),
        }
    }

    /// A view of the next `length` bytes.
    pub(super) fn bytes(&mut self, length: usize) -> Result<Bytes, DecodeError> {
        self.wants(length)?;
        let view = self.bytes.slice(self.at..self.at + length);
        self.at += length;
        Ok(view)
    }

    /// A view of the next `length` bytes, checked to be UTF-8.
    pub(super) fn text(&mut self, length: usize) -> Result<Text, DecodeError> {
        let at = self.position();
        Text::from_utf8(self.bytes(length)?).ok_or(DecodeError::at(at, Problem::NotUtf8))
    }

    /// Seven bits a byte, the lowest first, at most 32 bits.
    pub(super) fn varint(&mut self) -> Result<u32, DecodeError> {
        let at = self.position();
        let mut value = 0;
        for shift in [0, 7, 14, 21, 28] {
            let [byte] = self.array()?;
            if shift == 28 && byte > 0x0f {
                break;
            }
            value |= u32::from(byte & 0x7f) << shift;
            if byte < 0x80 {
                return Ok(value);
            }
        }
        Err(DecodeError::at(at, Problem::Varint))
    }

    /// A length in the compact form (one more than it, as a varint; 0 is null) or in the given classic one
    /// (-1 is null).
    pub(super) fn length(&mut self, version: Version, classic: Classic) -> Result<Option<usize>, DecodeError> {
        if version.flexible {
            return Ok(self.varint()?.checked_sub(1).map(|length| length as usize));
        }
        let at = self.position();
        let length = match classic {
            Classic::Int16 => i32::from(i16::from_be_bytes(self.array()?)),
            Classic::Int32 => i32::from_be_bytes(self.array()?),
        };
        match length {
            -1 => Ok(None),
            0.. => Ok(Some(length as usize)),
            _ => Err(DecodeError::at(at, Problem::NegativeLength(length))),
        }
    }

    /// The elements of an array, or null. The count is held against the bytes that are left first.
    pub(super) fn elements<T: Value>(&mut self, version: Version) -> Result<Option<Vec<T>>, DecodeError> {
        let at = self.position();
        let Some(count) = self.length(version, Classic::Int32)? else { return Ok(None) };
        let most = (self.remaining() / T::min_size(version).max(1)).min(ELEMENTS_MAX);
        if count > most {
            return Err(DecodeError::at(at, Problem::Count { count, most }));
        }
        let mut elements = Vec::with_capacity(count);
        for _ in 0..count {
            elements.push(T::read(self, version)?);
        }
        Ok(Some(elements))
    }

    /// How many tagged fields follow.
    pub(super) fn tag_count(&mut self) -> Result<usize, DecodeError> {
        let at = self.position();
        let count = self.varint().map_err(|error| error.of("tagged fields"))? as usize;
        let most = (self.remaining() / 2).min(TAGS_MAX);
        if count > most {
            return Err(DecodeError::at(at, Problem::Count { count, most }).of("tagged fields"));
        }
        Ok(count)
    }

    /// The next tagged field: its number and a reader of its bytes.
    pub(super) fn tag(&mut self) -> Result<(u32, Reader), DecodeError> {
        let mut read = || {
            let tag = self.varint()?;
            let length = self.varint()? as usize;
            let base = self.position();
            Ok((tag, Reader { bytes: self.bytes(length)?, at: 0, base }))
        };
        read().map_err(|error: DecodeError| error.of("tagged fields"))
    }

    /// All that is left, as one value.
    pub(super) fn whole<T: Value>(mut self, version: Version) -> Result<T, DecodeError> {
        let value = T::read(&mut self, version)?;
        match self.remaining() {
            0 => Ok(value),
            left => Err(self.error(Problem::LeftOver(left))),
        }
    }

    /// All that is left, as bytes.
    pub(super) fn into_rest(self) -> Bytes {
        self.bytes.slice(self.at..)
    }
}

/// How a length stands in versions that are not flexible.
#[derive(Clone, Copy, Debug)]
pub(super) enum Classic {
    /// Of a text.
    Int16,
    /// Of bytes or an array.
    Int32,
}
