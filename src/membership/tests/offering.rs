//! What is offered, and how a changed module reaches the group.

use crate::membership::limits::HEARTBEATS_PER_OFFER;
use std::time::Duration;

use super::story::{RACK_AWARE_1, RACK_AWARE_2, Story, config, fake, synced};
use crate::ids::{Generation, Protocol, ProtocolType};
use crate::membership::config::{Config, Purpose, Rollout};
use crate::membership::event::{Event, JoinExtras, Peer};
use crate::membership::lead::Rules;
use crate::membership::negotiate::{Strategies, Wishes, offers};
use crate::membership::notice::Notice;
use crate::wire::ErrorCode;

const RANGE: &str = r#"{"abi":"1.0","name":"range","rank":10}"#;
const ROUNDROBIN: &str = r#"{"abi":"1.0","name":"roundrobin","rank":5}"#;
const WEIGHTED: &str = r#"{"abi":"1.0","name":"weighted","offer":"by-name"}"#;
const COOPERATIVE: &str = r#"{"abi":"1.0","name":"soft","mode":"cooperative"}"#;
const COOPERATIVE_STICKY: &str = r#"{"abi":"1.0","name":"cooperative-sticky","mode":"cooperative","offer":"by-name"}"#;
const WRITER: &str = r#"{"abi":"1.0","name":"active-standby","protocol_type":"single-writer","shape":"states"}"#;

fn offered(strategies: &[&str], operator: &[&str], member: &[&str]) -> Vec<String> {
    chosen(strategies, operator, member).0
}

/// What is offered and what is left out.
fn chosen(strategies: &[&str], operator: &[&str], member: &[&str]) -> (Vec<String>, Vec<String>) {
    let strategies: Strategies = strategies.iter().map(|it| fake(it)).collect();
    let own = |names: &[&str]| names.iter().map(|it| (*it).to_owned()).collect::<Vec<_>>();
    let (operator, member) = (own(operator), own(member));
    let wishes = Wishes { operator: &operator, member: &member };
    let choice = offers(&strategies, &ProtocolType::from("consumer"), wishes);
    let left_out = choice.left_out.iter().map(ToString::to_string);
    (choice.offers.iter().map(|it| it.protocol.to_string()).collect(), left_out.collect())
}

#[test]
fn by_default_rank_then_newest_and_range_for_everybody() {
    let all = [ROUNDROBIN, RACK_AWARE_1, WEIGHTED, COOPERATIVE, WRITER, RANGE, RACK_AWARE_2];
    assert_eq!(offered(&all, &[], &[]), ["soft@1", "rack-aware@2", "rack-aware@1", "range", "roundrobin"]);
    assert_eq!(offered(&[ROUNDROBIN], &[], &[]), ["roundrobin", "range"]);
    assert_eq!(offered(&[], &[], &[]), ["range"]);
}

#[test]
fn named_ones_only_and_in_the_order_of_the_names() {
    let all = [ROUNDROBIN, RACK_AWARE_1, WEIGHTED, RACK_AWARE_2];
    assert_eq!(
        offered(&all, &[], &["weighted", "rack-aware"]),
        ["weighted@1", "rack-aware@2", "rack-aware@1", "range"]
    );
    assert_eq!(offered(&all, &[], &["rack-aware@1", "unheard-of"]), ["rack-aware@1", "range"]);
}

#[test]
fn who_names_cooperative_ones_only_offers_no_range_beside_them() {
    let all = [COOPERATIVE, COOPERATIVE_STICKY, ROUNDROBIN];
    assert_eq!(offered(&all, &[], &["cooperative-sticky", "soft"]), ["cooperative-sticky", "soft@1"]);
    assert_eq!(offered(&all, &["roundrobin"], &["soft"]), ["roundrobin", "soft@1", "range"]);
    assert_eq!(offered(&[COOPERATIVE], &[], &[]), ["soft@1", "range"], "nobody said so");
    assert_eq!(offered(&all, &[], &["unheard-of"]), ["range"]);
}

#[test]
fn the_operators_names_come_first_and_take_nothing_away() {
    let all = [ROUNDROBIN, RACK_AWARE_1, WEIGHTED];
    assert_eq!(offered(&all, &["weighted"], &[]), ["weighted@1", "rack-aware@1", "roundrobin", "range"]);
    assert_eq!(offered(&all, &["weighted"], &["roundrobin"]), ["weighted@1", "roundrobin", "range"]);
}

