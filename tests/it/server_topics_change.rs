//! Topics that go and topics that grow, as every request sees them, and after a restart.

use std::collections::BTreeSet;

use divvy::server::Server;
use divvy::server::config::{Config, DataPlace};
use divvy::store::MemoryStore;
use divvy::topics::Topic;
use divvy::wire::ErrorCode;
use divvy::wire::messages::create_partitions::{CreatePartitionsAssignment, CreatePartitionsTopic};
use divvy::wire::messages::delete_topics::DeleteTopicState;
use divvy::wire::messages::fetch::{FetchPartition, FetchTopic};
use divvy::wire::messages::list_offsets::{ListOffsetsPartition, ListOffsetsTopic};
use divvy::wire::messages::metadata::MetadataRequestTopic;
use divvy::wire::messages::offset_commit::{OffsetCommitRequestPartition, OffsetCommitRequestTopic};
use divvy::wire::messages::{
    CreatePartitionsRequest, DeleteTopicsRequest, FetchRequest, ListOffsetsRequest, MetadataRequest,
    OffsetCommitRequest, OffsetFetchRequest,
};

use crate::support::{Client, config, serve, serve_after_crash};
use crate::support_store::failing::{FailingStore, Fault, Faults};

fn kept(folder: &tempfile::TempDir) -> Config {
    let racks = vec![vec!["a".to_owned()], vec!["b".to_owned()]];
    Config {
        topics: vec![("fixed".into(), Topic { partitions: 2, racks })],
        topics_auto_create: None,
        data: DataPlace::Folder(folder.path().join("data")),
        ..config()
    }
}

async fn delete(client: &mut Client, names: &[&str]) -> Vec<(ErrorCode, String)> {
    let topic_names = names.iter().map(|name| (*name).into()).collect();
    let answer = client.ask(5, &DeleteTopicsRequest { topic_names, ..Default::default() }).await;
    let told = |it: &divvy::wire::messages::delete_topics::DeletableTopicResult| {
        (it.error_code, it.error_message.as_deref().unwrap_or_default().to_owned())
    };
    answer.responses.iter().map(told).collect()
}

async fn grow(client: &mut Client, name: &str, count: i32, nodes: Option<&[&[i32]]>, validate_only: bool) -> ErrorCode {
    let assignment = |nodes: &&[i32]| CreatePartitionsAssignment { broker_ids: nodes.to_vec() };
    let assignments = nodes.map(|all| all.iter().map(assignment).collect());
    let topics = vec![CreatePartitionsTopic { name: name.into(), count, assignments }];
    let request = CreatePartitionsRequest { topics, validate_only, ..Default::default() };
    client.ask(3, &request).await.results[0].error_code
}

/// Each partition's replicas.
async fn replicas(client: &mut Client, name: &str) -> Result<Vec<Vec<i32>>, ErrorCode> {
    let named = MetadataRequestTopic { name: Some(name.into()), ..Default::default() };
    let request = MetadataRequest { topics: Some(vec![named]), allow_auto_topic_creation: false, ..Default::default() };
    let topic = client.ask(9, &request).await.topics.remove(0);
    match topic.error_code {
        ErrorCode::None => Ok(topic.partitions.into_iter().map(|partition| partition.replica_nodes).collect()),
        error => Err(error),
    }
}

async fn commit(client: &mut Client, group: &str, topic: &str, committed_offset: i64) -> ErrorCode {
    let partition = OffsetCommitRequestPartition { partition_index: 0, committed_offset, ..Default::default() };
    let topics = vec![OffsetCommitRequestTopic { name: topic.into(), partitions: vec![partition] }];
    let request = OffsetCommitRequest { group_id: group.into(), topics, ..Default::default() };
    client.ask(7, &request).await.topics[0].partitions[0].error_code
}

/// Everything that a group has committed: topics and offsets.
async fn committed(client: &mut Client, group: &str) -> BTreeSet<(String, i64)> {
    let request = OffsetFetchRequest { group_id: group.into(), topics: None, ..Default::default() };
    let answer = client.ask(5, &request).await;
    let of = |topic: &divvy::wire::messages::offset_fetch::OffsetFetchResponseTopic| {
        (topic.name.to_string(), topic.partitions[0].committed_offset)
    };
    answer.topics.iter().map(of).collect()
}

