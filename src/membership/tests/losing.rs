//! What a member does when its coordinator, its session or its generation is gone.

use std::time::Duration;

use super::story::{Story, config, joined, not_synced};
use crate::embedded::consumer::Subscription;
use crate::embedded::user_data::UserData;
use crate::ids::{Generation, MemberId};
use crate::membership::Action;
use crate::membership::config::Config;
use crate::membership::event::{Event, JoinAnswer, Leaving, Peer};
use crate::membership::limits::LEAVE_PATIENCE;
use crate::membership::notice::{Ending, Notice};
use crate::wire::ErrorCode;

const INTERVAL: Duration = Duration::from_secs(3);

#[test]
fn b12_an_answer_to_an_older_generations_heartbeat_changes_nothing() {
    for late in [ErrorCode::UnknownMemberId, ErrorCode::IllegalGeneration, ErrorCode::RebalanceInProgress] {
        let mut story = Story::stable_follower(Peer::Other);
        story.pass(INTERVAL).beats(ErrorCode::RebalanceInProgress);
        let (stale, _) = story.pass(INTERVAL).heartbeat();
        assert_eq!(stale.generation, Generation(5));
        story.give(Event::GivenUp(Generation(5)));
        // While JoinGroup is on its way, and after it was answered.
        story.give(Event::Beaten(stale.clone(), late)).follows(6, "rack-aware@1");
        story.give(Event::Beaten(stale.clone(), late)).gets(&[0]);
        story.give(Event::Beaten(stale, late));
        assert_eq!(story.assigned().generation, Generation(6));
        assert!(!story.told.iter().any(|it| matches!(it, Notice::Lost { .. })), "{:?}", story.told);
        story.wants_nothing();
        let (beat, _) = story.pass(INTERVAL).heartbeat();
        assert_eq!((beat.member, beat.generation), (MemberId::from("me"), Generation(6)), "one rebalance only");
    }
}

#[test]
fn b73_a_black_hole_is_left_behind_each_time_in_bounded_time() {
    let mut story = Story::stable_follower(Peer::Other);
    for round in 0..50 {
        let (beat, _) = story.pass(INTERVAL).heartbeat();
        story.give(Event::Unanswered(beat, format!("no answer within 10000 ms, round {round}")));
        for _ in 0..6 {
            story.wants_nothing();
            let before = story.now.mono;
            story.pass_until_wanted();
            assert!(story.now.mono - before < Duration::from_secs(4), "it looks again soon");
            story.wanted.clear();
            story.give(Event::CoordinatorNotFound("no answer".into()));
        }
        story.pass_until_wanted().find_coordinator(Peer::Other).beats(ErrorCode::None);
        // All this took longer than a session: it asks whether its share still is its own.
        story.gets(&[0, 1]);
        assert_eq!(story.member.identity(), Some((MemberId::from("me"), Generation(5))), "no rebalance");
    }
}

#[test]
fn a_coordinator_that_restarts_costs_no_rebalance() {
    let mut story = Story::stable_follower(Peer::Divvy);
    let (beat, _) = story.pass(INTERVAL).heartbeat();
    story.give(Event::Unanswered(beat, "the connection was closed".into()));
    story.pass_until_due().find_coordinator(Peer::Divvy);
    let (beat, _) = story.heartbeat();
    assert_eq!(
        (&beat.member, beat.generation),
        (&MemberId::from("me"), Generation(5)),
        "at once, with the same generation"
    );
    story.give(Event::Beaten(beat, ErrorCode::None));
    assert_eq!(story.told.len(), 2, "{:?}", story.told);
    assert!(matches!(story.told[..], [Notice::CoordinatorLost { .. }, Notice::CoordinatorFound]));
}

#[test]
fn a_login_that_is_wrong_from_the_beginning_ends_the_member() {
    let mut story = Story::new(config());
    story.strategies(Vec::new()).wanted.clear();
    story.give(Event::CoordinatorRefuses("b:9092 does not let this client in: the login failed".into()));
    assert!(matches!(story.told.last(), Some(Notice::Failed { reason, .. }) if reason.contains("the login failed")));
    assert_eq!(story.member.next_deadline(), None);
}

