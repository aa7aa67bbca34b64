//! OffsetDelete: forgets how far a group has come with some partitions (KIP-496).

use crate::wire::{ErrorCode, Text};

message! {
    /// Forgets offsets.
    message OffsetDeleteRequest {
        /// The group.
        group_id: Text, since 0;
        /// The topics.
        topics: Vec<OffsetDeleteRequestTopic>, since 0;
    }

    /// A topic.
    part OffsetDeleteRequestTopic {
        /// Its name.
        name: Text, since 0;
        /// Its partitions.
        partitions: Vec<OffsetDeleteRequestPartition>, since 0;
    }

    /// A partition.
    part OffsetDeleteRequestPartition {
        /// Its number.
        partition_index: i32, since 0;
    }

    /// What was forgotten.
    message OffsetDeleteResponse {
        /// 0, or why not.
        error_code: ErrorCode, since 0;
        /// How long the request was held back because of a quota.
        throttle_time_ms: i32, since 0;
        /// The topics.
        topics: Vec<OffsetDeleteResponseTopic>, since 0;
    }

    /// A topic.
    part OffsetDeleteResponseTopic {
        /// Its name.
        name: Text, since 0;
        /// Its partitions.
        partitions: Vec<OffsetDeleteResponsePartition>, since 0;
    }

    /// A partition.
    part OffsetDeleteResponsePartition {
        /// Its number.
        partition_index: i32, since 0;
        /// 0, or why not.
        error_code: ErrorCode, since 0;
    }
}
