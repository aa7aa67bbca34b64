//! A leader's duties: the plan, the fall-back when its strategy fails, and topics that change afterwards.

use std::time::Duration;

use bytes::Bytes;

use super::story::{RACK_AWARE_1, RACK_AWARE_2, Story, assignment, config, failing, fake, joined, member, synced};
use crate::assignor::{FaultKind, MemberInput};
use crate::embedded::consumer::Assignment;
use crate::ids::{Digest, Generation, MemberId};
use crate::membership::Action;
use crate::membership::config::{Config, Purpose};
use crate::membership::event::{Event, JoinAnswer, JoinExtras, Look, Peer, PlanOrError, SyncCall};
use crate::membership::lead::{Rules, ServedBy};
use crate::membership::notice::{Notice, Role};
use crate::wire::ErrorCode;

fn partitions(call: &SyncCall) -> Vec<(MemberId, usize)> {
    let count = |state: &Bytes| Assignment::decode(state).unwrap().topics.iter().map(|it| it.partitions.len()).sum();
    call.states.iter().map(|(id, state)| (id.clone(), count(state))).collect()
}

#[test]
fn a_leader_plans_with_the_module_of_the_chosen_protocol_and_says_so() {
    let mut story = Story::new(config());
    story.strategies(vec![fake(RACK_AWARE_1), fake(RACK_AWARE_2)]).start(Peer::Divvy);
    let rules = Rules { hash: 77, ..Rules::default() };
    story.leads_with(1, "rack-aware@1", Some(JoinExtras { rules, ..JoinExtras::default() }));
    story.topics_are(&[("clicks", 5)]).strategy_runs();
    let (_, call) = story.sync();
    assert_eq!(partitions(&call), [("me".into(), 3), ("other".into(), 2)]);
    let origin = call.origin.clone().unwrap();
    assert_eq!((origin.digest, origin.settings_hash), (Some(Digest([1; 32])), 77));
    assert_eq!((origin.topics, origin.copies, origin.fault), (vec![("clicks".into(), 5)], 1, None));
}

#[test]
fn the_heart_beats_while_the_strategy_runs() {
    let mut story = Story::new(config());
    story.strategies(vec![fake(RACK_AWARE_1)]).start(Peer::Other).leads(1, "rack-aware@1").topics_are(&[("clicks", 4)]);
    for _ in 0..5 {
        story.pass(Duration::from_secs(3)).beats(ErrorCode::None);
    }
    story.strategy_runs().sync();
}

#[test]
fn a_plan_of_a_generation_that_is_over_is_dropped() {
    let mut story = Story::new(config());
    story.strategies(vec![fake(RACK_AWARE_1)]).start(Peer::Other).leads(1, "rack-aware@1").topics_are(&[("clicks", 4)]);
    story.pass(Duration::from_secs(3)).beats(ErrorCode::RebalanceInProgress);
    story.strategy_runs();
    story.join();
    story.wants_nothing();
}

#[test]
fn a_failed_strategy_is_served_by_range_and_reported_with_success() {
    let mut story = Story::new(config());
    story.strategies(vec![failing(RACK_AWARE_2)]).start(Peer::Divvy).leads(1, "rack-aware@2");
    story.topics_are(&[("clicks", 4)]).strategy_runs();
    let (_, call) = story.sync();
    assert_eq!(partitions(&call), [("me".into(), 2), ("other".into(), 2)]);
    let origin = call.origin.clone().unwrap();
    assert_eq!((origin.verdict, origin.digest), (PlanOrError::Plan, None));
    assert_eq!(origin.fault.unwrap().digest, Some(Digest([0xff; 32])));
    let fault = story.told.iter().find_map(|it| match it {
        Notice::Fault { served_by, .. } => Some(served_by.clone()),
        _ => None,
    });
    assert_eq!(fault, Some(ServedBy::NativeRange));
}

