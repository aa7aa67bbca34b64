//! Topics as clients see them: virtual brokers, creation, offsets that are always in range.

use divvy::server::config::Config;
use divvy::topics::Topic;
use divvy::wire::ErrorCode;
use divvy::wire::messages::create_partitions::CreatePartitionsTopic;
use divvy::wire::messages::create_topics::{CreatableReplicaAssignment, CreatableTopic};
use divvy::wire::messages::fetch::{FetchPartition, FetchTopic};
use divvy::wire::messages::list_offsets::{ListOffsetsPartition, ListOffsetsTopic};
use divvy::wire::messages::metadata::MetadataRequestTopic;
use divvy::wire::messages::produce::{PartitionProduceData, TopicProduceData};
use divvy::wire::messages::{
    CreatePartitionsRequest, CreateTopicsRequest, FetchRequest, ListOffsetsRequest, MetadataRequest, MetadataResponse,
    ProduceRequest,
};

use crate::support::{Client, config, serve};

fn two_racks() -> Config {
    let racks = vec![vec!["a".to_owned()], vec!["b".to_owned(), "a".to_owned()], vec!["b".to_owned()]];
    Config { topics: vec![("clicks".into(), Topic { partitions: 3, racks })], topics_auto_create: None, ..config() }
}

async fn metadata(client: &mut Client, version: i16, names: Option<&[&str]>) -> MetadataResponse {
    let named = |name: &&str| MetadataRequestTopic { name: Some((*name).into()), ..Default::default() };
    let topics = names.map(|names| names.iter().map(named).collect());
    client.ask(version, &MetadataRequest { topics, ..Default::default() }).await
}

#[tokio::test]
async fn racks_are_brokers_and_the_coordinator_is_always_listed() {
    let server = serve(two_racks()).await;
    let mut client = Client::connect(server.addr()).await;
    // Clients of before version 7 read no racks, and kafkajs drops its connections where several brokers share an address.
    for version in [1, 5, 6] {
        let told = metadata(&mut client, version, Some(&["clicks"])).await;
        let brokers: Vec<_> = told.brokers.iter().map(|broker| (broker.node_id, broker.rack.as_deref())).collect();
        assert_eq!((brokers, told.controller_id), (vec![(0, None)], 0), "v{version}");
        let second = &told.topics[0].partitions[1];
        assert_eq!((second.leader_id, &second.replica_nodes[..]), (0, &[0][..]), "v{version}");
    }
    for version in [7, 8, 9, 12, 13] {
        let told = metadata(&mut client, version, Some(&["clicks", "nope", "a b"])).await;
        let racks: Vec<Option<&str>> = told.brokers.iter().map(|broker| broker.rack.as_deref()).collect();
        assert_eq!((told.brokers[0].node_id, racks[0], told.controller_id), (0, None, 0));
        assert!(racks.contains(&Some("a")) && racks.contains(&Some("b")) && racks.len() == 3, "{racks:?}");
        assert!(told.brokers.iter().all(|broker| broker.port == i32::from(server.addr().port())));
        let errors: Vec<ErrorCode> = told.topics.iter().map(|topic| topic.error_code).collect();
        assert_eq!(
            errors,
            [ErrorCode::None, ErrorCode::UnknownTopicOrPartition, ErrorCode::InvalidTopic],
            "v{version}"
        );
        let node = |rack| told.brokers.iter().find(|broker| broker.rack.as_deref() == Some(rack)).unwrap().node_id;
        let second = &told.topics[0].partitions[1];
        assert_eq!((second.leader_id, &second.replica_nodes[..]), (node("b"), &[node("b"), node("a")][..]));
    }
    // No topics: brokers alone; all topics: null, or an empty list in v0.
    assert_eq!(metadata(&mut client, 4, Some(&[])).await.topics.len(), 0);
    assert_eq!(metadata(&mut client, 4, None).await.topics.len(), 1);
    assert_eq!(metadata(&mut client, 0, Some(&[])).await.topics.len(), 1);
    let topic_id = metadata(&mut client, 12, None).await.topics[0].topic_id;
    let by_id = |topic_id| MetadataRequest {
        topics: Some(vec![MetadataRequestTopic { topic_id, name: None }]),
        ..Default::default()
    };
    assert_eq!(client.ask(12, &by_id(topic_id)).await.topics[0].name.as_deref(), Some("clicks"));
    assert_eq!(client.ask(12, &by_id([9; 16])).await.topics[0].error_code, ErrorCode::UnknownTopicId);
    server.stop().await;
}

