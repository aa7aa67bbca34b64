//! What a member says of itself changes while it runs: one rejoin for all that changes together, none for what does not.

use std::time::Duration;

use bytes::Bytes;
use serde_json::json;

use super::story::{Story, config, fake, joined, synced};
use crate::embedded::consumer::Subscription;
use crate::embedded::single_writer::Candidate;
use crate::embedded::user_data::UserData;
use crate::ids::{Generation, MemberId};
use crate::membership::change::Change;
use crate::membership::config::{Config, Purpose};
use crate::membership::event::{Event, JoinAnswer, JoinCall, Peer, Sent};
use crate::membership::lead::{Led, ServedBy};
use crate::membership::notice::Notice;
use crate::membership::{Action, Cause};
use crate::wire::ErrorCode;

const INTERVAL: Duration = Duration::from_secs(3);
const SECOND: Duration = Duration::from_secs(1);
const SOFT: &str = r#"{"abi":"1.0","name":"soft","mode":"cooperative"}"#;

fn weight(value: i32) -> Event {
    Event::Change(Change::Fact("weight".to_owned(), Some(json!(value))))
}

fn no_weight() -> Event {
    Event::Change(Change::Fact("weight".to_owned(), None))
}

fn said_weight(call: &JoinCall) -> Option<i64> {
    let subscription = Subscription::decode(&call.offers[0].1).unwrap();
    UserData::decode(subscription.tail.user_data.unwrap()).unwrap().facts.get("weight").and_then(|it| it.as_i64())
}

/// Lets time pass while the coordinator confirms all; stops at what is wanted beside heartbeats.
fn goes_on_for(story: &mut Story, time: Duration) {
    let end = story.now.mono + time;
    while story.now.mono < end && story.wanted.is_empty() {
        let next = story.member.next_deadline().unwrap().max(story.now.mono).min(end);
        let step = next - story.now.mono;
        story.pass(step);
        while let Some(at) = story.wanted.iter().position(|it| matches!(it, Action::Heartbeat(..))) {
            let Action::Heartbeat(sent, _) = story.wanted.remove(at) else { unreachable!() };
            story.give(Event::Beaten(sent, ErrorCode::None));
        }
        story.listens.clear();
    }
}

#[test]
fn several_changes_cost_one_rejoin_a_moment_after_the_last() {
    let mut story = Story::stable_follower(Peer::Divvy);
    story.give(weight(1)).pass(SECOND / 2);
    story.give(weight(2)).give(Event::Change(Change::Fact("zone".to_owned(), Some(json!("a"))))).pass(SECOND / 2);
    assert!(story.told.is_empty(), "{:?}", story.told);
    story.pass(SECOND / 2);
    assert!(matches!(story.told[..], [Notice::Revoke { .. }]), "{:?}", story.told);
    story.give(Event::GivenUp(Generation(5)));
    let (sent, call) = story.join();
    assert_eq!((said_weight(&call), call.reason.as_str()), (Some(2), "what it says of itself changed"));
    story.give(Event::Joined(sent, JoinAnswer { leader: MemberId::from("other"), ..joined(6, "rack-aware@1") }));
    story.gets(&[0]);
    assert_eq!(story.assigned().cause, Cause::Word);
    goes_on_for(&mut story, SECOND * 60);
    story.wants_nothing();
}

#[test]
fn what_stays_the_same_or_is_changed_back_costs_nothing() {
    let mut story = Story::stable_follower(Peer::Divvy);
    story.give(no_weight());
    goes_on_for(&mut story, SECOND * 20);
    story.give(weight(1)).pass(SECOND / 2).give(no_weight());
    goes_on_for(&mut story, SECOND * 60);
    story.wants_nothing();
    assert!(story.told.is_empty(), "{:?}", story.told);
}

#[test]
fn who_changes_all_the_time_is_heard_now_and_then() {
    let mut story = Story::stable_follower(Peer::Divvy);
    let mut value = 0;
    let began = story.now.mono;
    while story.told.is_empty() {
        value += 1;
        story.give(weight(value));
        goes_on_for(&mut story, SECOND / 2);
        assert!(story.now.mono - began < SECOND * 12, "it is not heard");
    }
    assert!(story.now.mono - began >= SECOND * 9, "it is heard too often");
}

#[test]
fn a_change_goes_along_with_a_rebalance_that_comes_first() {
    let mut story = Story::stable_follower(Peer::Divvy);
    story.give(weight(1)).pass(SECOND / 2).give(no_weight()).give(weight(7));
    let (sent, _) = story.listens.pop().unwrap();
    story.give(Event::Heard(sent, ErrorCode::RebalanceInProgress)).give(Event::GivenUp(Generation(5)));
    let (sent, call) = story.join();
    assert_eq!(said_weight(&call), Some(7));
    story.give(Event::Joined(sent, JoinAnswer { leader: MemberId::from("other"), ..joined(6, "rack-aware@1") }));
    story.gets(&[0]);
    assert_eq!(story.assigned().cause, Cause::Group);
    goes_on_for(&mut story, SECOND * 60);
    story.wants_nothing();
}

