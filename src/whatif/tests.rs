//! Lives with numbers that can be worked out by hand.

use std::sync::Arc;

use proptest::prelude::*;

use super::report::{Played, StepReport};
use super::script::read;
use super::*;
use crate::assignor::{Assignor, Budget, CallError, Export, FaultKind, Manifest, native_range};
use crate::ids::Digest;

/// An assignor of this repository, without a sandbox.
struct Native(Manifest, fn(&[u8]) -> Vec<u8>);

impl Assignor for Native {
    fn manifest(&self) -> &Manifest {
        &self.0
    }

    fn digest(&self) -> Option<Digest> {
        None
    }

    fn call(&self, export: Export, request: &[u8], _budget: Budget) -> Result<Vec<u8>, CallError> {
        Ok(if export == Export::Assign { (self.1)(request) } else { Vec::new() })
    }
}

/// It never has a plan.
struct Broken(Manifest);

impl Assignor for Broken {
    fn manifest(&self) -> &Manifest {
        &self.0
    }

    fn digest(&self) -> Option<Digest> {
        None
    }

    fn call(&self, export: Export, _: &[u8], _: Budget) -> Result<Vec<u8>, CallError> {
        if export == Export::UserData {
            return Ok(Vec::new());
        }
        Err(CallError::new(FaultKind::Trap, "it fell over"))
    }
}

fn subject(name: &str) -> Subject {
    if name == "range" {
        return Subject::native(name);
    }
    macro_rules! of {
        ($assignor:ident, $shape:ident) => {
            Arc::new(Native(serde_json::from_str($assignor::MANIFEST).unwrap(), |request| {
                divvy_guest::run::$shape($assignor::assign, request)
            }))
        };
    }
    let assignor: Arc<dyn Assignor> = match name {
        "sticky" => of!(divvy_assignor_sticky, partitions),
        "cooperative-sticky" => of!(divvy_assignor_cooperative_sticky, partitions),
        "uniform" => of!(divvy_assignor_uniform, partitions),
        "lag-aware" => of!(divvy_assignor_lag_aware, partitions),
        "rack-aware" => of!(divvy_assignor_rack_aware, partitions),
        "redundant" => of!(divvy_assignor_redundant, partitions),
        "active-standby" => of!(divvy_assignor_active_standby, states),
        "connect" => of!(divvy_assignor_connect, states),
        _ => {
            let manifest = Manifest { name: name.to_owned(), ..native_range().manifest().clone() };
            Arc::new(Broken(manifest))
        }
    };
    Subject::new(name, assignor, Arc::new(|| None))
}

fn play(start: &Start, steps: &[Step], subjects: &[Subject]) -> Result<Report, String> {
    simulate(start, steps, Times::default(), subjects, &|_, _, _| {})
}

fn lives(script: &str, names: &[&str]) -> Vec<Played> {
    let (start, steps) = read(script, None).unwrap_or_else(|error| panic!("{error:?}"));
    let subjects: Vec<Subject> = names.iter().map(|name| subject(name)).collect();
    play(&start, &steps, &subjects).unwrap().modules
}

fn life(script: &str, name: &str) -> Vec<StepReport> {
    lives(script, &[name]).remove(0).steps
}

fn moved(steps: &[StepReport]) -> Vec<usize> {
    steps.iter().map(|step| step.moved).collect()
}

const THREE: &str = "topic t partitions=12\nmembers 3 prefix=w\nlife\n";

#[test]
fn when_one_of_three_leaves_sticky_moves_what_it_had_and_range_moves_half() {
    let script = format!("{THREE}leave w3");
    let both = lives(&script, &["range", "sticky"]);
    // Range: w1 had 0-3 and has 0-5, w2 had 4-7 and has 6-11: 4 and 5 change hands although w2 is there, 8-11 lost theirs.
    let (range, sticky) = (&both[0].steps[1], &both[1].steps[1]);
    assert_eq!((range.moved, range.moved_from_present, range.rebalances), (6, 2, 1));
    assert_eq!((sticky.moved, sticky.moved_from_present, sticky.rebalances), (4, 0, 1));
    for step in [range, sticky] {
        assert_eq!((step.after.members, step.after.least, step.after.most, step.after.unowned), (2, 6, 6, 0));
        assert_eq!((step.new, step.doubled_ms, step.cost.calls), (0, 0, 1));
    }
    assert_eq!((both[0].total.moved, both[1].total.moved), (6, 4));
}

