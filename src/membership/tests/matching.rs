//! Topics by pattern: each member looks which topics there are, and the group rebalances once for those that come and go.

use std::time::Duration;

use super::story::{RACK_AWARE_1, Story, config, fake, joined};
use crate::embedded::consumer::Subscription;
use crate::ids::{Generation, MemberId, TopicName};
use crate::membership::config::{Config, Purpose};
use crate::membership::event::{Event, JoinAnswer, JoinCall, Peer};
use crate::membership::notice::Notice;
use crate::membership::{Action, Cause, TopicPattern};
use crate::topics::{Topic, TopicTable};
use crate::wire::ErrorCode;

const INTERVAL: Duration = Duration::from_secs(3);
const LOOKS: Duration = Duration::from_secs(5);
const SOFT: &str = r#"{"abi":"1.0","name":"soft","mode":"cooperative"}"#;

fn table(topics: &[&str]) -> TopicTable {
    let topic = |name: &&str| (TopicName::from(*name), Topic { partitions: 4, racks: Vec::new() });
    TopicTable(topics.iter().map(topic).collect())
}

fn subscribed(call: &JoinCall) -> Vec<String> {
    Subscription::decode(&call.offers[0].1).unwrap().topics.iter().map(|it| (*it).to_owned()).collect()
}

fn matching(pattern: &str) -> Story {
    let purpose = Purpose::Matching { pattern: TopicPattern::new(pattern).unwrap(), topics: Vec::new() };
    let mut story = Story::new(Config { purpose, topics_interval: LOOKS, ..config() });
    story.strategies(vec![fake(RACK_AWARE_1)]);
    story
}

impl Story {
    /// The look that the member wants shows these.
    fn sees(&mut self, topics: &[&str]) -> &mut Self {
        let sent = self.look();
        self.give(Event::Topics(sent, Ok(table(topics))))
    }

    /// Lets time pass, heartbeats answered, until the member looks.
    fn looks_again(&mut self) -> &mut Self {
        while !self.wanted.iter().any(|it| matches!(it, Action::FetchTopics(..))) {
            self.pass_until_due();
            self.heartbeats_are_fine();
        }
        self
    }

    fn heartbeats_are_fine(&mut self) {
        while let Some(at) = self.wanted.iter().position(|it| matches!(it, Action::Heartbeat(..))) {
            let Action::Heartbeat(sent, _) = self.wanted.remove(at) else { unreachable!() };
            self.give(Event::Beaten(sent, ErrorCode::None));
        }
    }
}

/// A follower of generation 5 whose pattern matches two of three topics.
fn stable() -> Story {
    let mut story = matching("clicks.*");
    story.give(Event::Tick).find_coordinator(Peer::Other).sees(&["clicks", "clicks-2", "queries"]);
    let (sent, call) = story.join();
    assert_eq!(subscribed(&call), ["clicks", "clicks-2"]);
    let answer = JoinAnswer { leader: MemberId::from("other"), ..joined(5, "rack-aware@1") };
    story.give(Event::Joined(sent, answer)).gets(&[0, 1]);
    assert!(matches!(&story.told[..], [.., Notice::Matching(topics), Notice::Assigned(_)] if topics.len() == 2));
    story.told.clear();
    story
}

#[test]
fn a_member_looks_before_it_joins_and_goes_on_looking() {
    let mut story = stable();
    story.wants_nothing();
    for _ in 0..5 {
        let before = story.now.mono;
        story.looks_again();
        assert!((LOOKS * 4 / 5..=LOOKS * 6 / 5).contains(&(story.now.mono - before)));
        story.sees(&["clicks", "clicks-2", "others"]);
    }
    assert!(story.told.is_empty(), "what does not match is nothing new: {:?}", story.told);
}

#[test]
fn topics_that_come_and_go_together_cost_one_rejoin() {
    let mut story = stable();
    story.looks_again().sees(&["clicks", "clicks-2", "clicks-3"]);
    assert!(story.told.is_empty(), "it looks once more: {:?}", story.told);
    story.looks_again().sees(&["clicks", "clicks-3", "clicks-4"]);
    story.looks_again().sees(&["clicks", "clicks-3", "clicks-4"]);
    story.pass(Duration::from_millis(500));
    assert!(matches!(story.told[..], [Notice::Revoke { .. }]), "{:?}", story.told);
    story.give(Event::GivenUp(Generation(5)));
    let (sent, call) = story.join();
    assert_eq!(subscribed(&call), ["clicks", "clicks-3", "clicks-4"]);
    story.give(Event::Joined(sent, JoinAnswer { leader: MemberId::from("other"), ..joined(6, "rack-aware@1") }));
    story.gets(&[0]);
    assert_eq!(story.assigned().cause, Cause::Word);
    for _ in 0..5 {
        story.looks_again().sees(&["clicks", "clicks-3", "clicks-4"]);
    }
    story.wants_nothing();
}

