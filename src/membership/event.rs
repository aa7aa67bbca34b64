//! What can happen to a member, and what it wants done: requests to its coordinator, work for its own
//! process, news for its application. API versions stop at the client's edge.

use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;

use super::change::Change;
use super::lead::{Fault, LeadJob, Led, Rules};
use super::leading::Leading;
use super::negotiate::{Offer, Strategies};
use super::notice::{Notice, StandIn};
use super::user_data::Asks;
use crate::assignor::{CallError, MemberInput};
use crate::ids::{Digest, Generation, MemberId, Mode, Protocol, ProtocolType, TopicName};
use crate::topics::TopicTable;
use crate::wire::ErrorCode;

/// Names a request on its way and says with which identity it was sent: its answer is judged against
/// that one, never against what the member has become since (B12).
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Sent {
    /// Unique for this member.
    pub ticket: u64,
    /// The generation in the request.
    pub generation: Generation,
    /// The member id in the request.
    pub member: MemberId,
}

/// What a coordinator understands.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Peer {
    /// divvy's own fields.
    Divvy,
    /// Kafka's protocol and no more.
    Other,
}

/// All that can happen to a member.
#[derive(Debug)]
pub enum Event {
    /// The strategies at hand are these now.
    Strategies(Strategies),
    /// The group's coordinator is found and reachable.
    CoordinatorFound(Peer),
    /// It is not, for the reason given.
    CoordinatorNotFound(String),
    /// Somebody is there and lets nobody in like this, for the reason given.
    CoordinatorRefuses(String),
    /// JoinGroup was answered.
    Joined(Sent, JoinAnswer),
    /// SyncGroup was answered.
    Synced(Sent, SyncAnswer),
    /// Heartbeat was answered.
    Beaten(Sent, ErrorCode),
    /// The heartbeat that the coordinator was asked to hold was answered.
    Heard(Sent, ErrorCode),
    /// A request got no answer: its time was over or its connection broke.
    Unanswered(Sent, String),
    /// Metadata was answered: of the topics that were asked for those that exist, or why there is no answer.
    Topics(Sent, Result<TopicTable, String>),
    /// The plan asked for in that generation is made.
    Led(Sent, Box<Led>),
    /// The application has given up what it was told to give up in that generation.
    GivenUp(Generation),
    /// The application wants the group led in another way, by these settings.
    LeadBy(Box<Leading>, Rules),
    /// The application wants a new plan, for the reason given.
    PlanAnew(String),
    /// The application wants the lead of a running group.
    TakeOver,
    /// The application changes what it said.
    Change(Change),
    /// It wants its work finished and handed over, and the member out of the group, until …
    Drain,
    /// … it wants to be in again.
    Resume,
    /// It wants to leave the group for good.
    Leave,
    /// LeaveGroup was answered.
    LeaveDone(Sent, ErrorCode),
    /// A commit was refused.
    CommitRefused(Sent, ErrorCode),
    /// A deadline may have passed.
    Tick,
}

/// The answer to JoinGroup.
#[derive(Clone, Debug)]
pub struct JoinAnswer {
    /// 0, or why not.
    pub error: ErrorCode,
    /// The generation joined.
    pub generation: Generation,
    /// The protocol chosen.
    pub protocol: Protocol,
    /// The leader's id.
    pub leader: MemberId,
    /// The member's own id.
    pub member: MemberId,
    /// Everybody, for the leader alone.
    pub members: Vec<MemberInput>,
    /// Whether the leader leaves the plan as it is (KIP-814).
    pub skip_assignment: bool,
    /// What only a divvy coordinator tells.
    pub extras: Option<JoinExtras>,
}

impl JoinAnswer {
    /// Nothing but the reason why not.
    pub fn refused(error: ErrorCode) -> Self {
        Self {
            error,
            generation: Generation::NONE,
            protocol: Protocol::default(),
            leader: MemberId::default(),
            member: MemberId::default(),
            members: Vec::new(),
            skip_assignment: false,
            extras: None,
        }
    }
}

/// What a divvy coordinator tells beyond Kafka's answer to JoinGroup.
#[derive(Clone, Debug, Default)]
pub struct JoinExtras {
    /// The operator's settings for the group.
    pub rules: Rules,
    /// The protocols that the vote passes over, and why.
    pub suspended: Vec<(Protocol, String)>,
    /// What the last accepted plan's strategy wanted to remember; for the leader.
    pub memo: Option<Bytes>,
}

