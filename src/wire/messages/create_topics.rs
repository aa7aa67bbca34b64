//! CreateTopics: topics to make.

use crate::wire::{ErrorCode, Text};

message! {
    /// Makes topics.
    message CreateTopicsRequest {
        /// The topics.
        topics: Vec<CreatableTopic>, since 2;
        /// How long to wait until they are there.
        timeout_ms: i32 = 60_000, since 2;
        /// Whether only to say what would happen.
        validate_only: bool, since 2;
    }

    /// A topic.
    part CreatableTopic {
        /// Its name.
        name: Text, since 2;
        /// How many partitions; -1: as the server likes, or as `assignments` say.
        num_partitions: i32, since 2;
        /// How many replicas; -1: as the server likes, or as `assignments` say.
        replication_factor: i16, since 2;
        /// Which nodes hold which partition, if the caller decides.
        assignments: Vec<CreatableReplicaAssignment>, since 2;
        /// Settings.
        configs: Vec<CreatableTopicConfig>, since 2;
    }

    /// Which nodes hold a partition.
    part CreatableReplicaAssignment {
        /// Its number.
        partition_index: i32, since 2;
        /// The nodes.
        broker_ids: Vec<i32>, since 2;
    }

    /// A setting.
    part CreatableTopicConfig {
        /// Its name.
        name: Text, since 2;
        /// Its value.
        value: Option<Text> = Some(Text::default()), since 2;
    }

    /// The topics made.
    message CreateTopicsResponse {
        /// How long the request was held back because of a quota.
        throttle_time_ms: i32, since 2;
        /// The topics.
        topics: Vec<CreatableTopicResult>, since 2;
    }

    /// A topic.
    part CreatableTopicResult {
        /// Its name.
        name: Text, since 2;
        /// Its id, or zeros.
        topic_id: [u8; 16], since 7;
        /// 0, or why not.
        error_code: ErrorCode, since 2;
        /// Why not, for people.
        error_message: Option<Text> = Some(Text::default()), since 2;
        /// Why its settings are not told.
        topic_config_error_code: ErrorCode, since 5, tag 0;
        /// How many partitions, or -1.
        num_partitions: i32 = -1, since 5;
        /// How many replicas, or -1.
        replication_factor: i16 = -1, since 5;
        /// Its settings; null if they are not told.
        configs: Option<Vec<CreatableTopicConfigs>> = Some(Vec::new()), since 5;
    }

    /// A setting that holds.
    part CreatableTopicConfigs {
        /// Its name.
        name: Text, since 5;
        /// Its value.
        value: Option<Text> = Some(Text::default()), since 5;
        /// Whether it cannot be changed.
        read_only: bool, since 5;
        /// Where it comes from, or -1.
        config_source: i8 = -1, since 5;
        /// Whether its value is a secret.
        is_sensitive: bool, since 5;
    }
}
