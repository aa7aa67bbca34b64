//! The invariants K1 to K5 of incremental rebalancing, over clusters in which workers come, go and come back, connectors are made and
//! deleted, and time passes; and what nobody's bytes may do.

use std::collections::{BTreeMap, BTreeSet};

use divvy_assignor_connect::catalog::context;
use divvy_assignor_connect::wire::{Assignment, Metadata};
use divvy_assignor_connect::{assign, check};
use divvy_guest::testing::{Dice, Entry, TestStates};

mod workers;

use workers::{Cluster, Outcome, Piece, refused};

fn step(cluster: &mut Cluster, dice: &mut Dice, next: &mut usize) {
    match dice.roll(8) {
        0 | 1 => {
            *next += 1;
            cluster.workers.insert(format!("w{next:03}"), BTreeSet::new());
        }
        2 if cluster.workers.len() > 1 => {
            let gone = cluster.workers.keys().nth(dice.roll(cluster.workers.len() as u64) as usize).cloned();
            gone.iter().for_each(|id| _ = cluster.workers.remove(id));
        }
        3 => _ = cluster.connectors.insert(format!("c{}", dice.roll(6)), dice.roll(7) as u32),
        4 => _ = cluster.connectors.remove(&format!("c{}", dice.roll(6))),
        _ => cluster.now_ms += dice.roll(2_000) as i64,
    }
}

/// How many workers run each piece.
fn running(cluster: &Cluster) -> BTreeMap<&Piece, usize> {
    let mut running = BTreeMap::new();
    cluster.workers.values().flatten().for_each(|piece| *running.entry(piece).or_default() += 1);
    running
}

/// What holds after every round; `before` is the cluster as it joined.
fn holds(before: &Cluster, after: &Cluster, outcome: &Outcome, context: &str) {
    for (piece, times) in running(after) {
        assert_eq!(times, 1, "{context}: K1: {piece:?} runs {times} times");
        assert!(after.configured().contains(piece), "{context}: {piece:?} is not configured");
    }
    let twice = running(before);
    for (id, revoked) in &outcome.revoked {
        for piece in revoked {
            let must_go = !after.configured().contains(piece) || twice[piece] > 1;
            assert!(outcome.delay_ms == 0 || must_go, "{context}: K3: {piece:?} is revoked from {id} during a delay");
            let given = outcome.added.values().any(|added| added.contains(piece));
            assert!(!given, "{context}: K4: {piece:?} is revoked and given in one round");
        }
    }
    assert_eq!(outcome.call_again_ms, Some(outcome.delay_ms as u64).filter(|&ms| ms > 0), "{context}");
    assert!((0..=after.max_delay_ms).contains(&outcome.delay_ms), "{context}: {} ms", outcome.delay_ms);
}

fn round(cluster: &mut Cluster, context: &str) -> Outcome {
    let before = cluster.clone();
    let outcome = cluster.round();
    holds(&before, cluster, &outcome, context);
    outcome
}

/// Rounds without a change until nobody waits for anything: K2 says how few it takes.
fn settle(cluster: &mut Cluster, context: &str) {
    for at in 0..8 {
        let outcome = round(cluster, &format!("{context}, settling {at}"));
        cluster.now_ms += outcome.delay_ms;
        let rests = outcome.added.values().chain(outcome.revoked.values()).all(BTreeSet::is_empty);
        if outcome.delay_ms == 0 && rests {
            assert!(cluster.is_complete(), "{context}: K2: it rests and is not even: {:?}", cluster.workers);
            return;
        }
    }
    panic!("{context}: it does not come to rest: {:?}", cluster.workers);
}

