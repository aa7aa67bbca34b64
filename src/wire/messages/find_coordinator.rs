//! FindCoordinator: which node coordinates a group; one before version 4, a list from there on.

use crate::wire::{ErrorCode, Text};

message! {
    /// Asks who coordinates.
    message FindCoordinatorRequest {
        /// The group.
        key: Text, since 0 until 3;
        /// What the key names: 0 a group, 1 a transaction, 2 a share group.
        key_type: i8, since 1;
        /// The groups.
        coordinator_keys: Vec<Text>, since 4;
    }

    /// Who coordinates.
    message FindCoordinatorResponse {
        /// How long the request was held back because of a quota.
        throttle_time_ms: i32, since 1;
        /// 0, or why not.
        error_code: ErrorCode, since 0 until 3;
        /// Why not, for people.
        error_message: Option<Text> = Some(Text::default()), since 1 until 3;
        /// The coordinator's node id.
        node_id: i32, since 0 until 3;
        /// Where it is reached.
        host: Text, since 0 until 3;
        /// On which port.
        port: i32, since 0 until 3;
        /// One answer for each key.
        coordinators: Vec<Coordinator>, since 4;
    }

    /// Who coordinates a group.
    part Coordinator {
        /// The group.
        key: Text, since 4;
        /// The coordinator's node id.
        node_id: i32, since 4;
        /// Where it is reached.
        host: Text, since 4;
        /// On which port.
        port: i32, since 4;
        /// 0, or why not.
        error_code: ErrorCode, since 4;
        /// Why not, for people.
        error_message: Option<Text> = Some(Text::default()), since 4;
    }
}
