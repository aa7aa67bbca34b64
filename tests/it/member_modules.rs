//! Strategies on the move: negotiated by name and version, rolled out while the group runs, and passed over when they fail.

use std::time::Duration;

use divvy::client::{Assigned, Duty, Note, Rollout, Writer};
use divvy::server::Server;

use crate::member_ground::{Folder, Worker, builder, built, doomed, endless, even, partitions, together};
use crate::support::{config, serve};

#[tokio::test]
async fn the_newest_version_that_all_have_wins_and_a_roll_out_is_one_rebalance() {
    let server = serve(config()).await;
    let folders: Vec<Folder> = (0..3).map(|_| Folder::with(&[("even", even(1))])).collect();
    let mut workers = Vec::new();
    for folder in &folders {
        let member = builder(server.addr(), "indexers").subscribe(["clicks"]).assignors(folder.path());
        workers.push(Worker::join(member).await);
    }
    let [a, b, c] = &mut workers[..] else { unreachable!() };
    let before = together(&mut [a, b, c], |it| it.protocol == "even@1" && partitions(it).len() <= 2).await;
    assert!(before.iter().all(|it| it.digest.is_some() && it.digest == before[0].digest));

    for (at, folder) in folders.iter().enumerate() {
        folder.drop_in("even", &even(2));
        let [a, b, c] = &mut workers[..] else { unreachable!() };
        let worker = [a, b, c].into_iter().nth(at).unwrap();
        worker.note(|it| matches!(it, Note::OffersChanged(offers) if offers[0].protocol == "even@2")).await;
    }
    let [a, b, c] = &mut workers[..] else { unreachable!() };
    let after = together(&mut [a, b, c], |it| it.generation > before[0].generation).await;
    assert!(after.iter().all(|it| it.protocol == "even@2"), "{after:?}");
    assert_eq!(after[0].generation, before[0].generation.next(), "one rebalance for the whole roll-out");
}

#[tokio::test]
async fn a_version_that_traps_serves_nobody_for_long_and_the_one_before_takes_over() {
    let server = serve(config()).await;
    let folder = Folder::with(&[("even-1", even(1)), ("even-2", doomed(2))]);
    let member = || builder(server.addr(), "doomed").subscribe(["clicks"]).assignors(folder.path());
    let mut first = Worker::join(member()).await;
    let served = first.assigned().await;
    assert_eq!(partitions(&served).len(), 4, "the generation is served all the same");
    let fault = first.note(|it| matches!(it, Note::Fault { .. })).await.to_string();
    assert!(fault.starts_with("even@2 (") && fault.contains("trap"), "{fault}");
    let mut second = Worker::join(member()).await;
    let after = together(&mut [&mut first, &mut second], |it| partitions(it).len() == 2).await;
    assert_eq!(after[0].protocol, "even@1", "even@2 is suspended");
    second.note(|it| matches!(it, Note::Suspended(_))).await;
}

#[tokio::test]
async fn b11_a_strategy_that_does_not_end_is_cut_off_and_the_group_is_served() {
    let server = serve(config()).await;
    let folder = Folder::with(&[("even-1", even(1)), ("even-2", endless(2))]);
    let member = || builder(server.addr(), "doomed").subscribe(["clicks"]).assignors(folder.path());
    let mut first = Worker::join(member()).await;
    assert_eq!(partitions(&first.assigned().await).len(), 4, "the generation is served all the same");
    let fault = first.note(|it| matches!(it, Note::Fault { .. })).await.to_string();
    assert!(fault.contains("deadline") && fault.contains("even-2.wasm"), "kind and file: {fault}");
    let mut second = Worker::join(member()).await;
    let after = together(&mut [&mut first, &mut second], |it| partitions(it).len() == 2).await;
    assert_eq!(after[0].protocol, "even@1", "even@2 is suspended");
}

#[tokio::test]
async fn a_broken_file_is_named_and_costs_nothing() {
    let server = serve(config()).await;
    let folder = Folder::with(&[("even", even(1)), ("broken", b"no module".to_vec())]);
    let member = builder(server.addr(), "indexers").subscribe(["clicks"]).assignors(folder.path());
    let mut worker = Worker::join(member).await;
    let note = worker.note(|it| matches!(it, Note::ModuleRefused { .. })).await.to_string();
    assert!(note.contains("broken.wasm"), "{note}");
    assert_eq!(worker.assigned().await.protocol, "even@1");
}

async fn as_kafka() -> Server {
    Server::builder(config()).present_as_kafka().start().await.unwrap()
}

#[tokio::test]
async fn a_coordinator_that_is_not_divvy_gets_whole_plans_and_an_eager_roll_out() {
    let server = as_kafka().await;
    let folders = [Folder::with(&[("even", doomed(1))]), Folder::with(&[("even", doomed(1))])];
    let member = |folder: &Folder| {
        let within = Duration::from_millis(200);
        let member = builder(server.addr(), "doomed").subscribe(["clicks"]).assignors(folder.path());
        member.rollout(Rollout::Eager { within })
    };
    let mut first = Worker::join(member(&folders[0])).await;
    let mut second = Worker::join(member(&folders[1])).await;
    let served = together(&mut [&mut first, &mut second], |_| true).await;
    assert_eq!(served[0].protocol, "even@1", "nobody suspends here");
    let owned: usize = served.iter().map(|it| partitions(it).len()).sum();
    assert_eq!(owned, 4, "the last plan, cut to what exists, leaves no partition without an owner");
    folders.iter().for_each(|folder| folder.drop_in("even", &even(2)));
    let rolled = together(&mut [&mut first, &mut second], |it| it.protocol == "even@2").await;
    assert_eq!(partitions(&rolled[0]).len(), 2);
}

fn duty(work: &Assigned) -> Duty {
    work.duty().expect("a state of a single writer")
}

#[tokio::test]
async fn one_writer_is_active_and_its_successor_has_a_greater_epoch() {
    let server = serve(config()).await;
    let folder = Folder::with(&[("active-standby", built("active-standby"))]);
    let member = || builder(server.addr(), "writers").single_writer().assignors(folder.path());
    let mut first = Worker::join(member()).await;
    let Duty::Active(Writer { epoch }) = duty(&first.assigned().await) else { panic!("alone and not active") };
    let mut second = Worker::join(member()).await;
    let both = together(&mut [&mut first, &mut second], |_| true).await;
    let active = both.iter().filter(|it| matches!(duty(it), Duty::Active(_))).count();
    assert_eq!(active, 1, "{both:?}");
    // Whoever is active goes; the other one takes over.
    let (gone, mut left) = match duty(&both[0]) {
        Duty::Active(_) => (first, second),
        Duty::Standby { .. } => (second, first),
    };
    gone.leave().await;
    let work = left.assigned_with(|it| matches!(duty(it), Duty::Active(_))).await;
    let Duty::Active(writer) = duty(&work) else { unreachable!() };
    assert!(writer > Writer { epoch }, "{writer:?}");
}

#[tokio::test]
async fn a_group_of_another_type_is_refused_with_what_to_do() {
    let server = serve(config()).await;
    let folder = Folder::with(&[("active-standby", built("active-standby"))]);
    let mut writer = Worker::join(builder(server.addr(), "g").single_writer().assignors(folder.path())).await;
    writer.assigned().await;
    let mut other = Worker::join(builder(server.addr(), "g").subscribe(["clicks"])).await;
    let reason = other.failed().await;
    assert!(reason.contains("no protocol in common") && reason.contains("offers range"), "{reason}");
}
