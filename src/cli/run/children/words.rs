//! What the machine of children is told, what it wants done, and what it tells people.

use std::time::Duration;

use crate::cli::run::work::{Key, Order};

/// One process, numbered in the order of their starts.
pub(in crate::cli::run) type ChildId = u64;

/// What happened.
#[derive(Debug)]
pub(in crate::cli::run) enum Event {
    /// This is the member's work now, and all of it.
    Assigned(Vec<Order>),
    /// This is to be finished and handed over.
    Revoked(Vec<Key>),
    /// This may be somebody else's already.
    Lost(Vec<Key>),
    /// A child says that it is at work.
    Ready(ChildId),
    /// A child, and all that it started, has ended.
    Ended(ChildId, Exit),
    /// The operator wants the member to leave; said twice, at once.
    Stop,
    /// The member is out of its group.
    Out(String),
    /// Time passed.
    Tick,
}

/// How a child ended.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(in crate::cli::run) enum Exit {
    /// With this code; 128 + N after signal N, as a shell shows it.
    Code(i32),
    /// It never was.
    NotStarted(String),
}

/// What to do.
#[derive(Debug)]
pub(in crate::cli::run) enum Action {
    /// Start a child.
    Start(ChildId, Order),
    /// Ask it to finish and end.
    Drain(ChildId),
    /// End it, and all that it started.
    Kill(ChildId),
    /// Say that what was revoked is given up.
    HandOver,
    /// Leave the group: no child is left.
    Leave(Why),
    /// Tell people.
    Tell(Key, News),
}

/// Why the member leaves.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(in crate::cli::run) enum Why {
    /// It was asked to.
    Asked,
    /// It is out of its group already.
    Out(String),
    /// Its children fail, or cannot be.
    Failing(String),
}

/// What people want to know of a child.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(in crate::cli::run) enum News {
    /// It is started.
    Started(ChildId),
    /// It is at work.
    Ready(ChildId),
    /// It is asked to end.
    Draining(ChildId),
    /// It is ended.
    Killed(ChildId, Cause),
    /// It has ended as it should.
    Ended(ChildId, Exit),
    /// It has failed, so often in a row; the next one is started after a while.
    Failed {
        /// Which.
        child: ChildId,
        /// How.
        exit: Exit,
        /// Or it was killed, because it did not become ready.
        by_itself: bool,
        /// How often in a row.
        failures: u32,
        /// When the next one is started; none for never.
        again_in: Option<Duration>,
    },
}

/// Why a child is killed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(in crate::cli::run) enum Cause {
    /// Its work may be somebody else's.
    Lost,
    /// It was asked to end and did not.
    Grace,
    /// It did not say that it is ready.
    NotReady,
    /// The operator does not want to wait.
    Asked,
}
