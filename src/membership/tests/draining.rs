//! Draining: all is finished and handed over, the member is out of its group, and comes back when told to.

use std::time::Duration;

use super::story::{RACK_AWARE_1, Story, config, fake, joined, refused};
use crate::embedded::consumer::Subscription;
use crate::embedded::user_data::UserData;
use crate::ids::{Generation, MemberId};
use crate::membership::config::Config;
use crate::membership::event::{Event, JoinAnswer, Leaving, Peer};
use crate::membership::notice::{Ending, Notice, Share};
use crate::wire::ErrorCode;

const INTERVAL: Duration = Duration::from_secs(3);
const SOFT: &str = r#"{"abi":"1.0","name":"soft","mode":"cooperative"}"#;

fn clicks(partitions: &[i32]) -> Share {
    Share::Partitions(vec![("clicks".into(), partitions.to_vec())])
}

fn revoked(generation: i32, partitions: &[i32]) -> Notice {
    Notice::Revoke { generation: Generation(generation), share: clicks(partitions) }
}

/// A member that hands over in steps, in generation 5.
fn in_steps(partitions: &[i32]) -> Story {
    let mut story = Story::new(Config { assignors: vec!["soft".into()], ..config() });
    story.strategies(vec![fake(SOFT)]).start(Peer::Other).follows(5, "soft@1").gets(partitions).told.clear();
    story
}

/// LeaveGroup is answered.
fn leaves(story: &mut Story, answer: ErrorCode) {
    let (sent, how) = story.leave();
    assert_eq!(how, Leaving::Drains);
    story.wants_nothing();
    story.give(Event::LeaveDone(sent, answer));
}

#[test]
fn all_is_finished_then_handed_over_and_then_the_member_rests() {
    let mut story = Story::stable_follower(Peer::Divvy);
    story.give(Event::Drain).give(Event::Drain);
    assert_eq!(story.told, [revoked(5, &[0, 1])], "once");
    assert_eq!(story.member.identity(), Some((MemberId::from("me"), Generation(5))), "it can commit");
    // The application takes its time, and the session goes on.
    for _ in 0..20 {
        story.pass(INTERVAL).beats(ErrorCode::RebalanceInProgress);
    }
    story.give(Event::GivenUp(Generation(5)));
    leaves(&mut story, ErrorCode::None);
    assert_eq!(story.told.last(), Some(&Notice::Drained));
    assert_eq!((story.told.len(), story.member.next_deadline()), (2, None), "it waits for nothing but a word");
    story.give(Event::Drain).pass(INTERVAL * 100).wants_nothing();
    assert!(story.member.is_drained() && story.told.len() == 2, "{:?}", story.told);
}

#[test]
fn who_resumes_joins_as_a_newcomer_that_says_what_it_had() {
    let mut story = Story::stable_follower(Peer::Other);
    story.give(Event::Drain).give(Event::GivenUp(Generation(5)));
    leaves(&mut story, ErrorCode::None);
    story.pass(INTERVAL * 100).give(Event::Resume).topics_are(&[("clicks", 4)]);
    let (sent, call) = story.join();
    assert_eq!((sent.member, call.reason.as_str()), (MemberId::default(), "it resumes"));
    let subscription = Subscription::decode(&call.offers[0].1).unwrap();
    assert_eq!(UserData::decode(subscription.tail.user_data.unwrap()).unwrap().last.unwrap().generation, 5);
}

#[test]
fn who_resumes_before_it_has_given_up_does_not_leave() {
    let mut story = Story::stable_follower(Peer::Other);
    story.give(Event::Drain).give(Event::Resume).give(Event::GivenUp(Generation(5)));
    let (sent, _) = story.join();
    assert_eq!(sent.member, MemberId::from("me"), "as who it is");
    story.wants_nothing();
    assert!(!story.told.contains(&Notice::Drained));
}

#[test]
fn who_resumes_while_it_leaves_waits_for_that_and_joins() {
    let mut story = Story::stable_follower(Peer::Other);
    story.give(Event::Drain).give(Event::GivenUp(Generation(5))).give(Event::Resume);
    leaves(&mut story, ErrorCode::None);
    assert!(!story.told.contains(&Notice::Drained), "{:?}", story.told);
    story.topics_are(&[("clicks", 4)]);
    assert_eq!(story.join().0.member, MemberId::default());
}

