//! DescribeGroups: all of some groups.

use bytes::Bytes;

use crate::wire::{ErrorCode, Text};

message! {
    /// Asks for all of some groups.
    message DescribeGroupsRequest {
        /// The groups.
        groups: Vec<Text>, since 0;
        /// Whether to tell what the caller may do with each.
        include_authorized_operations: bool, since 3;
    }

    /// The groups.
    message DescribeGroupsResponse {
        /// How long the request was held back because of a quota.
        throttle_time_ms: i32, since 1;
        /// The groups.
        groups: Vec<DescribedGroup>, since 0;
    }

    /// A group.
    part DescribedGroup {
        /// 0, or why not.
        error_code: ErrorCode, since 0;
        /// Why not, for people.
        error_message: Option<Text>, since 6;
        /// Its id.
        group_id: Text, since 0;
        /// Its state, as Kafka calls it.
        group_state: Text, since 0;
        /// What kind of group.
        protocol_type: Text, since 0;
        /// The protocol chosen.
        protocol_data: Text, since 0;
        /// Its members.
        members: Vec<DescribedGroupMember>, since 0;
        /// Bits of what the caller may do with it.
        authorized_operations: i32 = i32::MIN, since 3;
    }

    /// A member.
    part DescribedGroupMember {
        /// Its id.
        member_id: Text, since 0;
        /// Its lasting name.
        group_instance_id: Option<Text>, since 4;
        /// The name its client gives itself.
        client_id: Text, since 0;
        /// Where it connects from.
        client_host: Text, since 0;
        /// What it says of itself under the protocol chosen.
        member_metadata: Bytes, since 0;
        /// Its state.
        member_assignment: Bytes, since 0;
    }
}