#[test]
fn an_eager_group_stands_still_until_its_slowest_has_joined() {
    // w3 finishes in 500 ms and leaves. w1 hears of it 1500 ms later and w2 3000 ms later; each finishes in 500 ms more. The
    // last JoinGroup is answered 5 ms after it came, the plan takes 5 ms, SyncGroup 5 ms: all have work at 500 + 3515.
    let step = life(&format!("{THREE}leave w3"), "range").remove(1);
    let told = 500 + 3_000 + 500 + 15;
    assert_eq!(step.took_ms, told);
    let (of_w3, of_w1, of_w2) = (told - 500, told - 2_500, told - 4_000);
    assert_eq!(step.unowned_ms, 4 * (of_w3 + of_w1 + of_w2));
}

#[test]
fn a_cooperative_group_hands_over_in_two_rounds_and_only_what_moves_stands_still() {
    let step = life(&format!("{THREE}join w4"), "cooperative-sticky").remove(1);
    assert_eq!((step.rebalances, step.moved, step.moved_from_present), (2, 3, 3));
    assert_eq!((step.after.least, step.after.most, step.after.unowned, step.doubled_ms), (3, 3, 0, 0));
    // The three are given up together and the second round takes until w4, the only one that did not know, has heard of it.
    assert_eq!(step.unowned_ms, 3 * (3_000 + 15));
    let eager = life(&format!("{THREE}join w4"), "sticky").remove(1);
    assert_eq!((eager.rebalances, eager.moved), (1, 3));
    // There all twelve do: those of w1 from 1500 ms on, of w2 from 2500, of w3 from 3500, when all have joined.
    assert_eq!(eager.unowned_ms, 4 * (2_015 + 1_015 + 15));
}

#[test]
fn who_crashes_is_missed_when_its_session_ends() {
    let step = life(&format!("{THREE}crash w3"), "cooperative-sticky").remove(1);
    assert_eq!((step.moved, step.moved_from_present, step.rebalances), (4, 0, 1));
    assert_eq!(step.unowned_ms, 4 * (45_000 + 3_000 + 15));
}

#[test]
fn a_lasting_name_is_a_restart_without_a_rebalance() {
    let script = "topic t partitions=12\nmembers 3 prefix=w static\nlife\nrolling-restart away=10s";
    let step = life(script, "sticky").remove(1);
    assert_eq!((step.rebalances, step.moved, step.new), (0, 0, 0));
    assert_eq!(step.unowned_ms, 12 * (10_000 + 10));
    let named = life(&script.replace(" static", ""), "sticky").remove(1);
    assert_eq!((named.rebalances, named.after.unowned), (6, 0));
    assert!(named.moved >= 12, "{}", named.moved);
    // Away for longer than its session, a lasting name is of no use.
    let long = life(&script.replace("10s", "60s"), "sticky").remove(1);
    assert_eq!((long.rebalances, long.after.unowned), (6, 0));
}

#[test]
fn a_process_that_comes_back_under_a_new_id_waits_for_its_own_ghost() {
    let script = format!("{THREE}crash w3 back=1s");
    let step = life(&script, "sticky").remove(1);
    // All have stopped, and the rebalance cannot end before the old member's session does.
    assert_eq!(step.rebalances, 1);
    assert_eq!(step.unowned_ms, 4 * (45_015 + (45_015 - 3_000) + (45_015 - 4_500)));
    let named = life(&script.replace("prefix=w", "prefix=w static"), "sticky").remove(1);
    assert_eq!((named.rebalances, named.unowned_ms), (0, 4 * 1_010));
}

#[test]
fn new_partitions_are_new_and_a_new_topic_is_read_by_those_that_read_all() {
    let script = format!("{THREE}partitions t 15\ntopic u partitions=3\ndrop-topic u");
    let steps = life(&script, "sticky");
    assert_eq!((steps[1].new, steps[1].moved, steps[1].after.partitions), (3, 0, 15));
    assert_eq!((steps[2].new, steps[2].after.partitions, steps[2].after.unowned), (3, 18, 0));
    assert_eq!((steps[3].moved, steps[3].after.partitions, steps[3].after.unowned), (0, 15, 0));
}

#[test]
fn a_lost_rack_is_carried_by_the_others_and_goes_back() {
    let script = "topic t partitions=12 racks=a,b,c\nmembers 3 prefix=w racks=a,b,c\nlife\nlose-rack a\nreturn-rack a";
    let both = lives(script, &["range", "rack-aware"]);
    assert_eq!(both[1].steps[0].after.rack_mismatches, Some(0));
    assert_eq!(both[1].steps[1].after.rack_mismatches, Some(4), "what was near the lost member is near nobody");
    assert_eq!(both[1].steps[2].after.rack_mismatches, Some(0));
    assert!(both[0].steps[2].after.rack_mismatches.unwrap() > 0);
}