#[test]
fn who_has_nothing_to_finish_leaves_a_rebalance_at_once() {
    let mut story = Story::stable_follower(Peer::Other);
    story.pass(INTERVAL).beats(ErrorCode::RebalanceInProgress).give(Event::GivenUp(Generation(5)));
    let (late, _) = story.join();
    story.give(Event::Drain);
    leaves(&mut story, ErrorCode::None);
    assert_eq!(story.told.last(), Some(&Notice::Drained));
    story.give(Event::Joined(late, refused(ErrorCode::UnknownMemberId))).wants_nothing();

    let mut story = Story::stable_follower(Peer::Other);
    story.pass(INTERVAL).beats(ErrorCode::RebalanceInProgress).give(Event::GivenUp(Generation(5)));
    story.leads(6, "rack-aware@1").topics_are(&[("clicks", 4)]).give(Event::Drain).wanted.retain(|it| {
        // Its plan is of no use any more.
        !matches!(it, crate::membership::Action::Lead(..))
    });
    leaves(&mut story, ErrorCode::None);
}

#[test]
fn a_newcomer_waits_for_the_id_that_it_leaves_with() {
    for answer in [refused(ErrorCode::MemberIdRequired), joined(1, "rack-aware@1")] {
        let mut story = Story::new(config());
        story.strategies(vec![fake(RACK_AWARE_1)]).give(Event::Tick).find_coordinator(Peer::Other);
        story.topics_are(&[("clicks", 4)]);
        let (sent, _) = story.join();
        story.give(Event::Drain).wants_nothing();
        let answer = JoinAnswer { member: "me".into(), leader: "other".into(), ..answer };
        story.give(Event::Joined(sent, answer));
        let (sent, _) = story.leave();
        assert_eq!(sent.member, MemberId::from("me"));
        story.give(Event::LeaveDone(sent, ErrorCode::None));
        assert_eq!(story.told.last(), Some(&Notice::Drained));
    }
    let mut story = Story::new(config());
    story.strategies(vec![fake(RACK_AWARE_1)]).give(Event::Drain);
    assert_eq!(story.told.last(), Some(&Notice::Drained), "nobody knows it");
}

#[test]
fn what_was_brought_into_a_rebalance_is_finished_whatever_the_rebalance_gives() {
    let mut story = in_steps(&[0, 1]);
    story.pass(INTERVAL).beats(ErrorCode::RebalanceInProgress);
    let (sent, _) = story.join();
    story.give(Event::Drain).give(Event::Drain);
    assert_eq!(story.told, [revoked(5, &[0, 1])]);
    story.give(Event::Joined(sent, JoinAnswer { leader: MemberId::from("other"), ..joined(6, "soft@1") }));
    story.gets(&[1, 2, 3]);
    assert_eq!(story.told.len(), 1, "nothing new is begun: {:?}", story.told);
    story.pass(INTERVAL).beats(ErrorCode::None).wants_nothing();
    story.give(Event::GivenUp(Generation(5)));
    leaves(&mut story, ErrorCode::None);
    assert_eq!(story.told.last(), Some(&Notice::Drained));
}

#[test]
fn who_has_finished_before_the_rebalance_is_over_leaves_it() {
    let mut story = in_steps(&[0, 1]);
    story.pass(INTERVAL).beats(ErrorCode::RebalanceInProgress);
    let _ = story.join();
    story.give(Event::Drain).give(Event::GivenUp(Generation(5)));
    leaves(&mut story, ErrorCode::None);
    assert_eq!(story.told.last(), Some(&Notice::Drained));
}

#[test]
fn who_resumes_in_the_middle_of_a_rebalance_begins_anew_with_what_it_gets() {
    let mut story = in_steps(&[0, 1]);
    story.pass(INTERVAL).beats(ErrorCode::RebalanceInProgress);
    let (sent, _) = story.join();
    story.give(Event::Drain).give(Event::Resume).give(Event::GivenUp(Generation(5))).told.clear();
    story.give(Event::Joined(sent, JoinAnswer { leader: MemberId::from("other"), ..joined(6, "soft@1") }));
    story.gets(&[0, 1]);
    assert_eq!(story.assigned().share, clicks(&[0, 1]));
    story.wants_nothing();
}

