//! Metadata: brokers, topics, partitions.

use crate::wire::{ErrorCode, Text};

message! {
    /// Asks for brokers and topics.
    message MetadataRequest {
        /// The topics; null asks for all (in version 0 an empty list does), empty for the brokers alone.
        topics: Option<Vec<MetadataRequestTopic>> = Some(Vec::new()), since 0, null since 1;
        /// Whether topics that do not exist may be made.
        allow_auto_topic_creation: bool = true, since 4;
        /// Whether to tell what the caller may do with the cluster.
        include_cluster_authorized_operations: bool, since 8 until 10;
        /// Whether to tell what the caller may do with each topic.
        include_topic_authorized_operations: bool, since 8;
    }

    /// A topic that is asked for, by id or by name.
    part MetadataRequestTopic {
        /// Its id, or zeros.
        topic_id: [u8; 16], since 10;
        /// Its name; null if the id counts.
        name: Option<Text> = Some(Text::default()), since 0, null since 10;
    }

    /// Brokers and topics.
    message MetadataResponse {
        /// How long the request was held back because of a quota.
        throttle_time_ms: i32, since 3;
        /// The brokers.
        brokers: Vec<MetadataResponseBroker>, since 0;
        /// The cluster's name.
        cluster_id: Option<Text>, since 2;
        /// The controller's node id, or -1.
        controller_id: i32 = -1, since 1;
        /// The topics.
        topics: Vec<MetadataResponseTopic>, since 0;
        /// Bits of what the caller may do with the cluster.
        cluster_authorized_operations: i32 = i32::MIN, since 8 until 10;
        /// 0, or why there is no answer.
        error_code: ErrorCode, since 13;
    }

    /// A broker.
    part MetadataResponseBroker {
        /// Its id.
        node_id: i32, since 0;
        /// Where clients reach it.
        host: Text, since 0;
        /// On which port.
        port: i32, since 0;
        /// Where it stands.
        rack: Option<Text>, since 1;
    }

    /// A topic.
    part MetadataResponseTopic {
        /// 0, or why it is not told of.
        error_code: ErrorCode, since 0;
        /// Its name; null if it was asked for by an id that is unknown.
        name: Option<Text> = Some(Text::default()), since 0, null since 12;
        /// Its id, or zeros.
        topic_id: [u8; 16], since 10;
        /// Whether it belongs to the brokers themselves.
        is_internal: bool, since 1;
        /// Its partitions.
        partitions: Vec<MetadataResponsePartition>, since 0;
        /// Bits of what the caller may do with it.
        topic_authorized_operations: i32 = i32::MIN, since 8;
    }

    /// A partition.
    part MetadataResponsePartition {
        /// 0, or why it cannot be used.
        error_code: ErrorCode, since 0;
        /// Its number.
        partition_index: i32, since 0;
        /// The node that leads it, or -1.
        leader_id: i32, since 0;
        /// The epoch of that leader, or -1.
        leader_epoch: i32 = -1, since 7;
        /// The nodes that hold it.
        replica_nodes: Vec<i32>, since 0;
        /// Those of them that are in step.
        isr_nodes: Vec<i32>, since 0;
        /// Those of them that are away.
        offline_replicas: Vec<i32>, since 5;
    }
}
