//! Heartbeat.

use std::time::Duration;

use super::Peer;
use crate::group::event::{HeartbeatRequest, ModuleOffer};
use crate::ids::{Generation, GroupId, InstanceId};
use crate::wire::ErrorCode;
use crate::wire::messages;

/// The event's content. `modules` and `wait` are those of divvy's tagged field.
pub(crate) fn ask(
    request: &messages::HeartbeatRequest,
    modules: Option<Vec<ModuleOffer>>,
    wait: Option<Duration>,
    peer: &mut Peer,
) -> (GroupId, HeartbeatRequest) {
    let heartbeat = HeartbeatRequest {
        member: peer.member(&request.member_id),
        instance: request.group_instance_id.as_deref().map(InstanceId::from),
        generation: Generation(request.generation_id),
        modules,
        wait,
    };
    (peer.group(&request.group_id), heartbeat)
}

/// The answer.
pub(crate) fn answer(error_code: ErrorCode) -> messages::HeartbeatResponse {
    messages::HeartbeatResponse { error_code, ..Default::default() }
}