#[test]
fn one_that_is_refused_later_is_told_and_tried_again() {
    let mut story = Story::stable_follower(Peer::Other);
    let (beat, _) = story.pass(INTERVAL).heartbeat();
    story.give(Event::Unanswered(beat, "the login is not renewed".into()));
    story.pass_until_wanted().wanted.clear();
    story.give(Event::CoordinatorRefuses("the login failed".into()));
    assert_eq!(story.told.last(), Some(&Notice::CoordinatorLost { reason: "the login failed".into() }));
    let (beat, _) = story.pass_until_wanted().find_coordinator(Peer::Other).heartbeat();
    assert_eq!(beat.generation, Generation(5), "its work goes on");
}

/// The topics may be another cluster's, with another login.
#[test]
fn topics_that_nobody_tells_of_are_said_to_be_unknown_once() {
    let mut story = Story::new(config());
    story.strategies(Vec::new()).find_coordinator(Peer::Other);
    for reason in ["closed", "closed", "the login failed", "the login failed", "the login failed"] {
        let (sent, _) = story.topics_asked();
        story.give(Event::Topics(sent, Err(reason.into())));
        while !story.wanted.iter().any(|it| matches!(it, Action::FetchTopics(..))) {
            story.pass_until_due();
        }
    }
    let told = |story: &Story| story.told.iter().filter(|it| matches!(it, Notice::TopicsUnknown { .. })).count();
    assert_eq!(story.told.last(), Some(&Notice::TopicsUnknown { reason: "the login failed".into() }));
    assert_eq!(told(&story), 1, "{:?}", story.told);
    story.topics_are(&[("clicks", 4)]);
    assert_eq!(told(&story), 1, "{:?}", story.told);
}

#[test]
fn not_coordinator_keeps_the_generation() {
    let mut story = Story::stable_follower(Peer::Other);
    story.pass(INTERVAL).beats(ErrorCode::NotCoordinator);
    let (beat, _) = story.pass_until_due().find_coordinator(Peer::Other).heartbeat();
    assert_eq!(beat.generation, Generation(5));
}

#[test]
fn a_join_that_got_no_answer_is_sent_again_with_the_same_id() {
    let mut story = Story::stable_follower(Peer::Other);
    story.pass(INTERVAL).beats(ErrorCode::RebalanceInProgress).give(Event::GivenUp(Generation(5)));
    let (first, call) = story.join();
    story.give(Event::Unanswered(first.clone(), "the connection was closed".into()));
    let (second, again) = story.pass_until_due().find_coordinator(Peer::Other).join();
    assert_eq!((second.member, again.offers), (first.member.clone(), call.offers));
    // The first one's answer, should it still come, is of a request that was given up.
    story.give(Event::Joined(first, JoinAnswer { leader: MemberId::from("other"), ..joined(9, "range") }));
    story.wants_nothing();
}

#[test]
fn a_sync_that_got_no_answer_is_sent_again_not_joined_again() {
    let mut story = Story::stable_follower(Peer::Other);
    story.pass(INTERVAL).beats(ErrorCode::RebalanceInProgress).give(Event::GivenUp(Generation(5)));
    story.leads(6, "rack-aware@1").topics_are(&[("clicks", 4)]).strategy_runs();
    let (sent, call) = story.sync();
    story.give(Event::Unanswered(sent, "the connection was closed".into()));
    let (again, same) = story.pass_until_due().find_coordinator(Peer::Other).sync();
    assert_eq!((again.generation, &same.states), (Generation(6), &call.states));
}

#[test]
fn a_gone_generation_is_lost_and_joined_again_with_or_without_the_id() {
    for (error, id) in [(ErrorCode::IllegalGeneration, "me"), (ErrorCode::UnknownMemberId, "")] {
        let mut story = Story::stable_follower(Peer::Other);
        story.pass(INTERVAL).beats(error);
        assert!(matches!(story.told[..], [Notice::Lost { .. }]), "{:?}", story.told);
        assert_eq!(story.join().0.member, MemberId::from(id));
    }
}

#[test]
fn a_silent_session_puts_the_share_in_doubt_and_a_late_confirmation_gives_it_back() {
    let mut story = Story::stable_follower(Peer::Divvy);
    let (beat, _) = story.pass(INTERVAL).heartbeat();
    story.give(Event::Unanswered(beat, "the connection was closed".into()));
    for _ in 0..20 {
        story.pass(Duration::from_secs(1)).wanted.clear();
        story.give(Event::CoordinatorNotFound("the connection is refused".into()));
    }
    let lost = story.told.iter().filter(|it| matches!(it, Notice::Lost { .. })).count();
    assert_eq!(lost, 1, "told once: another member may have it");
    story.pass_until_wanted().find_coordinator(Peer::Divvy).beats(ErrorCode::None).gets(&[0, 1]);
    assert_eq!(story.assigned().generation, Generation(5), "the same generation, no rebalance");
}

