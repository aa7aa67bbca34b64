//! A member that listens rejoins the moment its group rebalances; one that hears nothing goes on as without.

use std::time::Duration;

use super::story::{Story, config};
use crate::ids::{Generation, MemberId};
use crate::membership::event::{Event, Peer, Sent};
use crate::membership::notice::Notice;
use crate::wire::ErrorCode;

const INTERVAL: Duration = Duration::from_secs(3);

fn listening() -> (Story, Sent) {
    let mut story = Story::stable_follower(Peer::Divvy);
    let (sent, wait) = story.listens.pop().expect("it listens");
    assert_eq!((sent.generation, sent.member.clone()), (Generation(5), MemberId::from("me")));
    assert_eq!(wait, config().session_timeout / 2);
    (story, sent)
}

#[test]
fn a_rebalance_is_heard_without_a_heartbeat() {
    let (mut story, sent) = listening();
    story.give(Event::Heard(sent, ErrorCode::RebalanceInProgress));
    assert!(matches!(story.told.pop(), Some(Notice::Revoke { .. })));
    story.give(Event::GivenUp(Generation(5))).follows(6, "rack-aware@1").gets(&[0]);
    let (again, _) = story.listens.pop().expect("it listens in the new generation");
    assert_eq!(again.generation, Generation(6));
    assert!(story.listens.is_empty());
}

#[test]
fn silence_is_asked_again_and_an_answer_at_once_is_not_asked_in_a_loop() {
    let (mut story, sent) = listening();
    story.give(Event::Heard(sent, ErrorCode::None));
    assert!(story.listens.is_empty(), "a coordinator that reads its store answers at once");
    story.pass(INTERVAL).beats(ErrorCode::None);
    let (sent, wait) = story.listens.pop().expect("it listens again");
    story.pass(INTERVAL).beats(ErrorCode::None);
    story.now.mono = story.now.mono + (wait - INTERVAL);
    story.give(Event::Heard(sent, ErrorCode::None));
    assert_eq!(story.listens.len(), 1, "after a whole wait at once");
}

#[test]
fn a_broken_ear_is_not_a_lost_coordinator() {
    let (mut story, sent) = listening();
    story.give(Event::Unanswered(sent, "the connection broke".into()));
    assert!(story.told.is_empty() && story.wanted.is_empty(), "{:?} {:?}", story.told, story.wanted);
    story.pass(INTERVAL).beats(ErrorCode::None).pass(INTERVAL);
    assert_eq!(story.listens.len(), 1);
}

#[test]
fn word_of_an_older_generation_means_nothing() {
    for late in [ErrorCode::RebalanceInProgress, ErrorCode::UnknownMemberId, ErrorCode::IllegalGeneration] {
        let (mut story, sent) = listening();
        story.pass(INTERVAL).beats(ErrorCode::RebalanceInProgress);
        story.give(Event::GivenUp(Generation(5)));
        story.give(Event::Heard(sent.clone(), late)).follows(6, "rack-aware@1").gets(&[0]);
        story.give(Event::Heard(sent, late));
        assert_eq!(story.assigned().generation, Generation(6));
        story.wants_nothing();
    }
}

#[test]
fn a_member_that_was_removed_hears_so() {
    let (mut story, sent) = listening();
    story.give(Event::Heard(sent, ErrorCode::UnknownMemberId));
    assert!(matches!(story.told.pop(), Some(Notice::Lost { .. })));
}

#[test]
fn nobody_else_is_asked_to_hold_a_heartbeat() {
    let mut story = Story::stable_follower(Peer::Other);
    story.pass(INTERVAL).beats(ErrorCode::None);
    assert!(story.listens.is_empty());
}