#[test]
fn the_groups_fall_back_comes_before_the_last_plan_and_the_last_plan_before_range() {
    let mut story = Story::new(config());
    story.strategies(vec![fake(RACK_AWARE_1), failing(RACK_AWARE_2)]).start(Peer::Divvy);
    let rules = Rules { fallback: Some("rack-aware@1".into()), ..Rules::default() };
    story.leads_with(1, "rack-aware@2", Some(JoinExtras { rules, ..JoinExtras::default() }));
    story.topics_are(&[("clicks", 4)]).strategy_runs();
    let served = |story: &Story| match story.told.last() {
        Some(Notice::Fault { served_by, .. }) => served_by.clone(),
        other => panic!("{other:?}"),
    };
    assert_eq!(served(&story), ServedBy::Fallback("rack-aware@1".into()));
    assert_eq!(story.wanted.len(), 1);
    story.gets(&[0, 1]).pass_until_due().beats(ErrorCode::RebalanceInProgress).give(Event::GivenUp(Generation(1)));
    story.leads_with(2, "rack-aware@2", Some(JoinExtras::default())).topics_are(&[("clicks", 4)]).strategy_runs();
    assert_eq!(served(&story), ServedBy::LastPlan);
}

#[test]
fn a_fall_back_without_a_version_is_the_newest_that_has_not_just_failed() {
    let mut story = Story::new(config());
    story.strategies(vec![fake(RACK_AWARE_1), failing(RACK_AWARE_2)]).start(Peer::Divvy);
    let rules = || Rules { fallback: Some("rack-aware".into()), ..Rules::default() };
    story.leads_with(1, "rack-aware@2", Some(JoinExtras { rules: rules(), ..JoinExtras::default() }));
    story.topics_are(&[("clicks", 4)]).strategy_runs();
    let Some(Notice::Fault { served_by, .. }) = story.told.last() else { panic!("{:?}", story.told) };
    assert_eq!(*served_by, ServedBy::Fallback("rack-aware".into()));
    let mut story = Story::new(config());
    story.strategies(vec![failing(RACK_AWARE_2)]).start(Peer::Divvy);
    story.leads_with(1, "rack-aware@2", Some(JoinExtras { rules: rules(), ..JoinExtras::default() }));
    story.topics_are(&[("clicks", 4)]).strategy_runs();
    let Some(Notice::Fault { served_by, fault }) = story.told.last() else { panic!("{:?}", story.told) };
    assert_eq!(
        (served_by, fault.message.contains("fall-back")),
        (&ServedBy::NativeRange, false),
        "it is not called twice"
    );
}

#[test]
fn a_fall_back_that_fails_too_is_said_with_the_failure() {
    let mut story = Story::new(config());
    story.strategies(vec![failing(RACK_AWARE_1), failing(RACK_AWARE_2)]).start(Peer::Divvy);
    let rules = Rules { fallback: Some("rack-aware@1".into()), ..Rules::default() };
    story.leads_with(1, "rack-aware@2", Some(JoinExtras { rules, ..JoinExtras::default() }));
    story.topics_are(&[("clicks", 4)]).strategy_runs();
    let Some(Notice::Fault { served_by, fault }) = story.told.last() else { panic!("{:?}", story.told) };
    assert_eq!(*served_by, ServedBy::NativeRange);
    assert!(fault.message.contains("its fall-back failed too: rack-aware@1: "), "{}", fault.message);
}