#[test]
fn offers_are_bounded() {
    let many: Vec<String> = (0..200).map(|n| format!(r#"{{"abi":"1.0","name":"s{n:03}"}}"#)).collect();
    let mut many: Vec<&str> = many.iter().map(String::as_str).collect();
    let (offered, left_out) = chosen(&many, &[], &[]);
    assert_eq!((offered.len(), offered[30].as_str(), offered[31].as_str()), (32, "s030@1", "range"));
    assert_eq!((left_out.len(), left_out[0].as_str(), left_out[168].as_str()), (169, "s031@1", "s199@1"));
    let (offered, left_out) = chosen(&many[..31], &[], &[]);
    assert_eq!((offered.len(), left_out), (32, Vec::new()), "all of them, and range");

    // A module may be range, too: it keeps its place, or the last one, and is not left out.
    many.push(RANGE);
    let (offered, left_out) = chosen(&many, &[], &[]);
    assert_eq!((offered.len(), offered[31].as_str(), left_out.len()), (32, "range", 169));
    let (offered, left_out) = chosen(&many, &["s150"], &[]);
    assert_eq!((offered[0].as_str(), left_out.contains(&"s030@1".to_owned())), ("s150@1", true), "a wish comes first");
}

#[test]
fn what_is_left_out_is_told_once() {
    let mut story = Story::stable_follower(Peer::Divvy);
    let many = |least: u32| (least..34).map(|n| fake(&format!(r#"{{"abi":"1.0","name":"s{n:02}"}}"#))).collect();
    let told = |story: &mut Story| {
        let left_out = story.told.drain(..).filter_map(|it| match it {
            Notice::OffersLeftOut(protocols) => Some(protocols.iter().map(ToString::to_string).collect::<Vec<_>>()),
            _ => None,
        });
        left_out.collect::<Vec<_>>()
    };
    story.strategies(many(0));
    assert_eq!(told(&mut story), [["s31@1", "s32@1", "s33@1"]]);
    story.strategies(many(0));
    assert_eq!(told(&mut story), [[""; 0]; 0], "nothing new");
    story.strategies(many(2));
    assert_eq!(told(&mut story), [["s33@1"]]);
    story.strategies(many(3));
    assert_eq!(told(&mut story), [[""; 0]], "all are offered again");
}

#[test]
fn a_new_module_is_announced_to_divvy_in_a_heartbeat_and_joined_with_when_told() {
    let mut story = Story::stable_follower(Peer::Divvy);
    story.strategies(vec![fake(RACK_AWARE_1), fake(RACK_AWARE_2)]);
    let (beat, modules) = story.heartbeat();
    let modules = modules.expect("at once, with the modules");
    assert_eq!(modules.iter().map(|(it, _)| it.as_str()).collect::<Vec<_>>(), ["rack-aware@2", "rack-aware@1"]);
    story.give(Event::Beaten(beat, ErrorCode::None)).wants_nothing();
    let (beat, modules) = story.pass(Duration::from_secs(3)).heartbeat();
    assert_eq!(modules, None, "told once");
    story.give(Event::Beaten(beat, ErrorCode::RebalanceInProgress)).give(Event::GivenUp(Generation(5)));
    assert_eq!(story.join().1.offers[0].0.protocol, Protocol::from("rack-aware@2"));
}

#[test]
fn an_announcement_that_got_no_answer_is_made_again() {
    let mut story = Story::stable_follower(Peer::Divvy);
    story.strategies(vec![fake(RACK_AWARE_2)]);
    let (beat, _) = story.heartbeat();
    story.give(Event::Unanswered(beat, "the connection was closed".into()));
    let (_, modules) = story.pass_until_due().find_coordinator(Peer::Divvy).heartbeat();
    assert!(modules.is_some());
}

#[test]
fn what_was_announced_is_said_again_on_every_way_to_a_coordinator() {
    let mut story = Story::stable_follower(Peer::Divvy);
    story.strategies(vec![fake(RACK_AWARE_2)]);
    let (beat, _) = story.heartbeat();
    story.give(Event::Beaten(beat, ErrorCode::None));
    for _ in 0..2 {
        let (beat, modules) = story.pass(Duration::from_secs(3)).heartbeat();
        assert_eq!(modules, None, "it is known");
        story.give(Event::Unanswered(beat, "the connection was closed".into()));
        let (beat, modules) = story.pass_until_due().find_coordinator(Peer::Divvy).heartbeat();
        assert_eq!(modules.expect("it may be another process")[0].0, Protocol::from("rack-aware@2"));
        // One that still reads its store did not take it in.
        story.give(Event::Beaten(beat, ErrorCode::CoordinatorLoadInProgress));
        let (beat, modules) = story.pass(Duration::from_secs(3)).heartbeat();
        assert!(modules.is_some());
        story.give(Event::Beaten(beat, ErrorCode::None));
    }
}

#[test]
fn what_a_member_can_run_is_said_again_from_time_to_time() {
    let mut story = Story::stable_follower(Peer::Divvy);
    let mut is_said = || {
        let (beat, modules) = story.pass(Duration::from_secs(3)).heartbeat();
        story.give(Event::Beaten(beat, ErrorCode::None));
        modules.is_some()
    };
    let said: Vec<bool> = (0..=HEARTBEATS_PER_OFFER).map(|_| is_said()).collect();
    assert!(said[..said.len() - 1].iter().all(|it| !it) && said[said.len() - 1], "{said:?}");
}

#[test]
fn elsewhere_a_new_module_waits_for_the_next_rebalance() {
    let mut story = Story::stable_follower(Peer::Other);
    story.strategies(vec![fake(RACK_AWARE_2)]);
    assert!(matches!(story.told[..], [Notice::OffersChanged(_)]));
    story.wants_nothing();
    story.pass(Duration::from_secs(3)).beats(ErrorCode::RebalanceInProgress).give(Event::GivenUp(Generation(5)));
    assert_eq!(story.join().1.offers[0].0.protocol, Protocol::from("rack-aware@2"));
}

#[test]
fn elsewhere_an_eager_roll_out_rejoins_within_its_spread() {
    let within = Duration::from_secs(60);
    let mut story = Story::new(Config { rollout: Rollout::Eager { within }, ..config() });
    story.strategies(Vec::new()).start(Peer::Other).follows(5, "range").gets(&[0]).told.clear();
    let begin = story.now.mono;
    story.strategies(vec![fake(RACK_AWARE_1)]).told.clear();
    while story.told.is_empty() {
        story.pass_until_due();
        if matches!(story.wanted.last(), Some(crate::membership::Action::Heartbeat(..))) {
            story.beats(ErrorCode::None);
        }
    }
    assert!(story.now.mono - begin <= within);
    story.give(Event::GivenUp(Generation(5)));
    assert_eq!(story.join().1.reason, "its modules changed");
}

#[test]
fn what_the_operator_names_is_offered_from_then_on() {
    let mut story = Story::new(config());
    story.strategies(vec![fake(RACK_AWARE_1), fake(WEIGHTED)]).start(Peer::Divvy);
    let rules = Rules { assignors: vec!["weighted@1".into()], ..Rules::default() };
    story.leads_with(1, "rack-aware@1", Some(JoinExtras { rules, ..JoinExtras::default() }));
    story.topics_are(&[("clicks", 4)]).strategy_runs().gets(&[0]);
    let (_, modules) = story.heartbeat();
    assert_eq!(modules.unwrap()[0].0, Protocol::from("weighted@1"));
}

#[test]
fn the_last_module_of_a_member_is_not_given_up_while_its_file_is_copied_anew() {
    let purpose =
        Purpose::States { protocol_type: "single-writer".into(), metadata: Some("mine".into()), context: None };
    let mut story = Story::new(Config { purpose, ..config() });
    story.strategies(vec![fake(WRITER)]).start(Peer::Divvy).follows(5, "active-standby@1");
    let (sync, _) = story.sync();
    story.give(Event::Synced(sync, synced("active".into()))).told.clear();
    story.strategies(Vec::new()).wants_nothing();
    story.pass(Duration::from_secs(3)).beats(ErrorCode::RebalanceInProgress).give(Event::GivenUp(Generation(5)));
    assert_eq!(story.join().1.offers[0].0.protocol, Protocol::from("active-standby@1"));
    assert!(!story.told.iter().any(|it| matches!(it, Notice::Failed { .. })), "{:?}", story.told);
}
