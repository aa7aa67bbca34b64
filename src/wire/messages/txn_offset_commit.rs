//! TxnOffsetCommit: offsets that a transaction would commit.

use crate::wire::{ErrorCode, Text};

message! {
    /// Stores offsets when a transaction ends.
    message TxnOffsetCommitRequest {
        /// The transaction's lasting name.
        transactional_id: Text, since 0;
        /// The group.
        group_id: Text, since 0;
        /// The producer.
        producer_id: i64, since 0;
        /// Its epoch.
        producer_epoch: i16, since 0;
        /// The group's generation, or -1.
        generation_id: i32 = -1, since 3;
        /// The member.
        member_id: Text, since 3;
        /// Its lasting name.
        group_instance_id: Option<Text>, since 3;
        /// The topics.
        topics: Vec<TxnOffsetCommitRequestTopic>, since 0;
    }

    /// A topic.
    part TxnOffsetCommitRequestTopic {
        /// Its name.
        name: Text, since 0;
        /// Its partitions.
        partitions: Vec<TxnOffsetCommitRequestPartition>, since 0;
    }

    /// A partition.
    part TxnOffsetCommitRequestPartition {
        /// Its number.
        partition_index: i32, since 0;
        /// The offset.
        committed_offset: i64, since 0;
        /// The leader epoch of the last record, or -1.
        committed_leader_epoch: i32 = -1, since 2;
        /// A note.
        committed_metadata: Option<Text> = Some(Text::default()), since 0;
    }

    /// What became of them.
    message TxnOffsetCommitResponse {
        /// How long the request was held back because of a quota.
        throttle_time_ms: i32, since 0;
        /// The topics.
        topics: Vec<TxnOffsetCommitResponseTopic>, since 0;
    }

    /// A topic.
    part TxnOffsetCommitResponseTopic {
        /// Its name.
        name: Text, since 0;
        /// Its partitions.
        partitions: Vec<TxnOffsetCommitResponsePartition>, since 0;
    }

    /// A partition.
    part TxnOffsetCommitResponsePartition {
        /// Its number.
        partition_index: i32, since 0;
        /// 0, or why not.
        error_code: ErrorCode, since 0;
    }
}
