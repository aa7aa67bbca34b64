//! Heartbeat: a member says that it is alive and learns of a rebalance.

use crate::wire::{ErrorCode, Text};

message! {
    /// Says that a member is alive.
    message HeartbeatRequest {
        /// The group.
        group_id: Text, since 0;
        /// The generation that the member works in.
        generation_id: i32, since 0;
        /// Its id.
        member_id: Text, since 0;
        /// Its lasting name.
        group_instance_id: Option<Text>, since 3;
    }

    /// Whether it may go on.
    message HeartbeatResponse {
        /// How long the request was held back because of a quota.
        throttle_time_ms: i32, since 1;
        /// 0, or why not.
        error_code: ErrorCode, since 0;
    }
}
