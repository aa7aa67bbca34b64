//! Answers that need no group: an id that is not legal, a group that is not here, a group that is being read.

use bytes::Bytes;

use crate::group::Effects;
use crate::group::effects::{DeleteOffsetsReply, FetchedOffset, LeaveReply, Reply, SyncReply};
use crate::group::event::{Event, FetchRequest, Ticket};
use crate::ids::GroupId;
use crate::wire::ErrorCode;

/// Only offsets may be kept under an empty group id (KAFKA-6773).
pub(super) fn bad_group_id(group: &GroupId, event: &Event) -> Option<Effects> {
    let needs_id = matches!(
        event,
        Event::Join(..) | Event::Sync(..) | Event::Heartbeat(..) | Event::Leave(..) | Event::DeleteOffsets(..)
    );
    (needs_id && group.as_str().is_empty()).then(|| refused(event, ErrorCode::InvalidGroupId))
}

/// The answer of a group that does not exist.
pub(super) fn unknown_group(event: &Event) -> Effects {
    match event {
        Event::Join(..) | Event::Sync(..) | Event::Heartbeat(..) => refused(event, ErrorCode::UnknownMemberId),
        Event::Leave(ticket, request) => {
            let unknown = ErrorCode::UnknownMemberId;
            let members = request.members.iter().map(|it| (it.member.clone(), it.instance.clone(), unknown)).collect();
            one(*ticket, Reply::Leave(LeaveReply { error: ErrorCode::None, members }))
        }
        // From v9 on clients know 69; the edge says 22 to older ones.
        Event::Commit(..) | Event::DeleteGroup(_) | Event::DeleteOffsets(..) => {
            refused(event, ErrorCode::GroupIdNotFound)
        }
        Event::Fetch(ticket, request) => one(*ticket, Reply::Fetch(Ok(nothing_committed(request)))),
        _ => Effects::default(),
    }
}

/// The request's answer with nothing but an error.
pub(super) fn refused(event: &Event, error: ErrorCode) -> Effects {
    match event {
        Event::Join(ticket, request) => one(*ticket, crate::group::join_error(error, request.member.clone())),
        Event::Sync(ticket, _) => sync(*ticket, error),
        Event::Heartbeat(ticket, _) => heartbeat(*ticket, error),
        Event::Leave(ticket, _) => one(*ticket, Reply::Leave(LeaveReply { error, members: Vec::new() })),
        Event::Commit(ticket, request) => {
            let offsets = request.offsets.iter().map(|it| (it.topic.clone(), it.partition, error)).collect();
            one(*ticket, Reply::Commit(offsets))
        }
        Event::Fetch(ticket, _) => one(*ticket, Reply::Fetch(Err(error))),
        Event::DeleteGroup(ticket) => one(*ticket, Reply::DeleteGroup(error)),
        Event::DeleteOffsets(ticket, _) => one(*ticket, Reply::DeleteOffsets(DeleteOffsetsReply::refused(error))),
        _ => Effects::default(),
    }
}

pub(super) fn heartbeat(ticket: Ticket, error: ErrorCode) -> Effects {
    one(ticket, Reply::Heartbeat(error))
}

pub(super) fn sync(ticket: Ticket, error: ErrorCode) -> Effects {
    let (state, reason, stand_in) = (Bytes::new(), None, None);
    let reply = SyncReply { error, protocol_type: None, protocol: None, state, reason, stand_in };
    one(ticket, Reply::Sync(reply))
}

/// Whose request it is.
pub(super) fn ticket(event: &Event) -> Option<Ticket> {
    match event {
        Event::Join(ticket, _)
        | Event::Sync(ticket, _)
        | Event::Heartbeat(ticket, _)
        | Event::Leave(ticket, _)
        | Event::Commit(ticket, _)
        | Event::Fetch(ticket, _)
        | Event::DeleteGroup(ticket)
        | Event::DeleteOffsets(ticket, _) => Some(*ticket),
        _ => None,
    }
}

fn one(ticket: Ticket, reply: Reply) -> Effects {
    Effects { replies: vec![(ticket, reply)], ..Effects::default() }
}

fn nothing_committed(request: &FetchRequest) -> Vec<FetchedOffset> {
    let asked = request.partitions.iter().flatten();
    let each = asked.flat_map(|(topic, partitions)| partitions.iter().map(|partition| (topic.clone(), *partition)));
    let none = |(topic, partition)| FetchedOffset {
        offset: crate::group::no_offset(topic, partition),
        error: ErrorCode::None,
    };
    each.map(none).collect()
}
