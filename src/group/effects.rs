//! What one input caused: records to store, answers to send, work to start, facts to tell.

use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;

use super::event::{CommittedOffset, ModuleOffer, Seq, Ticket, WorkId};
use super::fact::Fact;
use super::record::{Record, StandIn, State, Suspension};
use super::settings::GroupSettings;
use crate::ids::{Digest, Generation, GroupId, InstanceId, MemberId, Mode, Protocol, ProtocolType, TopicName};
use crate::time::WallTime;
use crate::wire::ErrorCode;

/// What one input caused. The group itself holds back each answer until the records it rests on are durable,
/// so `replies` may be sent at once. `facts` may be dropped.
#[must_use]
#[derive(Debug, Default)]
pub struct Effects {
    /// To be made durable, in order. When they are, tell the group [`super::Event::Stored`] with [`Effects::upto`].
    pub records: Vec<Record>,
    /// The last record so far.
    pub upto: Seq,
    /// To be sent.
    pub replies: Vec<(Ticket, Reply)>,
    /// To be started off the shard.
    pub work: Vec<Work>,
    /// To be told: logs, metrics, history.
    pub facts: Vec<Fact>,
}

/// Work that a group asks for; its end is told with [`super::Event::WorkDone`].
#[derive(Clone, Debug)]
pub enum Work {
    /// Check a leader's plan.
    CheckPlan(WorkId, PlanToCheck),
    /// Make the plan of a generation that the coordinator leads.
    MakePlan(WorkId, PlanToMake),
    /// Tell from what it would be made now: [`super::Group::plan_to_review`], when its turn comes.
    ReviewPlan(WorkId),
    /// Count what a plan moved: [`super::count_moves`].
    ComparePlans(WorkId, PlansToCompare),
}

/// Two plans of type `consumer`, one after the other.
#[derive(Clone, Debug)]
pub struct PlansToCompare {
    /// The states of who was in the first one that are others now, each as it was and as it is; empty for who is gone.
    pub changed: Vec<(State, State)>,
    /// What each member says of the topics that it wants; none for one that says nothing.
    pub said: Vec<Option<Bytes>>,
}

impl PlansToCompare {
    /// How long all that is read is: what comparing costs.
    pub fn bytes(&self) -> usize {
        let states: usize = self.changed.iter().map(|(was, is)| was.0.len() + is.0.len()).sum();
        states + self.said.iter().flatten().map(Bytes::len).sum::<usize>()
    }
}

/// A generation that the coordinator has to plan.
#[derive(Clone, Debug)]
pub struct PlanToMake {
    /// The group.
    pub group: GroupId,
    /// What kind of group.
    pub protocol_type: ProtocolType,
    /// The protocol that its members agreed on.
    pub protocol: Protocol,
    /// The coordinator's module that serves it: of several versions under one name, this one; none: the host's own range, if
    /// that serves the protocol.
    pub assignor: Option<ModuleOffer>,
    /// What the group passes over at that time: where all can be served without it, it is not called.
    pub passed_over: Vec<Suspension>,
    /// How members hand over under that protocol; none: as the module's manifest says.
    pub mode: Option<Mode>,
    /// The generation.
    pub generation: Generation,
    /// Everybody, with the metadata of that protocol.
    pub members: Vec<JoinedMember>,
    /// What the last accepted plan's strategy wanted to remember.
    pub memo: Option<Bytes>,
    /// The operator's settings.
    pub settings: Arc<GroupSettings>,
    /// The states of the last accepted plan; none for a review.
    pub last_states: Vec<(MemberId, Bytes)>,
    /// The wall's time.
    pub now: WallTime,
    /// How long each call of a strategy may take.
    pub budget: Duration,
}

/// Who made a plan: what it may be held against.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Author {
    /// A divvy leader, which says what its plan was made for: every rule.
    #[default]
    Divvy,
    /// An unmodified client: what no member survives. Topics, copies and the rest are not said.
    Foreign,
}

/// What a module was asked when it made a plan, as far as its coordinator has it: its own check is asked the same.
#[derive(Clone, Debug)]
pub struct Asked {
    /// For which generation.
    pub generation: Generation,
    /// By which settings.
    pub settings: Arc<GroupSettings>,
    /// What it remembered.
    pub memo: Option<Bytes>,
    /// The wall clock.
    pub now_ms: i64,
    /// The members' lasting names, in the order of the members.
    pub instances: Vec<Option<InstanceId>>,
}