#[test]
fn lags_that_a_step_says_are_told_with_the_next_plan() {
    let script = "topic t partitions=4\nmembers 2 prefix=w\nlife\nlag t 100,20,20,20\njoin w3\nleave w3";
    let played = lives(script, &["lag-aware"]).remove(0);
    assert_eq!((played.steps[1].rebalances, played.warnings.len()), (0, 0));
    let unsaid = lives(&script.replace("lag t 100,20,20,20", "wait 1s"), &["lag-aware"]).remove(0);
    assert!(unsaid.warnings[0].contains("`lag TOPIC N,…`"), "{:?}", unsaid.warnings);
    // Two members by number have two each; by lag the one with the hundred has nothing else.
    let has = |played: &Played| (played.steps[3].after.least, played.steps[3].after.most);
    assert_eq!((has(&played), has(&unsaid)), ((1, 3), (2, 2)));
}

#[test]
fn a_strategy_that_fails_is_told_of_and_the_group_goes_on() {
    let steps = life(&format!("{THREE}leave w3"), "broken");
    assert_eq!((steps[0].faults.len(), steps[0].after.unowned), (1, 0));
    assert!(steps[0].faults[0].contains("it fell over; served by divvy's own range"), "{:?}", steps[0].faults);
    assert_eq!(steps[1].after.unowned, 0);
}

#[test]
fn who_joins_a_group_whose_strategy_fails_gets_work() {
    let script = "topic t partitions=12\ntopic u partitions=3\nmembers 3 prefix=w\nlife\ndrop-topic u\njoin w4";
    let steps = life(script, "broken");
    assert!(steps[1].faults[0].contains("served by the last plan"), "{:?}", steps[1].faults);
    assert!(steps[2].faults[0].contains("served by divvy's own range"), "{:?}", steps[2].faults);
    assert!(steps[2].after.least > 0 && steps[2].moved > 0, "{:?}", steps[2]);
}

#[test]
fn one_writer_hands_over_to_another() {
    let script = "members 3 prefix=w\nlife\nleave w1\ncrash w2\nback w1";
    let steps = life(script, "active-standby");
    let active: Vec<_> = steps.iter().map(|step| step.after.active.clone().unwrap()).collect();
    assert_eq!(active[..3], ["w1", "w2", "w3"], "{active:?}");
    assert_eq!(moved(&steps)[..3], [0, 1, 1]);
    assert_eq!(steps[2].unowned_ms, 45_000 + 3_000 + 15);
    assert!(steps.iter().all(|step| step.doubled_ms == 0));
}

#[test]
fn a_type_of_an_applications_own_is_not_played() {
    let (start, steps) = read(&format!("{THREE}leave w3"), None).unwrap();
    let manifest = Manifest { protocol_type: "chess".to_owned(), ..native_range().manifest().clone() };
    let own = Subject::new("own", Arc::new(Broken(manifest)), Arc::new(|| None));
    let refused = play(&start, &steps, &[own]).unwrap_err();
    assert!(refused.contains("own serves type chess: only types consumer, connect and single-writer"), "{refused}");
}

#[test]
fn connectors_are_topics_and_tasks_their_partitions() {
    // One connector with three tasks and one with one: with the connectors themselves six pieces of work. Two are connectors and
    // four are tasks, and each kind is shared out for itself.
    let script = "topic files partitions=3\ntopic logs partitions=1\nmembers 3 prefix=w\nlife\n";
    let steps = life(&format!("{script}join w4\npartitions logs 3\ndrop-topic files"), "connect");
    let after = |at: usize| (steps[at].after.partitions, steps[at].after.least, steps[at].after.most);
    assert_eq!((after(0), steps[0].after.unowned, steps[0].new), ((6, 1, 3), 0, 6));
    assert_eq!((after(2).0, steps[2].new, steps[2].after.unowned), (8, 2, 0));
    assert_eq!((after(3).0, steps[3].after.unowned), (4, 0));
    assert!(steps.iter().all(|step| step.doubled_ms == 0 && step.faults.is_empty()), "{steps:?}");
}

#[test]
fn the_work_of_a_worker_that_is_gone_waits_for_it() {
    let script = "topic files partitions=6\nmembers 3 prefix=w\nlife\n";
    // Missed when its session ends; then as long as `max_delay_ms` says, five minutes.
    let gone = &life(&format!("{script}crash w3"), "connect")[1];
    assert_eq!((gone.moved, gone.after.unowned), (2, 0));
    assert!(gone.unowned_ms >= 2 * (45_000 + 300_000), "{gone:?}");
    let back = &life(&format!("{script}restart w3 away=20s"), "connect")[1];
    assert_eq!((back.moved, back.after.unowned), (0, 0), "it came back in time: {back:?}");
    assert!(back.unowned_ms < 2 * 345_000 && back.doubled_ms == 0, "{back:?}");
}

