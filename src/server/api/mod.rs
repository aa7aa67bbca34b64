//! One file for each kind of request: its version in, an event or an answer out. API versions stop here.

pub(crate) mod api_versions;
pub(crate) mod create_partitions;
pub(crate) mod create_topics;
pub(crate) mod delete_groups;
pub(crate) mod delete_topics;
pub(crate) mod describe_cluster;
pub(crate) mod describe_configs;
pub(crate) mod describe_groups;
pub(crate) mod fetch;
pub(crate) mod find_coordinator;
pub(crate) mod heartbeat;
pub(crate) mod join_group;
pub(crate) mod leave_group;
pub(crate) mod list_groups;
pub(crate) mod list_offsets;
pub(crate) mod metadata;
pub(crate) mod offset_commit;
pub(crate) mod offset_delete;
pub(crate) mod offset_fetch;
mod partitions;
pub(crate) mod produce;
pub(crate) mod sync_group;
pub(crate) mod txn_offset_commit;

use std::net::IpAddr;
use std::sync::Arc;

use bytes::BytesMut;

use super::Handle;
use super::limits::UNKNOWN_ANSWER_BYTES;
use crate::group::effects::{FetchedOffset, JoinedMember};
use crate::group::{Reply, Ticket};
use crate::ids::{GroupId, InstanceId, MemberId, TopicName};
use crate::wire::frame::put_response;
use crate::wire::{ApiKey, EncodeError, ErrorCode, Problem, Text};

/// The other side of a connection, as its reader knows it.
pub(crate) struct Peer {
    host: IpAddr,
    /// Both as its members have them, once there are some.
    host_name: Option<Arc<str>>,
    client: Option<Arc<str>>,
    /// The ids of its last request: a member says the same ones with every heartbeat, and needs no copy of them.
    group: GroupId,
    member: MemberId,
}

impl Peer {
    /// A peer that has said nothing yet.
    pub(crate) fn new(host: IpAddr) -> Self {
        Self { host, host_name: None, client: None, group: GroupId::default(), member: MemberId::default() }
    }

    /// Its address, as groups show it.
    pub(crate) fn host(&mut self) -> Arc<str> {
        self.host_name.get_or_insert_with(|| Arc::from(self.host.to_string())).clone()
    }

    /// What its client calls itself.
    pub(crate) fn client(&mut self, name: &str) -> Arc<str> {
        match &self.client {
            Some(client) if **client == *name => client.clone(),
            _ => self.client.insert(Arc::from(name)).clone(),
        }
    }

    /// The group of that id.
    pub(crate) fn group(&mut self, id: &str) -> GroupId {
        if self.group != *id {
            self.group = GroupId::from(id);
        }
        self.group.clone()
    }

    /// The member of that id.
    pub(crate) fn member(&mut self, id: &str) -> MemberId {
        if self.member != *id {
            self.member = MemberId::from(id);
        }
        self.member.clone()
    }
}

/// What a request's answer has to look like.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Shape {
    /// The request's number, which comes back with the answer.
    pub(crate) correlation_id: i32,
    /// The request's version.
    pub(crate) version: i16,
}

/// A request that shards were asked about.
pub(crate) struct Asked {
    shape: Shape,
    frame: Frame,
    replies: Replies,
    /// Where shards keep it: their numbers and tickets.
    pub(crate) parked: Vec<(usize, Ticket)>,
}

/// What is known of the answer beforehand.
pub(crate) enum Frame {
    /// Nothing.
    Plain,
    /// Nothing; it waits for what other members do.
    Waits,
    /// The partitions asked for, some with their answer already.
    Commit(Box<partitions::Asked>),
    /// The groups asked for.
    Fetch(Box<offset_fetch::Asked>),
    /// The groups to delete.
    DeleteGroups(Box<delete_groups::Asked>),
    /// The partitions to forget, some with their answer already.
    OffsetDelete(Box<partitions::Asked>),
}

#[cfg(test)]
impl Frame {
    /// Of an OffsetFetch that names no group.
    pub(crate) fn fetch_of_nothing() -> Self {
        Self::Fetch(Box::default())
    }
}

enum Replies {
    One(Option<Reply>),
    Many(Vec<Option<Reply>>),
}

impl Asked {
    /// A request that becomes one event.
    pub(crate) fn one(shape: Shape, frame: Frame) -> Self {
        Self { shape, frame, replies: Replies::One(None), parked: Vec::new() }
    }

    /// Whether it waits for what other members do.
    pub(crate) fn waits_for_others(&self) -> bool {
        matches!(self.frame, Frame::Waits)
    }

    /// A request that becomes several events.
    pub(crate) fn many(shape: Shape, frame: Frame, parts: usize) -> Self {
        Self { shape, frame, replies: Replies::Many(vec![None; parts]), parked: Vec::new() }
    }

    /// Takes a reply. True when it was the last.
    pub(crate) fn fill(&mut self, part: u32, reply: Reply) -> bool {
        match &mut self.replies {
            Replies::One(place) => *place = Some(reply),
            Replies::Many(places) => {
                if let Some(place) = places.get_mut(part as usize) {
                    *place = Some(reply);
                }
            }
        }
        self.whole()
    }

    /// Whether all replies are there.
    pub(crate) fn whole(&self) -> bool {
        match &self.replies {
            Replies::One(reply) => reply.is_some(),
            Replies::Many(replies) => replies.iter().all(Option::is_some),
        }
    }

