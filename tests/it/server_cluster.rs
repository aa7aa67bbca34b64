//! A coordinator whose topics are those of a Kafka cluster. Here that is another divvy: it tells of topics as a broker does.

mod anew;

use std::time::Duration;

use divvy::server::Server;
use divvy::server::config::{Config, DataPlace, KafkaCluster};
use divvy::topics::Topic;
use divvy::wire::ErrorCode;
use divvy::wire::messages::create_partitions::CreatePartitionsTopic;
use divvy::wire::messages::metadata::MetadataRequestTopic;
use divvy::wire::messages::{CreatePartitionsRequest, DeleteTopicsRequest, MetadataRequest, OffsetFetchRequest};

use crate::support::{Client, config, serve, serve_after_crash, within};

/// Two partitions in a rack each.
fn clicks() -> Topic {
    Topic { partitions: 2, racks: vec![vec!["a".to_owned()], vec!["b".to_owned()]] }
}

/// What the topics come from: one that the coordinator finds there, and what is made in it.
async fn cluster() -> Server {
    let racks = vec![("fixed".into(), clicks())];
    serve(Config { topics: racks, topics_auto_create: None, ..config() }).await
}

/// A coordinator beside it, with a topic of its own.
fn beside(cluster: &Server, data: DataPlace) -> Config {
    let kafka =
        KafkaCluster { max_age: Duration::from_millis(20), ..KafkaCluster::at(vec![cluster.addr().to_string()]) };
    let own = Topic { partitions: 5, racks: Vec::new() };
    Config { kafka: Some(kafka), topics: vec![("own".into(), own)], data, ..config() }
}

/// Waits until the coordinator shows the topic like this; none for not at all.
async fn shows(server: &Server, name: &str, wanted: Option<Topic>) {
    within(async {
        while server.handle().topics_view().table().get(name) != wanted.as_ref() {
            tokio::task::yield_now().await;
        }
    })
    .await;
}

async fn delete(client: &mut Client, name: &str) -> ErrorCode {
    let request = DeleteTopicsRequest { topic_names: vec![name.into()], ..Default::default() };
    client.ask(5, &request).await.responses[0].error_code
}

async fn grow(client: &mut Client, name: &str, count: i32) -> ErrorCode {
    let topics = vec![CreatePartitionsTopic { name: name.into(), count, assignments: None }];
    client.ask(3, &CreatePartitionsRequest { topics, ..Default::default() }).await.results[0].error_code
}

#[tokio::test]
async fn topics_come_and_grow_and_go_as_in_the_cluster() {
    let cluster = cluster().await;
    let server = serve(beside(&cluster, DataPlace::Memory)).await;
    shows(&server, "fixed", Some(clicks())).await;
    let plain = |partitions| Some(Topic { partitions, racks: Vec::new() });
    shows(&server, "own", plain(5)).await;

    let mut there = Client::connect(cluster.addr()).await;
    assert_eq!(there.create("queries", 3).await.0, ErrorCode::None);
    // Beside a topic with racks, one without has an empty list for each partition.
    let without = |partitions: u32| Some(Topic { partitions, racks: vec![Vec::new(); partitions as usize] });
    shows(&server, "queries", without(3)).await;
    assert_eq!(grow(&mut there, "queries", 4).await, ErrorCode::None);
    shows(&server, "queries", without(4)).await;
    assert_eq!(delete(&mut there, "queries").await, ErrorCode::None);
    shows(&server, "queries", None).await;
    shows(&server, "own", plain(5)).await;
}

#[tokio::test]
async fn what_is_the_clusters_is_changed_there_alone() {
    let cluster = cluster().await;
    let server = serve(beside(&cluster, DataPlace::Memory)).await;
    shows(&server, "fixed", Some(clicks())).await;
    let mut here = Client::connect(server.addr()).await;
    let (error, why) = here.create("made-up", 1).await;
    assert_eq!(error, ErrorCode::PolicyViolation);
    assert!(why.contains(&cluster.addr().to_string()) && why.contains("make, change or delete made-up there"), "{why}");
    assert_eq!(delete(&mut here, "fixed").await, ErrorCode::TopicDeletionDisabled);
    assert_eq!(grow(&mut here, "fixed", 9).await, ErrorCode::PolicyViolation);
    // Naming one makes none either.
    let topics = Some(vec![MetadataRequestTopic { name: Some("named".into()), ..Default::default() }]);
    let told = here.ask(9, &MetadataRequest { topics, ..Default::default() }).await;
    assert_eq!(told.topics[0].error_code, ErrorCode::UnknownTopicOrPartition);
    let request = OffsetFetchRequest { group_id: "g".into(), topics: None, ..Default::default() };
    assert_eq!(here.ask(5, &request).await.error_code, ErrorCode::None, "it coordinates as ever");
}

#[tokio::test]
async fn without_its_cluster_it_serves_what_it_knew() {
    let folder = tempfile::tempdir().unwrap();
    let cluster = cluster().await;
    let mut there = Client::connect(cluster.addr()).await;
    there.create("queries", 3).await;
    let config = beside(&cluster, DataPlace::Folder(folder.path().join("data")));
    let server = serve(config.clone()).await;
    let queries = Some(Topic { partitions: 3, racks: vec![Vec::new(); 3] });
    shows(&server, "queries", queries.clone()).await;
    shows(&server, "fixed", Some(clicks())).await;
    // What changes topics waits for what was taken to be durable.
    let mut here = Client::connect(server.addr()).await;
    assert_eq!(delete(&mut here, "queries").await, ErrorCode::TopicDeletionDisabled);
    drop((server, there, here));
    cluster.stop().await;

    let server = serve_after_crash(config).await;
    shows(&server, "queries", queries).await;
    shows(&server, "fixed", Some(clicks())).await;
    let mut here = Client::connect(server.addr()).await;
    assert_eq!(delete(&mut here, "queries").await, ErrorCode::TopicDeletionDisabled, "it may still be the cluster's");
}