#[test]
fn what_stands_in_for_a_strategy_that_fails_is_the_one_that_was_named() {
    let (start, steps) = read(&format!("{THREE}leave w3"), None).unwrap();
    let with = |name: &str, fallback: &str| {
        let fallback = Some(subject(fallback).assignor);
        play(&start, &steps, &[Subject { fallback, ..subject(name) }]).unwrap().modules.remove(0)
    };
    let played = with("broken", "sticky");
    assert_eq!(played.fallback.as_deref(), Some("sticky"));
    assert!(
        played.steps[1].faults[0].contains("it fell over; served by the group's fall-back sticky"),
        "{:?}",
        played.steps[1].faults
    );
    // As sticky moves, and not as the range that is built in.
    assert_eq!((played.steps[1].moved, played.steps[1].moved_from_present), (4, 0));
    assert!(with("sticky", "range").warnings.is_empty());
    assert!(with("sticky", "sticky").warnings[0].contains("is this strategy itself"));
    assert!(with("sticky", "active-standby").warnings[0].contains("serves type single-writer"));
    let both = with("broken", "broken");
    assert!(both.steps[1].faults[0].contains("served by"), "{:?}", both.steps[1].faults);
}

#[test]
fn a_life_that_would_never_end_is_refused_before_it_begins() {
    let (start, steps) =
        read("topic t partitions=100000\nmembers 500\nlife\nrolling-restart\nrolling-restart\nrolling-restart", None)
            .unwrap();
    let played = |count: usize| {
        let names = ["a", "b", "c", "d", "e", "f", "g", "h"];
        effort::check(&start, &steps[..count], names.len())
    };
    assert_eq!(played(0), Ok(()));
    let refused = played(3).unwrap_err();
    let bound = limits::MAX_EFFORT / 1_000_000;
    assert!(
        refused.contains(&format!("at most {bound} million")) && refused.contains("with 8 strategies"),
        "{refused}"
    );
}

#[test]
fn copies_are_no_double_owners() {
    let steps = life(&format!("{THREE}leave w3"), "redundant");
    assert_eq!((steps[1].after.least, steps[1].after.most, steps[1].doubled_ms), (12, 12, 0));
}

#[test]
fn the_same_seed_is_the_same_life_to_the_byte() {
    let (start, _) = read(&format!("{THREE}wait 1s"), None).unwrap();
    let page = |seed| {
        let steps = random_life(&start, seed, 30).unwrap();
        let subjects = [subject("range"), subject("cooperative-sticky")];
        let report = play(&start, &steps, &subjects).unwrap();
        (serde_json::to_string(&report).unwrap(), page::html(&report, "a life"))
    };
    assert_eq!(page(7), page(7));
    assert_ne!(page(7), page(8));
}

#[test]
fn a_group_that_runs_is_looked_at_before_it_offers_the_strategy() {
    let had = |name: &str, numbers: &[i32]| Spec { has: vec![("t".into(), numbers.to_vec())], ..Spec::new(name) };
    let start = Start {
        topics: crate::topics::TopicTable([("t".into(), life::topic(4, &[], 1))].into()),
        members: vec![had("a", &[0, 1, 2]), had("b", &[3])],
    };
    let leave = Step { title: "leave b".into(), happenings: vec![Happening::Leave("b".into())] };
    for (name, rebalances) in [("cooperative-sticky", 2), ("sticky", 1)] {
        let report = play(&start, std::slice::from_ref(&leave), &[subject(name)]).unwrap();
        let steps = &report.modules[0].steps;
        assert_eq!((steps[0].rebalances, steps[0].after.least, steps[0].after.most), (0, 1, 3));
        assert_eq!((steps[1].rebalances, steps[1].moved, steps[1].new), (rebalances, 1, 0), "{name}");
        assert_eq!((steps[1].after.least, steps[1].after.most), (2, 2));
        assert_eq!((steps[2].moved, steps[2].after.unowned), (2, 0));
        assert_eq!(report.modules[0].total.moved, 3);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    /// Whatever happens: nobody has what another has, and in the end somebody has everything.
    #[test]
    fn nothing_is_owned_twice_and_all_is_owned_in_the_end(seed: u64, partitions in 1u32..20, members in 1usize..6) {
        let racks = ["a".to_owned(), "b".to_owned()];
        let start = Start {
            topics: crate::topics::TopicTable([("t".into(), life::topic(partitions, &racks, 1))].into()),
            members: life::crew("w", members, &racks, &Spec::new("")),
        };
        let steps = random_life(&start, seed, 12).unwrap();
        let subjects = ["cooperative-sticky", "uniform", "range"].map(subject);
        let report = play(&start, &steps, &subjects).unwrap();
        for played in &report.modules {
            for step in &played.steps {
                prop_assert_eq!(step.doubled_ms, 0, "{} at {}", played.module, step.title);
                prop_assert_eq!(step.after.unowned, 0, "{} at {}", played.module, step.title);
                prop_assert!(step.faults.is_empty(), "{:?}", step.faults);
            }
        }
    }
}
