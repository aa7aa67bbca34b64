//! What a restart on the same data keeps, and what a server says that cannot start.

use divvy::server::config::{Config, DataPlace};
use divvy::server::{Server, StartError};
use divvy::wire::ErrorCode;
use divvy::wire::messages::offset_commit::{OffsetCommitRequestPartition, OffsetCommitRequestTopic};
use divvy::wire::messages::offset_fetch::OffsetFetchRequestTopic;
use divvy::wire::messages::{MetadataRequest, OffsetCommitRequest, OffsetFetchRequest};

use crate::support::{Client, Member, config, join, serve, state, within};

fn in_folder(folder: &tempfile::TempDir) -> Config {
    Config { data: DataPlace::Folder(folder.path().join("data")), ..config() }
}

async fn commit(client: &mut Client, member: &Member, committed_offset: i64) {
    assert_eq!(try_commit(client, member, committed_offset).await, ErrorCode::None);
}

async fn try_commit(client: &mut Client, member: &Member, committed_offset: i64) -> ErrorCode {
    let partition = OffsetCommitRequestPartition { partition_index: 1, committed_offset, ..Default::default() };
    let request = OffsetCommitRequest {
        group_id: member.group.as_str().into(),
        generation_id_or_member_epoch: member.generation,
        member_id: member.id.as_str().into(),
        topics: vec![OffsetCommitRequestTopic { name: "clicks".into(), partitions: vec![partition] }],
        ..Default::default()
    };
    client.ask(5, &request).await.topics[0].partitions[0].error_code
}

async fn committed(client: &mut Client, group: &str) -> i64 {
    let topic = OffsetFetchRequestTopic { name: "clicks".into(), partition_indexes: vec![1] };
    let request = OffsetFetchRequest { group_id: group.into(), topics: Some(vec![topic]), ..Default::default() };
    client.ask(5, &request).await.topics[0].partitions[0].committed_offset
}

/// A stable group goes on in its generation, with its offsets and topics, after a stop and after a crash.
#[tokio::test]
async fn a_restart_costs_no_rebalance() {
    let folder = tempfile::tempdir().unwrap();
    let server = serve(in_folder(&folder)).await;
    let mut client = Client::connect(server.addr()).await;
    assert_eq!(client.create("clicks", 3).await.0, ErrorCode::None);
    let member = client.become_leader("g", b"all").await;
    commit(&mut client, &member, 41).await;
    server.stop().await;

    let server = serve(in_folder(&folder)).await;
    let mut client = Client::connect(server.addr()).await;
    assert_eq!(client.ask(3, &member.heartbeat()).await.error_code, ErrorCode::None);
    // A commit waits for the store to be read; a SyncGroup would be told to join again meanwhile.
    commit(&mut client, &member, 42).await;
    assert_eq!(state(&client.ask(3, &member.sync(&[])).await), Ok(&b"all"[..]));
    assert_eq!(client.state_of("g").await, "Stable");
    drop(server);

    let server = restart_after_crash(&folder).await;
    let mut client = Client::connect(server.addr()).await;
    assert_eq!(committed(&mut client, "g").await, 42);
    assert_eq!(client.ask(3, &member.heartbeat()).await.error_code, ErrorCode::None);
    let all = MetadataRequest { topics: None, ..Default::default() };
    assert_eq!(client.ask(4, &all).await.topics[0].partitions.len(), 3);
    // The leader that joins again is a rebalance, and its generation is above all that were ever announced.
    assert!(client.ask(5, &join("g", &member.id)).await.generation_id > member.generation);
    server.stop().await;
}

/// The store's thread closes the folder in its own time.
async fn restart_after_crash(folder: &tempfile::TempDir) -> Server {
    within(async {
        loop {
            match Server::start(in_folder(folder)).await {
                Ok(server) => return server,
                Err(StartError::Store(_)) => tokio::task::yield_now().await,
                Err(other) => panic!("{other}"),
            }
        }
    })
    .await
}

#[tokio::test]
async fn a_port_in_use_and_a_folder_in_use_are_told_in_one_sentence() {
    let folder = tempfile::tempdir().unwrap();
    let server = serve(in_folder(&folder)).await;
    let taken = Config { listen: server.addr(), ..config() };
    let Err(error) = Server::start(taken).await else { panic!("the port is in use") };
    let sentence = error.to_string();
    assert!(sentence.contains(&server.addr().to_string()) && sentence.contains("another process"), "{sentence}");
    let Err(error) = Server::start(in_folder(&folder)).await else { panic!("the folder is in use") };
    let sentence = error.to_string();
    assert!(sentence.contains(&*folder.path().to_string_lossy()), "{sentence}");
    server.stop().await;
}

/// Scenario 26: a batch that is not stored is never acknowledged, and its group comes back as it was stored.
#[tokio::test]
async fn a_failed_batch_fails_its_group_and_nobody_else() {
    use crate::support_store::failing::{FailingStore, Fault, Faults};
    let faults = Faults::default();
    let store = FailingStore::new(divvy::store::MemoryStore::new(), faults.clone());
    let server = Server::builder(config()).store(Box::new(store)).start().await.unwrap();
    let mut client = Client::connect(server.addr()).await;
    assert_eq!(client.create("clicks", 3).await.0, ErrorCode::None);
    let (here, there) = (client.become_leader("here", b"all").await, client.become_leader("there", b"all").await);
    commit(&mut client, &here, 1).await;
    for fault in [Fault::Lost, Fault::KeptUnsaid] {
        faults.order(fault);
        let refused = try_commit(&mut client, &here, 2).await;
        assert!(matches!(refused, ErrorCode::CoordinatorNotAvailable | ErrorCode::NotCoordinator), "{refused}");
        // The member goes on in its generation, the other group never noticed.
        assert_eq!(client.ask(3, &there.heartbeat()).await.error_code, ErrorCode::None);
        let known = committed(&mut client, "here").await;
        assert_eq!(known, if matches!(fault, Fault::Lost) { 1 } else { 2 });
        commit(&mut client, &here, known).await;
    }
    // A topic that cannot be stored is not there.
    faults.order(Fault::Lost);
    assert!(client.create("lost", 3).await.0.is_error());
    assert_eq!(client.create("lost", 3).await.0, ErrorCode::None);
    server.stop().await;
}