/// A plan as it has to be checked.
#[derive(Clone, Debug)]
pub struct PlanToCheck {
    /// Who made it.
    pub author: Author,
    /// The module that made it, if its leader said.
    pub digest: Option<Digest>,
    /// What the module was asked, beside the members' metadata; none if that is not known here.
    pub asked: Option<Box<Asked>>,
    /// What kind of group.
    pub protocol_type: ProtocolType,
    /// The protocol it was made under.
    pub protocol: Protocol,
    /// The members with their metadata of that protocol.
    pub members: Vec<(MemberId, Bytes)>,
    /// The plan.
    pub states: Vec<(MemberId, Bytes)>,
    /// The topics it was made for.
    pub topics: Vec<(TopicName, u32)>,
    /// How many members each partition goes to.
    pub copies: u16,
    /// Whether every partition must have an owner.
    pub complete: bool,
    /// How members hand over.
    pub mode: Mode,
}

impl PlanToCheck {
    /// How long metadata and states are: what a check costs.
    pub fn bytes(&self) -> usize {
        self.members.iter().chain(&self.states).map(|(_, bytes)| bytes.len()).sum()
    }
}

/// An answer.
#[derive(Clone, PartialEq, Debug)]
pub enum Reply {
    /// To JoinGroup.
    Join(JoinReply),
    /// To SyncGroup.
    Sync(SyncReply),
    /// To Heartbeat.
    Heartbeat(ErrorCode),
    /// To LeaveGroup.
    Leave(LeaveReply),
    /// To OffsetCommit: for each partition asked, in order.
    Commit(Vec<(TopicName, i32, ErrorCode)>),
    /// To OffsetFetch.
    Fetch(Result<Vec<FetchedOffset>, ErrorCode>),
    /// To DeleteGroups, for this group.
    DeleteGroup(ErrorCode),
    /// To OffsetDelete.
    DeleteOffsets(DeleteOffsetsReply),
}

/// The answer to JoinGroup.
#[derive(Clone, PartialEq, Debug)]
pub struct JoinReply {
    /// 0, or why not.
    pub error: ErrorCode,
    /// The generation joined, or -1.
    pub generation: Generation,
    /// The group's type, if it has one.
    pub protocol_type: Option<ProtocolType>,
    /// The protocol chosen.
    pub protocol: Option<Protocol>,
    /// The leader's id; empty with an error.
    pub leader: MemberId,
    /// The member's own id.
    pub member: MemberId,
    /// Whether the leader leaves the plan as it is (KIP-814).
    pub skip_assignment: bool,
    /// Everybody, for the leader alone.
    pub members: Vec<JoinedMember>,
    /// For a divvy member.
    pub divvy: Option<Box<JoinExtras>>,
}

/// A member, as its leader sees it.
#[derive(Clone, PartialEq, Debug)]
pub struct JoinedMember {
    /// Its id.
    pub id: MemberId,
    /// Its lasting name, if it has one.
    pub instance: Option<InstanceId>,
    /// What it says of itself under the chosen protocol.
    pub metadata: Bytes,
}

/// What a divvy coordinator tells a divvy member beyond Kafka's answer.
#[derive(Clone, PartialEq, Debug)]
pub struct JoinExtras {
    /// The operator's settings for the group.
    pub settings: Arc<GroupSettings>,
    /// The protocols that the vote passes over, and why.
    pub suspended: Vec<Suspension>,
    /// What the last accepted plan's strategy wanted to remember; for the leader.
    pub memo: Option<Bytes>,
}

/// The answer to SyncGroup.
#[derive(Clone, PartialEq, Debug)]
pub struct SyncReply {
    /// 0, or why not.
    pub error: ErrorCode,
    /// The group's type (v5).
    pub protocol_type: Option<ProtocolType>,
    /// The protocol (v5).
    pub protocol: Option<Protocol>,
    /// The member's state.
    pub state: Bytes,
    /// For a divvy member: why there is no state.
    pub reason: Option<String>,
    /// For a divvy member: what made the plan in place of a strategy that failed.
    pub stand_in: Option<StandIn>,
}

/// The answer to LeaveGroup.
#[derive(Clone, PartialEq, Debug)]
pub struct LeaveReply {
    /// The request's own error.
    pub error: ErrorCode,
    /// Each entry with its error, in order.
    pub members: Vec<(MemberId, Option<InstanceId>, ErrorCode)>,
}

/// The answer to OffsetDelete.
#[derive(Clone, PartialEq, Debug)]
pub struct DeleteOffsetsReply {
    /// The request's own error; with one there are no partitions.
    pub error: ErrorCode,
    /// Each partition asked about with its error, in order.
    pub partitions: Vec<(TopicName, i32, ErrorCode)>,
}

impl DeleteOffsetsReply {
    /// Nothing but an error.
    pub fn refused(error: ErrorCode) -> Self {
        Self { error, partitions: Vec::new() }
    }
}

/// One committed offset, or none (offset -1).
#[derive(Clone, PartialEq, Debug)]
pub struct FetchedOffset {
    /// What was committed; offset -1, epoch -1 and an empty note if nothing was.
    pub offset: CommittedOffset,
    /// 0, or why not.
    pub error: ErrorCode,
}
