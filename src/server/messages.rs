//! What a shard is told.

use std::sync::Arc;

use tokio::sync::oneshot;

use super::connection::Connection;
use super::memory::Held;
use crate::coordinator::SettingsBook;
use crate::group::event::{
    CommitRequest, DeleteOffsetsRequest, FetchRequest, HeartbeatRequest, JoinRequest, LeaveRequest, ModuleOffer,
    SyncRequest,
};
use crate::group::{
    Event, GenerationRecord, GroupDescription, GroupLimits, GroupSummary, Record, Seq, Ticket, WorkId, WorkOutcome,
};
use crate::ids::{GroupId, TopicName};
use crate::store::StoreError;
use crate::time::WallTime;

/// One entry of a shard's queue. The queue has no bound of its own: connections, their open requests and the bytes of
/// both have.
pub(crate) enum ToShard {
    /// All requests of one socket read, and the memory that they count for until they are handled.
    Requests(Arc<Connection>, Requests, Held),
    /// Nobody waits for these any more.
    Gone(Vec<Ticket>),
    /// All groups of this shard, as they were stored.
    Loaded(Vec<(GroupId, Vec<Record>)>),
    /// These records are durable.
    Stored(Vec<(GroupId, Seq)>),
    /// The last records of these groups may not be durable.
    StoreFailed(Vec<GroupId>),
    /// The store refuses what is written, or takes it again.
    StoreRefuses(bool),
    /// A group as it was stored.
    Reloaded(GroupId, Result<Vec<Record>, StoreError>),
    /// Work is done.
    WorkDone(GroupId, WorkId, WorkOutcome),
    /// These topics were deleted, which is durable: their offsets go, too; with a time, those that were committed by
    /// then.
    TopicsRemoved(Vec<TopicName>, Option<WallTime>),
    /// Topics, racks or the coordinator's own modules, which these are, may have changed.
    GroundChanged(Arc<[ModuleOffer]>),
    /// The operator has other limits and settings.
    Reconfigured(Box<(GroupLimits, SettingsBook)>),
    /// Somebody wants to see groups.
    Ask(Question),
    /// Everything told before is to be done and stored.
    Flush(oneshot::Sender<()>),
}

/// The requests of one socket read; one alone needs no list.
pub(crate) enum Requests {
    /// One.
    One(Request),
    /// Several, in order.
    Many(Vec<Request>),
}

/// A request to a group.
pub(crate) struct Request {
    /// Its place among the connection's answers.
    pub(crate) place: u64,
    /// Which part of that answer: 0 unless the request is about several groups.
    pub(crate) part: u32,
    /// The group.
    pub(crate) group: GroupId,
    /// What it asks.
    pub(crate) what: Pending,
}

/// An event that lacks only its ticket.
pub(crate) enum Pending {
    /// JoinGroup.
    Join(Box<JoinRequest>),
    /// SyncGroup.
    Sync(Box<SyncRequest>),
    /// Heartbeat.
    Heartbeat(HeartbeatRequest),
    /// LeaveGroup.
    Leave(LeaveRequest),
    /// OffsetCommit.
    Commit(CommitRequest),
    /// OffsetFetch.
    Fetch(FetchRequest),
    /// DeleteGroups, for one group.
    DeleteGroup,
    /// OffsetDelete.
    DeleteOffsets(DeleteOffsetsRequest),
}

impl Pending {
    /// The event.
    pub(crate) fn with(self, ticket: Ticket) -> Event {
        match self {
            Pending::Join(it) => Event::Join(ticket, *it),
            Pending::Sync(it) => Event::Sync(ticket, *it),
            Pending::Heartbeat(it) => Event::Heartbeat(ticket, it),
            Pending::Leave(it) => Event::Leave(ticket, it),
            Pending::Commit(it) => Event::Commit(ticket, it),
            Pending::Fetch(it) => Event::Fetch(ticket, it),
            Pending::DeleteGroup => Event::DeleteGroup(ticket),
            Pending::DeleteOffsets(it) => Event::DeleteOffsets(ticket, it),
        }
    }
}

/// What somebody wants to see.
pub(crate) enum Question {
    /// A line for each group.
    List(oneshot::Sender<Result<Vec<GroupSummary>, Loading>>),
    /// One group whole; none if it does not exist.
    Describe(GroupId, oneshot::Sender<Result<Option<GroupDescription>, Loading>>),
    /// The last generations of a group; none if it does not exist.
    History(GroupId, oneshot::Sender<Result<Option<Vec<GenerationRecord>>, Loading>>),
    /// All groups whole.
    DescribeAll(oneshot::Sender<Result<Vec<GroupDescription>, Loading>>),
    /// How far the groups of this shard have come with a topic: the highest commit of each partition that has one.
    Ends(TopicName, oneshot::Sender<Vec<(i32, i64)>>),
    /// How far one group has come with topics; nothing of a group that is not there.
    Committed(GroupId, Vec<TopicName>, oneshot::Sender<Vec<TopicOffsets>>),
}

/// An offset of some partitions of a topic.
pub(crate) type TopicOffsets = (TopicName, Vec<(i32, i64)>);

/// The shard is still being loaded.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Loading;
