//! Reads MessagePack in place: borrows, never allocates, and believes no length that the bytes do not bear out.

use std::ops::RangeInclusive;

use super::Malformed;
use crate::abi::text::text_of;

/// Reads values one after another.
#[derive(Clone, Debug)]
pub struct Reader<'a> {
    bytes: &'a [u8],
    at: usize,
}

/// A value's first byte, understood.
enum Head {
    Nil,
    Boolean(bool),
    Unsigned(u64),
    Signed(i64),
    Float(f64),
    Text(usize),
    Binary(usize),
    Extension(usize),
    Array(usize),
    Map(usize),
}

impl<'a> Reader<'a> {
    /// A reader at the beginning of `bytes`.
    pub const fn new(bytes: &'a [u8]) -> Self {
        Reader { bytes, at: 0 }
    }

    /// The bytes read so far.
    pub const fn position(&self) -> usize {
        self.at
    }

    /// The bytes left.
    pub const fn remaining(&self) -> usize {
        self.bytes.len() - self.at
    }

    /// The error "`wanted` should be here".
    pub const fn malformed(&self, wanted: &'static str) -> Malformed {
        Malformed { wanted, at: self.at }
    }

    /// An array's length; each of its values is at least one byte, so the length is bounded by what is there.
    #[inline(always)]
    pub fn array(&mut self, wanted: &'static str) -> Result<usize, Malformed> {
        let items = match self.short(0x90..=0x9f) {
            Some(items) => items,
            None => self.value(wanted, |head| if let Head::Array(items) = head { Some(items) } else { None })?,
        };
        match items {
            items if items <= self.remaining() => Ok(items),
            _ => Err(self.malformed(wanted)),
        }
    }

    /// Begins an array of at least `known` items; says how many unknown ones follow them.
    #[inline(always)]
    pub fn fields(&mut self, known: usize, wanted: &'static str) -> Result<usize, Malformed> {
        let start = self.at;
        self.array(wanted)?.checked_sub(known).ok_or(Malformed { wanted, at: start })
    }

    /// A map's number of pairs, bounded likewise.
    #[inline]
    pub fn map(&mut self, wanted: &'static str) -> Result<usize, Malformed> {
        let pairs = match self.short(0x80..=0x8f) {
            Some(pairs) => pairs,
            None => self.value(wanted, |head| if let Head::Map(pairs) = head { Some(pairs) } else { None })?,
        };
        match pairs {
            pairs if pairs <= self.remaining() / 2 => Ok(pairs),
            _ => Err(self.malformed(wanted)),
        }
    }

