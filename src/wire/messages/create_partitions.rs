//! CreatePartitions: topics that are to grow.

use crate::wire::{ErrorCode, Text};

message! {
    /// Gives topics more partitions.
    message CreatePartitionsRequest {
        /// The topics.
        topics: Vec<CreatePartitionsTopic>, since 0;
        /// How long to wait until the partitions are there.
        timeout_ms: i32, since 0;
        /// Whether only to say what would happen.
        validate_only: bool, since 0;
    }

    /// A topic.
    part CreatePartitionsTopic {
        /// Its name.
        name: Text, since 0;
        /// How many partitions it is to have, the old ones among them.
        count: i32, since 0;
        /// Which nodes hold each new partition, if the caller decides.
        assignments: Option<Vec<CreatePartitionsAssignment>> = Some(Vec::new()), since 0;
    }

    /// Which nodes hold a new partition.
    part CreatePartitionsAssignment {
        /// The nodes.
        broker_ids: Vec<i32>, since 0;
    }

    /// The topics grown.
    message CreatePartitionsResponse {
        /// How long the request was held back because of a quota.
        throttle_time_ms: i32, since 0;
        /// The topics.
        results: Vec<CreatePartitionsTopicResult>, since 0;
    }

    /// A topic.
    part CreatePartitionsTopicResult {
        /// Its name.
        name: Text, since 0;
        /// 0, or why not.
        error_code: ErrorCode, since 0;
        /// Why not, for people.
        error_message: Option<Text>, since 0;
    }
}
