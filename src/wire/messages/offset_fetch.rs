//! OffsetFetch: how far a group has come; one group before version 8, several from there on.

use crate::wire::{ErrorCode, Text};

message! {
    /// Asks how far groups have come.
    message OffsetFetchRequest {
        /// The group.
        group_id: Text, since 1 until 7;
        /// The topics; null asks for all.
        topics: Option<Vec<OffsetFetchRequestTopic>> = Some(Vec::new()), since 1 until 7, null since 2;
        /// The groups.
        groups: Vec<OffsetFetchRequestGroup>, since 8;
        /// Whether open transactions are an error rather than passed over (KIP-447).
        require_stable: bool, since 7;
    }

    /// A topic.
    part OffsetFetchRequestTopic {
        /// Its name.
        name: Text, since 1 until 7;
        /// Its partitions.
        partition_indexes: Vec<i32>, since 1 until 7;
    }

    /// A group.
    part OffsetFetchRequestGroup {
        /// Its id.
        group_id: Text, since 8;
        /// The caller's member id, in groups of KIP-848.
        member_id: Option<Text>, since 9;
        /// The caller's epoch, in groups of KIP-848, or -1.
        member_epoch: i32 = -1, since 9;
        /// The topics; null asks for all.
        topics: Option<Vec<OffsetFetchRequestTopics>> = Some(Vec::new()), since 8;
    }

    /// A topic of a group.
    part OffsetFetchRequestTopics {
        /// Its name.
        name: Text, since 8;
        /// Its partitions.
        partition_indexes: Vec<i32>, since 8;
    }

    /// How far groups have come.
    message OffsetFetchResponse {
        /// How long the request was held back because of a quota.
        throttle_time_ms: i32, since 3;
        /// The topics.
        topics: Vec<OffsetFetchResponseTopic>, since 1 until 7;
        /// 0, or why not.
        error_code: ErrorCode, since 2 until 7;
        /// The groups.
        groups: Vec<OffsetFetchResponseGroup>, since 8;
    }

    /// A topic.
    part OffsetFetchResponseTopic {
        /// Its name.
        name: Text, since 1 until 7;
        /// Its partitions.
        partitions: Vec<OffsetFetchResponsePartition>, since 1 until 7;
    }

    /// A partition.
    part OffsetFetchResponsePartition {
        /// Its number.
        partition_index: i32, since 1 until 7;
        /// The next offset to read, or -1.
        committed_offset: i64, since 1 until 7;
        /// The leader epoch of the last record read, or -1.
        committed_leader_epoch: i32 = -1, since 5 until 7;
        /// The client's note.
        metadata: Option<Text> = Some(Text::default()), since 1 until 7;
        /// 0, or why not.
        error_code: ErrorCode, since 1 until 7;
    }

    /// A group.
    part OffsetFetchResponseGroup {
        /// Its id.
        group_id: Text, since 8;
        /// The topics.
        topics: Vec<OffsetFetchResponseTopics>, since 8;
        /// 0, or why not.
        error_code: ErrorCode, since 8;
    }

    /// A topic of a group.
    part OffsetFetchResponseTopics {
        /// Its name.
        name: Text, since 8;
        /// Its partitions.
        partitions: Vec<OffsetFetchResponsePartitions>, since 8;
    }

    /// A partition of a group's topic.
    part OffsetFetchResponsePartitions {
        /// Its number.
        partition_index: i32, since 8;
        /// The next offset to read, or -1.
        committed_offset: i64, since 8;
        /// The leader epoch of the last record read, or -1.
        committed_leader_epoch: i32 = -1, since 8;
        /// The client's note.
        metadata: Option<Text> = Some(Text::default()), since 8;
        /// 0, or why not.
        error_code: ErrorCode, since 8;
    }
}
