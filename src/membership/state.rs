//! Where a member is in the life of its group; what belongs to one state lives in that state.
//!
//! ```text
//!             ┌────────────── rejoin ──────────────────────────────┐
//!             ▼                                                     │
//!   Unjoined ──► Joining ──► Planning (leader) ──► Syncing ──► Stable ──► GivingUp
//!                   └──────────────────────────────▲
//!   any ──► Leaving ──► Drained (joins again when told to), or Over
//! ```

use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;

use super::event::{Peer, SyncCall};
use super::notice::{Role, Share, StandIn};
use super::why::{Cause, Why};
use crate::assignor::{MemberInput, ServedBy};
use crate::ids::{Generation, MemberId, Protocol, TopicName};
use crate::time::Timestamp;
use crate::topics::TopicTable;

/// Partitions by topic.
pub type Partitions = Vec<(TopicName, Vec<i32>)>;

/// The group's coordinator, as far as the member knows.
#[derive(Debug)]
pub(super) enum Coordinator {
    /// Somebody is looking for it.
    Sought,
    /// It was not found; it is looked for again then.
    NotFound { again_at: Timestamp },
    /// It can be reached.
    Known(Peer),
}

/// The member's state.
#[derive(Debug)]
pub(super) enum State {
    /// In no generation; it joins then, if the coordinator is known.
    Unjoined { join_at: Timestamp, reason: Why },
    /// JoinGroup is on its way, and removes everybody else or not.
    Joining { ticket: u64, removes_others: bool, reason: Why },
    /// It leads and makes the plan.
    Planning { joined: Joined, members: Arc<Vec<MemberInput>>, step: Step },
    /// SyncGroup is on its way, or is sent again then.
    Syncing { joined: Joined, call: Arc<SyncCall>, sync: SyncStep },
    /// It has its share.
    Stable { joined: Joined, share: Share, hold: Hold },
    /// The application finishes its share, as it was told with that generation; then the member joins again, or leaves. What it
    /// keeps under a cooperative protocol it goes on with, and is told of when it has given up the rest.
    GivingUp { joined: Joined, share: Share, told: Generation, keeps: Option<Keeps>, reason: Why },
    /// LeaveGroup is on its way, or is sent when the coordinator is found.
    Leaving { ticket: Option<u64>, then: Then },
    /// It has left, and joins again when it is told to.
    Drained,
    /// It has left or failed.
    Over,
}

/// What a member keeps while it gives up the rest.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Keeps {
    /// Its share of the generation.
    pub(super) share: Partitions,
    /// What of it the application works on already.
    pub(super) held: Partitions,
}

/// What comes after LeaveGroup.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Then {
    /// Nothing: the member is over, then at the latest.
    End { at_the_latest: Timestamp },
    /// A rest. Without a coordinator that could be told it begins when the session is over.
    Rest { at_the_latest: Timestamp },
}

/// How far a plan is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Step {
    /// The topics are being asked for.
    Topics,
    /// The strategy runs.
    Strategy { ticket: u64 },
}

/// How far a SyncGroup is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum SyncStep {
    /// On its way since then.
    Sent { ticket: u64, at: Timestamp },
    /// To be sent then, if the coordinator is known. The plan is not made anew: a lost answer is no new input.
    Due { at: Timestamp },
}

/// Whether a share is still the member's.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Hold {
    /// The coordinator confirmed it within the session timeout.
    Ours,
    /// It did not: another member may have it. If it hands it out again in the same generation, it is ours.
    InDoubt,
}

/// A generation that the member has joined.
#[derive(Clone, Debug)]
pub(super) struct Joined {
    pub(super) generation: Generation,
    pub(super) protocol: Protocol,
    pub(super) leader: MemberId,
    pub(super) role: Role,
    /// Why the member joined it.
    pub(super) cause: Cause,
    /// What the leader's plan was made with; nothing for a follower.
    pub(super) basis: Basis,
    /// What made the plan in place of a strategy that failed.
    pub(super) stand_in: Option<StandIn>,
}

impl Joined {
    /// Whether it has a plan of this member's that leaves somebody's work to nobody.
    pub(super) fn is_served_barely(&self) -> bool {
        self.basis.plan.as_ref().is_some_and(|plan| plan.is_bare)
    }
}

/// What a plan was made with: when that is no longer true, its leader rejoins.
#[derive(Clone, Debug, Default)]
pub(super) struct Basis {
    /// The topics that the members subscribe to.
    pub(super) subscribed: Vec<TopicName>,
    /// Those of them that existed; none until the leader of a plan that an earlier process made has asked.
    pub(super) topics: Option<Arc<TopicTable>>,
    /// What the application gave for it; none if it is another process's plan.
    pub(super) context: Option<Option<Bytes>>,
    /// What is to be remembered of the plan once it is accepted; none if there is no plan.
    pub(super) plan: Option<Box<Accepted>>,
}

/// What a leader keeps of an accepted plan beside its states.
#[derive(Clone, Debug)]
pub(super) struct Accepted {
    /// What the strategy wants to remember.
    pub(super) memo: Option<Bytes>,
    /// When it wants to be called again.
    pub(super) call_again: Option<Duration>,
    /// What made it.
    pub(super) served_by: ServedBy,
    /// Whether it only stands in for one, and leaves somebody's work to nobody.
    pub(super) is_bare: bool,
    /// Whom it is for.
    pub(super) members: Arc<Vec<MemberInput>>,
    /// What it was made for.
    pub(super) topics: Arc<TopicTable>,
}

impl State {
    /// The generation in which the member says that it is alive.
    pub(super) fn joined(&self) -> Option<&Joined> {
        match self {
            State::Planning { joined, .. }
            | State::Syncing { joined, .. }
            | State::Stable { joined, .. }
            | State::GivingUp { joined, .. } => Some(joined),
            State::Unjoined { .. } | State::Joining { .. } | State::Leaving { .. } | State::Drained | State::Over => {
                None
            }
        }
    }
}