#[test]
fn k1_to_k4_hold_whatever_happens_and_the_cluster_comes_to_rest() {
    for seed in 0..600 {
        let mut dice = Dice::new(seed);
        let mut cluster = Cluster::new([0, 1, 500, 300_000][dice.roll(4) as usize]);
        let mut next = 1;
        cluster.workers.insert("w000".into(), BTreeSet::new());
        for at in 0..12 {
            (0..dice.roll(3)).for_each(|_| step(&mut cluster, &mut dice, &mut next));
            round(&mut cluster, &format!("seed {seed}, step {at}"));
        }
        settle(&mut cluster, &format!("seed {seed}"));
    }
}

/// Without a back-off from before, one round takes and one gives.
#[test]
fn k2_two_rounds_are_enough_for_a_worker_that_joins() {
    for seed in 0..300 {
        let mut dice = Dice::new(seed);
        let mut cluster = Cluster::new(300_000);
        cluster.connectors = (0..dice.roll(6)).map(|at| (format!("c{at}"), dice.roll(9) as u32)).collect();
        (0..=dice.roll(5)).for_each(|at| _ = cluster.workers.insert(format!("w{at}"), BTreeSet::new()));
        settle(&mut cluster, &format!("seed {seed}"));
        cluster.workers.insert("new".into(), BTreeSet::new());
        (0..2).for_each(|at| _ = round(&mut cluster, &format!("seed {seed}, round {at}")));
        assert!(cluster.is_complete(), "seed {seed}: {:?}", cluster.workers);
    }
}

#[test]
fn k5_a_worker_that_is_back_in_time_gets_its_work_back_and_nothing_else_moves() {
    for seed in 0..300 {
        let mut dice = Dice::new(seed);
        let mut cluster = Cluster::new(10_000);
        cluster.connectors = (0..=dice.roll(6)).map(|at| (format!("c{at}"), dice.roll(9) as u32)).collect();
        (0..2 + dice.roll(5)).for_each(|at| _ = cluster.workers.insert(format!("w{at}"), BTreeSet::new()));
        settle(&mut cluster, &format!("seed {seed}"));
        let before = cluster.workers.clone();
        let lost = cluster.workers.remove("w0").expect("a worker");
        let outcome = round(&mut cluster, &format!("seed {seed}: gone"));
        assert_eq!(outcome.delay_ms > 0, !lost.is_empty(), "seed {seed}");
        cluster.now_ms += dice.roll(10_000) as i64;
        // Connect's workers have a new member id after a restart.
        cluster.workers.insert("w0-again".into(), BTreeSet::new());
        let outcome = round(&mut cluster, &format!("seed {seed}: back"));
        cluster.now_ms += outcome.delay_ms;
        round(&mut cluster, &format!("seed {seed}: due"));
        for (id, runs) in before.iter().filter(|(id, _)| *id != "w0") {
            assert_eq!(&cluster.workers[id], runs, "seed {seed}: {id} had nothing to do with it");
        }
        assert_eq!(cluster.workers["w0-again"], lost, "seed {seed}");
    }
}

#[test]
fn work_that_is_running_twice_is_taken_from_both_and_given_out_again() {
    for seed in 0..300 {
        let mut dice = Dice::new(seed);
        let mut cluster = Cluster::new(300_000);
        cluster.connectors = (0..=dice.roll(4)).map(|at| (format!("c{at}"), dice.roll(6) as u32)).collect();
        cluster.workers.insert("a".into(), BTreeSet::new());
        settle(&mut cluster, &format!("seed {seed}"));
        let stray = cluster.workers["a"].iter().filter(|_| dice.once_in(2)).cloned().collect();
        cluster.workers.insert("b".into(), stray);
        settle(&mut cluster, &format!("seed {seed}"));
    }
}

#[test]
fn a_leader_without_a_memo_takes_what_runs_as_it_is() {
    for seed in 0..300 {
        let mut dice = Dice::new(seed);
        let mut cluster = Cluster::new(300_000);
        cluster.connectors = (0..=dice.roll(6)).map(|at| (format!("c{at}"), dice.roll(9) as u32)).collect();
        (0..=dice.roll(5)).for_each(|at| _ = cluster.workers.insert(format!("w{at}"), BTreeSet::new()));
        settle(&mut cluster, &format!("seed {seed}"));
        let before = cluster.workers.clone();
        cluster.memo = [None, Some(vec![0xc1]), Some(vec![0x9a; 40])][dice.roll(3) as usize].clone();
        round(&mut cluster, &format!("seed {seed}"));
        assert_eq!(cluster.workers, before, "seed {seed}");
    }
}