#[tokio::test]
async fn topics_are_created_by_naming_and_by_request() {
    let server = serve(config()).await;
    let mut client = Client::connect(server.addr()).await;
    let not_now = MetadataRequest {
        topics: Some(vec![MetadataRequestTopic { name: Some("named".into()), ..Default::default() }]),
        allow_auto_topic_creation: false,
        ..Default::default()
    };
    assert_eq!(client.ask(4, &not_now).await.topics[0].error_code, ErrorCode::UnknownTopicOrPartition);
    assert_eq!(metadata(&mut client, 4, Some(&["named"])).await.topics[0].partitions.len(), 4);

    let plain = |name: &str, num_partitions| CreatableTopic {
        name: name.into(),
        num_partitions,
        replication_factor: -1,
        ..Default::default()
    };
    let create = |topics, validate_only| CreateTopicsRequest { topics, validate_only, ..Default::default() };
    let asked = vec![plain("made", -1), plain("named", 1), plain("bad name", 1), plain("none", 0), plain("made", 2)];
    let made = client.ask(7, &create(asked, false)).await;
    let errors: Vec<ErrorCode> = made.topics.iter().map(|topic| topic.error_code).collect();
    let expected = [
        ErrorCode::None,
        ErrorCode::TopicAlreadyExists,
        ErrorCode::InvalidTopic,
        ErrorCode::InvalidPartitions,
        ErrorCode::InvalidRequest,
    ];
    assert_eq!((errors, made.topics[0].num_partitions), (expected.to_vec(), 4));
    let tried = client.ask(5, &create(vec![plain("tried", 2)], true)).await;
    assert_eq!(tried.topics[0].error_code, ErrorCode::None);
    let known = metadata(&mut client, 4, None).await;
    let names: Vec<&str> = known.topics.iter().filter_map(|topic| topic.name.as_deref()).collect();
    assert_eq!(names, ["made", "named"]);
    server.stop().await;
}

#[tokio::test]
async fn replicas_assigned_to_virtual_brokers_are_racks() {
    let server = serve(two_racks()).await;
    let mut client = Client::connect(server.addr()).await;
    let brokers = metadata(&mut client, 7, Some(&[])).await.brokers;
    let node = |rack: &str| brokers.iter().find(|broker| broker.rack.as_deref() == Some(rack)).unwrap().node_id;
    let on = |partition_index, broker_ids| CreatableReplicaAssignment { partition_index, broker_ids };
    let asked = |name: &str, assignments| CreateTopicsRequest {
        topics: vec![CreatableTopic {
            name: name.into(),
            num_partitions: -1,
            replication_factor: -1,
            assignments,
            ..Default::default()
        }],
        ..Default::default()
    };
    let assignments = vec![on(1, vec![node("b")]), on(0, vec![node("a"), node("b")])];
    assert_eq!(client.ask(4, &asked("placed", assignments)).await.topics[0].error_code, ErrorCode::None);
    let placed = metadata(&mut client, 7, Some(&["placed"])).await;
    let replicas: Vec<&[i32]> =
        placed.topics[0].partitions.iter().map(|partition| &partition.replica_nodes[..]).collect();
    assert_eq!(replicas, [&[node("a"), node("b")][..], &[node("b")]]);
    for wrong in [vec![on(1, vec![0])], vec![on(0, vec![0]), on(0, vec![0])], vec![on(0, vec![12_345])]] {
        let refused = client.ask(4, &asked("wrong", wrong)).await;
        assert_eq!(refused.topics[0].error_code, ErrorCode::InvalidReplicaAssignment);
    }
    server.stop().await;
}

