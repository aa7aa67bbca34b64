//! The states of a group (the proposal's state machine), each with the data that only it has.

use std::time::Duration;

use super::describe::StateName;
use super::event::{PlanOrigin, Seq, WorkId};
use super::record::State as MemberState;
use super::trigger::Trigger;
use crate::ids::{Digest, MemberId, TopicName};
use crate::time::{Timestamp, WallTime};

/// Where a group stands. Down and Initialize are the coordinator's: a group that is being read is no group yet.
#[derive(Debug)]
pub(super) enum State {
    /// Stable without members: offsets may be kept, the first JoinGroup is awaited.
    Empty,
    /// Collecting JoinGroups.
    Joining(Joining),
    /// The JoinGroups are answered; the leader's states are awaited.
    AwaitingSync(AwaitingSync),
    /// An active generation.
    Stable(Stable),
}

/// The join phase.
#[derive(Debug)]
pub(super) struct Joining {
    /// When it ends without those who have not joined by then.
    pub deadline: Timestamp,
    /// The first join phase of a group waits for more members to come.
    pub initial: Option<InitialDelay>,
    /// What began it.
    pub trigger: Trigger,
}

/// How the first join phase is extended: by a delay for each newcomer, within the first member's rebalance timeout
/// (KIP-134).
#[derive(Debug)]
pub(super) struct InitialDelay {
    /// What may still be added.
    pub remaining: Duration,
    /// Whether somebody else came since the deadline was set.
    pub newcomer: bool,
}

/// The wait for the leader's plan.
#[derive(Debug)]
pub(super) struct AwaitingSync {
    /// When those who have not sent SyncGroup by then are removed.
    pub deadline: Timestamp,
    /// The leader's plan, on its way to be durable.
    pub submission: Option<Submission>,
    /// A topic that changed while the plan was being made.
    pub outdated: Option<TopicName>,
}

/// A plan that is not handed out yet.
#[derive(Debug)]
pub(super) enum Submission {
    /// Its check runs.
    Checking(WorkId, Box<SubmittedPlan>),
    /// The coordinator leads, and makes it.
    Making(WorkId),
    /// It is fine and becomes durable with this record. Whoever waits for it then is told so by then at the latest.
    Storing(Seq, Timestamp),
}

/// What the leader sent.
#[derive(Debug)]
pub(super) struct SubmittedPlan {
    /// A state for each member that the leader named.
    pub states: Vec<(MemberId, MemberState)>,
    /// Where it came from, if the leader is divvy's.
    pub origin: Option<PlanOrigin>,
    /// What only the coordinator says of its own plan.
    pub made: Option<Made>,
}

/// What a plan of the coordinator's own has beyond a leader's.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Made {
    /// What made it, for people, if that was not the protocol's own module.
    pub served_by: Option<String>,
    /// From what it was made.
    pub fingerprint: u64,
    /// When its strategy wants to be called again.
    pub call_again: Option<WallTime>,
    /// The module that was to make it.
    pub chosen: Option<Digest>,
}

/// An active generation.
#[derive(Debug)]
pub(super) struct Stable {
    /// When members that never asked for their state are removed (KAFKA-12890); none when all have.
    pub sync_deadline: Option<Timestamp>,
}

impl State {
    /// Its name.
    pub fn name(&self) -> StateName {
        match self {
            State::Empty => StateName::Empty,
            State::Joining(_) => StateName::Joining,
            State::AwaitingSync(_) => StateName::AwaitingSync,
            State::Stable(_) => StateName::Stable,
        }
    }
}