#[test]
fn a_memo_always_has_room() {
    for (connectors, workers) in [(4_000, 10), (20_000, 10), (10, 10_000)] {
        let mut cluster = Cluster::new(300_000);
        cluster.connectors = (0..connectors).map(|at| (format!("connector-{at}"), 1)).collect();
        (0..workers).for_each(|at| _ = cluster.workers.insert(format!("worker-{at}"), BTreeSet::new()));
        cluster.round();
        let memo = cluster.memo.as_ref().expect("a memo").len();
        assert!(memo <= 64 * 1024, "{memo} bytes for {connectors} connectors and {workers} workers");
        assert!(cluster.is_complete());
        assert!(cluster.round().added.values().all(BTreeSet::is_empty), "what runs is not given again");
    }
}

fn one_worker(protocol: &str) -> TestStates {
    let metadata = Metadata { version: 1, url: "http://a/", offset: 9, runs: vec![("gone", vec![-1, 3])] };
    TestStates::new().protocol(protocol).member("a", metadata.write())
}

#[test]
fn what_is_not_configured_any_more_is_given_up() {
    let plan = one_worker("sessioned").context(context(None, &[("new", 1)])).plan(assign).expect("a plan");
    let told = Assignment::read(&plan.states["a"]).expect("an assignment");
    assert_eq!((told.version, told.leader, told.leader_url, told.offset), (2, "a", "http://a/", 9));
    assert_eq!((told.work, told.revoked), (vec![("new", vec![-1, 0])], vec![("gone", vec![-1, 3])]));
}

#[test]
fn a_context_that_is_behind_changes_nothing_and_says_so() {
    for (protocol, version) in [("default", 0), ("compatible", 1)] {
        let plan = one_worker(protocol).context(context(Some(8), &[("new", 1)])).plan(assign).expect("a plan");
        let told = Assignment::read(&plan.states["a"]).expect("an assignment");
        assert_eq!((told.version, told.error, told.offset), (version, 1, 9));
        assert_eq!((told.work.len(), told.revoked.len()), (0, 0));
    }
}

#[test]
fn the_leader_stays_and_the_first_one_has_read_the_configuration() {
    let worker = |offset| Metadata { version: 1, url: "u", offset, runs: Vec::new() }.write();
    let group = TestStates::new().config("connectors", Entry::map([("c", 2.0.into())]));
    let leader = |group: &TestStates| {
        let plan = group.plan(assign).expect("a plan");
        (Assignment::read(&plan.states["a"]).expect("an assignment").leader.to_owned(), plan.memo)
    };
    let group = group.member("a", worker(1)).member("b", worker(5));
    let (first, memo) = leader(&group);
    assert_eq!(first, "b");
    let group = group.generation(2).memo(memo).member("a", worker(9));
    assert_eq!(leader(&group).0, "b");
    assert_eq!(leader(&group.without_member("b")).0, "a");
}

#[test]
fn whoever_plans_two_workers_for_one_piece_is_found_out() {
    let worker = |runs| Metadata { version: 1, url: "u", offset: 1, runs }.write();
    let group = TestStates::new().member("a", worker(vec![("c", vec![0])])).member("b", worker(Vec::new()));
    let group = group.context(context(None, &[("c", 1)]));
    let plan = group.plan(assign).expect("a plan");
    assert_eq!(group.check(check::check, &plan), Ok(()));
    let mut stolen = plan.clone();
    let told = Assignment { version: 1, work: vec![("c", vec![0])], ..Assignment::default() };
    stolen.states.insert("b".into(), told.write());
    assert_eq!(group.check(check::check, &stolen).expect_err("refused").member, Some(1));
}

