//! A request that waits at the coordinator, and work that takes its time to end: the member waits, and for as long as that
//! takes it neither asks twice nor acknowledges what has not happened.

use std::time::Duration;

use super::story::{Story, config, fake, joined};
use crate::embedded::consumer::Subscription;
use crate::ids::{Generation, MemberId};
use crate::membership::Action;
use crate::membership::change::Change;
use crate::membership::config::Config;
use crate::membership::event::{Event, JoinAnswer, Peer, Sent};
use crate::membership::notice::Notice;
use crate::wire::ErrorCode;

const SOFT: &str = r#"{"abi":"1.0","name":"soft","mode":"cooperative"}"#;
const INTERVAL: Duration = Duration::from_secs(3);
const PARKED: Duration = Duration::from_secs(50);

fn followed(generation: i32, protocol: &str) -> JoinAnswer {
    JoinAnswer { leader: MemberId::from("other"), ..joined(generation, protocol) }
}

/// Second after second nothing is wanted.
fn nothing_for(story: &mut Story, time: Duration) {
    for _ in 0..time.as_secs() {
        story.pass(Duration::from_secs(1)).wants_nothing();
    }
}

#[test]
fn a_parked_join_is_waited_for_without_heartbeats_and_without_a_second_one() {
    let mut story = Story::stable_follower(Peer::Other);
    story.pass(INTERVAL).beats(ErrorCode::RebalanceInProgress).give(Event::GivenUp(Generation(5)));
    let (sent, _) = story.join();
    assert!(PARKED > config().session_timeout, "the coordinator counts no session while it waits itself");
    nothing_for(&mut story, PARKED);
    story.give(Event::Joined(sent, followed(6, "rack-aware@1"))).gets(&[0]);
    assert_eq!(story.assigned().generation, Generation(6));
    assert!(!story.told.iter().any(|it| matches!(it, Notice::Lost { .. })), "{:?}", story.told);
    // From here on it beats again.
    let (beat, _) = story.pass_until_wanted().heartbeat();
    assert_eq!(beat.generation, Generation(6));
}

#[test]
fn a_newcomers_parked_join_is_waited_for_too() {
    let mut story = Story::new(config());
    story.strategies(Vec::new()).start(Peer::Other);
    let (sent, _) = story.join();
    nothing_for(&mut story, PARKED);
    story.give(Event::Joined(sent, followed(1, "range"))).gets(&[0]);
    assert_eq!(story.assigned().generation, Generation(1));
}

#[test]
fn a_parked_sync_is_waited_for_with_heartbeats() {
    let mut story = Story::stable_follower(Peer::Other);
    story.pass(INTERVAL).beats(ErrorCode::RebalanceInProgress).give(Event::GivenUp(Generation(5)));
    story.follows(6, "rack-aware@1");
    let (sent, _) = story.sync();
    let mut beats = 0;
    for _ in 0..PARKED.as_secs() {
        story.pass(Duration::from_secs(1));
        if !story.wanted.is_empty() {
            beats += 1;
            story.beats(ErrorCode::None);
        }
        story.wants_nothing();
    }
    assert!(beats >= 16, "one in three seconds, not {beats}");
    story.give(Event::Synced(sent, super::story::synced(super::story::assignment(&[0]))));
    assert_eq!(story.assigned().generation, Generation(6));
}

/// A reason, and how it comes about.
type Reason = (&'static str, fn(&mut Story, Sent));

/// Whatever may ask a member to join again while its application still stops what the last rebalance took.
fn second_reasons() -> Vec<Reason> {
    vec![
        ("a heartbeat", |story, _| _ = story.pass(INTERVAL).beats(ErrorCode::RebalanceInProgress)),
        ("a commit", |story, sent| _ = story.give(Event::CommitRefused(sent, ErrorCode::RebalanceInProgress))),
        ("a fact", |story, _| {
            story.give(Event::Change(Change::Fact("rack".to_owned(), Some("eu-1b".into()))));
            for _ in 0..3 {
                story.pass(INTERVAL).beats(ErrorCode::None);
            }
        }),
        ("a module", |story, _| {
            story.strategies(vec![fake(SOFT), fake(r#"{"abi":"1.0","name":"soft","version":2,"mode":"cooperative"}"#)]);
        }),
        ("a word of the last time", |story, _| _ = story.give(Event::GivenUp(Generation(5)))),
        ("a coordinator that moves", |story, sent| {
            story.give(Event::CommitRefused(sent, ErrorCode::NotCoordinator));
            story.pass(INTERVAL).beats(ErrorCode::NotCoordinator);
            story.pass_until_wanted().find_coordinator(Peer::Other).beats(ErrorCode::RebalanceInProgress);
        }),
    ]
}

#[test]
fn b23_no_second_rebalance_acknowledges_what_the_application_has_not_stopped() {
    for (reason, happens) in second_reasons() {
        let mut story = Story::new(Config { assignors: vec!["soft".into()], ..config() });
        story.strategies(vec![fake(SOFT)]).start(Peer::Other).follows(5, "soft@1").gets(&[0, 1, 2]).told.clear();
        story.pass(INTERVAL).beats(ErrorCode::RebalanceInProgress).follows(6, "soft@1").gets(&[0]);
        let sent = Sent { ticket: 0, generation: Generation(6), member: MemberId::from("me") };
        happens(&mut story, sent);
        let joins = story.wanted.iter().any(|it| matches!(it, Action::Join(..)));
        assert!(!joins, "{reason}: {:?}", story.wanted);
        let revoked = story.told.iter().filter(|it| matches!(it, Notice::Revoke { .. })).count();
        assert_eq!(revoked, 1, "{reason}: asked once: {:?}", story.told);
        assert!(!story.told.iter().any(|it| matches!(it, Notice::Assigned(_))), "{reason}: {:?}", story.told);
        // Only now may others have it.
        story.wanted.clear();
        story.give(Event::GivenUp(Generation(6)));
        let subscription = story.join().1.offers[0].1.clone();
        let subscription = Subscription::decode(&subscription).unwrap();
        let owned: Vec<i32> =
            subscription.tail.owned.iter().flat_map(|of| of.partitions.iter().collect::<Vec<_>>()).collect();
        assert_eq!((subscription.tail.generation, owned), (6, vec![0]), "{reason}");
        assert!(matches!(story.told.last(), Some(Notice::Assigned(_))), "{reason}: {:?}", story.told);
    }
}
