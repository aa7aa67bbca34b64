//! ListOffsets: the offset at a time.

use crate::wire::{ErrorCode, Text};

message! {
    /// Asks for offsets.
    message ListOffsetsRequest {
        /// -1 for a client.
        replica_id: i32, since 1;
        /// Whether open transactions count.
        isolation_level: i8, since 2;
        /// The topics.
        topics: Vec<ListOffsetsTopic>, since 1;
        /// How long to wait for tiered storage.
        timeout_ms: i32, since 10;
    }

    /// A topic.
    part ListOffsetsTopic {
        /// Its name.
        name: Text, since 1;
        /// Its partitions.
        partitions: Vec<ListOffsetsPartition>, since 1;
    }

    /// A partition.
    part ListOffsetsPartition {
        /// Its number.
        partition_index: i32, since 1;
        /// The leader epoch that the client knows, or -1.
        current_leader_epoch: i32 = -1, since 4;
        /// The time; -1 for the end, -2 for the beginning.
        timestamp: i64, since 1;
    }

    /// The offsets.
    message ListOffsetsResponse {
        /// How long the request was held back because of a quota.
        throttle_time_ms: i32, since 2;
        /// The topics.
        topics: Vec<ListOffsetsTopicResponse>, since 1;
    }

    /// A topic.
    part ListOffsetsTopicResponse {
        /// Its name.
        name: Text, since 1;
        /// Its partitions.
        partitions: Vec<ListOffsetsPartitionResponse>, since 1;
    }

    /// A partition.
    part ListOffsetsPartitionResponse {
        /// Its number.
        partition_index: i32, since 1;
        /// 0, or why not.
        error_code: ErrorCode, since 1;
        /// The time of the record at the offset, or -1.
        timestamp: i64 = -1, since 1;
        /// The offset.
        offset: i64 = -1, since 1;
        /// The leader epoch of the record at the offset, or -1.
        leader_epoch: i32 = -1, since 4;
    }
}