    /// About how much memory the answer takes, as far as it is known.
    pub(crate) fn bytes(&self) -> usize {
        let known = match &self.frame {
            Frame::Plain | Frame::Waits => 0,
            Frame::Commit(asked) => asked.bytes(),
            Frame::Fetch(asked) => asked.bytes(),
            Frame::DeleteGroups(asked) => asked.bytes(),
            Frame::OffsetDelete(asked) => asked.bytes(),
        };
        known
            + match &self.replies {
                Replies::One(reply) => reply.as_ref().map_or(0, reply_bytes),
                Replies::Many(replies) => {
                    replies.iter().map(|reply| reply.as_ref().map_or(UNKNOWN_ANSWER_BYTES, reply_bytes)).sum()
                }
            }
    }

    /// Writes the answer.
    pub(crate) fn encode(self, handle: &Handle, to: &mut BytesMut) -> Result<(), EncodeError> {
        let Shape { correlation_id, version } = self.shape;
        match (self.frame, self.replies) {
            (Frame::Plain | Frame::Waits, Replies::One(Some(reply))) => encode_plain(self.shape, reply, handle, to),
            (Frame::Commit(asked), Replies::One(Some(Reply::Commit(results)))) => {
                results.iter().for_each(|(_, _, error)| handle.metrics().error(ApiKey::OffsetCommit, *error));
                put_response(to, version, correlation_id, &offset_commit::answer(*asked, &results, version))
            }
            (Frame::Fetch(asked), Replies::Many(replies)) => {
                let replies: Vec<Reply> = replies.into_iter().flatten().collect();
                for reply in &replies {
                    if let Reply::Fetch(Err(error)) = reply {
                        handle.metrics().error(ApiKey::OffsetFetch, *error);
                    }
                }
                put_response(to, version, correlation_id, &offset_fetch::answer(*asked, replies, version))
            }
            (Frame::DeleteGroups(asked), Replies::Many(replies)) => {
                let replies: Vec<Reply> = replies.into_iter().flatten().collect();
                let answer = delete_groups::answer(&asked, &replies);
                answer.results.iter().for_each(|it| handle.metrics().error(ApiKey::DeleteGroups, it.error_code));
                put_response(to, version, correlation_id, &answer)
            }
            (Frame::OffsetDelete(asked), Replies::One(Some(Reply::DeleteOffsets(reply)))) => {
                let each = reply.partitions.iter().map(|(_, _, error)| *error);
                each.chain([reply.error]).for_each(|error| handle.metrics().error(ApiKey::OffsetDelete, error));
                put_response(to, version, correlation_id, &offset_delete::answer(*asked, &reply))
            }
            _ => Err(mismatch()),
        }
    }
}

/// Metadata and states are the group's own bytes, not copies.
fn reply_bytes(reply: &Reply) -> usize {
    match reply {
        Reply::Join(reply) => reply.members.len() * size_of::<JoinedMember>(),
        Reply::Fetch(Ok(offsets)) => {
            offsets.iter().map(|it| size_of::<FetchedOffset>() + it.offset.metadata.len()).sum()
        }
        Reply::Commit(results) => results.len() * size_of::<(TopicName, i32, ErrorCode)>(),
        Reply::Leave(reply) => reply.members.len() * size_of::<(MemberId, Option<InstanceId>, ErrorCode)>(),
        Reply::DeleteOffsets(reply) => reply.partitions.len() * size_of::<(TopicName, i32, ErrorCode)>(),
        Reply::Heartbeat(_) | Reply::Sync(_) | Reply::Fetch(Err(_)) | Reply::DeleteGroup(_) => 0,
    }
}

fn encode_plain(shape: Shape, reply: Reply, handle: &Handle, to: &mut BytesMut) -> Result<(), EncodeError> {
    let Shape { correlation_id: id, version } = shape;
    let as_kafka = handle.presents_as_kafka();
    match reply {
        Reply::Heartbeat(error) => {
            handle.metrics().error(ApiKey::Heartbeat, error);
            put_response(to, version, id, &heartbeat::answer(error))
        }
        Reply::Join(reply) => {
            handle.metrics().error(ApiKey::JoinGroup, reply.error);
            put_response(to, version, id, &join_group::answer(reply, version, as_kafka))
        }
        Reply::Sync(reply) => {
            handle.metrics().error(ApiKey::SyncGroup, reply.error);
            put_response(to, version, id, &sync_group::answer(reply, as_kafka))
        }
        Reply::Leave(reply) => {
            handle.metrics().error(ApiKey::LeaveGroup, reply.error);
            put_response(to, version, id, &leave_group::answer(reply, version))
        }
        Reply::Commit(_) | Reply::Fetch(_) | Reply::DeleteGroup(_) | Reply::DeleteOffsets(_) => Err(mismatch()),
    }
}

/// A group answers each event in its own kind; another kind would be a bug, and ends one connection.
fn mismatch() -> EncodeError {
    EncodeError { field: "the group's reply is of another kind", problem: Problem::Null }
}

/// A text of an id.
pub(crate) fn text(id: &(impl AsRef<str> + ?Sized)) -> Text {
    Text::from(id.as_ref())
}

#[cfg(test)]
mod tests;
