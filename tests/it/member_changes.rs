//! Members that change while they run: facts, topics by pattern, out of the group and in again.

use std::time::Duration;

use divvy::client::{CommitError, Metrics, Offset};
use divvy::server::Server;
use divvy::server::config::Config;

use crate::member_ground::{Folder, Worker, builder, built, partitions, together};
use crate::support::{config, create, serve};

#[tokio::test]
async fn facts_that_change_move_work_in_one_rebalance() {
    let server = serve(config()).await;
    let folder = Folder::with(&[("weighted", built("weighted"))]);
    let member = || builder(server.addr(), "g").subscribe(["clicks"]).assignors(folder.path());
    let mut first = Worker::join(member().assignor_names(["weighted"])).await;
    let mut second = Worker::join(member().assignor_names(["weighted"])).await;
    let before = together(&mut [&mut first, &mut second], |it| partitions(it).len() == 2).await;
    first.tell(|member| {
        member.set_fact("weight", 3);
        member.set_fact("zone", "a");
        member.remove_fact("zone");
    });
    let after = together(&mut [&mut first, &mut second], |it| partitions(it).len() != 2).await;
    assert_eq!(after.iter().map(|it| partitions(it).len()).collect::<Vec<_>>(), [3, 1]);
    assert_eq!(after[0].generation.0, before[0].generation.0 + 1, "one rebalance");
    assert_eq!((after[0].cause.name(), after[1].cause.name()), ("word", "group"));
}

async fn a_pattern_finds_new_topics(server: &Server) {
    create(server, "clicks-1", 2).await;
    create(server, "other", 2).await;
    let member = || builder(server.addr(), "g").subscribe_pattern("clicks-[0-9]+");
    let mut first = Worker::join(member()).await;
    let mut second = Worker::join(member()).await;
    let before = together(&mut [&mut first, &mut second], |it| partitions(it).len() == 1).await;
    create(server, "clicks-2", 2).await;
    let after = together(&mut [&mut first, &mut second], |it| partitions(it).len() == 2).await;
    let mut all: Vec<String> = after.iter().flat_map(partitions).collect();
    all.sort();
    assert_eq!(all, ["clicks-1-0", "clicks-1-1", "clicks-2-0", "clicks-2-1"]);
    assert_eq!(after[0].generation.0, before[0].generation.0 + 1, "one rebalance for both");
}

#[tokio::test]
async fn a_pattern_finds_new_topics_on_divvy() {
    a_pattern_finds_new_topics(&serve(Config { topics_auto_create: None, ..config() }).await).await;
}

#[tokio::test]
async fn a_pattern_finds_new_topics_elsewhere() {
    let config = Config { topics_auto_create: None, ..config() };
    a_pattern_finds_new_topics(&Server::builder(config).present_as_kafka().start().await.unwrap()).await;
}

#[tokio::test]
async fn who_drains_hands_over_and_comes_back() {
    let server = serve(config()).await;
    // Far longer than this test may take: nobody waits for a session to end.
    let long = Duration::from_secs(600);
    for instance in ["", "first"] {
        let group = format!("g-{instance}");
        let member = || builder(server.addr(), &group).subscribe(["clicks"]).session_timeout(long);
        let mut first = Worker::join(member().instance_id(instance)).await;
        let mut second = Worker::join(member()).await;
        together(&mut [&mut first, &mut second], |it| partitions(it).len() == 2).await;
        first.tell(divvy::client::Member::drain);
        first.drained().await;
        assert_eq!((first.revoked.last().map(Vec::len), first.lost), (Some(2), 0));
        second.assigned_with(|it| partitions(it).len() == 4).await;
        let offset = Offset { topic: "clicks".into(), partition: 0, offset: 1 };
        assert_eq!(first.commit(vec![offset]).await, Err(CommitError::NotAssigned));
        first.tell(divvy::client::Member::resume);
        together(&mut [&mut first, &mut second], |it| partitions(it).len() == 2).await;
        assert_eq!((first.lost, second.lost), (0, 0));
    }
}

