//! Members in a group on a real coordinator: they share, come, go, wait, and outlive their coordinator.

use std::time::Duration;

use divvy::client::{CommitError, Note, Offset, Role};
use divvy::server::config::{Config, DataPlace};
use divvy::wire::messages::CreateTopicsRequest;
use divvy::wire::messages::create_topics::CreatableTopic;

use crate::member_ground::{Worker, builder, partitions, together};
use crate::support::{Client, config, serve, within};

#[tokio::test]
async fn members_share_the_partitions_and_a_leaver_hands_over_at_once() {
    let server = serve(config()).await;
    let mut first = Worker::join(builder(server.addr(), "indexers").subscribe(["clicks"])).await;
    let alone = first.assigned().await;
    assert_eq!((partitions(&alone).len(), alone.role, alone.protocol.as_str()), (4, Role::Leader, "range"));

    let mut second = Worker::join(builder(server.addr(), "indexers").subscribe(["clicks"])).await;
    let shares = together(&mut [&mut first, &mut second], |it| partitions(it).len() == 2).await;
    assert_ne!(partitions(&shares[0]), partitions(&shares[1]));

    let mut third = Worker::join(builder(server.addr(), "indexers").subscribe(["clicks"])).await;
    together(&mut [&mut first, &mut second, &mut third], |it| partitions(it).len() <= 2).await;

    // The leader goes: another one leads, long before a session would end.
    first.leave().await;
    let shares = together(&mut [&mut second, &mut third], |it| partitions(it).len() == 2).await;
    assert_eq!(shares.iter().filter(|it| it.role == Role::Leader).count(), 1);
    assert_eq!((second.lost, third.lost), (0, 0), "everything was handed over in order");
}

#[tokio::test]
async fn a_restarted_coordinator_costs_no_rebalance() {
    let data = tempfile::tempdir().unwrap();
    let in_folder = Config { data: DataPlace::Folder(data.path().join("data")), ..config() };
    let server = serve(in_folder.clone()).await;
    let address = server.addr();
    let mut first = Worker::join(builder(address, "indexers").subscribe(["clicks"])).await;
    let mut second = Worker::join(builder(address, "indexers").subscribe(["clicks"])).await;
    let before = together(&mut [&mut first, &mut second], |it| partitions(it).len() == 2).await;

    within(server.stop()).await;
    // Who asks for nothing before it is back finds it as if it had never been away, and hears of nothing.
    for worker in [&mut first, &mut second] {
        worker.note(|it| matches!(it, Note::CoordinatorLost { .. })).await;
    }
    let server = serve(Config { listen: address, ..in_folder }).await;
    for worker in [&mut first, &mut second] {
        worker.note(|it| *it == Note::CoordinatorFound).await;
    }
    // The generation still counts: a commit in its name is taken.
    let (topic, partition) = ("clicks".into(), 0);
    first.commit(vec![Offset { topic, partition, offset: 7 }]).await.unwrap();
    let mut client = Client::connect(server.addr()).await;
    assert_eq!(client.state_of("indexers").await, "Stable");
    // The next rebalance is the one that a newcomer causes, and it is the very next generation that anybody sees.
    let mut third = Worker::join(builder(address, "indexers").subscribe(["clicks"])).await;
    let after = together(&mut [&mut first, &mut second, &mut third], |_| true).await;
    assert!(after[0].generation > before[0].generation);
    assert_eq!((first.lost, second.lost), (0, 0));
}

#[tokio::test]
async fn a_missing_topic_is_waited_for_and_taken_when_it_appears() {
    let server = serve(Config { topics_auto_create: None, ..config() }).await;
    let mut worker = Worker::join(builder(server.addr(), "indexers").subscribe(["later"])).await;
    let note = worker.note(|it| matches!(it, Note::TopicsMissing(_))).await.to_string();
    assert!(note.contains("no topic later yet"), "{note}");
    assert_eq!(partitions(&worker.assigned().await), Vec::<String>::new());
    let topic =
        CreatableTopic { name: "later".into(), num_partitions: 3, replication_factor: -1, ..Default::default() };
    let request = CreateTopicsRequest { topics: vec![topic], ..Default::default() };
    Client::connect(server.addr()).await.ask(7, &request).await;
    let work = worker.assigned_with(|it| !partitions(it).is_empty()).await;
    assert_eq!(partitions(&work), ["later-0", "later-1", "later-2"]);
}

#[tokio::test]
async fn a_commit_counts_only_while_the_work_is_ones_own() {
    let server = serve(config()).await;
    let mut worker = Worker::join(builder(server.addr(), "indexers").subscribe(["clicks"])).await;
    let offset = || vec![Offset { topic: "clicks".into(), partition: 0, offset: 1 }];
    assert_eq!(worker.commit(offset()).await, Err(CommitError::NotAssigned));
    worker.assigned().await;
    worker.commit(offset()).await.unwrap();
}

#[tokio::test]
async fn refusals_end_the_member_with_a_remedy() {
    let mut limits = config();
    limits.limits.min_session_timeout = Duration::from_secs(60);
    let server = serve(limits).await;
    let mut worker = Worker::join(builder(server.addr(), "indexers").subscribe(["clicks"])).await;
    let reason = worker.failed().await;
    assert!(
        reason.contains("session timeout of 20000 ms") && reason.contains("group.min.session.timeout.ms"),
        "{reason}"
    );
}
