//! A peer that sends its last request and says so: what it asked for is answered, and then the connection ends.

use std::time::Duration;

use divvy::server::config::{Config, DataPlace};
use divvy::wire::ErrorCode;
use divvy::wire::messages::metadata::MetadataRequestTopic;
use divvy::wire::messages::offset_commit::{OffsetCommitRequestPartition, OffsetCommitRequestTopic};
use divvy::wire::messages::{MetadataRequest, MetadataResponse, OffsetCommitRequest, OffsetCommitResponse};

use crate::support::{Client, config, join, serve};

fn commit(offset: i64) -> OffsetCommitRequest {
    let partition = OffsetCommitRequestPartition { committed_offset: offset, ..Default::default() };
    let topic = OffsetCommitRequestTopic { name: "t".into(), partitions: vec![partition] };
    OffsetCommitRequest {
        group_id: "g".into(),
        generation_id_or_member_epoch: -1,
        topics: vec![topic],
        ..Default::default()
    }
}

#[tokio::test]
async fn commits_that_wait_for_the_disk_are_answered() {
    let folder = tempfile::tempdir().unwrap();
    let data = DataPlace::Folder(folder.path().join("data"));
    let server = serve(Config { data, ..config() }).await;
    let mut client = Client::connect(server.addr()).await;
    client.ask(5, &topics(1)).await;
    let mut asked = Vec::new();
    for offset in 0..20 {
        asked.push(client.send(8, &commit(offset)).await);
    }
    client.hang_up().await;
    for id in asked {
        let (answered, told): (i32, OffsetCommitResponse) = client.receive(8).await;
        assert_eq!((answered, told.topics[0].partitions[0].error_code), (id, ErrorCode::None));
    }
    assert!(client.frame().await.is_none(), "then the connection ends");
    server.stop().await;
}

/// A hundred answers are more than a socket takes at once.
#[tokio::test]
async fn answers_that_the_socket_does_not_take_at_once_are_all_sent() {
    let server = serve(config()).await;
    let mut client = Client::connect(server.addr()).await;
    client.ask(5, &topics(1_000)).await;
    let mut asked = Vec::new();
    for _ in 0..100 {
        asked.push(client.send(5, &topics(1_000)).await);
    }
    client.hang_up().await;
    for id in asked {
        let (answered, told): (i32, MetadataResponse) = client.receive(5).await;
        assert_eq!((answered, told.topics.len()), (id, 1_000));
    }
    assert!(client.frame().await.is_none(), "then the connection ends");
    server.stop().await;
}

/// Nobody waits for a newcomer that hangs up while it joins: it cannot learn its id.
#[tokio::test]
async fn who_hangs_up_while_it_joins_is_let_go() {
    let mut config = config();
    config.limits.initial_rebalance_delay = Duration::from_secs(3600);
    let server = serve(config).await;
    let mut client = Client::connect(server.addr()).await;
    client.send(3, &join("g", "")).await;
    client.hang_up().await;
    assert!(client.frame().await.is_none(), "its request is given up at once");
    let mut other = Client::connect(server.addr()).await;
    other.until_state("g", "Empty").await;
    server.stop().await;
}

fn topics(count: usize) -> MetadataRequest {
    let named = |number| MetadataRequestTopic { name: Some(topic_name(number).into()), ..Default::default() };
    MetadataRequest {
        topics: Some((0..count).map(named).collect()),
        allow_auto_topic_creation: true,
        ..Default::default()
    }
}

fn topic_name(number: usize) -> String {
    if number == 0 { "t".to_owned() } else { format!("t{number}") }
}
