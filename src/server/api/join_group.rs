//! JoinGroup.

use std::time::Duration;

use bytes::Bytes;

use super::{Peer, text};
use crate::group::GroupSettings;
use crate::group::effects::{JoinExtras, JoinReply, JoinedMember};
use crate::group::event::{IdHandshake, JoinRequest, ModuleOffer, OfferedProtocol, SkipAssignment};
use crate::ids::{GroupId, InstanceId};
use crate::wire::divvy::JoinResponseTag;
use crate::wire::messages::join_group::{JoinGroupRequestProtocol, JoinGroupResponseMember};
use crate::wire::messages::{JoinGroupRequest, JoinGroupResponse};

/// The event's content. `modules` are those of divvy's tagged field.
pub(crate) fn ask(
    request: &JoinGroupRequest,
    version: i16,
    client_id: &str,
    modules: Option<Vec<ModuleOffer>>,
    peer: &mut Peer,
) -> (GroupId, JoinRequest) {
    // v0 has one timeout for both.
    let rebalance_timeout_ms = if version == 0 { request.session_timeout_ms } else { request.rebalance_timeout_ms };
    let protocol = |it: &JoinGroupRequestProtocol| OfferedProtocol {
        name: it.name.as_str().into(),
        // A copy: it is kept for longer than the request, and a view would keep the whole request.
        metadata: Bytes::copy_from_slice(&it.metadata),
    };
    let join = JoinRequest {
        member: peer.member(&request.member_id),
        instance: request.group_instance_id.as_deref().map(InstanceId::from),
        client_id: peer.client(client_id),
        client_host: peer.host(),
        session_timeout: milliseconds(request.session_timeout_ms),
        rebalance_timeout: milliseconds(rebalance_timeout_ms),
        protocol_type: request.protocol_type.as_str().into(),
        protocols: request.protocols.iter().map(protocol).collect(),
        skip_assignment: if version >= 9 { SkipAssignment::Understood } else { SkipAssignment::Unknown },
        handshake: if version >= 4 { IdHandshake::Required } else { IdHandshake::None },
        modules,
        reason: request.reason.as_deref().map(str::to_owned),
    };
    (peer.group(&request.group_id), join)
}

/// A negative time is none.
fn milliseconds(time: i32) -> Duration {
    Duration::from_millis(u64::try_from(time).unwrap_or(0))
}

/// The answer. Before v7 there is no null protocol.
pub(crate) fn answer(reply: JoinReply, version: i16, presents_as_kafka: bool) -> JoinGroupResponse {
    let protocol = reply.protocol.as_ref().map(text);
    let member = |it: JoinedMember| JoinGroupResponseMember {
        member_id: text(&it.id),
        group_instance_id: it.instance.as_ref().map(text),
        metadata: it.metadata,
    };
    let mut response = JoinGroupResponse {
        error_code: reply.error,
        generation_id: reply.generation.0,
        protocol_type: reply.protocol_type.as_ref().map(text),
        protocol_name: if version < 7 { Some(protocol.unwrap_or_default()) } else { protocol },
        leader: text(&reply.leader),
        skip_assignment: reply.skip_assignment,
        member_id: text(&reply.member),
        members: reply.members.into_iter().map(member).collect(),
        ..Default::default()
    };
    if let Some(extras) = reply.divvy.filter(|_| !presents_as_kafka) {
        tag(&extras).put(&mut response.tags);
    }
    response
}

fn tag(extras: &JoinExtras) -> JoinResponseTag {
    let settings = extras.settings.json();
    let suspended = extras.suspended.iter();
    JoinResponseTag {
        settings_hash: GroupSettings::hash_of(&settings),
        settings,
        suspended: suspended.map(|it| (it.protocol.clone(), it.until.0, it.reason.clone())).collect(),
        memo: extras.memo.clone(),
    }
}
