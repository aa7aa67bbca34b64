//! What a group tells of itself: one stream that feeds logs, metrics, the admin port and the simulator's film.

use super::event::{CheckedBy, Fault};
use super::record::Suspension;
use super::trigger::Trigger;
use crate::ids::{Digest, Generation, MemberId, Protocol, TopicName};
use crate::wire::ErrorCode;
use std::sync::Arc;

/// Something that happened, told to whoever listens: logs, metrics, the admin port.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Fact {
    /// The group went from one state to another.
    StateChanged {
        /// The state before.
        from: &'static str,
        /// The state now.
        to: &'static str,
    },
    /// A newcomer is a member.
    Joined {
        /// Its id.
        member: MemberId,
        /// The name its client gives itself.
        client_id: Arc<str>,
        /// Where it connects from.
        client_host: Arc<str>,
    },
    /// A process took the place of an earlier one of the same instance id (KIP-345).
    Replaced {
        /// The id of the earlier one.
        old: MemberId,
        /// The id that counts now.
        new: MemberId,
    },
    /// A member is gone.
    Removed {
        /// Its id.
        member: MemberId,
        /// How it went.
        why: &'static str,
    },
    /// A rebalance began.
    RebalanceBegan(Trigger),
    /// One would have begun, but the store refuses writes: it waits for that.
    RebalancePutOff(Trigger),
    /// A join phase ended.
    GenerationBegan {
        /// The new generation.
        generation: Generation,
        /// The protocol chosen.
        protocol: Option<Protocol>,
        /// The leader.
        leader: Option<MemberId>,
        /// How many members.
        members: usize,
        /// Why.
        trigger: Trigger,
    },
    /// A plan was accepted and is durable.
    PlanAccepted {
        /// Its generation.
        generation: Generation,
        /// Its protocol.
        protocol: Protocol,
        /// The module that made it, when a divvy leader said.
        digest: Option<Digest>,
    },
    /// A plan was refused.
    PlanRefused {
        /// Its generation.
        generation: Generation,
        /// The leader that sent it.
        leader: MemberId,
        /// The rule it breaks.
        reason: String,
    },
    /// A divvy leader's plan keeps the rules.
    PlanChecked {
        /// Its generation.
        generation: Generation,
        /// What it was held against.
        by: CheckedBy,
    },
    /// A plan breaks a rule and is handed out all the same, as the operator wants it.
    PlanQuestioned {
        /// Its generation.
        generation: Generation,
        /// The leader that sent it.
        leader: MemberId,
        /// The rule it breaks.
        reason: String,
    },
    /// A leader's module failed.
    ModuleFailed {
        /// The leader that ran it.
        leader: MemberId,
        /// What failed and why.
        fault: Fault,
        /// Whether the generation is served all the same.
        served: bool,
    },
    /// The vote passes a protocol over for a while.
    Suspended {
        /// What is suspended.
        suspension: Suspension,
        /// For how long, in milliseconds.
        for_ms: u64,
    },
    /// Members have different modules under one name and version.
    DigestsDiffer {
        /// The name.
        protocol: Protocol,
        /// The digests seen.
        digests: Vec<Digest>,
    },
    /// A request was refused in a way that an operator may want to know.
    Refused {
        /// The request.
        api: &'static str,
        /// Who sent it.
        client_id: Arc<str>,
        /// The answer.
        error: ErrorCode,
        /// Why, with the values.
        reason: String,
    },
    /// Offsets were committed.
    Committed {
        /// How many.
        partitions: usize,
    },
    /// A member committed partitions that are another member's.
    CommitNotOwned(Box<ForeignCommit>),
    /// Committed offsets were forgotten after their time.
    OffsetsExpired {
        /// How many.
        partitions: usize,
    },
    /// Committed offsets were forgotten on purpose.
    OffsetsDeleted {
        /// How many.
        partitions: usize,
        /// On whose word.
        why: &'static str,
    },
    /// The group was forgotten, with everything of it.
    GroupDeleted {
        /// On whose word.
        why: &'static str,
    },
}

/// What `commit.check` found in one OffsetCommit.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ForeignCommit {
    /// Who committed.
    pub member: MemberId,
    /// How many partitions.
    pub partitions: usize,
    /// The first of them.
    pub first: (TopicName, i32),
    /// The member that has it.
    pub owner: MemberId,
    /// Whether they were refused.
    pub refused: bool,
}
