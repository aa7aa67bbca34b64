//! What can happen to a group: requests as the edge parsed them (API versions stop there), time, and the
//! answers of the store and of the workers.

use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use serde::{Deserialize, Serialize};

use super::settings::GroupSettings;
use crate::ids::{Digest, Generation, InstanceId, MemberId, Mode, Protocol, ProtocolType, TopicName};
pub use crate::text::CALL_AGAIN;
use crate::time::{Now, WallTime};

/// One thing that happened. `entropy` is drawn by the shell for every input: a group has no randomness of its own.
#[derive(Clone, Debug)]
pub struct Input {
    /// What happened.
    pub event: Event,
    /// When.
    pub now: Now,
    /// For ids that peers cannot guess and for the leader draw.
    pub entropy: u64,
}

/// Names a request that waits for its answer. The shell knows which connection it belongs to.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Ticket(pub u64);

/// Counts the records of a group since it was loaded.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct Seq(pub u64);

/// Names a piece of work that the group asked for.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct WorkId(pub u64);

/// All that can happen to a group.
#[derive(Clone, Debug)]
pub enum Event {
    /// JoinGroup.
    Join(Ticket, JoinRequest),
    /// SyncGroup.
    Sync(Ticket, SyncRequest),
    /// Heartbeat.
    Heartbeat(Ticket, HeartbeatRequest),
    /// LeaveGroup.
    Leave(Ticket, LeaveRequest),
    /// OffsetCommit.
    Commit(Ticket, CommitRequest),
    /// OffsetFetch.
    Fetch(Ticket, FetchRequest),
    /// DeleteGroups, for this group.
    DeleteGroup(Ticket),
    /// OffsetDelete.
    DeleteOffsets(Ticket, DeleteOffsetsRequest),
    /// These topics are gone, and their offsets mean nothing any more; with a time, those that were committed by then.
    TopicsRemoved(Vec<TopicName>, Option<WallTime>),
    /// Offsets and groups that nobody needs any more are looked for.
    Sweep,
    /// The connection that this request waits on is gone.
    Closed(Ticket),
    /// A deadline may have passed.
    Tick,
    /// All records up to and including this one are durable.
    Stored(Seq),
    /// Records were not made durable. The group answers what waits and is then forgotten and read anew.
    StoreFailed,
    /// A piece of work is done.
    WorkDone(WorkId, WorkOutcome),
    /// Something that plans are made from may have changed: topics, racks, or modules. These are the modules that the
    /// coordinator itself can run. Told to the groups that it leads.
    GroundChanged(Arc<[ModuleOffer]>),
    /// The operator has other settings for the group.
    SettingsChanged(Arc<GroupSettings>),
}

/// Who answers "which id do you give me?" first (KIP-394).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum IdHandshake {
    /// A newcomer gets its id with error 79 and joins again with it (JoinGroup v4 and later).
    Required,
    /// A newcomer is a member at once (JoinGroup v0 to v3).
    None,
}

/// Whether a client can lead without making a plan (KIP-814, JoinGroup v9).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SkipAssignment {
    /// It is told to leave the plan as it is.
    Understood,
    /// It would make a plan whenever it is told that it leads.
    Unknown,
}

/// A module that a member can run: the protocol it serves and what it is.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct ModuleOffer {
    /// The protocol's name.
    pub protocol: Protocol,
    /// The module's identity.
    pub digest: Digest,
}

/// One entry of GroupProtocols.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct OfferedProtocol {
    /// Its name.
    pub name: Protocol,
    /// What the member says of itself under it: opaque here.
    #[serde(with = "super::record::raw")]
    pub metadata: Bytes,
}

/// JoinGroup.
#[derive(Clone, Debug)]
pub struct JoinRequest {
    /// Empty: a newcomer.
    pub member: MemberId,
    /// The process's lasting name, if it has one.
    pub instance: Option<InstanceId>,
    /// The client's name for itself: the start of the member id it gets.
    pub client_id: Arc<str>,
    /// Where it connects from.
    pub client_host: Arc<str>,
    /// How long it may be silent.
    pub session_timeout: Duration,
    /// How long a rebalance may wait for it.
    pub rebalance_timeout: Duration,
    /// What kind of group it wants to join.
    pub protocol_type: ProtocolType,
    /// What it offers, most wanted first.
    pub protocols: Arc<[OfferedProtocol]>,
    /// Whether ids are handed out first.
    pub handshake: IdHandshake,
    /// Whether it can lead without making a plan.
    pub skip_assignment: SkipAssignment,
    /// Only a divvy member says: the modules that it can run.
    pub modules: Option<Vec<ModuleOffer>>,
    /// Why it joins, for the log (KIP-800).
    pub reason: Option<String>,
}

/// SyncGroup.
#[derive(Clone, Debug)]
pub struct SyncRequest {
    /// Who asks.
    pub member: MemberId,
    /// Its lasting name, if it has one.
    pub instance: Option<InstanceId>,
    /// The generation it was told.
    pub generation: Generation,
    /// From v5 on: what it believes the group's type is.
    pub protocol_type: Option<ProtocolType>,
    /// From v5 on: the protocol it was told.
    pub protocol: Option<Protocol>,
    /// The leader's result; a follower's is empty.
    pub result: LeaderResult,
}

/// What a leader brings.
#[derive(Clone, Debug)]
pub enum LeaderResult {
    /// The members' states.
    Plan {
        /// A state for each member.
        states: Vec<(MemberId, Bytes)>,
        /// Where the plan came from; only a divvy leader says.
        origin: Option<PlanOrigin>,
    },
    /// There is no plan (the proposal: a leader may transmit an error).
    Error(Fault),
}