/// The offset of a time, or the error.
async fn offset_at(client: &mut Client, topic: &str, timestamp: i64) -> Result<i64, ErrorCode> {
    let partition = ListOffsetsPartition { partition_index: 0, timestamp, ..Default::default() };
    let topics = vec![ListOffsetsTopic { name: topic.into(), partitions: vec![partition] }];
    let answer = client.ask(7, &ListOffsetsRequest { topics, ..Default::default() }).await;
    let told = &answer.topics[0].partitions[0];
    if told.error_code.is_error() { Err(told.error_code) } else { Ok(told.offset) }
}

#[tokio::test]
async fn a_deleted_topic_is_gone_for_everybody_and_comes_back_empty() {
    let folder = tempfile::tempdir().unwrap();
    let server = serve(kept(&folder)).await;
    let mut client = Client::connect(server.addr()).await;
    for name in ["old", "other"] {
        assert_eq!(client.create(name, 3).await.0, ErrorCode::None);
        for group in ["g", "h"] {
            assert_eq!(commit(&mut client, group, name, 7).await, ErrorCode::None);
        }
    }
    assert_eq!(offset_at(&mut client, "old", -1).await, Ok(7));
    assert_eq!(delete(&mut client, &["old"]).await, [(ErrorCode::None, String::new())]);

    let unknown = ErrorCode::UnknownTopicOrPartition;
    assert_eq!(replicas(&mut client, "old").await, Err(unknown));
    assert_eq!(offset_at(&mut client, "old", -1).await, Err(unknown));
    assert_eq!(commit(&mut client, "g", "old", 8).await, unknown);
    let partitions = vec![FetchPartition { partition: 0, ..Default::default() }];
    let topics = vec![FetchTopic { topic: "old".into(), partitions, ..Default::default() }];
    let fetched = client.ask(11, &FetchRequest { topics, max_wait_ms: i32::MAX, ..Default::default() }).await;
    assert_eq!(fetched.responses[0].partitions[0].error_code, unknown);
    let left: BTreeSet<_> = [("other".to_owned(), 7)].into();
    for group in ["g", "h"] {
        assert_eq!(committed(&mut client, group).await, left);
    }
    assert_eq!(delete(&mut client, &["old"]).await[0].0, unknown);

    // A crash right after the answer changes nothing, and a topic of the same name begins anew.
    drop(server);
    let server = serve_after_crash(kept(&folder)).await;
    let mut client = Client::connect(server.addr()).await;
    assert_eq!(replicas(&mut client, "old").await, Err(unknown));
    assert_eq!(committed(&mut client, "g").await, left);
    assert_eq!(client.create("old", 1).await.0, ErrorCode::None);
    assert_eq!(offset_at(&mut client, "old", -1).await, Ok(0));
    assert_eq!(commit(&mut client, "g", "old", 1).await, ErrorCode::None);
    server.stop().await;
}

#[tokio::test]
async fn topics_are_deleted_by_id_and_those_of_the_configuration_stay() {
    let folder = tempfile::tempdir().unwrap();
    let server = serve(kept(&folder)).await;
    let mut client = Client::connect(server.addr()).await;
    assert_eq!(client.create("made", 1).await.0, ErrorCode::None);
    let refused = delete(&mut client, &["fixed", "nope", "nope"]).await;
    let codes: Vec<ErrorCode> = refused.iter().map(|(code, _)| *code).collect();
    let expected = [ErrorCode::TopicDeletionDisabled, ErrorCode::UnknownTopicOrPartition, ErrorCode::InvalidRequest];
    assert_eq!(codes, expected);
    assert!(refused[0].1.contains("fixed") && refused[0].1.contains("[[topic]]"), "{}", refused[0].1);
    assert_eq!(replicas(&mut client, "fixed").await.unwrap().len(), 2);

    let all = client.ask(12, &MetadataRequest { topics: None, ..Default::default() }).await;
    let topic_id = all.topics.iter().find(|topic| topic.name.as_deref() == Some("made")).unwrap().topic_id;
    let named = |name: Option<&str>, topic_id| DeleteTopicState { name: name.map(Into::into), topic_id };
    let topics = vec![
        named(None, [9; 16]),
        named(Some("made"), topic_id),
        named(None, [0; 16]),
        named(None, topic_id),
        named(Some("made"), [0; 16]),
    ];
    let answer = client.ask(6, &DeleteTopicsRequest { topics, ..Default::default() }).await;
    let told: Vec<_> = answer.responses.iter().map(|it| (it.error_code, it.name.as_deref())).collect();
    let expected = [
        (ErrorCode::UnknownTopicId, None),
        (ErrorCode::InvalidRequest, Some("made")),
        (ErrorCode::InvalidRequest, None),
        (ErrorCode::None, Some("made")),
        (ErrorCode::InvalidRequest, Some("made")),
    ];
    assert_eq!(told, expected);
    assert!(replicas(&mut client, "made").await.is_err());
    server.stop().await;
}

