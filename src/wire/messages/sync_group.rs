//! SyncGroup: the leader brings the states, each member gets its own.
//!
//! Version 0 is the proposal's format.

use bytes::Bytes;

use crate::wire::{ErrorCode, Text};

message! {
    /// Brings the leader's plan, and asks for the member's state.
    message SyncGroupRequest {
        /// The group.
        group_id: Text, since 0;
        /// The generation that the member was told.
        generation_id: i32, since 0;
        /// The member's id.
        member_id: Text, since 0;
        /// Its lasting name.
        group_instance_id: Option<Text>, since 3;
        /// What it believes the group's type is.
        protocol_type: Option<Text>, since 5;
        /// The protocol that it was told.
        protocol_name: Option<Text>, since 5;
        /// The leader's states; a follower sends none.
        assignments: Vec<SyncGroupRequestAssignment>, since 0;
    }

    /// The state of one member.
    part SyncGroupRequestAssignment {
        /// The member's id.
        member_id: Text, since 0;
        /// Its state.
        assignment: Bytes, since 0;
    }

    /// The member's state.
    message SyncGroupResponse {
        /// How long the request was held back because of a quota.
        throttle_time_ms: i32, since 1;
        /// 0, or why not.
        error_code: ErrorCode, since 0;
        /// The group's type.
        protocol_type: Option<Text>, since 5;
        /// The protocol.
        protocol_name: Option<Text>, since 5;
        /// The state.
        assignment: Bytes, since 0;
    }
}
