//! A member that leads others and owns nothing: any name that they chose, one strategy behind it.

use std::sync::Arc;
use std::time::Duration;

use super::story::{
    RACK_AWARE_1, RACK_AWARE_2, Story, assignment, config, fake, joined, member, not_synced, refused, subscription,
    synced,
};
use crate::assignor::{MemberInput, Spoken};
use crate::embedded::consumer::{Assignment, Subscription};
use crate::embedded::user_data::UserData;
use crate::ids::{Digest, MemberId, Mode};
use crate::membership::Action;
use crate::membership::config::{Config, Purpose, Rollout};
use crate::membership::event::{Event, JoinAnswer, Peer};
use crate::membership::lead::{LastPlan, Rules, ServedBy};
use crate::membership::leading::{Leading, Planned};
use crate::membership::notice::{Notice, Share};
use crate::wire::ErrorCode;

fn leading() -> Leading {
    Leading {
        assignor: "rack-aware".into(),
        names: vec![("range".into(), Mode::Eager), ("cooperative-sticky".into(), Mode::Cooperative)],
        spoken: Spoken::default(),
        last_plan: None,
    }
}

fn lead(leading: Leading) -> Story {
    let rollout = Rollout::Eager { within: Duration::from_secs(1) };
    let mut story = Story::new(Config { purpose: Purpose::Lead(leading), rollout, ..config() });
    story.strategies(vec![fake(RACK_AWARE_1)]).give(Event::Tick).find_coordinator(Peer::Other);
    story
}

/// JoinGroup is answered: this member leads two others.
fn leads(story: &mut Story, generation: i32, protocol: &str, skip_assignment: bool) {
    let (sent, call) = story.join();
    let other = |id| member(id, subscription(&["clicks"]));
    let members = vec![member("me", call.offers[0].1.clone()), other("a"), other("b")];
    story.give(Event::Joined(sent, JoinAnswer { members, skip_assignment, ..joined(generation, protocol) }));
}

/// It leads, plans, and gets nothing.
fn plans(story: &mut Story, generation: i32, protocol: &str) -> Planned {
    leads(story, generation, protocol, false);
    story.topics_are(&[("clicks", 4)]).strategy_runs();
    gets_nothing(story);
    let planned = story.told.iter().rev().find_map(|it| match it {
        Notice::Planned(planned) => Some((**planned).clone()),
        _ => None,
    });
    planned.unwrap_or_else(|| panic!("no plan was told of, but {:?}", story.told))
}

fn gets_nothing(story: &mut Story) {
    let (sent, _) = story.sync();
    story.give(Event::Synced(sent, synced(Assignment::default().encode().into())));
    assert_eq!(story.assigned().share, Share::Partitions(Vec::new()));
}

fn counts(states: &[(MemberId, bytes::Bytes)]) -> Vec<(&str, usize)> {
    let count = |state: &[u8]| Assignment::decode(state).unwrap().topics.iter().map(|it| it.partitions.len()).sum();
    states.iter().map(|(id, state)| (id.as_str(), count(state))).collect()
}

#[test]
fn it_offers_every_name_with_its_one_strategy_and_wants_nothing() {
    let mut story = lead(leading());
    let (_, call) = story.join();
    let offers: Vec<_> = call.offers.iter().map(|(it, _)| (it.protocol.as_str(), it.digest, it.mode)).collect();
    let digest = Some(Digest([1; 32]));
    assert_eq!(offers, [("range", digest, Mode::Eager), ("cooperative-sticky", digest, Mode::Cooperative)]);
    for (_, metadata) in &call.offers {
        assert!(Subscription::decode(metadata).unwrap().topics.is_empty());
    }
    assert!(!call.removes_others && call.asks.is_none());
}

#[test]
fn whatever_name_is_chosen_its_strategy_plans_for_the_others() {
    for name in ["range", "cooperative-sticky"] {
        let mut story = lead(leading());
        let planned = plans(&mut story, 1, name);
        assert_eq!(counts(&planned.states), [("a", 2), ("b", 2), ("me", 0)], "{name}");
        assert_eq!((planned.digest, planned.served_by), (Some(Digest([1; 32])), ServedBy::Chosen));
        assert_eq!((planned.protocol.as_str(), planned.before), (name, None));
    }
}

#[test]
fn without_its_module_it_does_not_join() {
    let mut story = Story::new(Config { purpose: Purpose::Lead(leading()), ..config() });
    story.strategies(Vec::new()).give(Event::Tick).find_coordinator(Peer::Other);
    assert!(matches!(story.told.last(), Some(Notice::Failed { reason, .. }) if reason.contains("rack-aware")));
    story.wants_nothing();
}