#[test]
fn a_change_while_the_member_joins_is_told_in_the_next_generation() {
    let mut story = Story::stable_follower(Peer::Other);
    story.pass(INTERVAL).beats(ErrorCode::RebalanceInProgress).give(Event::GivenUp(Generation(5)));
    let (sent, call) = story.join();
    assert_eq!(said_weight(&call), None);
    story.give(weight(3));
    story.give(Event::Joined(sent, JoinAnswer { leader: MemberId::from("other"), ..joined(6, "rack-aware@1") }));
    story.gets(&[0, 1]).told.clear();
    story.pass(SECOND);
    assert!(matches!(story.told[..], [Notice::Revoke { .. }]), "{:?}", story.told);
    assert_eq!(said_weight(&story.give(Event::GivenUp(Generation(6))).join().1), Some(3));
}

#[test]
fn who_hands_over_in_steps_gives_up_nothing_for_it() {
    let mut story = Story::new(Config { assignors: vec!["soft".into()], ..config() });
    story.strategies(vec![fake(SOFT)]).start(Peer::Other).follows(5, "soft@1").gets(&[0, 1]).told.clear();
    story.give(weight(2)).pass(SECOND);
    let (sent, call) = story.join();
    assert_eq!(said_weight(&call), Some(2));
    story
        .give(Event::Joined(sent, JoinAnswer { leader: MemberId::from("other"), ..joined(6, "soft@1") }))
        .gets(&[0, 1]);
    assert!(matches!(story.told[..], [Notice::Assigned(_)]), "{:?}", story.told);
    story.wants_nothing();
}

fn of_own_type(metadata: Option<Bytes>, protocol_type: &str) -> Story {
    let purpose = Purpose::States { protocol_type: protocol_type.into(), metadata, context: Some("first".into()) };
    let manifest = format!(r#"{{"abi":"1.0","name":"mine","protocol_type":"{protocol_type}","shape":"states"}}"#);
    let mut story = Story::new(Config { purpose, ..config() });
    story.strategies(vec![fake(&manifest)]).start(Peer::Divvy);
    story
}

fn follows(story: &mut Story) -> Bytes {
    let (sent, call) = story.join();
    story.give(Event::Joined(sent, JoinAnswer { leader: MemberId::from("other"), ..joined(5, "mine@1") }));
    let (sent, _) = story.sync();
    story.give(Event::Synced(sent, synced("a state".into())));
    call.offers[0].1.clone()
}

#[test]
fn an_own_types_metadata_is_told_and_a_followers_context_is_nobodys_business() {
    let mut story = of_own_type(Some("old".into()), "mine");
    assert_eq!(follows(&mut story), "old");
    story.told.clear();
    story.give(Event::Change(Change::Context("second".into()))).give(weight(2));
    goes_on_for(&mut story, SECOND * 20);
    assert!(story.told.is_empty(), "{:?}", story.told);
    story.give(Event::Change(Change::Metadata("new".into()))).pass(SECOND);
    assert!(matches!(story.told[..], [Notice::Revoke { .. }]), "{:?}", story.told);
    assert_eq!(story.give(Event::GivenUp(Generation(5))).join().1.offers[0].1, "new");
}

#[test]
fn a_leaders_new_context_makes_a_new_plan() {
    let mut story = of_own_type(Some("m".into()), "mine");
    let context = |story: &Story| match story.wanted.last() {
        Some(Action::Lead(_, job)) => job.context.clone(),
        other => panic!("{other:?}"),
    };
    let (sent, _) = story.join();
    story.give(Event::Joined(sent, joined(5, "mine@1")));
    assert_eq!(context(&story), Some("first".into()));
    // While the strategy runs it changes, and is told after that.
    story.give(Event::Change(Change::Context("second".into())));
    let Some(Action::Lead(sent, _)) = story.wanted.pop() else { panic!("no plan") };
    let led = Led { plan: None, digest: None, served_by: ServedBy::Nothing, fault: None };
    story.give(Event::Led(sent, Box::new(led)));
    let (sent, _) = story.sync();
    story.give(Event::Synced(sent, synced("a state".into()))).told.clear();
    story.pass(SECOND).give(Event::GivenUp(Generation(5)));
    let (sent, _) = story.join();
    story.give(Event::Joined(sent, joined(6, "mine@1")));
    assert_eq!(context(&story), Some("second".into()));
}

#[test]
fn a_single_writers_facts_are_its_metadata() {
    let mut story = of_own_type(None, "single-writer");
    assert_eq!(Candidate::decode(&follows(&mut story)).unwrap(), Candidate::default());
    story.give(weight(2)).pass(SECOND).give(Event::GivenUp(Generation(5)));
    let call = story.join().1;
    assert_eq!(Candidate::decode(&call.offers[0].1).unwrap().facts["weight"], json!(2));
}

#[test]
fn a_refused_commit_counts_only_against_its_own_generation() {
    for (error, id) in [(ErrorCode::IllegalGeneration, "me"), (ErrorCode::UnknownMemberId, "")] {
        let mut story = Story::stable_follower(Peer::Other);
        let sent = |generation| Sent { ticket: 0, generation: Generation(generation), member: MemberId::from("me") };
        story.give(Event::CommitRefused(sent(4), error)).give(Event::CommitRefused(sent(5), ErrorCode::InvalidTopic));
        assert!(story.told.is_empty(), "{:?}", story.told);
        story.give(Event::CommitRefused(sent(5), error));
        assert!(matches!(story.told[..], [Notice::Lost { .. }]), "{:?}", story.told);
        assert_eq!(story.join().0.member, MemberId::from(id));
    }
}
