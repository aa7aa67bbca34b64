//! Protocol types of all kinds: primaries and writers among consumers, one active member, connectors and tasks, raw bytes.

use std::collections::BTreeSet;

use divvy::client::{Assigned, Builder, Duty, Share, connectors};
use divvy::server::Server;
use divvy_assignor_connect::wire::{Assignment, Metadata, Work};

use crate::member_ground::{Folder, Worker, builder, built, partitions, stamped, together};
use crate::support::{config, serve};

#[tokio::test]
async fn of_redundant_copies_one_is_the_primary() {
    let server = serve(config()).await;
    let folder = Folder::with(&[("redundant", built("redundant"))]);
    let member = || builder(server.addr(), "g").subscribe(["clicks"]).assignors(folder.path());
    let mut workers = [
        Worker::join(member().assignor_names(["redundant"])).await,
        Worker::join(member().assignor_names(["redundant"])).await,
    ];
    let [first, second] = &mut workers;
    let settled = |it: &Assigned| partitions(it).len() == 4 && it.primaries().is_some_and(|it| !it.is_empty());
    let both = together(&mut [first, second], settled).await;
    for number in 0..4 {
        let primaries = both.iter().filter(|it| it.is_primary("clicks", number) == Some(true)).count();
        assert_eq!(primaries, 1, "of clicks-{number}: {both:?}");
    }
    assert_eq!(both[0].is_primary("clicks", 4), None, "nobody has it");
    assert!(both.iter().all(|it| it.writer().is_some_and(|writer| writer.epoch == it.generation.0)), "{both:?}");
}

#[tokio::test]
async fn a_single_writer_among_consumers_knows_its_epoch() {
    let server = serve(config()).await;
    let folder = Folder::with(&[("single-writer", built("single-writer"))]);
    let member =
        || builder(server.addr(), "g").subscribe(["clicks"]).assignors(folder.path()).assignor_names(["single-writer"]);
    let mut first = Worker::join(member()).await;
    let before = first.assigned().await.writer().unwrap();
    let mut second = Worker::join(member()).await;
    let both = together(&mut [&mut first, &mut second], |_| true).await;
    assert!(both[0].writer().is_some_and(|it| it > before) && both[1].writer().is_none(), "{both:?}");
    first.leave().await;
    let after = second.assigned_with(|it| it.writer().is_some()).await;
    assert!(after.writer() > both[0].writer());
}

#[tokio::test]
async fn of_single_writers_one_is_active_and_each_hand_over_has_a_larger_epoch() {
    let server = serve(config()).await;
    let folder = Folder::with(&[("active-standby", built("active-standby"))]);
    let member = || builder(server.addr(), "g").single_writer().assignors(folder.path());
    let mut first = Worker::join(member()).await;
    let before = first.assigned().await.writer().unwrap();
    let mut second = Worker::join(member()).await;
    let standby = second.assigned().await;
    assert!(matches!(standby.duty(), Some(Duty::Standby { .. })), "{standby:?}");
    first.tell(divvy::client::Member::drain);
    let after = second.assigned_with(|it| it.writer().is_some()).await.writer().unwrap();
    assert!(after > before);
    first.drained().await;
}

/// Three tasks of one connector, and the connector itself.
fn jdbc() -> Vec<u8> {
    connectors(Some(3), &[("jdbc".to_owned(), 3)].into())
}

async fn workers_share_connectors_and_tasks(server: &Server) {
    let folder = Folder::with(&[("connect", built("connect"))]);
    let worker = |url: &str| builder(server.addr(), "g").connect(url).context(jdbc()).assignors(folder.path());
    let mut first = Worker::join(worker("http://w1:8083/")).await;
    let alone = first.assigned_with(|it| !it.share.is_nothing()).await;
    assert_eq!(alone.share, Share::Partitions(vec![("jdbc".into(), vec![-1, 0, 1, 2])]));
    let mut second = Worker::join(worker("http://w2:8083/")).await;
    let both = together(&mut [&mut first, &mut second], |it| (1..=3).contains(&partitions(it).len())).await;
    let all: BTreeSet<String> = both.iter().flat_map(partitions).collect();
    assert_eq!((all.len(), both.iter().map(|it| partitions(it).len()).sum::<usize>()), (4, 4), "{both:?}");
    assert_eq!((first.lost, first.revoked.len()), (0, 1), "what it gives up, and nothing else: {:?}", first.revoked);
    assert_eq!(first.revoked[0].iter().cloned().collect::<BTreeSet<_>>(), partitions(&both[1]).into_iter().collect());
}

#[tokio::test]
async fn workers_share_connectors_and_tasks_on_divvy() {
    workers_share_connectors_and_tasks(&serve(config()).await).await;
}

#[tokio::test]
async fn workers_share_connectors_and_tasks_elsewhere() {
    workers_share_connectors_and_tasks(&Server::builder(config()).present_as_kafka().start().await.unwrap()).await;
}

#[tokio::test]
async fn a_type_of_ones_own_has_raw_bytes_and_a_context() {
    let server = serve(config()).await;
    let manifest = r#"{"abi":"1.0","name":"mine","protocol_type":"mine","shape":"states"}"#;
    let folder = Folder::with(&[("mine", stamped(&built("connect"), manifest))]);
    let metadata = Metadata { version: 1, url: "me", offset: 3, runs: Work::new() }.write();
    let member = || -> Builder {
        let builder = builder(server.addr(), "g").protocol_type("mine").assignors(folder.path());
        builder.metadata(metadata.clone()).context(jdbc())
    };
    let mut worker = Worker::join(member()).await;
    let tasks = |work: &Assigned| {
        let Share::State(state) = &work.share else { panic!("{work:?}") };
        Assignment::read(state).unwrap().work.iter().map(|(_, tasks)| tasks.len()).sum::<usize>()
    };
    assert_eq!(tasks(&worker.assigned().await), 4);
    // The application knows of more: its strategy, which runs here, is asked again.
    worker.tell(|member| {
        member.set_context(connectors(Some(3), &[("jdbc".to_owned(), 5), ("sink".to_owned(), 1)].into()))
    });
    worker.assigned_with(|it| it.cause.name() == "word" && tasks(it) > 0).await;
}
