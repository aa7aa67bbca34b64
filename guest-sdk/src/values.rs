//! Typed values by name: a member's facts, the configuration.

use crate::abi::msgpack::{Malformed, Reader};

/// A map of names to values, read where it is. A value that is missing or of another type is `None`.
#[derive(Clone, Copy, Debug)]
pub struct Values<'a> {
    map: &'a [u8],
}

impl<'a> Values<'a> {
    pub(crate) fn new(map: &'a [u8]) -> Self {
        Values { map }
    }

    /// A text.
    pub fn text(&self, name: &str) -> Option<&'a str> {
        self.get(name)?.text("a text").ok()
    }

    /// A number, integer or not.
    pub fn number(&self, name: &str) -> Option<f64> {
        self.get(name)?.number("a number").ok()
    }

    /// True or false.
    pub fn flag(&self, name: &str) -> Option<bool> {
        self.get(name)?.boolean("true or false").ok()
    }

    /// Any value, to be read by hand: lists, maps.
    pub fn get(&self, name: &str) -> Option<Reader<'a>> {
        self.find(name).unwrap_or(None)
    }

    fn find(&self, name: &str) -> Result<Option<Reader<'a>>, Malformed> {
        let mut from = Reader::new(self.map);
        for _ in 0..from.map("a map")? {
            let key = from.raw()?;
            if Reader::new(key).text("a name") == Ok(name) {
                return Ok(Some(from));
            }
            from.skip()?;
        }
        Ok(None)
    }
}
