//! The messages, one file for each request and its answer: nothing but tables.
//!
//! Names and shapes are those of Kafka's message schemas. How a table is read: see the macro in `wire/message.rs`.
//! The tests read the same tables with a macro of their own and build bytes from them for the oracle.

use super::api::{ApiKey, served};
use super::message::{Message, Request};
use super::problem::{DecodeError, EncodeError, Problem};
use super::reader::Reader;
use super::value::{Value, Version};
use super::writer::Writer;

macro_rules! exchanges {
    ($($module:ident: $key:ident, $request:ident => $response:ident;)*) => {
        $(
            pub mod $module;
            #[doc(no_inline)]
            pub use $module::{$request, $response};

            impl Message for $request {
                const KEY: ApiKey = ApiKey::$key;
                fn decode(from: &mut Reader, version: i16) -> Result<Self, DecodeError> {
                    decode(from, ApiKey::$key, version, stringify!($request))
                }
                fn encode(&self, version: i16, to: &mut Writer<'_>) -> Result<(), EncodeError> {
                    encode(self, ApiKey::$key, version, stringify!($request), to)
                }
            }

            impl Request for $request {
                type Response = $response;
            }

            impl Message for $response {
                const KEY: ApiKey = ApiKey::$key;
                fn decode(from: &mut Reader, version: i16) -> Result<Self, DecodeError> {
                    decode(from, ApiKey::$key, version, stringify!($response))
                }
                fn encode(&self, version: i16, to: &mut Writer<'_>) -> Result<(), EncodeError> {
                    encode(self, ApiKey::$key, version, stringify!($response), to)
                }
            }
        )*
    };
}

exchanges! {
    produce: Produce, ProduceRequest => ProduceResponse;
    fetch: Fetch, FetchRequest => FetchResponse;
    list_offsets: ListOffsets, ListOffsetsRequest => ListOffsetsResponse;
    metadata: Metadata, MetadataRequest => MetadataResponse;
    offset_commit: OffsetCommit, OffsetCommitRequest => OffsetCommitResponse;
    offset_fetch: OffsetFetch, OffsetFetchRequest => OffsetFetchResponse;
    find_coordinator: FindCoordinator, FindCoordinatorRequest => FindCoordinatorResponse;
    join_group: JoinGroup, JoinGroupRequest => JoinGroupResponse;
    heartbeat: Heartbeat, HeartbeatRequest => HeartbeatResponse;
    leave_group: LeaveGroup, LeaveGroupRequest => LeaveGroupResponse;
    sync_group: SyncGroup, SyncGroupRequest => SyncGroupResponse;
    describe_groups: DescribeGroups, DescribeGroupsRequest => DescribeGroupsResponse;
    list_groups: ListGroups, ListGroupsRequest => ListGroupsResponse;
    sasl_handshake: SaslHandshake, SaslHandshakeRequest => SaslHandshakeResponse;
    api_versions: ApiVersions, ApiVersionsRequest => ApiVersionsResponse;
    create_topics: CreateTopics, CreateTopicsRequest => CreateTopicsResponse;
    delete_topics: DeleteTopics, DeleteTopicsRequest => DeleteTopicsResponse;
    txn_offset_commit: TxnOffsetCommit, TxnOffsetCommitRequest => TxnOffsetCommitResponse;
    describe_configs: DescribeConfigs, DescribeConfigsRequest => DescribeConfigsResponse;
    sasl_authenticate: SaslAuthenticate, SaslAuthenticateRequest => SaslAuthenticateResponse;
    create_partitions: CreatePartitions, CreatePartitionsRequest => CreatePartitionsResponse;
    describe_cluster: DescribeCluster, DescribeClusterRequest => DescribeClusterResponse;
    delete_groups: DeleteGroups, DeleteGroupsRequest => DeleteGroupsResponse;
    offset_delete: OffsetDelete, OffsetDeleteRequest => OffsetDeleteResponse;
}

fn version(key: ApiKey, number: i16) -> Result<Version, Problem> {
    let served = served(key);
    if !served.versions.contains(number) {
        return Err(Problem::Version(number));
    }
    Ok(Version { number, flexible: number >= served.flexible_from })
}

fn decode<T: Value>(from: &mut Reader, key: ApiKey, number: i16, name: &'static str) -> Result<T, DecodeError> {
    T::read(from, version(key, number).map_err(|problem| from.error(problem).of(name))?)
}

fn encode<T: Value>(
    message: &T,
    key: ApiKey,
    number: i16,
    name: &'static str,
    to: &mut Writer<'_>,
) -> Result<(), EncodeError> {
    message.write(to, version(key, number).map_err(|problem| EncodeError { field: name, problem })?)
}
