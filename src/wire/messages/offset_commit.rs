//! OffsetCommit: how far a group has come.

use crate::wire::{ErrorCode, Text};

message! {
    /// Stores how far a group has come.
    message OffsetCommitRequest {
        /// The group.
        group_id: Text, since 2;
        /// The committer's generation; -1 for a client that is no member.
        generation_id_or_member_epoch: i32 = -1, since 2;
        /// The committer's id; empty for a client that is no member.
        member_id: Text, since 2;
        /// Its lasting name.
        group_instance_id: Option<Text>, since 7;
        /// How long to keep the offsets; -1: as long as the server says.
        retention_time_ms: i64 = -1, since 2 until 4;
        /// The topics.
        topics: Vec<OffsetCommitRequestTopic>, since 2;
    }

    /// A topic.
    part OffsetCommitRequestTopic {
        /// Its name.
        name: Text, since 2;
        /// Its partitions.
        partitions: Vec<OffsetCommitRequestPartition>, since 2;
    }

    /// A partition.
    part OffsetCommitRequestPartition {
        /// Its number.
        partition_index: i32, since 2;
        /// The next offset to read.
        committed_offset: i64, since 2;
        /// The leader epoch of the last record read, or -1.
        committed_leader_epoch: i32 = -1, since 6;
        /// A note of the client's.
        committed_metadata: Option<Text> = Some(Text::default()), since 2;
    }

    /// What was stored.
    message OffsetCommitResponse {
        /// How long the request was held back because of a quota.
        throttle_time_ms: i32, since 3;
        /// The topics.
        topics: Vec<OffsetCommitResponseTopic>, since 2;
    }

    /// A topic.
    part OffsetCommitResponseTopic {
        /// Its name.
        name: Text, since 2;
        /// Its partitions.
        partitions: Vec<OffsetCommitResponsePartition>, since 2;
    }

    /// A partition.
    part OffsetCommitResponsePartition {
        /// Its number.
        partition_index: i32, since 2;
        /// 0, or why not.
        error_code: ErrorCode, since 2;
    }
}
