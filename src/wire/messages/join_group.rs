//! JoinGroup: a member offers its protocols; when all have, each learns the generation and the leader.
//!
//! Version 0 is the proposal's format.

use bytes::Bytes;

use crate::wire::{ErrorCode, Text};

message! {
    /// Asks to be in the group's next generation.
    message JoinGroupRequest {
        /// The group.
        group_id: Text, since 0;
        /// How long the member may be silent.
        session_timeout_ms: i32, since 0;
        /// How long a rebalance may wait for it; -1, as in version 0: as long as the session.
        rebalance_timeout_ms: i32 = -1, since 1;
        /// The member's id; empty for a newcomer.
        member_id: Text, since 0;
        /// The name that the process keeps over restarts (KIP-345).
        group_instance_id: Option<Text>, since 5;
        /// What kind of group.
        protocol_type: Text, since 0;
        /// What the member offers, most wanted first.
        protocols: Vec<JoinGroupRequestProtocol>, since 0;
        /// Why it joins (KIP-800).
        reason: Option<Text>, since 8;
    }

    /// One protocol that a member offers.
    part JoinGroupRequestProtocol {
        /// Its name.
        name: Text, since 0;
        /// What the member says of itself under it.
        metadata: Bytes, since 0;
    }

    /// The generation and its leader.
    message JoinGroupResponse {
        /// How long the request was held back because of a quota.
        throttle_time_ms: i32, since 2;
        /// 0, or why not.
        error_code: ErrorCode, since 0;
        /// The generation, or -1.
        generation_id: i32 = -1, since 0;
        /// What kind of group.
        protocol_type: Option<Text>, since 7;
        /// The protocol chosen; before version 7 an error carries the empty text.
        protocol_name: Option<Text> = Some(Text::default()), since 0, null since 7;
        /// The leader's id.
        leader: Text, since 0;
        /// Whether the leader leaves the plan as it is (KIP-814).
        skip_assignment: bool, since 9;
        /// The member's id.
        member_id: Text, since 0;
        /// All members, for the leader alone.
        members: Vec<JoinGroupResponseMember>, since 0;
    }

    /// A member, as its leader sees it.
    part JoinGroupResponseMember {
        /// Its id.
        member_id: Text, since 0;
        /// Its lasting name.
        group_instance_id: Option<Text>, since 5;
        /// What it says of itself under the protocol chosen.
        metadata: Bytes, since 0;
    }
}