#[test]
fn a_topic_that_is_missing_for_a_moment_costs_nothing() {
    let mut story = stable();
    story.looks_again().sees(&["clicks"]);
    for _ in 0..3 {
        story.looks_again().sees(&["clicks", "clicks-2"]);
    }
    story.pass(Duration::from_secs(2)).heartbeats_are_fine();
    assert!(story.told.is_empty(), "{:?}", story.told);
}

#[test]
fn another_members_rebalance_shows_the_new_topic_to_all() {
    let mut story = stable();
    story.pass(INTERVAL).beats(ErrorCode::RebalanceInProgress).give(Event::GivenUp(Generation(5)));
    // Somebody found a new topic first: who is called back looks before it joins.
    story.sees(&["clicks", "clicks-2", "clicks-3"]);
    let (sent, call) = story.join();
    assert_eq!(subscribed(&call), ["clicks", "clicks-2", "clicks-3"]);
    story.give(Event::Joined(sent, JoinAnswer { leader: MemberId::from("other"), ..joined(6, "rack-aware@1") }));
    story.gets(&[0]).told.clear();
    story.looks_again().sees(&["clicks", "clicks-2", "clicks-3"]);
    story.pass(Duration::from_secs(2)).heartbeats_are_fine();
    assert!(story.told.is_empty(), "{:?}", story.told);
}

#[test]
fn a_look_that_fails_keeps_nobody_from_joining() {
    let mut story = stable();
    story.pass(INTERVAL).beats(ErrorCode::RebalanceInProgress).give(Event::GivenUp(Generation(5)));
    let sent = story.look();
    story.pass(Duration::from_secs(1)).wants_nothing();
    story.give(Event::Topics(sent, Err("it refuses Metadata".into())));
    assert_eq!(subscribed(&story.join().1), ["clicks", "clicks-2"]);

    let mut story = matching("clicks.*");
    story.give(Event::Tick).find_coordinator(Peer::Other);
    let sent = story.look();
    story.give(Event::Unanswered(sent, "no answer".into()));
    assert_eq!(subscribed(&story.join().1), Vec::<String>::new());
}

#[test]
fn a_pattern_that_matches_nothing_waits() {
    let mut story = matching("later");
    story.give(Event::Tick).find_coordinator(Peer::Other).sees(&["clicks", "later-2"]);
    assert!(story.told.contains(&Notice::Matching(Vec::new())), "{:?}", story.told);
    story.follows(5, "rack-aware@1").gets(&[]).told.clear();
    story.looks_again().sees(&["later"]).looks_again().sees(&["later"]).pass(Duration::from_millis(500));
    assert_eq!(subscribed(&story.join().1), ["later"], "at once: it has nothing to give up");
}

#[test]
fn who_hands_over_in_steps_gives_up_nothing_for_a_new_topic() {
    let purpose = Purpose::Matching { pattern: TopicPattern::new("clicks.*").unwrap(), topics: Vec::new() };
    let mut story = Story::new(Config { purpose, assignors: vec!["soft".into()], topics_interval: LOOKS, ..config() });
    story.strategies(vec![fake(SOFT)]).give(Event::Tick).find_coordinator(Peer::Other).sees(&["clicks"]);
    story.follows(5, "soft@1").gets(&[0, 1]).told.clear();
    story.looks_again().sees(&["clicks", "clicks-2"]).looks_again().sees(&["clicks", "clicks-2"]);
    story.pass(Duration::from_millis(500));
    assert_eq!(subscribed(&story.join().1), ["clicks", "clicks-2"]);
    assert_eq!(story.told, [Notice::Matching(vec!["clicks".into(), "clicks-2".into()])]);
}

#[test]
fn a_leader_plans_what_its_group_subscribes_to_and_no_more() {
    let mut story = matching("clicks.*");
    story.give(Event::Tick).find_coordinator(Peer::Other).sees(&["clicks", "queries"]);
    story.leads(1, "rack-aware@1").sees(&["clicks", "queries"]);
    let Some(Action::Lead(_, job)) = story.wanted.last() else { panic!("{:?}", story.wanted) };
    assert_eq!(job.topics.0.keys().map(|it| it.as_str()).collect::<Vec<_>>(), ["clicks"]);
    story.strategy_runs().gets(&[0, 1]).told.clear();
    story.looks_again().sees(&["clicks", "queries", "more"]);
    assert!(story.told.is_empty(), "{:?}", story.told);
}

#[test]
fn a_huge_cluster_is_looked_at_less_often() {
    let mut story = stable();
    let mut many = table(&["clicks", "clicks-2"]);
    many.0.insert("other".into(), Topic { partitions: 100_000, racks: Vec::new() });
    let sent = story.looks_again().look();
    story.give(Event::Topics(sent, Ok(many)));
    let before = story.now.mono;
    story.looks_again();
    assert!(story.now.mono - before > Duration::from_secs(75));
}
