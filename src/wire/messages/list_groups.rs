//! ListGroups: which groups there are.

use crate::wire::{ErrorCode, Text};

message! {
    /// Asks which groups there are.
    message ListGroupsRequest {
        /// Only those in one of these states; none: all.
        states_filter: Vec<Text>, since 4;
        /// Only those of one of these types; none: all.
        types_filter: Vec<Text>, since 5;
    }

    /// The groups.
    message ListGroupsResponse {
        /// How long the request was held back because of a quota.
        throttle_time_ms: i32, since 1;
        /// 0, or why not.
        error_code: ErrorCode, since 0;
        /// The groups.
        groups: Vec<ListedGroup>, since 0;
    }

    /// A group.
    part ListedGroup {
        /// Its id.
        group_id: Text, since 0;
        /// What kind of group.
        protocol_type: Text, since 0;
        /// Its state, as Kafka calls it.
        group_state: Text, since 4;
        /// `classic`: who leads is a member.
        group_type: Text, since 5;
    }
}