#[test]
fn a_new_file_serves_after_one_rejoin() {
    let mut story = lead(leading());
    plans(&mut story, 1, "range");
    story.strategies(vec![fake(RACK_AWARE_1), fake(RACK_AWARE_2)]).pass(Duration::from_secs(1));
    let planned = plans(&mut story, 2, "range");
    assert_eq!(planned.digest, Some(Digest([2; 32])), "the newest version");
    assert!(planned.before.is_some());
}

#[test]
fn a_plan_is_of_the_module_that_made_it_whatever_came_meanwhile() {
    let mut story = lead(leading());
    leads(&mut story, 1, "range", false);
    story.topics_are(&[("clicks", 4)]).strategy_runs();
    story.strategies(vec![fake(RACK_AWARE_2)]);
    gets_nothing(&mut story);
    let digests = story.told.iter().filter_map(|it| match it {
        Notice::Planned(planned) => Some(planned.digest),
        _ => None,
    });
    assert_eq!(digests.collect::<Vec<_>>(), [Some(Digest([1; 32]))]);
}

#[test]
fn changed_settings_are_one_new_plan_and_unchanged_ones_none() {
    let mut story = lead(leading());
    plans(&mut story, 1, "range");
    let told = |story: &mut Story, rules: &Rules| {
        story.give(Event::LeadBy(Box::new(leading()), rules.clone()));
    };
    told(&mut story, &Rules::default());
    story.pass(Duration::from_secs(2)).wants_nothing();
    let rules =
        Rules { config: [("rack-aware".into(), serde_json::json!({ "spread": 1 }))].into(), ..Rules::default() };
    told(&mut story, &rules);
    told(&mut story, &rules);
    story.give(Event::PlanAnew("and for another reason".into())).wants_nothing();
    story.pass(Duration::from_secs(1));
    leads(&mut story, 2, "range", false);
    story.topics_are(&[("clicks", 4)]);
    let job = story.wanted.iter().find_map(|it| match it {
        Action::Lead(_, job) => Some(job),
        _ => None,
    });
    assert_eq!(job.unwrap().rules, rules);
}

#[test]
fn taking_over_it_joins_as_nobody_and_removes_the_others_once() {
    let mut story = lead(leading());
    let (sent, _) = story.join();
    let follower = JoinAnswer { leader: "a".into(), ..joined(4, "range") };
    story.give(Event::Joined(sent, follower));
    gets_nothing(&mut story);
    story.give(Event::TakeOver);
    let (sent, call) = story.join();
    assert!(call.removes_others && sent.member == MemberId::default());
    story.give(Event::Unanswered(sent, "the connection broke".into()));
    story.pass_until_wanted().find_coordinator(Peer::Other).pass_until_wanted();
    assert!(!story.join().1.removes_others, "whether that was done nobody knows: twice is not asked for");
}

#[test]
fn a_coordinator_that_refuses_to_have_others_removed_is_asked_again() {
    let mut story = lead(leading());
    story.give(Event::TakeOver);
    let _first = story.join();
    let (sent, _) = story.join();
    story.give(Event::Joined(sent, refused(ErrorCode::CoordinatorLoadInProgress))).pass_until_wanted();
    let (sent, call) = story.join();
    assert!(call.removes_others, "nobody was removed");
    story.give(Event::Joined(sent, JoinAnswer::refused(ErrorCode::NotCoordinator)));
    story.pass_until_wanted().find_coordinator(Peer::Other).pass_until_wanted();
    let (sent, call) = story.join();
    assert!(call.removes_others);
    story.give(Event::Joined(sent, refused(ErrorCode::GroupAuthorizationFailed)));
    assert!(matches!(story.told.last(), Some(Notice::Failed { .. })), "{:?}", story.told);
}

#[test]
fn a_lead_that_is_put_out_by_another_one_is_told_what_elects() {
    let mut story = lead(leading());
    let (sent, _) = story.join();
    story.give(Event::Joined(sent, JoinAnswer::refused(ErrorCode::FencedInstanceId)));
    let Some(Notice::Failed { reason, .. }) = story.told.last() else { panic!("{:?}", story.told) };
    assert!(reason.contains("active-standby.wasm") && !reason.contains("give each process its own"), "{reason}");
}

#[test]
fn nobody_else_takes_over() {
    let mut story = Story::stable_follower(Peer::Other);
    story.give(Event::TakeOver).give(Event::PlanAnew("because".into())).wants_nothing();
}

