//! What goes wrong before a member is in its group, with the remedy.

use std::path::PathBuf;

use thiserror::Error;

pub use crate::peer::Unreachable;

/// A member that cannot even begin.
#[derive(Debug, Error)]
pub enum JoinError {
    /// No address.
    #[error("no address to begin with: give at least one HOST:PORT")]
    NoAddress,
    /// No group.
    #[error("the group id is empty: give the group a name")]
    NoGroup,
    /// Nothing to join for.
    #[error(
        "the member wants nothing: give it topics with `subscribe` or `subscribe_pattern`, or a protocol type with `protocol_type`"
    )]
    NoPurpose,
    /// Topics in two ways.
    #[error("the member has topics and a pattern: give it one of them, a pattern may name topics, too (`a|b|c-.*`)")]
    TwoSubscriptions,
    /// A pattern that is none.
    #[error("the pattern {pattern:?} is no regular expression: {reason}")]
    Pattern {
        /// As it was given.
        pattern: String,
        /// What is wrong with it.
        reason: String,
    },
    /// Timeouts that cannot work.
    #[error(
        "a heartbeat every {heartbeat_ms} ms does not keep a session of {session_ms} ms: choose at most a third of it"
    )]
    SlowHeart {
        /// The heartbeat interval.
        heartbeat_ms: u128,
        /// The session timeout.
        session_ms: u128,
    },
    /// No folder of assignors.
    #[error("there is no folder {}: make it, or give another one with `assignors`", .0.display())]
    NoFolder(PathBuf),
    /// The sandbox or the catalog cannot start.
    #[error("the sandbox for assignors cannot start: {0}")]
    Sandbox(String),
}

/// Offsets that could not be read.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum FetchError {
    /// The coordinator refuses.
    #[error("the coordinator does not tell what group {group} committed: {error}")]
    Refused {
        /// The group.
        group: String,
        /// Why.
        error: crate::wire::ErrorCode,
    },
    /// No answer.
    #[error("what is committed got no answer: {0}")]
    Unanswered(String),
    /// The member is gone.
    #[error("the member has ended")]
    Left,
}

/// A commit that was not taken.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum CommitError {
    /// The member has no share now.
    #[error("the member has no work now, so it cannot commit: wait until it is assigned again")]
    NotAssigned,
    /// The coordinator refuses a partition.
    #[error("the commit of {topic}/{partition} was refused: {error}")]
    Refused {
        /// The topic.
        topic: String,
        /// The partition.
        partition: i32,
        /// Why.
        error: crate::wire::ErrorCode,
    },
    /// No answer.
    #[error("the commit got no answer: {0}")]
    Unanswered(String),
    /// The member is gone.
    #[error("the member has ended")]
    Left,
}
