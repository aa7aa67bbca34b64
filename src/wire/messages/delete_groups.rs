//! DeleteGroups: forgets groups that have no members.

use crate::wire::{ErrorCode, Text};

message! {
    /// Forgets groups, with everything of them.
    message DeleteGroupsRequest {
        /// The groups.
        groups_names: Vec<Text>, since 0;
    }

    /// What was forgotten.
    message DeleteGroupsResponse {
        /// How long the request was held back because of a quota.
        throttle_time_ms: i32, since 0;
        /// One answer for each group.
        results: Vec<DeletableGroupResult>, since 0;
    }

    /// The answer for one group.
    part DeletableGroupResult {
        /// Its id.
        group_id: Text, since 0;
        /// 0, or why not.
        error_code: ErrorCode, since 0;
    }
}
