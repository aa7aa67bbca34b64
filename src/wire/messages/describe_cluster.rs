//! DescribeCluster: the brokers, without any topic.

use crate::wire::{ErrorCode, Text};

message! {
    /// Asks for the brokers.
    message DescribeClusterRequest {
        /// Whether to tell what the caller may do.
        include_cluster_authorized_operations: bool, since 0;
        /// Which endpoints to tell: 1 brokers, 2 controllers.
        endpoint_type: i8 = 1, since 1;
        /// Whether to tell brokers that are shut off.
        include_fenced_brokers: bool, since 2;
    }

    /// The brokers.
    message DescribeClusterResponse {
        /// How long the request was held back because of a quota.
        throttle_time_ms: i32, since 0;
        /// 0, or why not.
        error_code: ErrorCode, since 0;
        /// Why not, for people.
        error_message: Option<Text>, since 0;
        /// Which endpoints are told: 1 brokers, 2 controllers.
        endpoint_type: i8 = 1, since 1;
        /// The cluster.
        cluster_id: Text, since 0;
        /// The controller's node, or -1.
        controller_id: i32 = -1, since 0;
        /// The brokers.
        brokers: Vec<DescribeClusterBroker>, since 0;
        /// Bits of what the caller may do.
        cluster_authorized_operations: i32 = i32::MIN, since 0;
    }

    /// A broker.
    part DescribeClusterBroker {
        /// Its node.
        broker_id: i32, since 0;
        /// Where it listens.
        host: Text, since 0;
        /// On which port.
        port: i32, since 0;
        /// Its rack.
        rack: Option<Text>, since 0;
        /// Whether it is shut off.
        is_fenced: bool, since 2;
    }
}
