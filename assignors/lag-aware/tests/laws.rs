//! The promises of lag-aware, over many groups with a history.

use std::cell::RefCell;
use std::collections::BTreeMap;

use divvy_assignor_lag_aware::assign;
use divvy_guest::testing::{Dice, TestGroup, TestMember, TestPlan, laws};

#[path = "../../churn.rs"]
mod churn;

use churn::{Bounds, SMALL, USUAL, World};

divvy_guest::laws! { assign; complete, disjoint, subscribed, balanced(1), fixed_point, order_independent }

mod with_equal_subscriptions {
    divvy_guest::laws! { super::assign, |group| group.all_read_everything(); cooperative_safe }
}

type Lags = BTreeMap<(String, u32), u64>;
type Config = fn(TestGroup) -> TestGroup;

const UNKNOWN: u64 = u64::MAX;

/// Some lag everywhere, or in a few places; some of it is not known.
fn lags(world: &World, dice: &mut Dice) -> Lags {
    let rare = dice.once_in(2);
    let all = world.topics.iter().flat_map(|(topic, &count)| (0..count).map(move |at| (topic.clone(), at)));
    all.map(|at| {
        let lag = match dice.roll(8) {
            0 => UNKNOWN,
            1 => 0,
            _ if rare => 0,
            2 => 10_000 + dice.roll(90_000),
            _ => 1 + dice.roll(400),
        };
        (at, lag)
    })
    .collect()
}

fn column(lags: &Lags) -> Vec<u8> {
    lags.values().flat_map(|lag| lag.to_le_bytes()).collect()
}

fn live(seeds: u64, bounds: Bounds, config: Config, look: impl Fn(u64, &World, &Lags, &TestPlan)) {
    for seed in 0..seeds {
        let (mut world, mut dice) = (World::new(seed, bounds), Dice::new(seed));
        for _ in 0..6 {
            let lags = lags(&world, &mut dice);
            let plan = config(world.group().column("lag", column(&lags))).plan(assign).expect("a plan");
            look(seed, &world, &lags, &plan);
            world.adopt(&plan);
            world.happen(bounds);
        }
    }
}

const PLAIN: Config = |group| group;
const BY_TOPIC: Config = |group| group.config("scope", "topic");
const SKEWED: Config = |group| group.config("max_count_skew", 2.0);
const EVEN_BY_TOPIC: Config = |group| group.config("scope", "topic").config("max_count_skew", 1.0);
const EAGER: Config = |group| group.config("min_gain", 0.0);

fn known(lag: u64) -> u64 {
    if lag == UNKNOWN { 0 } else { lag }
}

fn worst(lags: &Lags, plan: &TestPlan) -> u64 {
    let mut loads: BTreeMap<&String, u64> = BTreeMap::new();
    plan.owners.iter().for_each(|(at, owners)| *loads.entry(&owners[0]).or_default() += known(lags[at]));
    loads.into_values().max().unwrap_or(0)
}

fn reads_alike(world: &World) -> bool {
    world.read_partitions().iter().all(|(_, readers)| readers.len() == world.members.len())
}

#[test]
fn every_plan_is_whole() {
    for config in [PLAIN, BY_TOPIC, SKEWED, EVEN_BY_TOPIC, EAGER] {
        live(200, USUAL, config, |_, world, _, plan| laws::whole(&world.group(), plan));
    }
}

#[test]
fn unchanged_lag_moves_nothing() {
    for config in [PLAIN, BY_TOPIC, SKEWED, EVEN_BY_TOPIC, EAGER] {
        live(200, USUAL, config, |seed, world, lags, plan| {
            let mut next = world.clone();
            next.adopt(plan);
            let again = config(next.group().column("lag", column(lags))).plan(assign).expect("a plan");
            assert_eq!(again.owners, plan.owners, "seed {seed}");
        });
    }
}

#[test]
fn counts_differ_by_no_more_than_is_allowed() {
    live(500, USUAL, SKEWED, |_, world, _, plan| {
        if reads_alike(world) {
            laws::balanced(plan, 2);
        }
    });
    live(300, USUAL, EVEN_BY_TOPIC, |_, world, _, plan| laws::balanced_by_topic(&world.group(), plan));
}

/// The most that members differ by in their numbers of partitions, of those topics together that `readers` share.
fn skew(plan: &TestPlan, readers: &[String], topics: &[&String]) -> usize {
    let size = |id: &String| topics.iter().map(|topic| plan.of(id, topic).len()).sum::<usize>();
    let sizes = || readers.iter().map(size);
    sizes().max().unwrap_or(0) - sizes().min().unwrap_or(0)
}

