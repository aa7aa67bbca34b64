//! How a strategy says no.

use crate::abi::msgpack::Malformed;
use crate::abi::reply::Refused;

/// Why there is no plan. The group keeps what it has, or falls back to another strategy, and operators read the message.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Refusal {
    code: String,
    message: String,
    retriable: bool,
    member: Option<u32>,
}

impl Refusal {
    /// A refusal with a short name for programs and a sentence for people.
    pub fn new(code: impl Into<String>, message: impl Into<String>) -> Self {
        Refusal { code: code.into(), message: message.into(), retriable: false, member: None }
    }

    /// The same group may get a plan later, although nothing changed.
    pub fn retriable(mut self) -> Self {
        self.retriable = true;
        self
    }

    /// The member with this index is the reason.
    pub fn about(mut self, member_index: usize) -> Self {
        self.member = Some(member_index as u32);
        self
    }

    /// The short name.
    pub fn code(&self) -> &str {
        &self.code
    }

    /// The sentence.
    pub fn message(&self) -> &str {
        &self.message
    }

    pub(crate) fn as_refused(&self) -> Refused<'_> {
        Refused { code: &self.code, message: &self.message, retriable: self.retriable, member: self.member }
    }
}

impl From<Malformed> for Refusal {
    fn from(malformed: Malformed) -> Self {
        let mut message = String::from("the request cannot be read: byte ");
        push_number(&mut message, malformed.at as u64);
        message.push_str(": expected ");
        message.push_str(malformed.wanted);
        Refusal::new("bad_request", message)
    }
}

/// Appends a number in decimal; `format!` would add its machinery to every module.
pub(crate) fn push_number(to: &mut String, number: u64) {
    if number >= 10 {
        push_number(to, number / 10);
    }
    to.push(char::from(b'0' + (number % 10) as u8));
}
