//! Handing over in steps: a member that offers cooperative protocols alone goes on with its work while the group rebalances,
//! and gives up only what it no longer gets.

use std::time::Duration;

use super::story::{Story, config, fake, joined, not_synced, refused};
use crate::embedded::consumer::Subscription;
use crate::ids::{Generation, MemberId};
use crate::membership::config::Config;
use crate::membership::event::{Event, JoinAnswer, JoinCall, Peer};
use crate::membership::notice::{Notice, Share};
use crate::wire::ErrorCode;

const SOFT: &str = r#"{"abi":"1.0","name":"soft","mode":"cooperative"}"#;
const HARD: &str = r#"{"abi":"1.0","name":"hard"}"#;
const INTERVAL: Duration = Duration::from_secs(3);

fn clicks(partitions: &[i32]) -> Share {
    Share::Partitions(if partitions.is_empty() { Vec::new() } else { vec![("clicks".into(), partitions.to_vec())] })
}

fn owned(call: &JoinCall) -> (i32, Vec<i32>) {
    let subscription = Subscription::decode(&call.offers[0].1).unwrap();
    let partitions = subscription.tail.owned.iter().flat_map(|of| of.partitions.iter().collect::<Vec<_>>());
    (subscription.tail.generation, partitions.collect())
}

/// A follower in generation 5 that has partitions 0, 1 and 2, and offers nothing that is not cooperative.
fn stable() -> Story {
    let mut story = Story::new(Config { assignors: vec!["soft".into()], ..config() });
    story.strategies(vec![fake(SOFT)]).start(Peer::Other);
    let (sent, call) = story.join();
    assert_eq!(owned(&call), (-1, Vec::new()), "a newcomer has nothing");
    let answer = JoinAnswer { leader: MemberId::from("other"), ..joined(5, "soft@1") };
    story.give(Event::Joined(sent, answer)).gets(&[0, 1, 2]);
    assert_eq!(story.assigned().share, clicks(&[0, 1, 2]));
    story.told.clear();
    story
}

#[test]
fn nothing_is_given_up_for_a_rebalance_that_takes_nothing() {
    let mut story = stable();
    story.pass(INTERVAL).beats(ErrorCode::RebalanceInProgress);
    let (sent, call) = story.join();
    assert_eq!(owned(&call), (5, vec![0, 1, 2]), "at once, with what it has");
    assert_eq!(story.member.identity(), Some((MemberId::from("me"), Generation(5))), "it goes on committing");
    story.give(Event::Joined(sent, JoinAnswer { leader: MemberId::from("other"), ..joined(6, "soft@1") }));
    story.gets(&[0, 1, 2, 3]);
    assert_eq!(story.assigned().share, clicks(&[0, 1, 2, 3]));
    assert!(story.told.is_empty(), "{:?}", story.told);
    story.wants_nothing();
}

#[test]
fn what_is_taken_is_given_up_before_the_rest_is_told_and_joined_with() {
    let mut story = stable();
    story.pass(INTERVAL).beats(ErrorCode::RebalanceInProgress).follows(6, "soft@1").gets(&[0, 3]);
    let revoked = Notice::Revoke { generation: Generation(6), share: clicks(&[1, 2]) };
    assert_eq!(story.told, [revoked]);
    story.wants_nothing();
    // The session goes on, and another rebalance changes nothing: it is about to join anyway.
    story.pass(INTERVAL).beats(ErrorCode::RebalanceInProgress).wants_nothing();
    story.give(Event::GivenUp(Generation(5))).wants_nothing();
    story.give(Event::GivenUp(Generation(6)));
    assert_eq!(story.assigned().share, clicks(&[0, 3]));
    let (sent, call) = story.join();
    assert_eq!(owned(&call), (6, vec![0, 3]), "so that others may have the rest");
    story.give(Event::Joined(sent, JoinAnswer { leader: MemberId::from("other"), ..joined(7, "soft@1") }));
    story.gets(&[0, 3]);
    assert_eq!(story.assigned().share, clicks(&[0, 3]));
    story.wants_nothing();
}

#[test]
fn b23_a_second_rebalance_waits_for_what_the_first_one_takes() {
    let mut story = stable();
    story.pass(INTERVAL).beats(ErrorCode::RebalanceInProgress).follows(6, "soft@1").gets(&[0]);
    // The application takes five seconds to stop, and the next rebalance begins after one.
    for _ in 0..2 {
        story.pass(INTERVAL).beats(ErrorCode::RebalanceInProgress).wants_nothing();
    }
    assert_eq!(story.told, [Notice::Revoke { generation: Generation(6), share: clicks(&[1, 2]) }], "told once");
    story.give(Event::GivenUp(Generation(6)));
    assert_eq!(owned(&story.join().1), (6, vec![0]), "acknowledged when it has stopped, and not before");
}

#[test]
fn a_rebalance_that_begins_anew_takes_nothing_either() {
    let mut story = stable();
    story.pass(INTERVAL).beats(ErrorCode::RebalanceInProgress).follows(6, "soft@1");
    let (sent, _) = story.sync();
    story.give(Event::Synced(sent, not_synced(ErrorCode::RebalanceInProgress)));
    let (_, call) = story.pass_until_wanted().join();
    assert_eq!(owned(&call), (5, vec![0, 1, 2]));
    assert!(!story.told.iter().any(|it| matches!(it, Notice::Lost { .. })), "{:?}", story.told);
}