#[tokio::test]
async fn any_offset_is_in_range_and_nothing_is_there() {
    let server = serve(two_racks()).await;
    let mut client = Client::connect(server.addr()).await;
    let partition = |partition, fetch_offset| FetchPartition { partition, fetch_offset, ..Default::default() };
    let fetch = |partitions, max_wait_ms| FetchRequest {
        max_wait_ms,
        topics: vec![FetchTopic { topic: "clicks".into(), partitions, ..Default::default() }],
        ..Default::default()
    };
    let fetched = client.ask(11, &fetch(vec![partition(0, 0), partition(2, 12_345)], 20)).await;
    let ends: Vec<(ErrorCode, i64)> =
        fetched.responses[0].partitions.iter().map(|it| (it.error_code, it.high_watermark)).collect();
    assert_eq!((ends, fetched.session_id), (vec![(ErrorCode::None, 0), (ErrorCode::None, 12_345)], 0));
    // An error is told at once, whatever the client would wait.
    let missing = client.ask(11, &fetch(vec![partition(9, 0)], i32::MAX)).await;
    assert_eq!(missing.responses[0].partitions[0].error_code, ErrorCode::UnknownTopicOrPartition);

    let at = |partition_index, timestamp| ListOffsetsPartition { partition_index, timestamp, ..Default::default() };
    let partitions = vec![at(0, -1), at(0, -2), at(1, 1_700_000_000_000), at(9, -1)];
    let topics = vec![ListOffsetsTopic { name: "clicks".into(), partitions }];
    let listed = client.ask(7, &ListOffsetsRequest { topics, ..Default::default() }).await;
    let offsets: Vec<(i16, i64)> =
        listed.topics[0].partitions.iter().map(|it| (it.error_code.code(), it.offset)).collect();
    assert_eq!(offsets, [(0, 0), (0, 0), (0, -1), (3, -1)]);
    server.stop().await;
}

#[tokio::test]
async fn records_are_refused() {
    let server = serve(two_racks()).await;
    let mut client = Client::connect(server.addr()).await;
    let produce = |acks| ProduceRequest {
        acks,
        topic_data: vec![TopicProduceData {
            name: "clicks".into(),
            partition_data: vec![PartitionProduceData { index: 0, ..Default::default() }],
        }],
        ..Default::default()
    };
    let refused = client.ask(8, &produce(1)).await;
    let partition = &refused.responses[0].partition_responses[0];
    assert_eq!(partition.error_code, ErrorCode::PolicyViolation);
    assert!(partition.error_message.as_deref().unwrap().contains("keeps no records"));
    // Who expects no answer is told by the end of the connection, as in Kafka.
    client.send(8, &produce(0)).await;
    assert_eq!(client.frame().await, None);
    server.stop().await;
}

/// What is said of a large topic is built aside and kept: for as long as the topics stay what they are, for each version.
#[tokio::test]
async fn a_large_topic_is_told_as_it_is_now() {
    let large = Topic { partitions: 20_000, racks: Vec::new() };
    let server = serve(Config { topics: vec![("large".into(), large)], ..config() }).await;
    let mut client = Client::connect(server.addr()).await;
    let named = MetadataRequestTopic { name: Some("large".into()), ..Default::default() };
    let request = MetadataRequest { topics: Some(vec![named]), ..Default::default() };
    let all = MetadataRequest { topics: None, ..Default::default() };
    for (version, request) in [(5, &request), (5, &request), (12, &request), (5, &all), (12, &all), (12, &all)] {
        let told = client.ask(version, request).await;
        let numbers: Vec<i32> = told.topics[0].partitions.iter().map(|it| it.partition_index).collect();
        assert_eq!((numbers, told.brokers.len()), ((0..20_000).collect(), 1), "v{version}");
    }
    let more = CreatePartitionsTopic { name: "large".into(), count: 20_001, assignments: None };
    let grown = client.ask(2, &CreatePartitionsRequest { topics: vec![more], ..Default::default() }).await;
    assert_eq!(grown.results[0].error_code, ErrorCode::None);
    for request in [&request, &all] {
        assert_eq!(client.ask(12, request).await.topics[0].partitions.len(), 20_001);
    }
    server.stop().await;
}