/// Lag that nobody knows, none at all, none but in one place, or any.
fn rare_lags(world: &World, dice: &mut Dice) -> Lags {
    let mut lags = lags(world, dice);
    match dice.roll(4) {
        0 => lags.values_mut().for_each(|lag| *lag = UNKNOWN),
        1 => lags.values_mut().for_each(|lag| *lag = 0),
        2 => lags.values_mut().skip(1).for_each(|lag| *lag = 0),
        _ => {}
    }
    lags
}

#[test]
fn the_skew_holds_in_either_scope_with_and_without_lag() {
    for (scope, most) in [("topic", 1), ("topic", 3), ("group", 1), ("group", 2)] {
        for seed in 0..150 {
            let (mut world, mut dice) = (World::new(seed, USUAL), Dice::new(seed));
            for _ in 0..6 {
                let lags = rare_lags(&world, &mut dice);
                let planned = |world: &World| {
                    let group = world.group().config("scope", scope).config("max_count_skew", most as f64);
                    group.column("lag", column(&lags)).plan(assign).expect("a plan")
                };
                let plan = planned(&world);
                laws::whole(&world.group(), &plan);
                let mut pools: BTreeMap<Vec<String>, Vec<&String>> = BTreeMap::new();
                for topic in world.topics.keys() {
                    let readers = world.members.iter().filter(|(_, reader)| reader.topics.contains(topic));
                    pools.entry(readers.map(|(id, _)| id.clone()).collect()).or_default().push(topic);
                }
                for (readers, topics) in &pools {
                    if scope == "group" {
                        assert!(skew(&plan, readers, topics) <= most, "seed {seed}: {topics:?} {plan:?}");
                    }
                    for topic in topics.iter().filter(|_| scope == "topic") {
                        assert!(skew(&plan, readers, &[topic]) <= most, "seed {seed}: {topic} {plan:?}");
                    }
                }
                world.adopt(&plan);
                assert_eq!(planned(&world).owners, plan.owners, "seed {seed}: nothing has changed");
                world.happen(USUAL);
            }
        }
    }
}

#[test]
fn without_lag_the_scope_and_the_skew_hold_all_the_same() {
    // Four and four, but each topic with one member: even over both, and not at all in each.
    let group = TestGroup::new()
        .topic("t", 4)
        .topic("u", 4)
        .member(TestMember::new("a").reads(["t", "u"]).owned("t", 0..4))
        .member(TestMember::new("b").reads(["t", "u"]).owned("u", 0..4));
    let kept = group.clone().plan(assign).expect("a plan");
    assert_eq!((kept.of("a", "t").len(), kept.of("b", "u").len()), (4, 4));
    for config in [BY_TOPIC, EVEN_BY_TOPIC] {
        let plan = config(group.clone()).plan(assign).expect("a plan");
        let sizes = ["a", "b"].map(|id| ["t", "u"].map(|topic| plan.of(id, topic).len()));
        assert_eq!(sizes, [[2, 2], [2, 2]]);
    }
}

#[test]
fn the_worst_lag_is_at_most_four_thirds_of_the_best_that_there_is() {
    for (config, more) in [(EAGER, 100), (PLAIN, 110)] {
        let tried = RefCell::new(0);
        live(150, SMALL, config, |seed, world, lags, plan| {
            let partitions = world.read_partitions();
            if !reads_alike(world) || partitions.len() > 7 {
                return;
            }
            let lag: Vec<u64> = partitions.iter().map(|(at, _)| known(lags[at])).collect();
            let mut best = u64::MAX;
            world.every_plan(|owners| {
                let mut loads = [0; 64];
                owners.iter().zip(&lag).for_each(|(&owner, lag)| loads[owner] += lag);
                best = best.min(loads.into_iter().max().unwrap_or(0));
            });
            let worst = worst(lags, plan);
            assert!(300 * worst <= 4 * more * best, "seed {seed}: {worst}, and {best} can be had");
            *tried.borrow_mut() += 1;
        });
        assert!(tried.into_inner() > 100);
    }
}

#[test]
fn without_any_lag_shares_are_even_and_stay() {
    for seed in 0..400 {
        let mut world = World::new(seed, USUAL);
        for _ in 0..6 {
            // The leader had no time to look, or nothing is behind.
            let unknown: Vec<u8> = world.topics.values().flat_map(|&count| vec![0xff; 8 * count as usize]).collect();
            let nothing = vec![0; unknown.len()];
            let plan = world.group().plan(assign).expect("a plan");
            for column in [unknown, nothing] {
                assert_eq!(world.group().column("lag", column).plan(assign).expect("a plan"), plan);
            }
            laws::whole(&world.group(), &plan);
            if reads_alike(&world) {
                laws::balanced(&plan, 1);
            }
            world.adopt(&plan);
            world.happen(USUAL);
        }
    }
}