#[test]
fn a_coordinator_that_still_reads_the_group_does_not_give_back_what_is_anothers() {
    let mut story = Story::stable_follower(Peer::Other);
    let (beat, _) = story.pass(INTERVAL).heartbeat();
    story.pass(config().session_timeout);
    assert!(matches!(story.told[..], [Notice::Lost { .. }]), "{:?}", story.told);
    // It was given up before the coordinator went down; one that reads its log says 0 to everybody.
    story.wanted.clear();
    story.give(Event::Beaten(beat, ErrorCode::None));
    assert_eq!(story.told.len(), 1, "{:?}", story.told);
    let (sent, call) = story.sync();
    assert!(call.states.is_empty() && sent.generation == Generation(5), "it asks for its state, and nothing else");
    story.give(Event::Synced(sent, not_synced(ErrorCode::CoordinatorLoadInProgress)));
    let (sent, _) = loop {
        story.pass_until_due();
        if story.wanted.iter().any(|it| matches!(it, Action::Sync(..))) {
            break story.sync();
        }
    };
    story.give(Event::Synced(sent, not_synced(ErrorCode::UnknownMemberId)));
    story.wanted.retain(|it| !matches!(it, Action::Heartbeat(..)));
    assert_eq!(story.pass_until_wanted().join().0.member, MemberId::default());
    assert!(!story.told.iter().any(|it| matches!(it, Notice::Assigned(_))), "{:?}", story.told);
}

#[test]
fn work_is_given_up_before_the_member_joins_again() {
    let mut story = Story::stable_follower(Peer::Other);
    story.pass(INTERVAL).beats(ErrorCode::RebalanceInProgress);
    assert!(matches!(story.told[..], [Notice::Revoke { generation: Generation(5), .. }]));
    story.wants_nothing();
    story.pass(INTERVAL).beats(ErrorCode::RebalanceInProgress);
    assert_eq!(story.told.len(), 1, "it is asked once, and the session stays alive meanwhile");
    story.give(Event::GivenUp(Generation(4)));
    story.wants_nothing();
    story.give(Event::GivenUp(Generation(5)));
    story.join();
}

#[test]
fn leaving_tells_the_coordinator_and_nothing_follows() {
    let mut story = Story::stable_follower(Peer::Other);
    story.give(Event::Leave);
    let (sent, how) = story.leave();
    assert_eq!(how, Leaving::Ends);
    story.wants_nothing();
    story.give(Event::LeaveDone(sent, ErrorCode::None));
    assert_eq!(story.told.last(), Some(&Notice::Ended(Ending::Left)));
    story.pass(INTERVAL * 20).wants_nothing();
    assert_eq!(story.member.next_deadline(), None);
}

#[test]
fn who_leaves_says_so_again_when_it_was_not_heard() {
    for unheard in [None, Some(ErrorCode::NotCoordinator), Some(ErrorCode::CoordinatorLoadInProgress)] {
        let mut story = Story::stable_follower(Peer::Other);
        story.give(Event::Leave);
        let (sent, _) = story.leave();
        match unheard {
            None => story.give(Event::Unanswered(sent, "the connection was closed".into())),
            Some(error) => story.give(Event::LeaveDone(sent, error)),
        };
        let (sent, how) = story.pass_until_wanted().find_coordinator(Peer::Other).leave();
        assert_eq!((how, sent.member.as_str()), (Leaving::Ends, "me"));
        story.give(Event::LeaveDone(sent, ErrorCode::None));
        assert_eq!(story.told.last(), Some(&Notice::Ended(Ending::Left)));
        story.wants_nothing();
    }
}

#[test]
fn nobody_waits_for_long_for_a_process_that_ends() {
    // Nobody listens; or somebody who says nothing.
    for is_silent in [false, true] {
        let mut story = Story::stable_follower(Peer::Other);
        story.give(Event::Leave);
        let began = story.now.mono;
        let (sent, _) = story.leave();
        if !is_silent {
            story.give(Event::Unanswered(sent, "the connection was closed".into()));
        }
        while !matches!(story.told.last(), Some(Notice::Ended(_))) {
            story.pass_until_due().wanted.clear();
            if !is_silent {
                story.give(Event::CoordinatorNotFound("nobody listens".into()));
            }
        }
        assert_eq!(story.now.mono - began, LEAVE_PATIENCE);
        assert!(matches!(story.told.last(), Some(Notice::Ended(Ending::NotLeft { .. }))), "{:?}", story.told);
        assert_eq!(story.member.next_deadline(), None);
    }
}