#[test]
fn who_takes_its_own_place_again_makes_no_plan_and_knows_what_everybody_has() {
    let last: LastPlan = Arc::new(vec![("a".into(), assignment(&[0, 1, 2])), ("gone".into(), assignment(&[3]))]);
    let mut story = lead(Leading { last_plan: Some(last), ..leading() });
    leads(&mut story, 7, "range", true);
    let (sent, call) = story.sync();
    assert!(call.states.is_empty());
    story.give(Event::Synced(sent, synced(Assignment::default().encode().into())));
    assert!(!story.told.iter().any(|it| matches!(it, Notice::Planned(_))));
    story.topics_are(&[("clicks", 4)]).pass_until_wanted().beats(ErrorCode::RebalanceInProgress);
    leads(&mut story, 8, "range", false);
    story.topics_are(&[("clicks", 4)]);
    assert_eq!(remembered(&story), [("a".to_owned(), Some(7)), ("b".to_owned(), None), ("me".to_owned(), None)]);
}

#[test]
fn a_plan_that_was_kept_is_made_anew_when_a_topic_grows() {
    // Its topics may be told of before its own SyncGroup is answered, or after.
    for topics_come_first in [true, false] {
        let mut story = lead(leading());
        leads(&mut story, 7, "range", true);
        if topics_come_first {
            story.topics_are(&[("clicks", 4)]);
        }
        gets_nothing(&mut story);
        if !topics_come_first {
            story.topics_are(&[("clicks", 4)]);
        }
        while !story.wanted.iter().any(|it| matches!(it, Action::FetchTopics(..))) {
            story.pass_until_due();
            if matches!(story.wanted.last(), Some(Action::Heartbeat(..))) {
                story.beats(ErrorCode::None);
            }
        }
        story.topics_are(&[("clicks", 8)]);
        let (_, call) = story.join();
        assert!(call.reason.contains("8 partitions instead of 4"), "{}", call.reason);
    }
}

#[test]
fn a_static_client_that_was_started_anew_has_what_its_place_had_whichever_process_planned_that() {
    let last: LastPlan = Arc::new(vec![("a".into(), assignment(&[0, 1])), ("b".into(), assignment(&[2, 3]))]);
    let mut story = lead(Leading { last_plan: Some(last), ..leading() });
    // Its broker tells nobody that `a` is `a-2` by now, before somebody joins.
    for (generation, id, skip_assignment) in [(7, "a", true), (8, "a-2", false)] {
        let (sent, call) = story.join();
        let client = |id| MemberInput { instance: Some("the-first".into()), ..member(id, subscription(&["clicks"])) };
        let members = vec![member("me", call.offers[0].1.clone()), client(id), member("b", subscription(&["clicks"]))];
        story.give(Event::Joined(sent, JoinAnswer { members, skip_assignment, ..joined(generation, "range") }));
        if skip_assignment {
            gets_nothing(&mut story);
            story.topics_are(&[("clicks", 4)]).pass_until_wanted().beats(ErrorCode::RebalanceInProgress);
        }
    }
    story.topics_are(&[("clicks", 4)]);
    assert_eq!(remembered(&story), [("a-2".to_owned(), Some(7)), ("b".to_owned(), Some(7)), ("me".to_owned(), None)]);
}

#[test]
fn under_a_cooperative_name_members_speak_for_themselves() {
    let mut story = lead(leading());
    plans(&mut story, 1, "cooperative-sticky");
    story.pass_until_due().beats(ErrorCode::RebalanceInProgress);
    leads(&mut story, 2, "cooperative-sticky", false);
    story.topics_are(&[("clicks", 4)]);
    assert!(remembered(&story).iter().all(|(_, generation)| generation.is_none()));
}

/// The generation in which each member had something, as the strategy is to be told.
fn remembered(story: &Story) -> Vec<(String, Option<i32>)> {
    let job = story.wanted.iter().find_map(|it| match it {
        Action::Lead(_, job) => Some(job),
        _ => None,
    });
    let members = job.unwrap().spoken_for().unwrap();
    let last = |member: &MemberInput| {
        let said = Subscription::decode(&member.metadata).unwrap();
        UserData::decode(said.tail.user_data.filter(|it| !it.is_empty())?).ok()?.last.map(|it| it.generation)
    };
    let mut members: Vec<_> = members.iter().map(|it| (it.id.to_string(), last(it))).collect();
    members.sort_unstable();
    members
}

#[test]
fn a_plan_that_a_broker_refuses_without_a_word_names_the_setting() {
    let mut story = lead(leading());
    leads(&mut story, 1, "range", false);
    story.topics_are(&[("clicks", 4)]).strategy_runs();
    let (sent, _) = story.sync();
    story.give(Event::Synced(sent, not_synced(ErrorCode::UnknownServerError)));
    let Some(Notice::NoPlan { reason }) = story.told.last() else { panic!("{:?}", story.told) };
    assert!(reason.contains("`message.max.bytes`") && reason.contains("3 members"), "{reason}");
}