#[test]
fn who_is_forgotten_while_it_joins_has_lost_its_work() {
    let mut story = stable();
    story.pass(INTERVAL).beats(ErrorCode::RebalanceInProgress);
    let (sent, _) = story.join();
    story.give(Event::Joined(sent, refused(ErrorCode::UnknownMemberId)));
    assert!(
        matches!(&story.told[..], [Notice::Lost { share, .. }] if *share == clicks(&[0, 1, 2])),
        "{:?}",
        story.told
    );
    let (_, call) = story.pass_until_wanted().join();
    assert_eq!(owned(&call), (-1, Vec::new()));
}

#[test]
fn who_hears_nothing_for_a_session_has_lost_its_work_and_does_not_keep_what_it_joined_with() {
    let mut story = stable();
    story.pass(INTERVAL).beats(ErrorCode::RebalanceInProgress);
    let (sent, _) = story.join();
    story.pass(config().session_timeout);
    assert!(matches!(story.told[..], [Notice::Lost { .. }]), "{:?}", story.told);
    story.told.clear();
    story.give(Event::Joined(sent, JoinAnswer { leader: MemberId::from("other"), ..joined(6, "soft@1") })).gets(&[0]);
    assert_eq!(story.assigned().share, clicks(&[0]), "what was lost needs not be given up again");
    assert_eq!(owned(&story.join().1), (6, vec![0]), "but others wait for it");
}

/// Heartbeats are answered with 0 while states are awaited; yet the coordinator removes who does not sync in time, and a
/// leader whose topics are not told, or a follower whose SyncGroup was lost, learns of that too late.
#[test]
fn who_gets_no_state_in_a_rebalance_timeout_has_lost_its_work_however_alive_it_is() {
    let mut story = stable();
    story.pass(INTERVAL).beats(ErrorCode::RebalanceInProgress).follows(6, "soft@1");
    let timeout = config().rebalance_timeout;
    let mut waited = Duration::ZERO;
    while waited + INTERVAL < timeout {
        story.pass(INTERVAL).beats(ErrorCode::None);
        waited += INTERVAL;
    }
    assert!(story.told.is_empty(), "{:?}", story.told);
    story.pass(timeout - waited);
    assert!(
        matches!(&story.told[..], [Notice::Lost { share, .. }] if *share == clicks(&[0, 1, 2])),
        "{:?}",
        story.told
    );
}

#[test]
fn what_is_kept_while_the_rest_is_given_up_is_lost_with_it() {
    let mut story = stable();
    story.pass(INTERVAL).beats(ErrorCode::RebalanceInProgress).follows(6, "soft@1").gets(&[0]).told.clear();
    story.pass(INTERVAL).beats(ErrorCode::UnknownMemberId);
    assert!(
        matches!(&story.told[..], [Notice::Lost { share, .. }] if *share == clicks(&[0, 1, 2])),
        "{:?}",
        story.told
    );
}

#[test]
fn beside_an_eager_protocol_all_is_given_up() {
    let mut story = Story::new(Config { assignors: vec!["soft".into(), "hard".into()], ..config() });
    story.strategies(vec![fake(SOFT), fake(HARD)]).start(Peer::Other).follows(5, "soft@1").gets(&[0, 1]).told.clear();
    story.pass(INTERVAL).beats(ErrorCode::RebalanceInProgress);
    assert!(matches!(story.told[..], [Notice::Revoke { .. }]), "{:?}", story.told);
    story.give(Event::GivenUp(Generation(5)));
    assert_eq!(owned(&story.join().1).1, Vec::<i32>::new());
}

#[test]
fn an_eager_module_that_comes_is_offered_after_all_was_given_up() {
    let mut story = Story::new(Config { assignors: vec!["soft".into(), "hard".into()], ..config() });
    story.strategies(vec![fake(SOFT)]).start(Peer::Other).follows(5, "soft@1").gets(&[0, 1]).told.clear();
    story.strategies(vec![fake(SOFT), fake(HARD)]).told.clear();
    story.pass(INTERVAL).beats(ErrorCode::RebalanceInProgress);
    assert!(matches!(story.told[..], [Notice::Revoke { .. }]), "{:?}", story.told);
}

#[test]
fn a_leaders_own_reason_to_join_again_takes_nothing_either() {
    let mut story = Story::new(Config { assignors: vec!["soft".into()], ..config() });
    story.strategies(vec![fake(SOFT)]).start(Peer::Other).leads(1, "soft@1").topics_are(&[("clicks", 4)]);
    story.strategy_runs().gets(&[0, 1]).told.clear();
    while story.wanted.iter().all(|it| !matches!(it, crate::membership::Action::FetchTopics(..))) {
        story.pass_until_due();
        if matches!(story.wanted.last(), Some(crate::membership::Action::Heartbeat(..))) {
            story.beats(ErrorCode::None);
        }
    }
    story.topics_are(&[("clicks", 6)]);
    assert_eq!(owned(&story.join().1), (1, vec![0, 1]));
    assert!(story.told.is_empty(), "{:?}", story.told);
}