#[tokio::test]
async fn topics_grow_and_deal_their_racks_on() {
    let folder = tempfile::tempdir().unwrap();
    let server = serve(kept(&folder)).await;
    let mut client = Client::connect(server.addr()).await;
    let before = replicas(&mut client, "fixed").await.unwrap();
    let (a, b) = (before[0].clone(), before[1].clone());
    for (count, error) in [
        (2, ErrorCode::InvalidPartitions),
        (1, ErrorCode::InvalidPartitions),
        (-1, ErrorCode::InvalidPartitions),
        (1_000_001, ErrorCode::InvalidPartitions),
    ] {
        assert_eq!(grow(&mut client, "fixed", count, None, false).await, error, "{count}");
    }
    assert_eq!(grow(&mut client, "nope", 5, None, false).await, ErrorCode::UnknownTopicOrPartition);
    assert_eq!(grow(&mut client, "fixed", 3, Some(&[&[999]]), false).await, ErrorCode::InvalidReplicaAssignment);
    assert_eq!(grow(&mut client, "fixed", 4, Some(&[&b]), false).await, ErrorCode::InvalidReplicaAssignment);
    assert_eq!(grow(&mut client, "fixed", 5, None, true).await, ErrorCode::None);
    assert_eq!(replicas(&mut client, "fixed").await.unwrap(), before, "it was only asked");

    assert_eq!(grow(&mut client, "fixed", 5, None, false).await, ErrorCode::None);
    let dealt = vec![a.clone(), b.clone(), a.clone(), b.clone(), a.clone()];
    assert_eq!(replicas(&mut client, "fixed").await.unwrap(), dealt);
    assert_eq!(grow(&mut client, "fixed", 6, Some(&[&a]), false).await, ErrorCode::None);
    let dealt = [dealt, vec![a]].concat();
    assert_eq!(replicas(&mut client, "fixed").await.unwrap(), dealt);

    // Partitions never vanish, whatever the configuration says.
    drop(server);
    let server = serve_after_crash(kept(&folder)).await;
    let mut client = Client::connect(server.addr()).await;
    assert_eq!(replicas(&mut client, "fixed").await.unwrap().len(), 6);
    server.stop().await;
}

fn with_partitions(folder: &tempfile::TempDir, partitions: u32) -> Config {
    Config { topics: vec![("fixed".into(), Topic { partitions, racks: Vec::new() })], ..kept(folder) }
}

async fn partitions(server: &Server) -> usize {
    let mut client = Client::connect(server.addr()).await;
    // A creation waits for the store to be read.
    assert_eq!(client.create("fixed", 1).await.0, ErrorCode::TopicAlreadyExists);
    replicas(&mut client, "fixed").await.unwrap().len()
}

#[tokio::test]
async fn what_a_configured_topic_has_is_never_taken_away_by_a_smaller_number() {
    let folder = tempfile::tempdir().unwrap();
    let server = serve(with_partitions(&folder, 3)).await;
    assert_eq!(partitions(&server).await, 3);
    // The file is read again by a running server, which is killed then.
    server.handle().reconfigure(with_partitions(&folder, 6)).await.unwrap();
    assert_eq!(partitions(&server).await, 6);
    drop(server);
    let server = serve_after_crash(with_partitions(&folder, 3)).await;
    assert_eq!(partitions(&server).await, 6, "after SIGHUP");
    server.stop().await;
    // Or by the next one.
    serve(with_partitions(&folder, 9)).await.stop().await;
    let server = serve(with_partitions(&folder, 3)).await;
    assert_eq!(partitions(&server).await, 9, "after a start");
    server.stop().await;
    // A topic whose section is gone keeps what members may hold.
    let server = serve(Config { topics: Vec::new(), ..kept(&folder) }).await;
    assert_eq!(partitions(&server).await, 9, "without a section");
    let mut client = Client::connect(server.addr()).await;
    assert_eq!(delete(&mut client, &["fixed"]).await[0].0, ErrorCode::None, "and can be deleted now");
    server.stop().await;
}