/// The answer to SyncGroup.
#[derive(Clone, Debug)]
pub struct SyncAnswer {
    /// 0, or why not.
    pub error: ErrorCode,
    /// The member's state.
    pub state: Bytes,
    /// From a divvy coordinator: why there is no state.
    pub reason: Option<String>,
    /// From a divvy coordinator: what made the plan in place of a strategy that failed.
    pub stand_in: Option<StandIn>,
}

/// What a member wants done.
#[derive(Debug)]
pub enum Action {
    /// Find the group's coordinator; the connections to the last one may go.
    FindCoordinator,
    /// Send JoinGroup.
    Join(Sent, JoinCall),
    /// Send SyncGroup.
    Sync(Sent, Arc<SyncCall>),
    /// Send a heartbeat, past any request that waits for its answer. A list: the modules are these now.
    Heartbeat(Sent, Option<Vec<(Protocol, Digest)>>),
    /// Send a heartbeat whose answer the coordinator may hold for so long, over a connection of its own.
    Listen(Sent, Duration),
    /// Send LeaveGroup.
    Leave(Sent, Leaving),
    /// Ask for topics.
    FetchTopics(Sent, Look),
    /// Make a plan, off the task that beats the heart.
    Lead(Sent, Box<LeadJob>),
    /// Tell the application.
    Tell(Notice),
}

/// How a member leaves.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Leaving {
    /// Its process ends: one with a lasting name is expected back, so nobody is told.
    Ends,
    /// It hands over: whatever its name, it is out.
    Drains,
}

/// Which topics are asked for.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Look {
    /// These.
    At(Vec<TopicName>),
    /// All that are not the brokers' own.
    AtAll,
}

/// JoinGroup.
#[derive(Clone, PartialEq, Debug)]
pub struct JoinCall {
    /// What kind of group.
    pub protocol_type: ProtocolType,
    /// What the member offers, most wanted first, each with its metadata.
    pub offers: Vec<(Offer, Bytes)>,
    /// Whether everybody else is removed first, so that this member leads.
    pub removes_others: bool,
    /// What its strategies are asked before: [`JoinCall::complete`].
    pub asks: Option<Arc<Asks>>,
    /// Why it joins, for the coordinator's log (KIP-800).
    pub reason: String,
}

impl JoinCall {
    /// With what the strategies' own `divvy_user_data` add to the metadata; `failed` is told of each that has no word because
    /// it failed. Blocks while they run, so not on the task that beats the heart.
    pub fn complete(mut self, mut failed: impl FnMut(&Protocol, &CallError)) -> Self {
        if let Some(asks) = self.asks.take() {
            for (offer, metadata) in &mut self.offers {
                match asks.metadata(&offer.protocol) {
                    Ok(Some(with_more)) => *metadata = with_more,
                    Ok(None) => {}
                    Err(error) => failed(&offer.protocol, &error),
                }
            }
        }
        self
    }
}

/// SyncGroup.
#[derive(Clone, PartialEq, Debug)]
pub struct SyncCall {
    /// What kind of group.
    pub protocol_type: ProtocolType,
    /// The protocol of the generation.
    pub protocol: Protocol,
    /// Each member's state; empty from a follower.
    pub states: Vec<(MemberId, Bytes)>,
    /// From a leader, for a divvy coordinator.
    pub origin: Option<Origin>,
}

/// Where a leader's plan came from.
#[derive(Clone, PartialEq, Debug)]
pub struct Origin {
    /// The module that made it; none for the host's own range.
    pub digest: Option<Digest>,
    /// The group settings that it was made with.
    pub settings_hash: u64,
    /// The topics that it was made for.
    pub topics: Vec<(TopicName, u32)>,
    /// How many members each partition goes to.
    pub copies: u16,
    /// Whether every partition has to have an owner.
    pub complete: bool,
    /// How members hand over.
    pub mode: Mode,
    /// The wall clock that its strategy was told, if the coordinator can ask it the same.
    pub asked_ms: Option<i64>,
    /// What the strategy wants to remember.
    pub memo: Option<Bytes>,
    /// The failure that the plan stands in for, or that left no plan at all.
    pub fault: Option<Fault>,
    /// Whether there is a plan.
    pub verdict: PlanOrError,
}

/// What a leader brings (the proposal: its states, or an error).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum PlanOrError {
    /// States for everybody.
    Plan,
    /// An error: the generation is invalid.
    Error,
}