#[test]
fn what_is_kept_beside_what_others_get_is_finished_after_it() {
    let mut story = in_steps(&[0, 1, 2]);
    story.pass(INTERVAL).beats(ErrorCode::RebalanceInProgress).follows(6, "soft@1").gets(&[0, 3]);
    story.give(Event::Drain);
    assert_eq!(story.told, [revoked(6, &[1, 2])]);
    story.give(Event::GivenUp(Generation(6)));
    assert_eq!(story.told[1..], [revoked(6, &[0])], "what was never begun needs no finishing");
    story.wants_nothing();
    story.give(Event::GivenUp(Generation(6)));
    leaves(&mut story, ErrorCode::None);
}

#[test]
fn work_that_is_lost_meanwhile_needs_no_handing_over() {
    for (error, leaves_it) in [(ErrorCode::UnknownMemberId, false), (ErrorCode::IllegalGeneration, true)] {
        let mut story = Story::stable_follower(Peer::Other);
        story.give(Event::Drain).pass(INTERVAL).beats(error);
        assert!(matches!(story.told[1], Notice::Lost { .. }), "{:?}", story.told);
        if leaves_it {
            leaves(&mut story, ErrorCode::None);
        }
        assert_eq!(story.told.last(), Some(&Notice::Drained));
        story.give(Event::GivenUp(Generation(5))).wants_nothing();
    }
}

#[test]
fn without_a_coordinator_the_member_leaves_when_it_is_found() {
    let mut story = Story::stable_follower(Peer::Other);
    let (beat, _) = story.pass(INTERVAL).heartbeat();
    story.give(Event::Unanswered(beat, "the connection was closed".into()));
    story.give(Event::Drain).give(Event::GivenUp(Generation(5)));
    story.pass_until_wanted().find_coordinator(Peer::Other);
    // The first attempt gets no answer either.
    let (sent, _) = story.leave();
    story.give(Event::Unanswered(sent, "the connection was closed".into()));
    story.pass_until_wanted().find_coordinator(Peer::Other);
    leaves(&mut story, ErrorCode::UnknownMemberId);
    assert_eq!(story.told.last(), Some(&Notice::Drained));
}

#[test]
fn or_its_session_is_over() {
    let mut story = Story::stable_follower(Peer::Other);
    let (beat, _) = story.pass(INTERVAL).heartbeat();
    let (sent_at, session) = (story.now.mono, config().session_timeout);
    story.give(Event::Unanswered(beat, "the connection was closed".into()));
    story.give(Event::Drain).give(Event::GivenUp(Generation(5)));
    while !story.told.contains(&Notice::Drained) {
        story.pass_until_due().give(Event::CoordinatorNotFound("nobody listens".into())).wanted.clear();
    }
    assert!(story.now.mono >= sent_at + session, "others could not have had the work before");
    assert!(story.now.mono < sent_at + session + INTERVAL);
    assert_eq!(story.member.next_deadline(), None);
}

#[test]
fn a_refusal_is_said_and_the_session_ends_by_itself() {
    let mut story = Story::stable_follower(Peer::Other);
    story.give(Event::Drain).give(Event::GivenUp(Generation(5)));
    leaves(&mut story, ErrorCode::GroupAuthorizationFailed);
    assert!(matches!(&story.told[1..], [Notice::LeaveRefused { .. }, Notice::Drained]), "{:?}", story.told);
}

#[test]
fn a_coordinator_that_moves_is_followed_to_leave() {
    let mut story = Story::stable_follower(Peer::Other);
    story.give(Event::Drain).give(Event::GivenUp(Generation(5)));
    leaves(&mut story, ErrorCode::NotCoordinator);
    assert!(!story.told.contains(&Notice::Drained));
    story.pass_until_wanted().find_coordinator(Peer::Other);
    leaves(&mut story, ErrorCode::None);
    assert_eq!(story.told.last(), Some(&Notice::Drained));
}

#[test]
fn who_ends_while_it_drains_ends() {
    let mut story = Story::stable_follower(Peer::Other);
    story.give(Event::Drain).give(Event::GivenUp(Generation(5))).give(Event::Leave);
    leaves(&mut story, ErrorCode::None);
    assert_eq!(story.told.last(), Some(&Notice::Ended(Ending::Left)));

    let mut story = Story::stable_follower(Peer::Other);
    story.give(Event::Drain).give(Event::GivenUp(Generation(5)));
    leaves(&mut story, ErrorCode::None);
    story.give(Event::Leave).wants_nothing();
    assert_eq!(story.told.last(), Some(&Notice::Ended(Ending::Outside)));
}
