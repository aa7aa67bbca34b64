//! Kafka's classic encoding, read within bounds: big-endian numbers, lengths before text, and no byte believed before it
//! is there. The embedded protocols never became "flexible", so this is all that they need.

use std::fmt;

/// Bytes that are not what they should be.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct NotDecodable(pub &'static str);

impl fmt::Display for NotDecodable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "not decodable: {}", self.0)
    }
}

impl std::error::Error for NotDecodable {}

/// What is left to read.
#[derive(Clone, Copy, Debug)]
pub(super) struct Reader<'a>(pub &'a [u8]);

impl<'a> Reader<'a> {
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub fn take(&mut self, len: usize, what: &'static str) -> Result<&'a [u8], NotDecodable> {
        let (head, rest) = self.0.split_at_checked(len).ok_or(NotDecodable(what))?;
        self.0 = rest;
        Ok(head)
    }

    pub fn i16(&mut self, what: &'static str) -> Result<i16, NotDecodable> {
        let (head, rest) = self.0.split_first_chunk().ok_or(NotDecodable(what))?;
        self.0 = rest;
        Ok(i16::from_be_bytes(*head))
    }

    pub fn i32(&mut self, what: &'static str) -> Result<i32, NotDecodable> {
        let (head, rest) = self.0.split_first_chunk().ok_or(NotDecodable(what))?;
        self.0 = rest;
        Ok(i32::from_be_bytes(*head))
    }

    /// A text whose characters nobody has looked at yet.
    pub fn raw_string(&mut self, what: &'static str) -> Result<&'a [u8], NotDecodable> {
        let len = usize::try_from(self.i16(what)?).map_err(|_| NotDecodable(what))?;
        self.take(len, what)
    }

    pub fn string(&mut self, what: &'static str) -> Result<&'a str, NotDecodable> {
        std::str::from_utf8(self.raw_string(what)?).map_err(|_| NotDecodable(what))
    }

    /// Null is length -1.
    pub fn nullable_string(&mut self, what: &'static str) -> Result<Option<&'a str>, NotDecodable> {
        let mut ahead = *self;
        if ahead.i16(what)? == -1 {
            *self = ahead;
            return Ok(None);
        }
        self.string(what).map(Some)
    }

    /// Null is length -1.
    pub fn nullable_bytes(&mut self, what: &'static str) -> Result<Option<&'a [u8]>, NotDecodable> {
        match self.i32(what)? {
            -1 => Ok(None),
            len => self.take(usize::try_from(len).map_err(|_| NotDecodable(what))?, what).map(Some),
        }
    }

    /// The number of items that follow, each of at least `smallest` bytes; never more than what is left can hold.
    /// A null array (-1) counts as an empty one.
    pub fn count(&mut self, smallest: usize, what: &'static str) -> Result<usize, NotDecodable> {
        let count = match self.i32(what)? {
            -1 => 0,
            count => usize::try_from(count).map_err(|_| NotDecodable(what))?,
        };
        if count > self.0.len() / smallest { Err(NotDecodable(what)) } else { Ok(count) }
    }
}

/// Writes a text; the caller vouches for its length (names are bounded far below 32 KiB).
pub(super) fn put_string(to: &mut Vec<u8>, text: &str) {
    // A longer text cannot be said in this format; cutting it at a character keeps the frame whole.
    let mut len = text.len().min(i16::MAX as usize);
    while !text.is_char_boundary(len) {
        len -= 1;
    }
    to.extend_from_slice(&(len as i16).to_be_bytes());
    to.extend_from_slice(&text.as_bytes()[..len]);
}

/// Writes the number of items or bytes that follow.
pub(super) fn put_count(to: &mut Vec<u8>, count: usize) {
    to.extend_from_slice(&i32::try_from(count).unwrap_or(i32::MAX).to_be_bytes());
}

/// Writes bytes, or null.
pub(super) fn put_nullable_bytes(to: &mut Vec<u8>, bytes: Option<&[u8]>) {
    match bytes {
        None => to.extend_from_slice(&(-1i32).to_be_bytes()),
        Some(bytes) => {
            put_count(to, bytes.len());
            to.extend_from_slice(bytes);
        }
    }
}