#[test]
fn settings_and_bytes_that_are_none_are_refused_in_a_sentence() {
    let group = || TestStates::new();
    assert_eq!(refused(&group()).code, "connectors_unknown");
    assert_eq!(refused(&group().context([0xc1])).code, "bad_context");
    assert_eq!(refused(&group().context(context(None, &[("a", u32::MAX)]))).code, "bad_connectors");
    let wrong = refused(&group().config("connectors", "jdbc"));
    assert_eq!(
        wrong.message,
        "config: connectors is \"jdbc\": write the number of tasks of each, such as { jdbc = 4 }"
    );
    assert!(refused(&group().config("max_delay", 1.0)).message.ends_with("did you mean \"max_delay_ms\"?"));
}

#[test]
fn a_worker_that_cannot_be_read_gets_nothing_and_stops_nobody() {
    let worker = || Metadata { version: 1, url: "u", offset: 1, runs: Vec::new() }.write();
    for (protocol, version) in [("default", 0), ("compatible", 1), ("sessioned", 1)] {
        let group = TestStates::new().protocol(protocol).context(context(None, &[("c", 3)]));
        // The broken one comes first, so it would lead and be served first.
        let group = group.member("a", [0, 1, 0, 9]).member("b", worker()).member("c", worker());
        let plan = group.plan(assign).expect("a plan");
        assert_eq!(group.check(check::check, &plan), Ok(()));
        let told = |id: &str| Assignment::read(&plan.states[id]).expect("an assignment");
        let pieces = |id: &str| told(id).work.iter().map(|(_, tasks)| tasks.len()).sum::<usize>();
        assert_eq!((pieces("a"), pieces("b") + pieces("c")), (0, 4), "{protocol}");
        assert_eq!((told("a").version, told("a").error, told("a").leader), (version, 0, "b"));
        assert_eq!((told("a").revoked.len(), told("a").delay_ms), (0, 0));

        let mut given = plan.clone();
        given.states.insert("a".into(), Assignment { work: vec![("d", vec![0])], ..Assignment::default() }.write());
        assert_eq!(group.check(check::check, &given).expect_err("refused").member, Some(0));

        let alone = group.without_member("b").without_member("c");
        let plan = alone.plan(assign).expect("a plan");
        assert!(Assignment::read(&plan.states["a"]).expect("an assignment").work.is_empty(), "{protocol}");
    }
}

#[test]
fn no_bytes_of_a_worker_or_a_memo_end_the_leader() {
    let mut cluster = Cluster::new(1_000);
    cluster.connectors = BTreeMap::from([("c".into(), 5)]);
    (0..3).for_each(|at| _ = cluster.workers.insert(format!("w{at}"), BTreeSet::new()));
    cluster.round();
    cluster.workers.remove("w1");
    cluster.round();
    let whole = cluster.group();
    let memo = cluster.memo.clone().expect("a memo");
    let metadata =
        Metadata { version: 1, url: "u", offset: 1, runs: vec![("c", vec![-1, 0, i32::MAX, i32::MIN])] }.write();
    for seed in 0..4_000 {
        let mut dice = Dice::new(seed);
        let mut bitten = |bytes: &[u8]| {
            let mut bytes = bytes.to_vec();
            (0..=dice.roll(3)).for_each(|_| {
                let at = dice.roll(bytes.len() as u64) as usize;
                bytes[at] = dice.roll(256) as u8;
            });
            let cut = if dice.once_in(2) { bytes.len() } else { dice.roll(bytes.len() as u64) as usize };
            bytes.truncate(cut);
            bytes
        };
        let group = whole.clone().member("w9", bitten(&metadata)).memo(Some(bitten(&memo))).generation(99);
        if let Ok(plan) = group.plan(assign) {
            assert_eq!(group.check(check::check, &plan), Ok(()), "seed {seed}");
        }
    }
}
