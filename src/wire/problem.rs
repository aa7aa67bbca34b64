//! What can be wrong with bytes, or with a message that is to become bytes: the field, the place and the problem.

use thiserror::Error;

/// Bytes that are not the message they should be.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[error("{field}, byte {offset}: {problem}")]
pub struct DecodeError {
    /// The innermost field that could not be read, as `Struct.field`.
    pub field: &'static str,
    /// Where, in bytes from the start of what was read.
    pub offset: usize,
    /// What is wrong.
    pub problem: Problem,
}

impl DecodeError {
    /// An error whose field is still to be named with [`DecodeError::of`].
    pub(super) fn at(offset: usize, problem: Problem) -> Self {
        Self { field: "", offset, problem }
    }

    /// Names the field, unless an inner one is named already.
    pub(super) fn of(mut self, field: &'static str) -> Self {
        if self.field.is_empty() {
            self.field = field;
        }
        self
    }
}

/// A message that cannot be written in the version asked for.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[error("{field}: {problem}")]
pub struct EncodeError {
    /// The innermost field that could not be written, as `Struct.field`.
    pub field: &'static str,
    /// What is wrong.
    pub problem: Problem,
}

impl EncodeError {
    /// Names the field, unless an inner one is named already.
    pub(super) fn of(mut self, field: &'static str) -> Self {
        if self.field.is_empty() {
            self.field = field;
        }
        self
    }
}

impl From<Problem> for EncodeError {
    fn from(problem: Problem) -> Self {
        Self { field: "", problem }
    }
}

/// What is wrong.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum Problem {
    /// The bytes end too early.
    #[error("{wanted} bytes are needed, {left} are left")]
    Short {
        /// How many are needed.
        wanted: usize,
        /// How many are left.
        left: usize,
    },
    /// The bytes go on after the end.
    #[error("{0} bytes are left over")]
    LeftOver(usize),
    /// A length below zero that does not mean null.
    #[error("a length of {0}")]
    NegativeLength(i32),
    /// More elements than there can be.
    #[error("a count of {count}, {most} at most")]
    Count {
        /// The count.
        count: usize,
        /// What the bytes that are left can hold, or the bound of the array.
        most: usize,
    },
    /// Null where the version has no null.
    #[error("null, which this version does not allow")]
    Null,
    /// Text that is not UTF-8.
    #[error("not UTF-8")]
    NotUtf8,
    /// A varint of more than 32 bits.
    #[error("a variable-length number of more than 32 bits")]
    Varint,
    /// More than the format can say.
    #[error("a length of {0}, which the format cannot hold")]
    TooLong(usize),
    /// A version that is not served.
    #[error("version {0} is not served")]
    Version(i16),
    /// A tagged field of divvy's that is not what it should be.
    #[error("not a tagged field of divvy's: {0}")]
    Divvy(String),
}
