//! What admin tools ask for besides groups and topics: brokers, settings; and the answer to a transaction.

use std::collections::BTreeMap;
use std::time::Duration;

use divvy::group::{GroupSettings, LeaderSelection};
use divvy::server::config::Config;
use divvy::topics::Topic;
use divvy::wire::ErrorCode;
use divvy::wire::messages::describe_configs::{DescribeConfigsResource, DescribeConfigsResult};
use divvy::wire::messages::txn_offset_commit::{TxnOffsetCommitRequestPartition, TxnOffsetCommitRequestTopic};
use divvy::wire::messages::{
    ApiVersionsRequest, DescribeClusterRequest, DescribeConfigsRequest, MetadataRequest, OffsetFetchRequest,
    TxnOffsetCommitRequest,
};

use crate::support::{Client, config, serve};

const BROKER: i8 = 4;
const TOPIC: i8 = 2;
const GROUP: i8 = 32;

fn told() -> Config {
    let racks = vec![vec!["a".to_owned()], vec!["b".to_owned()]];
    let settings = GroupSettings { leader_selection: LeaderSelection::Random, ..Default::default() };
    let mut config = Config {
        topics: vec![("clicks".into(), Topic { partitions: 2, racks })],
        groups: vec![("search-*".to_owned(), settings)],
        ..config()
    };
    config.limits.min_session_timeout = Duration::from_millis(5_000);
    config.limits.max_session_timeout = Duration::from_secs(60);
    config
}

async fn settings(client: &mut Client, resource_type: i8, name: &str, keys: Option<&[&str]>) -> DescribeConfigsResult {
    let resource = DescribeConfigsResource {
        resource_type,
        resource_name: name.into(),
        configuration_keys: keys.map(|keys| keys.iter().map(|key| (*key).into()).collect()),
    };
    let request = DescribeConfigsRequest {
        resources: vec![resource],
        include_synonyms: true,
        include_documentation: true,
        ..Default::default()
    };
    client.ask(4, &request).await.results.remove(0)
}

#[tokio::test]
async fn the_cluster_is_the_brokers_of_metadata() {
    let server = serve(told()).await;
    let mut client = Client::connect(server.addr()).await;
    let metadata = client.ask(9, &MetadataRequest { topics: Some(Vec::new()), ..Default::default() }).await;
    let expected: Vec<_> =
        metadata.brokers.iter().map(|it| (it.node_id, it.host.clone(), it.port, it.rack.clone())).collect();
    for version in 0..=2 {
        let cluster = client.ask(version, &DescribeClusterRequest::default()).await;
        let brokers: Vec<_> =
            cluster.brokers.iter().map(|it| (it.broker_id, it.host.clone(), it.port, it.rack.clone())).collect();
        assert_eq!((cluster.controller_id, Some(cluster.cluster_id)), (0, metadata.cluster_id.clone()));
        assert_eq!((brokers, expected.len()), (expected.clone(), 3), "v{version}");
    }
    let controllers = DescribeClusterRequest { endpoint_type: 2, ..Default::default() };
    assert_eq!(client.ask(1, &controllers).await.error_code, ErrorCode::MismatchedEndpointType);
    server.stop().await;
}

#[tokio::test]
async fn settings_are_told_as_they_are() {
    let server = serve(told()).await;
    let mut client = Client::connect(server.addr()).await;
    let all = settings(&mut client, BROKER, "0", None).await;
    let values: BTreeMap<&str, (&str, i8)> =
        all.configs.iter().map(|it| (it.name.as_str(), (it.value.as_deref().unwrap(), it.config_source))).collect();
    assert_eq!(values["group.min.session.timeout.ms"], ("5000", 4));
    assert_eq!(values["group.max.session.timeout.ms"], ("60000", 4));
    assert_eq!(values["group.max.size"], ("2147483647", 5));
    assert_eq!(values["auto.create.topics.enable"], ("true", 5));
    assert!(all.configs.iter().all(|it| it.read_only && it.documentation.is_some() && it.synonyms.len() == 1));

    let one = settings(&mut client, BROKER, "0", Some(&["group.max.size", "no.such.key"])).await;
    assert_eq!(one.configs.iter().map(|it| it.name.as_str()).collect::<Vec<_>>(), ["group.max.size"]);
    assert_eq!(settings(&mut client, BROKER, "", None).await.configs.len(), 0);
    assert_eq!(settings(&mut client, BROKER, "77", None).await.error_code, ErrorCode::InvalidRequest);
    let topic = settings(&mut client, TOPIC, "clicks", None).await;
    assert_eq!((topic.error_code, topic.configs.len()), (ErrorCode::None, 0));
    assert_eq!(settings(&mut client, TOPIC, "nope", None).await.error_code, ErrorCode::UnknownTopicOrPartition);
    for (group, expected) in [("search-1", ("random", 4)), ("other", ("keep", 5))] {
        let told = settings(&mut client, GROUP, group, Some(&["leader.selection"])).await;
        let it = &told.configs[0];
        assert_eq!((it.value.as_deref().unwrap(), it.config_source), expected, "{group}");
    }
    assert_eq!(settings(&mut client, 16, "", None).await.error_code, ErrorCode::InvalidRequest);
    server.stop().await;
}

/// A transaction is refused partition by partition in every version, nothing is stored, and the connection goes on.
#[tokio::test]
async fn a_transaction_commits_nothing_and_is_told_so() {
    let server = serve(told()).await;
    let mut client = Client::connect(server.addr()).await;
    let versions = client.ask(0, &ApiVersionsRequest::default()).await;
    for key in [22, 24, 25, 26, 28] {
        assert!(versions.api_keys.iter().all(|row| row.api_key != key), "key {key} promises transactions");
    }
    for version in 0..=5 {
        let partition = |partition_index| TxnOffsetCommitRequestPartition {
            partition_index,
            committed_offset: 7,
            ..Default::default()
        };
        let topic = TxnOffsetCommitRequestTopic { name: "clicks".into(), partitions: vec![partition(0), partition(9)] };
        let request = TxnOffsetCommitRequest {
            transactional_id: "t".into(),
            group_id: "g".into(),
            topics: vec![topic],
            ..Default::default()
        };
        let refused = client.ask(version, &request).await;
        let codes: Vec<_> = refused.topics[0].partitions.iter().map(|it| (it.partition_index, it.error_code)).collect();
        assert_eq!(codes, [(0, ErrorCode::UnsupportedVersion), (9, ErrorCode::UnsupportedVersion)], "v{version}");
    }
    let fetch = OffsetFetchRequest { group_id: "g".into(), topics: None, ..Default::default() };
    assert_eq!(client.ask(5, &fetch).await.topics.len(), 0);
    server.stop().await;
}
