//! What a member that was told to end says of its place: that it left only if it did.

use std::time::Duration;

use super::story::{RACK_AWARE_1, Story, config, fake};
use crate::ids::Generation;
use crate::membership::config::Config;
use crate::membership::event::{Event, JoinAnswer, Peer};
use crate::membership::limits::LEAVE_PATIENCE;
use crate::membership::notice::{Ending, Notice};
use crate::wire::ErrorCode;

const INTERVAL: Duration = Duration::from_secs(3);

/// A member in this part of its life.
fn one(is_static: bool) -> Story {
    let mut story = Story::new(Config { is_static, ..config() });
    story.strategies(vec![fake(RACK_AWARE_1)]);
    story
}

fn joining(is_static: bool) -> Story {
    let mut story = one(is_static);
    story.give(Event::Tick).find_coordinator(Peer::Other).topics_are(&[("clicks", 4)]);
    story
}

fn stable(is_static: bool) -> Story {
    let mut story = one(is_static);
    story.start(Peer::Other).follows(5, "rack-aware@1").gets(&[0, 1]);
    story
}

/// Ends it; LeaveGroup is answered with this if it is sent.
fn ends(mut story: Story, answer: ErrorCode) -> Ending {
    story.wanted.clear();
    story.give(Event::Leave);
    if !story.wanted.is_empty() {
        let (sent, _) = story.leave();
        story.give(Event::LeaveDone(sent, answer));
    }
    match story.told.pop() {
        Some(Notice::Ended(ending)) => ending,
        other => panic!("it did not end, but {other:?}"),
    }
}

#[test]
fn who_has_not_joined_has_no_place_to_leave() {
    for is_static in [false, true] {
        assert_eq!(ends(one(is_static), ErrorCode::None), Ending::Outside, "nobody was asked yet");
    }
    assert_eq!(ends(joining(false), ErrorCode::None), Ending::Outside, "it has no id yet, and without one no place");
}

#[test]
fn a_lasting_name_may_have_a_place_before_its_first_joingroup_is_answered() {
    assert_eq!(ends(joining(true), ErrorCode::None), Ending::Joining);
    let lost = || {
        let mut story = joining(true);
        let (sent, _) = story.join();
        story.give(Event::Unanswered(sent, "the connection broke".into()));
        story
    };
    assert_eq!(ends(lost(), ErrorCode::None), Ending::Joining, "what became of its request nobody knows");
    let mut refused = joining(true);
    let (sent, _) = refused.join();
    refused.give(Event::Joined(sent, JoinAnswer::refused(ErrorCode::CoordinatorLoadInProgress)));
    assert_eq!(ends(refused, ErrorCode::None), Ending::Outside, "it was answered");
    let mut syncing = joining(true);
    syncing.follows(5, "rack-aware@1");
    assert_eq!(ends(syncing, ErrorCode::None), Ending::PlaceKept);
}

#[test]
fn who_hears_nothing_of_its_leaving_says_that_nobody_answered() {
    let mut story = stable(false);
    story.wanted.clear();
    story.give(Event::Leave);
    let _unanswered = story.leave();
    story.pass(LEAVE_PATIENCE);
    let last = story.told.pop();
    assert!(matches!(last, Some(Notice::Ended(Ending::NotLeft { is_silent: true, .. }))), "{last:?}");
}

#[test]
fn who_is_in_leaves_or_keeps_its_place() {
    assert_eq!(ends(stable(false), ErrorCode::None), Ending::Left);
    assert_eq!(ends(stable(true), ErrorCode::None), Ending::PlaceKept);
}

#[test]
fn a_static_member_that_joins_again_keeps_its_place_however_long_that_takes() {
    let mut story = stable(true);
    story.pass(INTERVAL).beats(ErrorCode::RebalanceInProgress).give(Event::GivenUp(Generation(5)));
    assert_eq!(story.join().0.member.as_str(), "me");
    story.pass(config().session_timeout * 2);
    assert_eq!(ends(story, ErrorCode::None), Ending::PlaceKept);
}

#[test]
fn who_is_out_already_has_nothing_to_keep() {
    for is_static in [false, true] {
        let mut forgotten = stable(is_static);
        forgotten.pass(INTERVAL).beats(ErrorCode::UnknownMemberId);
        let again = if is_static { Ending::Joining } else { Ending::Outside };
        assert_eq!(ends(forgotten, ErrorCode::None), again, "it asks for a new place");
    }
    let mut silent = stable(true);
    silent.pass(config().session_timeout);
    assert_eq!(ends(silent, ErrorCode::None), Ending::Outside, "its session is over");
    assert_eq!(ends(stable(false), ErrorCode::UnknownMemberId), Ending::Outside);
    assert_eq!(ends(stable(false), ErrorCode::FencedInstanceId), Ending::Outside);
}

#[test]
fn who_may_not_leave_says_why() {
    let Ending::NotLeft { reason, is_silent: false } = ends(stable(false), ErrorCode::GroupAuthorizationFailed) else {
        panic!("it has not left");
    };
    assert!(reason.contains("30"), "{reason}");
}

#[test]
fn who_failed_has_not_left_either() {
    let fails = |story: Story| match story.told.last() {
        Some(Notice::Failed { ending, .. }) => ending.clone(),
        other => panic!("it did not fail, but {other:?}"),
    };
    let refused_beat = |error| {
        let mut story = stable(true);
        story.pass(INTERVAL).beats(error);
        fails(story)
    };
    let Ending::NotLeft { reason, is_silent: false } = refused_beat(ErrorCode::GroupAuthorizationFailed) else {
        panic!("it is still in")
    };
    assert!(reason.contains("30"), "{reason}");
    assert_eq!(refused_beat(ErrorCode::FencedInstanceId), Ending::Outside, "its place is another's");
    let mut refused = joining(false);
    let (sent, _) = refused.join();
    let answer = JoinAnswer { member: "me".into(), ..JoinAnswer::refused(ErrorCode::MemberIdRequired) };
    refused.give(Event::Joined(sent, answer)).give(Event::Tick);
    let (sent, _) = refused.join();
    refused.give(Event::Joined(sent, JoinAnswer::refused(ErrorCode::GroupMaxSizeReached)));
    assert_eq!(fails(refused), Ending::Outside, "it was never in");
}