#[test]
fn a_broken_range_is_stood_in_for_by_the_hosts_own_however_long() {
    let mut story = Story::new(config());
    story.strategies(vec![failing(r#"{"abi":"1.0","name":"range"}"#)]).start(Peer::Divvy);
    for generation in 1..4 {
        story.leads(generation, "range").topics_are(&[("clicks", 4)]).strategy_runs();
        let served = story.told.iter().rev().find_map(|it| match it {
            Notice::Fault { served_by, .. } => Some(served_by.clone()),
            _ => None,
        });
        assert_eq!(served, Some(ServedBy::NativeRange), "the last plan knows no newcomer");
        story.gets(&[0, 1]).pass_until_due().beats(ErrorCode::RebalanceInProgress);
        story.give(Event::GivenUp(Generation(generation)));
    }
}

#[test]
fn a_strategy_that_asks_to_be_called_again_every_time_is_called_ever_more_seldom() {
    let mut story = Story::new(config());
    story.strategies(Vec::new()).start(Peer::Divvy);
    let mut waits = Vec::new();
    for generation in 1..10 {
        story.leads(generation, "range").topics_are(&[("clicks", 4)]);
        let Some(Action::Lead(sent, job)) = story.wanted.pop() else { panic!("{:?}", story.wanted) };
        let mut led = job.run();
        led.plan.as_mut().unwrap().call_again = Some(Duration::from_secs(1));
        story.give(Event::Led(sent, Box::new(led))).gets(&[0]).told.clear();
        let before = story.now.mono;
        while story.told.is_empty() {
            story.pass_until_due();
            while let Some(last) = story.wanted.last() {
                match last {
                    Action::Heartbeat(..) => story.beats(ErrorCode::None),
                    _ => story.topics_are(&[("clicks", 4)]),
                };
            }
        }
        waits.push(story.now.mono - before);
        story.give(Event::GivenUp(Generation(generation)));
    }
    assert!(waits.is_sorted() && waits[0] == Duration::from_secs(1), "{waits:?}");
    assert_eq!(waits.last(), Some(&Duration::from_secs(60)));
}

#[test]
fn a_strategy_that_had_no_place_is_asked_again_soon() {
    let mut story = Story::new(config());
    story.strategies(vec![failing(RACK_AWARE_2)]).start(Peer::Divvy).leads(1, "rack-aware@2");
    story.topics_are(&[("clicks", 4)]);
    let Some(Action::Lead(sent, job)) = story.wanted.pop() else { panic!("{:?}", story.wanted) };
    let mut led = job.run();
    led.fault.as_mut().unwrap().kind = FaultKind::Busy;
    story.give(Event::Led(sent, Box::new(led))).gets(&[0, 1]).told.clear();
    let before = story.now.mono;
    while story.told.is_empty() {
        story.pass_until_due();
        while let Some(last) = story.wanted.last() {
            match last {
                Action::Heartbeat(..) => story.beats(ErrorCode::None),
                _ => story.topics_are(&[("clicks", 4)]),
            };
        }
    }
    assert_eq!(story.now.mono - before, Duration::from_secs(1), "it gives up its share to join again");
}

#[test]
fn a_leader_without_the_module_serves_the_group_all_the_same() {
    let mut story = Story::new(config());
    story.strategies(Vec::new()).start(Peer::Other).leads(1, "roundrobin").topics_are(&[("clicks", 4)]).strategy_runs();
    let (_, call) = story.sync();
    assert_eq!(partitions(&call), [("me".into(), 2), ("other".into(), 2)]);
}

#[test]
fn topics_that_get_no_answer_are_asked_for_again() {
    let mut story = Story::new(config());
    story.strategies(Vec::new()).start(Peer::Other).leads(1, "range");
    let (first, _) = story.topics_asked();
    story.give(Event::Unanswered(first, "the connection was closed".into()));
    let (second, _) = story.pass_until_wanted().topics_asked();
    story.give(Event::Topics(second, Err("not allowed".into())));
    story.pass_until_wanted().topics_are(&[("clicks", 4)]).strategy_runs().sync();
}

fn single_writer(peer: Peer) -> Story {
    let purpose =
        Purpose::States { protocol_type: "single-writer".into(), metadata: Some("mine".into()), context: None };
    let mut story = Story::new(Config { purpose, ..config() });
    let manifest = r#"{"abi":"1.0","name":"standby","protocol_type":"single-writer","shape":"states"}"#;
    story.strategies(vec![failing(manifest)]).start(peer);
    let (sent, _) = story.join();
    let members = vec![member("me", Bytes::from_static(b"mine")), member("other", Bytes::from_static(b"theirs"))];
    story.give(Event::Joined(sent, JoinAnswer { members, ..joined(1, "standby@1") })).strategy_runs();
    story
}

#[test]
fn states_that_nobody_can_make_are_a_leaders_error_for_divvy_alone() {
    let (_, call) = single_writer(Peer::Divvy).sync();
    assert_eq!((call.origin.as_ref().unwrap().verdict, call.states.len()), (PlanOrError::Error, 0));
    let (_, call) = single_writer(Peer::Other).sync();
    assert_eq!(call.states.len(), 2, "any other coordinator always gets a whole plan");
}

#[test]
fn b44_a_topic_that_appears_after_the_plan_makes_the_leader_join_again() {
    let mut story = Story::new(config());
    story.strategies(Vec::new()).start(Peer::Other).leads(1, "range").topics_are(&[]).strategy_runs().gets(&[]);
    story.told.clear();
    let asked = loop {
        story.pass_until_due();
        match story.wanted.last() {
            Some(Action::FetchTopics(..)) => break story.topics_asked(),
            _ => story.beats(ErrorCode::None),
        };
    };
    assert_eq!(asked.1[0].as_str(), "clicks");
    story.wanted.push(Action::FetchTopics(asked.0, Look::At(asked.1)));
    story.topics_are(&[("clicks", 2)]);
    assert!(story.join().1.reason.contains("topic clicks appeared"), "compared with what the plan used");
}

#[test]
fn a_leader_that_came_back_to_its_plan_makes_none_and_watches_from_then_on() {
    let mut story = Story::new(config());
    story.strategies(vec![fake(RACK_AWARE_1)]).start(Peer::Other);
    let (sent, call) = story.join();
    let members = vec![member("me", call.offers[0].1.clone()), member("other", call.offers[0].1.clone())];
    let answer = JoinAnswer { members, skip_assignment: true, ..joined(4, "rack-aware@1") };
    story.give(Event::Joined(sent, answer));
    let (sent, call) = story.sync();
    assert_eq!((call.states.len(), call.origin.clone()), (0, None), "the plan is there");
    story.give(Event::Synced(sent, synced(assignment(&[0, 1]))));
    assert_eq!(story.assigned().role, Role::Leader);
    story.topics_are(&[("clicks", 4)]).wants_nothing();
    let told = story.told.len();
    while !matches!(story.wanted.last(), Some(Action::FetchTopics(..))) {
        story.pass_until_due();
        if matches!(story.wanted.last(), Some(Action::Heartbeat(..))) {
            story.beats(ErrorCode::None);
        }
    }
    story.topics_are(&[("clicks", 6)]);
    assert!(
        matches!(story.told[told..], [Notice::Revoke { .. }]),
        "the leader's other duty is its own: {:?}",
        story.told
    );
}

#[test]
fn unchanged_topics_cost_nothing_and_more_partitions_one_rejoin() {
    let mut story = Story::new(config());
    story.strategies(Vec::new()).start(Peer::Other).leads(1, "range").topics_are(&[("clicks", 4)]).strategy_runs();
    story.gets(&[0, 1]).told.clear();
    for (partitions, revoked) in [(4, false), (6, true)] {
        while !matches!(story.wanted.last(), Some(Action::FetchTopics(..))) {
            story.pass_until_due();
            if matches!(story.wanted.last(), Some(Action::Heartbeat(..))) {
                story.beats(ErrorCode::None);
            }
        }
        story.topics_are(&[("clicks", partitions)]);
        assert_eq!(story.told.iter().any(|it| matches!(it, Notice::Revoke { .. })), revoked);
    }
    story.give(Event::GivenUp(Generation(1)));
    assert_eq!(story.join().1.reason, "topic clicks has 6 partitions instead of 4");
}

#[test]
fn a_static_member_that_was_started_anew_has_what_the_last_plan_gave_its_place() {
    let mut story = Story::new(config());
    story.strategies(vec![fake(RACK_AWARE_1)]).start(Peer::Other);
    for (generation, id) in [(1, "other-a"), (2, "other-b")] {
        let (sent, call) = story.join();
        let metadata = &call.offers[0].1;
        let other = MemberInput { instance: Some("o".into()), ..member(id, metadata.clone()) };
        let members = vec![member("me", metadata.clone()), other];
        story.give(Event::Joined(sent, JoinAnswer { members, ..joined(generation, "rack-aware@1") }));
        story.topics_are(&[("clicks", 4)]);
        if generation == 1 {
            story.strategy_runs().gets(&[0, 1]).pass(Duration::from_secs(3)).beats(ErrorCode::RebalanceInProgress);
            story.give(Event::GivenUp(Generation(1)));
        }
    }
    let job = story.wanted.iter().find_map(|it| if let Action::Lead(_, job) = it { Some(job) } else { None });
    let last = job.unwrap().last_plan.clone().unwrap();
    let ids: Vec<&str> = last.iter().map(|(id, _)| id.as_str()).collect();
    assert_eq!(ids, ["me", "other-b"]);
}
