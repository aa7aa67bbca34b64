//! FindCoordinator: every group's coordinator is this server.

use super::text;
use crate::server::Handle;
use crate::server::topics::COORDINATOR_NODE;
use crate::wire::messages::find_coordinator::Coordinator;
use crate::wire::messages::{FindCoordinatorRequest, FindCoordinatorResponse};
use crate::wire::{ErrorCode, Text};

/// The only kind of key whose coordinator we are; the others are transactions and share groups.
const GROUP: i8 = 0;

/// The answer: one key up to v3, several from v4 on.
pub(crate) fn answer(request: &FindCoordinatorRequest, version: i16, handle: &Handle) -> FindCoordinatorResponse {
    let refused = (request.key_type != GROUP).then(|| {
        let kind = request.key_type;
        Text::from(format!("divvy coordinates groups (key type 0), not keys of type {kind}"))
    });
    if version >= 4 {
        let of = |key: &Text| coordinator(key, refused.clone(), handle);
        let coordinators = request.coordinator_keys.iter().map(of).collect();
        return FindCoordinatorResponse { coordinators, ..Default::default() };
    }
    let found = coordinator(&request.key, refused, handle);
    FindCoordinatorResponse {
        error_code: found.error_code,
        error_message: found.error_message,
        node_id: found.node_id,
        host: found.host,
        port: found.port,
        ..Default::default()
    }
}

fn coordinator(key: &Text, refused: Option<Text>, handle: &Handle) -> Coordinator {
    let key = text(key.as_str());
    match refused {
        None => {
            let (host, port) = handle.advertised();
            let error_message = None;
            Coordinator { key, node_id: COORDINATOR_NODE, host, port, error_code: ErrorCode::None, error_message }
        }
        Some(reason) => Coordinator {
            key,
            node_id: -1,
            host: Text::default(),
            port: -1,
            error_code: ErrorCode::InvalidRequest,
            error_message: Some(reason),
        },
    }
}
