//! What a leader hands out.

use std::time::Duration;

use bytes::Bytes;

use super::manifest::Mode;
use crate::ids::{MemberId, TopicName};

/// A plan that keeps the rules, ready to be handed out.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Plan {
    /// A state for each member, by id.
    pub states: Vec<(MemberId, Bytes)>,
    /// What the strategy wants to remember.
    pub memo: Option<Bytes>,
    /// When it wants to be called again although nothing changed.
    pub call_again: Option<Duration>,
    /// How many members each partition goes to.
    pub copies: u16,
    /// Whether every partition has an owner.
    pub complete: bool,
    /// How its members hand over: under a cooperative name what is still held has no new owner yet.
    pub mode: Mode,
    /// The topics that it was made for, with their numbers of partitions.
    pub topics: Vec<(TopicName, u32)>,
    /// The wall clock that its strategy was told; none if nobody else can ask it the same: the application's own context
    /// went into it, or there was no strategy.
    pub asked_ms: Option<i64>,
    /// What the host and the strategy have to say about it.
    pub diagnostics: Vec<Diagnostic>,
}

impl Plan {
    /// What an operator should read.
    pub fn warnings(&self) -> impl Iterator<Item = &str> {
        self.diagnostics.iter().filter(|it| it.level == "warn").map(|it| it.text.as_str())
    }
}

/// A line for people.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Diagnostic {
    /// `debug`, `info` or `warn`.
    pub level: String,
    /// What there is to say.
    pub text: String,
}
