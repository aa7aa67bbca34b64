//! LeaveGroup: one member up to v2, a list from v3 on.

use super::{Peer, text};
use crate::group::effects::LeaveReply;
use crate::group::event::{LeaveRequest, Leaver};
use crate::ids::{GroupId, InstanceId, MemberId};
use crate::wire::messages::leave_group::MemberResponse;
use crate::wire::messages::{LeaveGroupRequest, LeaveGroupResponse};

/// The event's content.
pub(crate) fn ask(request: &LeaveGroupRequest, version: i16, peer: &mut Peer) -> (GroupId, LeaveRequest) {
    let members = if version < 3 {
        vec![Leaver { member: peer.member(&request.member_id), instance: None, reason: None }]
    } else {
        let leaver = |it: &crate::wire::messages::leave_group::MemberIdentity| Leaver {
            member: it.member_id.as_str().into(),
            instance: it.group_instance_id.as_deref().map(InstanceId::from),
            reason: it.reason.as_deref().map(str::to_owned),
        };
        request.members.iter().map(leaver).collect()
    };
    (peer.group(&request.group_id), LeaveRequest { members })
}

/// The answer. Up to v2 the member's error is the request's.
pub(crate) fn answer(reply: LeaveReply, version: i16) -> LeaveGroupResponse {
    if version < 3 {
        let of_member = reply.members.first().map(|(_, _, error)| *error).filter(|_| !reply.error.is_error());
        return LeaveGroupResponse { error_code: of_member.unwrap_or(reply.error), ..Default::default() };
    }
    let member = |(member, instance, error_code): &(MemberId, Option<InstanceId>, _)| MemberResponse {
        member_id: text(member),
        group_instance_id: instance.as_ref().map(text),
        error_code: *error_code,
    };
    LeaveGroupResponse {
        error_code: reply.error,
        members: reply.members.iter().map(member).collect(),
        ..Default::default()
    }
}
