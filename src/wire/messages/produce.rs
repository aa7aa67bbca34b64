//! Produce: records to write. divvy reads it only to refuse it topic by topic; the records stay closed.

use bytes::Bytes;

use crate::wire::{ErrorCode, Text};

message! {
    /// Writes records.
    message ProduceRequest {
        /// The transaction.
        transactional_id: Option<Text>, since 3;
        /// How many replicas must have them: 0 wants no answer at all.
        acks: i16, since 3;
        /// How long to wait for those.
        timeout_ms: i32, since 3;
        /// The topics.
        topic_data: Vec<TopicProduceData>, since 3;
    }

    /// A topic.
    part TopicProduceData {
        /// Its name.
        name: Text, since 3;
        /// Its partitions.
        partition_data: Vec<PartitionProduceData>, since 3;
    }

    /// A partition.
    part PartitionProduceData {
        /// Its number.
        index: i32, since 3;
        /// The records.
        records: Option<Bytes> = Some(Bytes::new()), since 3;
    }

    /// What was written.
    message ProduceResponse {
        /// The topics.
        responses: Vec<TopicProduceResponse>, since 3;
        /// How long the request was held back because of a quota.
        throttle_time_ms: i32, since 3;
    }

    /// A topic.
    part TopicProduceResponse {
        /// Its name.
        name: Text, since 3;
        /// Its partitions.
        partition_responses: Vec<PartitionProduceResponse>, since 3;
    }

    /// A partition.
    part PartitionProduceResponse {
        /// Its number.
        index: i32, since 3;
        /// 0, or why not.
        error_code: ErrorCode, since 3;
        /// The offset of the first record.
        base_offset: i64, since 3;
        /// When the server wrote it, or -1.
        log_append_time_ms: i64 = -1, since 3;
        /// The beginning of the log, or -1.
        log_start_offset: i64 = -1, since 5;
        /// The records that are to blame.
        record_errors: Vec<BatchIndexAndErrorMessage>, since 8;
        /// Why not, for people.
        error_message: Option<Text>, since 8;
    }

    /// A record that is to blame.
    part BatchIndexAndErrorMessage {
        /// Its place in the batch.
        batch_index: i32, since 8;
        /// Why, for people.
        batch_index_error_message: Option<Text>, since 8;
    }
}
