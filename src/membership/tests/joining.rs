//! The way into a group, and what each refusal costs.

use super::story::{Story, config, fake, joined, not_synced, refused, synced};
use crate::embedded::consumer::Subscription;
use crate::embedded::user_data::UserData;
use crate::ids::{Generation, MemberId};
use crate::membership::config::{Config, Purpose};
use crate::membership::event::{Event, JoinAnswer, Peer};
use crate::membership::notice::{Notice, Role, Share};
use crate::wire::ErrorCode;

#[test]
fn a_member_takes_its_id_joins_and_gets_its_share() {
    let mut story = Story::new(config());
    story.strategies(Vec::new()).start(Peer::Other);
    let (sent, call) = story.join();
    assert_eq!(sent.member, MemberId::from("me"), "it joins with the id of the first answer");
    assert_eq!(call.offers.iter().map(|(offer, _)| offer.protocol.as_str()).collect::<Vec<_>>(), ["range"]);
    story.give(Event::Joined(sent, JoinAnswer { leader: MemberId::from("other"), ..joined(1, "range") })).gets(&[2, 3]);
    let assigned = story.assigned();
    assert_eq!((assigned.generation, assigned.role), (Generation(1), Role::Follower));
    assert_eq!(assigned.share, Share::Partitions(vec![("clicks".into(), vec![2, 3])]));
    assert_eq!(story.member.identity(), Some((MemberId::from("me"), Generation(1))));
}

#[test]
fn b47_facts_and_the_last_claim_with_its_true_generation_travel_in_the_subscription() {
    let facts = [("rack".to_owned(), "eu-1a".into()), ("weight".to_owned(), 2.into())].into();
    let mut story = Story::new(Config { facts, ..config() });
    story.strategies(Vec::new()).start(Peer::Divvy).follows(7, "range").gets(&[0, 3]);
    story.pass_until_due().beats(ErrorCode::RebalanceInProgress).give(Event::GivenUp(Generation(7)));
    let (_, call) = story.join();
    let subscription = Subscription::decode(&call.offers[0].1).unwrap();
    assert_eq!((subscription.topics, subscription.tail.rack), (vec!["clicks"], Some("eu-1a")));
    assert!(subscription.tail.owned.is_empty(), "an eager member owns nothing when it joins");
    let data = UserData::decode(subscription.tail.user_data.unwrap()).unwrap();
    assert_eq!(data.facts["weight"], 2);
    let last = data.last.unwrap();
    assert_eq!((last.generation, last.owned.iter().next().unwrap().partitions.iter().collect()), (7, vec![0, 3]));
}

#[test]
fn an_unknown_id_is_dropped_and_a_loading_coordinator_is_waited_for_with_the_same_id() {
    let mut story = Story::new(config());
    story.strategies(Vec::new()).start(Peer::Other);
    let (sent, _) = story.join();
    story.give(Event::Joined(sent, refused(ErrorCode::CoordinatorLoadInProgress)));
    story.wants_nothing();
    let (sent, _) = story.pass_until_due().join();
    assert_eq!(sent.member, MemberId::from("me"));
    story.give(Event::Joined(sent, refused(ErrorCode::UnknownMemberId)));
    let (sent, _) = story.pass_until_due().join();
    assert_eq!(sent.member, MemberId::default());
}

#[test]
fn refusals_that_do_not_pass_end_the_member_with_a_remedy() {
    for (error, word) in [
        (ErrorCode::InconsistentGroupProtocol, "offers range for protocol type consumer"),
        (ErrorCode::InvalidSessionTimeout, "session timeout of 10000 ms"),
        (ErrorCode::GroupMaxSizeReached, "group.max.size"),
        (ErrorCode::GroupAuthorizationFailed, "not allowed to use group indexers"),
        (ErrorCode::InvalidGroupId, "group id"),
        (ErrorCode::FencedInstanceId, "instance id"),
    ] {
        let mut story = Story::new(config());
        story.strategies(Vec::new()).start(Peer::Other);
        let (sent, _) = story.join();
        story.give(Event::Joined(sent, refused(error)));
        let Some(Notice::Failed { reason, .. }) = story.told.pop() else { panic!("{error} did not end the member") };
        assert!(reason.contains(word), "{reason}");
        assert_eq!(story.member.next_deadline(), None);
    }
}

#[test]
fn a_sync_that_is_told_to_rebalance_joins_again_at_once_with_its_id() {
    let mut story = Story::new(config());
    story.strategies(Vec::new()).start(Peer::Other).follows(3, "range");
    let (sent, _) = story.sync();
    story.give(Event::Synced(sent, not_synced(ErrorCode::RebalanceInProgress)));
    let (sent, _) = story.join();
    assert_eq!((sent.member, sent.generation), (MemberId::from("me"), Generation::NONE));
}

#[test]
fn a_sync_answered_27_for_ever_is_no_busy_loop() {
    let mut story = Story::new(config());
    story.strategies(Vec::new()).start(Peer::Other);
    let begin = story.now.mono;
    for generation in 1..8 {
        story.follows(generation, "range");
        let (sent, _) = story.sync();
        story.give(Event::Synced(sent, not_synced(ErrorCode::RebalanceInProgress)));
        story.pass_until_wanted();
    }
    assert!((story.now.mono - begin).as_millis() > 3_000, "{:?}", story.now.mono - begin);
}

#[test]
fn a_state_that_cannot_be_read_is_named_and_the_member_joins_again() {
    let mut story = Story::new(config());
    story.strategies(Vec::new()).start(Peer::Other).follows(3, "range");
    let (sent, _) = story.sync();
    story.give(Event::Synced(sent, synced(bytes::Bytes::from_static(b"\0\0\0"))));
    let Some(Notice::NoPlan { reason }) = story.told.pop() else { panic!("nothing was said") };
    assert!(reason.contains("other"), "{reason}");
    story.pass_until_due().join();
}

#[test]
fn a_type_without_a_module_says_what_is_missing() {
    let purpose = Purpose::States { protocol_type: "single-writer".into(), metadata: Some("m".into()), context: None };
    let mut story = Story::new(Config { purpose, ..config() });
    story.strategies(vec![fake(r#"{"abi":"1.0","name":"range"}"#)]).give(Event::Tick).find_coordinator(Peer::Divvy);
    let Some(Notice::Failed { reason, .. }) = story.told.pop() else { panic!("nothing was said") };
    assert!(reason.contains("no module for protocol type single-writer") && reason.contains("active-standby.wasm"));
}

#[test]
fn a_topic_that_does_not_exist_is_named_once() {
    let mut story = Story::new(config());
    story.strategies(Vec::new()).give(Event::Tick).find_coordinator(Peer::Divvy).topics_are(&[]);
    assert_eq!(story.told.last(), Some(&Notice::TopicsMissing(vec!["clicks".into()])));
}