#[tokio::test]
async fn keys_that_need_a_restart_are_named_for_as_long_as_something_else_runs() {
    let folder = tempfile::tempdir().unwrap();
    let server = serve(kept(&folder)).await;
    let other = || Config { load_wait: std::time::Duration::from_millis(7), ..kept(&folder) };
    for _ in 0..2 {
        assert_eq!(server.handle().reconfigure(other()).await.unwrap(), ["load.wait.ms"]);
    }
    assert_eq!(server.handle().reconfigure(kept(&folder)).await.unwrap(), [""; 0]);
    let modules = tempfile::tempdir().unwrap();
    let opened = || Config { assignors: Some(modules.path().to_owned()), ..kept(&folder) };
    assert_eq!(server.handle().reconfigure(opened()).await.unwrap(), [""; 0], "it is opened now");
    for _ in 0..2 {
        let elsewhere = Config { assignors: Some(folder.path().to_owned()), ..kept(&folder) };
        assert_eq!(server.handle().reconfigure(elsewhere).await.unwrap(), ["assignors"]);
    }
    assert_eq!(server.handle().reconfigure(opened()).await.unwrap(), [""; 0]);
    server.stop().await;
}

/// A partition ends where the foremost group is: lag is how far the others are behind it.
#[tokio::test]
async fn a_partition_ends_at_the_highest_commit() {
    let folder = tempfile::tempdir().unwrap();
    let server = serve(Config { shards: Some(3), ..kept(&folder) }).await;
    let mut client = Client::connect(server.addr()).await;
    assert_eq!(offset_at(&mut client, "fixed", -1).await, Ok(0));
    for (group, offset) in [("a", 5), ("b", 40), ("c", 12)] {
        assert_eq!(commit(&mut client, group, "fixed", offset).await, ErrorCode::None);
    }
    // What was asked a moment ago may be told again.
    crate::support::within(async {
        while offset_at(&mut client, "fixed", -1).await != Ok(40) {
            tokio::task::yield_now().await;
        }
    })
    .await;
    assert_eq!(offset_at(&mut client, "fixed", -2).await, Ok(0));
    assert_eq!(offset_at(&mut client, "fixed", 1_700_000_000_000).await, Ok(-1), "no record is that young");
    assert_eq!(offset_at(&mut client, "fixed", -3).await, Ok(-1), "there is no youngest record");
    server.stop().await;
}

/// What is not stored has not happened, whatever the store made of it, and can be asked for again.
#[tokio::test]
async fn a_change_that_is_not_stored_is_taken_back() {
    let faults = Faults::default();
    let store = FailingStore::new(MemoryStore::new(), faults.clone());
    let server = Server::builder(config()).store(Box::new(store)).start().await.unwrap();
    let mut client = Client::connect(server.addr()).await;
    assert_eq!(client.create("t", 2).await.0, ErrorCode::None);
    for fault in [Fault::Lost, Fault::KeptUnsaid] {
        faults.order(fault);
        assert_eq!(delete(&mut client, &["t"]).await[0].0, ErrorCode::UnknownServerError, "{fault:?}");
        assert_eq!(replicas(&mut client, "t").await.unwrap().len(), 2);
        faults.order(fault);
        assert_eq!(grow(&mut client, "t", 3, None, false).await, ErrorCode::UnknownServerError, "{fault:?}");
        assert_eq!(replicas(&mut client, "t").await.unwrap().len(), 2);
    }
    assert_eq!(grow(&mut client, "t", 3, None, false).await, ErrorCode::None);
    assert_eq!(delete(&mut client, &["t"]).await[0].0, ErrorCode::None);
    assert!(replicas(&mut client, "t").await.is_err());
    server.stop().await;
}

/// A topic goes with its offsets or not at all: else they would be those of the next topic of its name.
#[tokio::test]
async fn a_topic_whose_offsets_cannot_be_forgotten_stays() {
    let faults = Faults::default();
    let store = FailingStore::new(MemoryStore::new(), faults.clone());
    let server = Server::builder(config()).store(Box::new(store)).start().await.unwrap();
    let mut client = Client::connect(server.addr()).await;
    assert_eq!(client.create("t", 1).await.0, ErrorCode::None);
    assert_eq!(commit(&mut client, "g", "t", 7).await, ErrorCode::None);
    faults.order(Fault::Lost);
    let (error, why) = delete(&mut client, &["t"]).await.remove(0);
    assert_eq!(error, ErrorCode::UnknownServerError);
    assert!(why.contains("could not be forgotten"), "{why}");
    assert_eq!(committed(&mut client, "g").await, [("t".to_owned(), 7)].into());
    assert_eq!(delete(&mut client, &["t"]).await[0].0, ErrorCode::None);
    assert_eq!(client.create("t", 1).await.0, ErrorCode::None);
    assert_eq!(committed(&mut client, "g").await, BTreeSet::new());
    server.stop().await;
}