fn one_topic(lags: &[u64], members: usize) -> TestGroup {
    let column = lags.iter().flat_map(|lag| lag.to_le_bytes()).collect();
    TestGroup::new().topic("t", lags.len() as u32).members(members).column("lag", column)
}

fn sizes(plan: &TestPlan) -> Vec<usize> {
    plan.members.keys().map(|id| plan.size(id)).collect()
}

#[test]
fn b62_partitions_without_lag_are_shared_by_count() {
    for config in [PLAIN, BY_TOPIC, SKEWED, EAGER] {
        assert_eq!(sizes(&config(one_topic(&[0; 9], 3)).plan(assign).expect("a plan")), [3, 3, 3]);
        let mut lags = [0; 9];
        lags[0] = 100;
        assert_eq!(sizes(&config(one_topic(&lags, 3)).plan(assign).expect("a plan")), [3, 3, 3]);
        lags[1] = UNKNOWN;
        assert_eq!(sizes(&config(one_topic(&lags, 3)).plan(assign).expect("a plan")), [3, 3, 3]);
    }
}

#[test]
fn b38_a_group_of_unequal_subscriptions_settles_at_once() {
    let group = |last: Option<&TestPlan>| {
        let group = churn::each_misses_one_topic(last);
        group.column("lag", (0..200_u64).flat_map(|at| (at * at % 97).to_le_bytes()).collect())
    };
    for config in [PLAIN, BY_TOPIC, SKEWED] {
        let first = config(group(None)).plan(assign).expect("a plan");
        assert_eq!(config(group(Some(&first))).plan(assign).expect("a plan").owners, first.owners);
    }
}

#[test]
fn nothing_moves_for_less_than_the_gain_that_was_asked_for() {
    // 60 and 50 where 55 and 55 can be had: nine per cent above.
    let group = |gain: f64| {
        let lags: Vec<u8> = [20_u64, 20, 20, 25, 25, 0].into_iter().flat_map(u64::to_le_bytes).collect();
        TestGroup::new()
            .topic("t", 6)
            .column("lag", lags)
            .config("min_gain", gain)
            .member(TestMember::new("a").reads(["t"]).owned("t", [0, 1, 2]))
            .member(TestMember::new("b").reads(["t"]).owned("t", [3, 4, 5]))
    };
    let kept = group(0.1).plan(assign).expect("a plan");
    assert_eq!((kept.of("a", "t"), kept.of("b", "t")), (&[0, 1, 2][..], &[3, 4, 5][..]));
    // The longest first gives 65 and 45: no better, so nothing moves for its sake either.
    let eager = group(0.0).plan(assign).expect("a plan");
    assert_eq!(eager.owners, kept.owners);
    // 80 and 0 is another matter.
    let piled = one_topic(&[50, 10, 10, 10], 0)
        .member(TestMember::new("a").reads(["t"]).owned("t", [0, 1, 2, 3]))
        .member(TestMember::new("b").reads(["t"]));
    let plan = piled.plan(assign).expect("a plan");
    assert_eq!((plan.of("a", "t"), plan.of("b", "t")), (&[0][..], &[1, 2, 3][..]));
}

#[test]
fn settings_that_nobody_understands_are_refused() {
    let refused = |group: TestGroup| group.plan(assign).expect_err("a refusal").message;
    let group = || one_topic(&[1, 2, 3], 2);
    assert_eq!(refused(group().config("scope", "all")), "config: scope is \"all\": write \"group\" or \"topic\"");
    assert_eq!(
        refused(group().config("max_count_skew", 0.0)),
        "config: max_count_skew is 0: write a whole number from 1 to 16777216"
    );
    assert_eq!(refused(group().config("min_gain", "much")), "config: min_gain is \"much\": write a number from 0 to 1");
}

#[test]
fn enormous_lags_neither_panic_nor_lose_anything() {
    let group = one_topic(&[u64::MAX - 1, u64::MAX - 1, u64::MAX - 2, 7, 0, u64::MAX], 3);
    let plan = group.plan(assign).expect("a plan");
    laws::whole(&group, &plan);
    assert_eq!(sizes(&plan), [2, 2, 2]);
}
