//! Members that hand over step by step: nobody stops for what stays its own.

use std::collections::BTreeSet;

use divvy::client::Offset;
use divvy::server::Server;

use crate::member_ground::{Folder, Worker, builder, even, partitions, soft, together};
use crate::support::{config, serve};

async fn nobody_stops_for_what_it_keeps(server: &Server) {
    let folder = Folder::with(&[("soft", soft())]);
    let member = || builder(server.addr(), "g").subscribe(["clicks"]).assignors(folder.path()).assignor_names(["soft"]);
    let mut first = Worker::join(member()).await;
    let alone = first.assigned().await;
    assert_eq!((alone.protocol.as_str(), partitions(&alone).len()), ("soft@1", 4));

    let mut second = Worker::join(member()).await;
    let both = together(&mut [&mut first, &mut second], |it| partitions(it).len() == 2).await;
    let (kept, given): (Vec<_>, Vec<_>) = (partitions(&both[0]), partitions(&both[1]));
    assert_eq!(first.revoked, [given], "what the other one has now, and nothing else");
    assert_eq!((second.revoked.len(), first.lost, second.lost), (0, 0, 0));

    // The group is the same one: who kept its work commits in the generation that it is in now.
    let (_, number) = kept[0].split_once('-').unwrap();
    let offset = Offset { topic: "clicks".into(), partition: number.parse().unwrap(), offset: 7 };
    first.commit(vec![offset]).await.unwrap();

    second.leave().await;
    let alone = first.assigned_with(|it| partitions(it).len() == 4).await;
    assert!(alone.generation > both[0].generation);
    assert_eq!((first.revoked.len(), first.lost), (1, 0), "what comes back costs nothing");
}

#[tokio::test]
async fn nobody_stops_for_what_it_keeps_on_divvy() {
    nobody_stops_for_what_it_keeps(&serve(config()).await).await;
}

#[tokio::test]
async fn nobody_stops_for_what_it_keeps_elsewhere() {
    let server = Server::builder(config()).present_as_kafka().start().await.unwrap();
    nobody_stops_for_what_it_keeps(&server).await;
}

#[tokio::test]
async fn an_eager_member_among_those_that_go_step_by_step_gives_all_up_and_gets_its_part() {
    let server = serve(config()).await;
    let folder = Folder::with(&[("soft", soft()), ("even", even(1))]);
    let member = |names: &[&str]| {
        builder(server.addr(), "g").subscribe(["clicks"]).assignors(folder.path()).assignor_names(names.to_vec())
    };
    let mut steps = Worker::join(member(&["soft"])).await;
    steps.assigned().await;
    let mut eager = Worker::join(member(&["soft", "even"])).await;
    let both = together(&mut [&mut steps, &mut eager], |it| partitions(it).len() == 2).await;
    assert!(both.iter().all(|it| it.protocol == "soft@1"), "the one that both offer: {both:?}");
    let mut third = Worker::join(member(&["soft"])).await;
    let all = together(&mut [&mut steps, &mut eager, &mut third], |it| (1..=2).contains(&partitions(it).len())).await;
    let owned: BTreeSet<String> = all.iter().flat_map(partitions).collect();
    assert_eq!(owned.len(), 4, "{all:?}");
    assert_eq!(eager.revoked.first().map(Vec::len), Some(2), "it cannot know what it will keep");
    assert_eq!((steps.lost, eager.lost, third.lost), (0, 0, 0));
}
