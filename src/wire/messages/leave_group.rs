//! LeaveGroup: one member before version 3, a list from there on.

use crate::wire::{ErrorCode, Text};

message! {
    /// Takes members out of a group.
    message LeaveGroupRequest {
        /// The group.
        group_id: Text, since 0;
        /// Who leaves.
        member_id: Text, since 0 until 2;
        /// Who leave.
        members: Vec<MemberIdentity>, since 3;
    }

    /// A member that leaves.
    part MemberIdentity {
        /// Its id; empty if the lasting name counts.
        member_id: Text, since 3;
        /// Its lasting name.
        group_instance_id: Option<Text>, since 3;
        /// Why (KIP-800).
        reason: Option<Text>, since 5;
    }

    /// Who has left.
    message LeaveGroupResponse {
        /// How long the request was held back because of a quota.
        throttle_time_ms: i32, since 1;
        /// 0, or why not.
        error_code: ErrorCode, since 0;
        /// One answer for each member.
        members: Vec<MemberResponse>, since 3;
    }

    /// The answer for one member.
    part MemberResponse {
        /// Its id, as it was sent.
        member_id: Text, since 3;
        /// Its lasting name, as it was sent.
        group_instance_id: Option<Text> = Some(Text::default()), since 3;
        /// 0, or why not.
        error_code: ErrorCode, since 3;
    }
}
