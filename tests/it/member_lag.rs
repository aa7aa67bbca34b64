//! Lags: a strategy that needs them is told how far its group is behind, whoever leads and whatever coordinates.

use std::collections::BTreeSet;

use divvy::client::Offset;
use divvy::group::{GroupSettings, Lead};
use divvy::peer::Security;
use divvy::server::Server;
use divvy::server::config::Config;
use divvy::topics::Topic;
use divvy::wire::messages::list_offsets::{ListOffsetsPartition, ListOffsetsRequest, ListOffsetsTopic};
use divvy::wire::messages::offset_commit::{
    OffsetCommitRequest, OffsetCommitRequestPartition, OffsetCommitRequestTopic,
};

use crate::member_ground::{Folder, Worker, builder, lagging, partitions, together};
use crate::server_led;
use crate::support::{Client, config, serve, within};

/// A group that is far ahead with the first two partitions: that is where they end.
async fn ahead(server: &Server) {
    let mut client = Client::connect(server.addr()).await;
    let partition =
        |partition_index| OffsetCommitRequestPartition { partition_index, committed_offset: 100, ..Default::default() };
    let topic = OffsetCommitRequestTopic { name: "clicks".into(), partitions: vec![partition(0), partition(1)] };
    let request = OffsetCommitRequest { group_id: "ahead".into(), topics: vec![topic], ..Default::default() };
    let answer = client.ask(7, &request).await;
    assert!(answer.topics[0].partitions.iter().all(|it| !it.error_code.is_error()), "{answer:?}");
    // What was asked of partitions' ends just before is kept for a moment.
    within(async {
        loop {
            let partition = ListOffsetsPartition { partition_index: 0, timestamp: -1, ..Default::default() };
            let topic = ListOffsetsTopic { name: "clicks".into(), partitions: vec![partition] };
            let request = ListOffsetsRequest { replica_id: -1, topics: vec![topic], ..Default::default() };
            if client.ask(5, &request).await.topics[0].partitions[0].offset == 100 {
                return;
            }
        }
    })
    .await;
}

/// With one partition far behind, one at its end and two that nobody knows of, a second member gets the first one alone.
async fn is_told(server: &Server, leader: Option<&str>) {
    told_by(server, server, leader).await;
}

/// The same where one has the group and the other one the topics.
async fn told_by(server: &Server, topics: &Server, leader: Option<&str>) {
    let folder = Folder::with(&[("lagging", lagging())]);
    let member = || {
        let member = builder(server.addr(), "readers").subscribe(["clicks"]).assignors(folder.path());
        if server.addr() == topics.addr() {
            return member;
        }
        member.kafka(&topics.addr().to_string(), Security::default())
    };
    let mut first = Worker::join(member()).await;
    let alone = first.assigned_with(|it| it.protocol == "lagging@1").await;
    assert_eq!(partitions(&alone).len(), 4, "where nobody knows anything");
    let offset = |partition, offset| Offset { topic: "clicks".into(), partition, offset };
    first.commit(vec![offset(0, 10), offset(1, 100)]).await.unwrap();
    ahead(topics).await;

    let mut second = Worker::join(member()).await;
    let both = together(&mut [&mut first, &mut second], |it| [1, 3].contains(&partitions(it).len())).await;
    let shares: BTreeSet<Vec<String>> = both.iter().map(partitions).collect();
    let wanted = [vec!["clicks-0".to_owned()], ["clicks-1", "clicks-2", "clicks-3"].map(str::to_owned).to_vec()];
    assert_eq!(shares, wanted.into());
    assert!(leader.is_none_or(|leader| both.iter().all(|it| it.leader == leader)), "{both:?}");
}

#[tokio::test]
async fn a_leader_knows_how_far_its_group_is_behind() {
    is_told(&serve(config()).await, None).await;
}

#[tokio::test]
async fn elsewhere_it_asks_whoever_leads_the_partitions() {
    let server = Server::builder(config()).present_as_kafka().start().await.unwrap();
    is_told(&server, None).await;
}

#[tokio::test]
async fn topics_and_lags_are_asked_of_the_cluster_that_has_them() {
    let cluster = Server::builder(config()).present_as_kafka().start().await.unwrap();
    // The coordinator has to know them, or nobody could commit; where they end it does not know.
    let topics = vec![("clicks".into(), Topic { partitions: 4, racks: Vec::new() })];
    let server = serve(Config { topics, topics_auto_create: None, ..config() }).await;
    told_by(&server, &cluster, None).await;
}

#[tokio::test]
async fn a_cluster_without_the_group_tells_a_leader_of_topics_that_the_coordinator_has_not() {
    let topic = Topic { partitions: 3, racks: Vec::new() };
    let topics = vec![("clicks".into(), topic)];
    let cluster = serve(Config { topics, topics_auto_create: None, ..config() }).await;
    let server = serve(Config { topics_auto_create: None, ..config() }).await;
    let folder = Folder::with(&[("range", crate::member_ground::built("range"))]);
    let member = builder(server.addr(), "far").subscribe(["clicks"]).assignors(folder.path());
    let mut far = Worker::join(member.kafka(&cluster.addr().to_string(), Security::default())).await;
    let assigned = far.assigned_with(|it| partitions(it).len() == 3).await;
    assert_eq!(partitions(&assigned), ["clicks-0", "clicks-1", "clicks-2"]);
}

#[tokio::test]
async fn a_coordinator_that_leads_knows_it_too() {
    let folder = Folder::with(&[("lagging", lagging())]);
    let led = GroupSettings { lead: Lead::Coordinator, ..GroupSettings::default() };
    let topic = Topic { partitions: 4, racks: Vec::new() };
    let config = Config {
        assignors: Some(folder.path().to_owned()),
        groups: vec![("readers".to_owned(), led)],
        topics: vec![("clicks".into(), topic)],
        ..config()
    };
    is_told(&server_led::start(config).await, Some("divvy")).await;
}
