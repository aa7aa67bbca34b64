//! SyncGroup.

use bytes::Bytes;

use super::{Peer, text};
use crate::group::effects::SyncReply;
use crate::group::event::{Fault, LeaderResult, PlanOrigin, SyncRequest};
use crate::ids::{Generation, GroupId, InstanceId, Protocol, ProtocolType};
use crate::wire::divvy::{FaultTag, StandInTag, SyncRequestTag, SyncResponseTag};
use crate::wire::messages::sync_group::SyncGroupRequestAssignment;
use crate::wire::messages::{SyncGroupRequest, SyncGroupResponse};
use crate::wire::{ErrorCode, Tags};

/// From v5 on both names are mandatory; without them the group is not asked. This is the answer then.
pub(crate) fn refusal(request: &SyncGroupRequest, version: i16) -> Option<SyncGroupResponse> {
    let incomplete = version >= 5 && (request.protocol_type.is_none() || request.protocol_name.is_none());
    let error_code = ErrorCode::InconsistentGroupProtocol;
    incomplete.then(|| SyncGroupResponse { error_code, ..Default::default() })
}

/// The event's content. `divvy` is divvy's tagged field.
pub(crate) fn ask(
    request: &SyncGroupRequest,
    divvy: Option<SyncRequestTag>,
    peer: &mut Peer,
) -> (GroupId, SyncRequest) {
    let state = |it: &SyncGroupRequestAssignment| {
        // A copy: the state is kept for longer than the request, and a view would keep the whole request.
        (it.member_id.as_str().into(), Bytes::copy_from_slice(&it.assignment))
    };
    let result = match divvy {
        Some(tag) if tag.failed => LeaderResult::Error(tag.fault.map(fault).unwrap_or_else(|| unnamed(request))),
        divvy => {
            let states = request.assignments.iter().map(state).collect();
            LeaderResult::Plan { states, origin: divvy.map(origin) }
        }
    };
    let sync = SyncRequest {
        member: peer.member(&request.member_id),
        instance: request.group_instance_id.as_deref().map(InstanceId::from),
        generation: Generation(request.generation_id),
        protocol_type: request.protocol_type.as_deref().map(ProtocolType::from),
        protocol: request.protocol_name.as_deref().map(Protocol::from),
        result,
    };
    (peer.group(&request.group_id), sync)
}

fn origin(tag: SyncRequestTag) -> PlanOrigin {
    PlanOrigin {
        digest: tag.digest,
        settings_hash: tag.settings_hash,
        topics: tag.topics,
        copies: tag.copies,
        complete: tag.complete,
        mode: tag.mode,
        asked_ms: tag.asked_ms,
        memo: tag.memo,
        fault: tag.fault.map(fault),
    }
}

fn fault(tag: FaultTag) -> Fault {
    Fault { protocol: tag.protocol, digest: tag.digest, kind: tag.kind, message: tag.message }
}

/// A leader that has no plan and does not say why.
fn unnamed(request: &SyncGroupRequest) -> Fault {
    let protocol = request.protocol_name.as_deref().map(Protocol::from).unwrap_or_default();
    Fault { protocol, digest: None, kind: "unknown".to_owned(), message: "the leader gave no reason".to_owned() }
}

/// The answer.
pub(crate) fn answer(reply: SyncReply, presents_as_kafka: bool) -> SyncGroupResponse {
    let mut tags = Tags::default();
    let stand_in = reply.stand_in.map(|it| StandInTag { by: it.by, reason: it.reason });
    if !presents_as_kafka && (reply.reason.is_some() || stand_in.is_some()) {
        SyncResponseTag { reason: reply.reason.unwrap_or_default(), stand_in }.put(&mut tags);
    }
    SyncGroupResponse {
        error_code: reply.error,
        protocol_type: reply.protocol_type.as_ref().map(text),
        protocol_name: reply.protocol.as_ref().map(text),
        assignment: reply.state,
        tags,
        ..Default::default()
    }
}