/// Where a plan came from, as its leader says.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct PlanOrigin {
    /// The module that made it; none for the host's own range.
    pub digest: Option<Digest>,
    /// The group settings it was made with.
    pub settings_hash: u64,
    /// The topics it was made for, with their numbers of partitions.
    pub topics: Vec<(TopicName, u32)>,
    /// How many members each partition goes to; 1 for all but redundant strategies.
    pub copies: u16,
    /// Whether every partition must have an owner.
    pub complete: bool,
    /// How members hand over under its protocol; one of Kafka's names says it better.
    pub mode: Mode,
    /// The wall clock that the module was told; none if nobody else can ask it the same.
    pub asked_ms: Option<i64>,
    /// What the strategy wants to remember until its next call.
    pub memo: Option<Bytes>,
    /// The failure that this plan stands in for.
    pub fault: Option<Fault>,
}

/// A strategy that failed: what, and why.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Fault {
    /// The protocol whose module failed.
    pub protocol: Protocol,
    /// The module that failed.
    pub digest: Option<Digest>,
    /// The kind, by name: `trap`, `deadline`, `invalid_assignment` …
    pub kind: String,
    /// What happened, for people.
    pub message: String,
}

/// Heartbeat.
#[derive(Clone, Debug)]
pub struct HeartbeatRequest {
    /// Who is alive.
    pub member: MemberId,
    /// Its lasting name, if it has one.
    pub instance: Option<InstanceId>,
    /// The generation it works in.
    pub generation: Generation,
    /// Only a divvy member, when they changed: the protocols that it would offer now, with their modules, most wanted first.
    pub modules: Option<Vec<ModuleOffer>>,
    /// Only a divvy member: so long the answer may wait for something to happen.
    pub wait: Option<Duration>,
}

/// LeaveGroup: one member before v3, a list later.
#[derive(Clone, Debug)]
pub struct LeaveRequest {
    /// Who leaves.
    pub members: Vec<Leaver>,
}

/// One entry of LeaveGroup.
#[derive(Clone, Debug)]
pub struct Leaver {
    /// Its id.
    pub member: MemberId,
    /// Its lasting name, if it has one.
    pub instance: Option<InstanceId>,
    /// Why, for the log.
    pub reason: Option<String>,
}

/// OffsetCommit. The edge has already answered for topics that do not exist.
#[derive(Clone, Debug)]
pub struct CommitRequest {
    /// Empty: a client that is no member.
    pub member: MemberId,
    /// Its lasting name, if it has one.
    pub instance: Option<InstanceId>,
    /// -1: a client that is no member.
    pub generation: Generation,
    /// How long the offsets are kept, if the client says (v2 to v4); else the operator's retention holds.
    pub retention: Option<Duration>,
    /// What to commit.
    pub offsets: Vec<CommittedOffset>,
}

/// An offset that a group has come to.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct CommittedOffset {
    /// The topic.
    pub topic: TopicName,
    /// The partition.
    pub partition: i32,
    /// The next offset to read.
    pub offset: i64,
    /// The leader epoch of the last record read, or -1.
    pub leader_epoch: i32,
    /// A note of the client's.
    pub metadata: String,
}

/// OffsetFetch of one group.
#[derive(Clone, Debug)]
pub struct FetchRequest {
    /// What is asked for; none asks for everything.
    pub partitions: Option<Vec<(TopicName, Vec<i32>)>>,
}

/// OffsetDelete. The edge has already answered for partitions that do not exist.
#[derive(Clone, Debug)]
pub struct DeleteOffsetsRequest {
    /// What is to be forgotten.
    pub partitions: Vec<(TopicName, i32)>,
}

/// How a piece of work ended.
#[derive(Clone, Debug)]
pub enum WorkOutcome {
    /// The plan's verdict: fine, or the rule it breaks.
    PlanChecked(Result<Checked, String>),
    /// The coordinator's own plan, or why there is none.
    PlanMade(Result<MadePlan, Fault>),
    /// The fingerprint of what a plan would be made from now.
    PlanReviewed(u64),
    /// How many partitions a plan took from who had them; none if its states cannot be read.
    PlansCompared(Option<u32>),
}

/// What is to be said of a plan that keeps the rules.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Checked {
    /// What it was held against.
    pub by: CheckedBy,
    /// A topic that is not what the plan was made for: its leader asked before that changed.
    pub outdated: Option<TopicName>,
}

/// What a plan was held against.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum CheckedBy {
    /// The rules that every plan keeps. The coordinator does not have its module.
    #[default]
    NativeRules,
    /// These, and the module's own check.
    Module,
}

impl CheckedBy {
    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            CheckedBy::NativeRules => "native rules",
            CheckedBy::Module => "native rules and the module's own check",
        }
    }
}

/// A plan of the coordinator's own.
#[derive(Clone, Debug)]
pub struct MadePlan {
    /// What made it, for people, if that was not the protocol's own module.
    pub served_by: Option<String>,
    /// A state for each member.
    pub states: Vec<(MemberId, Bytes)>,
    /// Where the plan came from, and what failed if it stands in for another.
    pub origin: Box<PlanOrigin>,
    /// What it was made from, as a number: module, configuration, topics and racks.
    pub fingerprint: u64,
    /// When its strategy wants to be called again although nothing changed.
    pub call_again: Option<Duration>,
    /// How the names of the files begin to which its calls were recorded, if they were.
    pub captured: Option<String>,
}