    /// A text.
    #[inline(always)]
    pub fn text(&mut self, wanted: &'static str) -> Result<&'a str, Malformed> {
        let start = self.at;
        let len = match self.short(0xa0..=0xbf) {
            Some(len) => len,
            None => self.value(wanted, |head| if let Head::Text(len) = head { Some(len) } else { None })?,
        };
        text_of(self.take(len, wanted)?).ok_or(Malformed { wanted, at: start })
    }

    /// A text or nil.
    #[inline(always)]
    pub fn optional_text(&mut self, wanted: &'static str) -> Result<Option<&'a str>, Malformed> {
        if self.nil() { Ok(None) } else { self.text(wanted).map(Some) }
    }

    /// Binary data.
    pub fn binary(&mut self, wanted: &'static str) -> Result<&'a [u8], Malformed> {
        let len = self.value(wanted, |head| if let Head::Binary(len) = head { Some(len) } else { None })?;
        self.take(len, wanted)
    }

    /// Binary data or nil.
    #[inline(always)]
    pub fn optional_binary(&mut self, wanted: &'static str) -> Result<Option<&'a [u8]>, Malformed> {
        if self.nil() { Ok(None) } else { self.binary(wanted).map(Some) }
    }

    /// An integer that is not negative.
    #[inline(always)]
    pub fn unsigned(&mut self, wanted: &'static str) -> Result<u64, Malformed> {
        if let Some(value) = self.short(0..=0x7f) {
            return Ok(value as u64);
        }
        self.value(wanted, |head| match head {
            Head::Unsigned(value) => Some(value),
            Head::Signed(value) => u64::try_from(value).ok(),
            _ => None,
        })
    }

    /// An integer that is not negative, or nil.
    pub fn optional_unsigned(&mut self, wanted: &'static str) -> Result<Option<u64>, Malformed> {
        if self.nil() { Ok(None) } else { self.unsigned(wanted).map(Some) }
    }

    /// An integer that is not negative and fits 32 bits.
    #[inline(always)]
    pub fn unsigned32(&mut self, wanted: &'static str) -> Result<u32, Malformed> {
        let start = self.at;
        u32::try_from(self.unsigned(wanted)?).map_err(|_| Malformed { wanted, at: start })
    }

    /// An integer.
    pub fn signed(&mut self, wanted: &'static str) -> Result<i64, Malformed> {
        self.value(wanted, |head| match head {
            Head::Unsigned(value) => i64::try_from(value).ok(),
            Head::Signed(value) => Some(value),
            _ => None,
        })
    }

    /// A number, integer or not.
    pub fn number(&mut self, wanted: &'static str) -> Result<f64, Malformed> {
        self.value(wanted, |head| match head {
            Head::Unsigned(value) => Some(value as f64),
            Head::Signed(value) => Some(value as f64),
            Head::Float(value) => Some(value),
            _ => None,
        })
    }

    /// True or false.
    pub fn boolean(&mut self, wanted: &'static str) -> Result<bool, Malformed> {
        self.value(wanted, |head| if let Head::Boolean(value) = head { Some(value) } else { None })
    }

    /// Reads nil if it is next, and says whether it was.
    #[inline(always)]
    pub fn nil(&mut self) -> bool {
        let nil = self.bytes.get(self.at) == Some(&0xc0);
        self.at += usize::from(nil);
        nil
    }

    /// Passes over one value with all that is in it. Nesting costs no stack: it only counts what is still to come.
    pub fn skip(&mut self) -> Result<(), Malformed> {
        let mut pending = 1_u64;
        while pending > 0 {
            pending -= 1;
            match self.head("a value")? {
                Head::Text(len) | Head::Binary(len) | Head::Extension(len) => {
                    self.take(len, "the rest of a value")?;
                }
                Head::Array(items) => pending += items as u64,
                Head::Map(pairs) => pending += 2 * pairs as u64,
                _ => {}
            }
        }
        Ok(())
    }

    /// Passes over `values` values.
    #[inline(always)]
    pub fn skip_many(&mut self, values: usize) -> Result<(), Malformed> {
        (0..values).try_for_each(|_| self.skip())
    }

    /// The bytes of one value.
    pub fn raw(&mut self) -> Result<&'a [u8], Malformed> {
        let start = self.at;
        self.skip()?;
        Ok(&self.bytes[start..self.at])
    }

    /// The bytes of one map.
    #[inline(always)]
    pub fn raw_map(&mut self, wanted: &'static str) -> Result<&'a [u8], Malformed> {
        let start = self.at;
        if self.short(0x80..=0x80).is_some() {
            return Ok(&self.bytes[start..self.at]);
        }
        self.clone().map(wanted)?;
        self.raw()
    }

    /// Nothing may be left.
    pub fn end(&self) -> Result<(), Malformed> {
        if self.remaining() == 0 { Ok(()) } else { Err(self.malformed("the end")) }
    }

    /// The length or the value that stands in the first byte itself, if that is one of these: what most values are, and far
    /// quicker told than all the others.
    #[inline(always)]
    fn short(&mut self, heads: RangeInclusive<u8>) -> Option<usize> {
        let first = *self.bytes.get(self.at)?;
        let is_short = heads.contains(&first);
        self.at += usize::from(is_short);
        is_short.then(|| usize::from(first - heads.start()))
    }

    #[cold]
    #[inline(never)]
    fn value<T>(&mut self, wanted: &'static str, pick: impl FnOnce(Head) -> Option<T>) -> Result<T, Malformed> {
        let start = self.at;
        pick(self.head(wanted)?).ok_or(Malformed { wanted, at: start })
    }

    #[inline(always)]
    fn take(&mut self, len: usize, wanted: &'static str) -> Result<&'a [u8], Malformed> {
        if len > self.remaining() {
            return Err(self.malformed(wanted));
        }
        self.at += len;
        Ok(&self.bytes[self.at - len..self.at])
    }

    fn be<const N: usize>(&mut self, wanted: &'static str) -> Result<[u8; N], Malformed> {
        let mut bytes = [0; N];
        bytes.copy_from_slice(self.take(N, wanted)?);
        Ok(bytes)
    }

    fn length(&mut self, size: usize, wanted: &'static str) -> Result<usize, Malformed> {
        let bytes = self.take(size, wanted)?;
        Ok(bytes.iter().fold(0, |length, &byte| length << 8 | usize::from(byte)))
    }

    fn head(&mut self, wanted: &'static str) -> Result<Head, Malformed> {
        let [first] = self.be(wanted)?;
        Ok(match first {
            0x00..=0x7f => Head::Unsigned(u64::from(first)),
            0x80..=0x8f => Head::Map(usize::from(first & 0x0f)),
            0x90..=0x9f => Head::Array(usize::from(first & 0x0f)),
            0xa0..=0xbf => Head::Text(usize::from(first & 0x1f)),
            0xc0 => Head::Nil,
            0xc2 | 0xc3 => Head::Boolean(first == 0xc3),
            0xc4..=0xc6 => Head::Binary(self.length(1 << (first - 0xc4), wanted)?),
            0xc7..=0xc9 => Head::Extension(self.length(1 << (first - 0xc7), wanted)?.saturating_add(1)),
            0xca => Head::Float(f64::from(f32::from_be_bytes(self.be(wanted)?))),
            0xcb => Head::Float(f64::from_be_bytes(self.be(wanted)?)),
            0xcc => Head::Unsigned(u64::from(u8::from_be_bytes(self.be(wanted)?))),
            0xcd => Head::Unsigned(u64::from(u16::from_be_bytes(self.be(wanted)?))),
            0xce => Head::Unsigned(u64::from(u32::from_be_bytes(self.be(wanted)?))),
            0xcf => Head::Unsigned(u64::from_be_bytes(self.be(wanted)?)),
            0xd0 => Head::Signed(i64::from(i8::from_be_bytes(self.be(wanted)?))),
            0xd1 => Head::Signed(i64::from(i16::from_be_bytes(self.be(wanted)?))),
            0xd2 => Head::Signed(i64::from(i32::from_be_bytes(self.be(wanted)?))),
            0xd3 => Head::Signed(i64::from_be_bytes(self.be(wanted)?)),
            0xd4..=0xd8 => Head::Extension((1 << (first - 0xd4)) + 1),
            0xd9..=0xdb => Head::Text(self.length(1 << (first - 0xd9), wanted)?),
            0xdc | 0xdd => Head::Array(self.length(2 << (first - 0xdc), wanted)?),
            0xde | 0xdf => Head::Map(self.length(2 << (first - 0xde), wanted)?),
            0xe0..=0xff => Head::Signed(i64::from(first as i8)),
            0xc1 => return Err(Malformed { wanted, at: self.at - 1 }),
        })
    }
}
