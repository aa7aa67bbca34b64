//! The MessagePack that the ABI needs: a reader that borrows and never allocates, and a writer that appends to a vector.

mod reader;
mod writer;

use std::fmt;

pub use reader::Reader;
pub use writer::Writer;

/// Bytes that are not what the ABI says.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Malformed {
    /// What should have been there.
    pub wanted: &'static str,
    /// The byte where it should have begun.
    pub at: usize,
}

impl fmt::Display for Malformed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "byte {}: expected {}", self.at, self.wanted)
    }
}

impl std::error::Error for Malformed {}