#[test]
fn who_is_expected_back_ends_without_a_word() {
    let mut story = Story::new(Config { is_static: true, ..config() });
    story.strategies(Vec::new()).start(Peer::Other).follows(1, "range").gets(&[0]).give(Event::Leave).wants_nothing();
    assert_eq!(story.told.last(), Some(&Notice::Ended(Ending::PlaceKept)));
    // But for one that was told to hand over.
    let mut story = Story::new(Config { is_static: true, ..config() });
    story.strategies(Vec::new()).start(Peer::Other).follows(1, "range").gets(&[0]);
    story.give(Event::Drain).give(Event::GivenUp(Generation(1))).give(Event::Leave);
    let (sent, _) = story.leave();
    story.give(Event::LeaveDone(sent, ErrorCode::None));
    assert_eq!(story.told.last(), Some(&Notice::Ended(Ending::Left)));
}

#[test]
fn a_member_never_waits_for_as_long_as_its_session_to_join_again() {
    let session_timeout = Duration::from_secs(2);
    let mut story = Story::new(Config { session_timeout, ..config() });
    story.strategies(Vec::new()).start(Peer::Divvy);
    for generation in 1..12 {
        story.follows(generation, "range");
        let (sync, _) = story.sync();
        let before = story.now.mono;
        story.give(Event::Synced(sync, not_synced(ErrorCode::RebalanceInProgress))).pass_until_wanted();
        assert!(story.now.mono - before < session_timeout / 2, "the coordinator would forget it");
    }
}

#[test]
fn b27_a_frozen_member_loses_its_work_before_it_says_anything_and_claims_it_by_its_old_generation() {
    let mut story = Story::stable_follower(Peer::Divvy);
    // Frozen for longer than its session: others have its work when it goes on.
    story.pass(Duration::from_secs(15));
    assert!(matches!(story.told[..], [Notice::Lost { .. }]), "{:?}", story.told);
    story.beats(ErrorCode::UnknownMemberId);
    let (sent, call) = story.pass_until_wanted().join();
    assert_eq!(sent.member, MemberId::default(), "as a new member");
    let subscription = Subscription::decode(&call.offers[0].1).unwrap();
    let last = UserData::decode(subscription.tail.user_data.unwrap()).unwrap().last.unwrap();
    assert_eq!(last.generation, 5, "whoever took over has a newer claim");
    assert_eq!(story.told.len(), 1, "lost once");
}

#[test]
fn a_session_counts_from_the_sending_of_what_was_answered() {
    let mut story = Story::stable_follower(Peer::Other);
    story.pass(INTERVAL).beats(ErrorCode::None);
    let (beat, _) = story.pass(INTERVAL).heartbeat();
    // The answer takes five seconds; then nothing is answered any more.
    story.pass(Duration::from_secs(5)).give(Event::Beaten(beat, ErrorCode::None));
    let (beat, _) = story.pass_until_wanted().heartbeat();
    story.give(Event::Unanswered(beat, "no answer".into()));
    let session = config().session_timeout;
    story.pass(session - Duration::from_secs(5) - Duration::from_millis(1));
    assert!(!story.told.iter().any(|it| matches!(it, Notice::Lost { .. })), "{:?}", story.told);
    story.pass(Duration::from_millis(1));
    assert!(story.told.iter().any(|it| matches!(it, Notice::Lost { .. })), "{:?}", story.told);
}

#[test]
fn until_a_heartbeat_is_answered_a_session_counts_from_before_the_join_was() {
    let mut story = Story::new(config());
    story.strategies(Vec::new()).start(Peer::Other).follows(1, "range");
    let joined_at = story.now.mono;
    // SyncGroup is answered at once: that is no sign of life to every coordinator.
    story.gets(&[0]).told.clear();
    while story.told.is_empty() {
        story.pass_until_due().wanted.clear();
    }
    assert!(matches!(story.told[..], [Notice::Lost { .. }]), "{:?}", story.told);
    assert!(story.now.mono - joined_at < config().session_timeout, "the answer was on its way for a while");
}