#[tokio::test]
async fn what_is_committed_can_be_read_by_any_member() {
    let server = serve(config()).await;
    let mut first = Worker::join(builder(server.addr(), "g").subscribe(["clicks"])).await;
    first.assigned().await;
    let offset = |partition, offset| Offset { topic: "clicks".into(), partition, offset };
    first.commit(vec![offset(0, 7), offset(2, 9)]).await.unwrap();
    let mut second = Worker::join(builder(server.addr(), "g").subscribe(["clicks"])).await;
    together(&mut [&mut first, &mut second], |it| partitions(it).len() == 2).await;
    for worker in [&first, &second] {
        let committed = worker.committed(&[("clicks", &[0, 1, 2]), ("others", &[0])]).await.unwrap();
        assert_eq!(committed, [offset(0, 7), offset(2, 9)]);
    }
}

#[tokio::test]
async fn members_count_what_happens_to_them() {
    let server = serve(config()).await;
    let folder = Folder::with(&[("range", built("range"))]);
    let metrics = Metrics::default();
    let member = || builder(server.addr(), "g").subscribe(["clicks"]).assignors(folder.path()).metrics(metrics.clone());
    let mut first = Worker::join(member()).await;
    first.assigned().await;
    let mut second = Worker::join(member()).await;
    together(&mut [&mut first, &mut second], |it| partitions(it).len() == 2).await;
    first.commit(vec![Offset { topic: "clicks".into(), partition: 0, offset: 1 }]).await.unwrap();
    let text = metrics.text();
    let counts = |line: &str| text.lines().any(|it| it == line);
    assert!(counts(r#"divvy_member_rebalances_total{cause="start"} 2"#), "{text}");
    assert!(counts(r#"divvy_member_rebalances_total{cause="group"} 1"#), "{text}");
    assert!(counts("divvy_member_module_calls_total 2"), "{text}");
    assert!(counts(r#"divvy_member_commits_total{result="taken"} 1"#), "{text}");
    assert!(counts("divvy_member_without_assignment_seconds_count 3"), "{text}");
}

/// Long enough that no session ends, although a process does.
async fn a_process_comes_back_with_other_wishes(server: &Server) {
    let long = Duration::from_secs(600);
    let member = |instance: &str, topic: &str, weight: i32| {
        let member = builder(server.addr(), "g").subscribe([topic]).session_timeout(long);
        member.instance_id(instance).fact("weight", weight)
    };
    create(server, "views", 2).await;
    let mut first = Worker::join(member("first", "clicks", 1)).await;
    let mut second = Worker::join(member("second", "clicks", 1)).await;
    together(&mut [&mut first, &mut second], |it| partitions(it).len() == 2).await;
    // The leader's place or a follower's: each comes back in it.
    for (name, topic, all) in [("first", "views", "views-0 views-1"), ("first", "clicks", "clicks-0 clicks-1")] {
        first.leave().await;
        first = Worker::join(member(name, topic, 1)).await;
        let work = first.assigned().await;
        assert_eq!(partitions(&work).join(" "), all, "its first share is of what it reads");
        let rest = if topic == "views" { 4 } else { 2 };
        second.assigned_with(|it| partitions(it).len() == rest).await;
    }
    second.leave().await;
    let mut second = Worker::join(member("second", "clicks", 0)).await;
    let after = together(&mut [&mut first, &mut second], |_| true).await;
    second.leave().await;
    let mut second = Worker::join(member("second", "clicks", 0)).await;
    assert_eq!(second.assigned().await.generation, after[1].generation, "the same wishes cost nothing");
}

#[tokio::test]
async fn a_process_comes_back_with_other_wishes_on_divvy() {
    a_process_comes_back_with_other_wishes(&serve(config()).await).await;
}
