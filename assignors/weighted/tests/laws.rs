//! The promises of weighted, over many groups with a history.

use std::collections::BTreeMap;

use divvy_assignor_weighted::assign;
use divvy_guest::testing::{Dice, TestGroup, TestMember, TestPlan, laws};

#[path = "../../churn.rs"]
mod churn;

use churn::{USUAL, World};

divvy_guest::laws! { assign; complete, disjoint, subscribed, balanced(1), fixed_point, order_independent }

mod with_equal_subscriptions {
    divvy_guest::laws! { super::assign, |group| group.all_read_everything(); cooperative_safe }
}

mod by_cores {
    use divvy_guest::testing::TestGroup;

    fn cores(group: TestGroup) -> TestGroup {
        group.facts("weight", |id| f64::from(id.as_bytes()[1] % 4))
    }

    divvy_guest::laws! { super::assign, cores; complete, disjoint, subscribed, fixed_point, order_independent }
}

/// Weights in halves, so that shares can be told exactly.
type Halves = BTreeMap<String, u64>;

/// A member keeps its weight as long as its id is there, but for one that changes its mind now and then.
fn weigh(world: &World, weights: &mut Halves, dice: &mut Dice) {
    weights.retain(|id, _| world.members.contains_key(id));
    for id in world.members.keys() {
        if !weights.contains_key(id) || dice.once_in(12) {
            weights.insert(id.clone(), [0, 1, 2, 2, 3, 4, 5, 7, 20][dice.roll(9) as usize]);
        }
    }
}

fn grouped(seed: u64, world: &World, weights: &Halves, loaded: bool) -> TestGroup {
    let group = world.group_with(|id, member| member.fact("weight", weights[id] as f64 / 2.0));
    let loads = world.topics.values().flat_map(|&count| 0..count);
    let loads = loads.map(|at| (u64::from(at) * 37 + seed) % 11).flat_map(u64::to_le_bytes);
    if loaded { group.column("loads", loads.collect()) } else { group }
}

fn live(seeds: u64, loaded: bool, look: impl Fn(u64, &World, &Halves, &TestGroup, &TestPlan)) {
    for seed in 0..seeds {
        let (mut world, mut weights, mut dice) = (World::new(seed, USUAL), Halves::new(), Dice::new(seed));
        for _ in 0..8 {
            weigh(&world, &mut weights, &mut dice);
            let group = grouped(seed, &world, &weights, loaded);
            let plan = group.plan(assign).expect("a plan");
            look(seed, &world, &weights, &group, &plan);
            world.adopt(&plan);
            world.happen(USUAL);
        }
    }
}

/// Members of weight 0 have only what nobody else reads.
fn drained(seed: u64, world: &World, weights: &Halves, plan: &TestPlan) {
    for (at, readers) in world.read_partitions() {
        let owner = &plan.owners[&at][0];
        let nobody_else = readers.iter().all(|reader| weights[reader] == 0);
        assert!(weights[owner] > 0 || nobody_else, "seed {seed}: {owner} is drained and has {at:?}");
    }
}

fn reads_alike(world: &World) -> bool {
    let mut partitions = world.read_partitions().into_iter();
    partitions.all(|(_, readers)| readers.len() == world.members.len())
}

#[test]
fn plans_are_whole_and_who_is_drained_has_nothing() {
    for loaded in [false, true] {
        live(400, loaded, |seed, world, weights, group, plan| {
            laws::whole(group, plan);
            drained(seed, world, weights, plan);
            assert_eq!(plan.notes, [], "seed {seed}");
        });
    }
}

#[test]
fn equal_subscriptions_get_exact_shares_with_the_fewest_moves() {
    live(800, false, |seed, world, weights, _, plan| {
        if !reads_alike(world) {
            return;
        }
        let all_drained = weights.values().all(|&weight| weight == 0);
        let weight = |id: &String| if all_drained { 1 } else { weights[id] };
        let total = world.read_partitions().len() as u64;
        let sum: u64 = world.members.keys().map(weight).sum();
        if sum == 0 {
            return;
        }
        // What is left after whole shares goes to the largest remainders.
        let whole = |id: &String| total * weight(id) / sum;
        let rest = |id: &String| total * weight(id) % sum;
        let size = |id: &String| plan.size(id) as u64;
        let (mut odd, mut even) = (Vec::new(), Vec::new());
        for id in world.members.keys() {
            match size(id) - whole(id) {
                0 => even.push(rest(id)),
                1 => odd.push(rest(id)),
                more => panic!("seed {seed}: {id} has {more} more than its whole share"),
            }
        }
        assert!(
            odd.iter().min() >= even.iter().max() || odd.is_empty() || even.is_empty(),
            "seed {seed}: {odd:?} {even:?}"
        );
        // Of equal remainders those that had more come first; so nothing moves but what is above the shares.
        let had = world.sizes_before();
        let mut order: Vec<&String> = world.members.keys().collect();
        order.sort_by_key(|id| (std::cmp::Reverse(rest(id)), had[*id] as u64 <= whole(id)));
        let odd = odd.len();
        let share = |(at, id): (usize, &&String)| whole(id) + u64::from(at < odd);
        let least: u64 = order.iter().enumerate().map(|row| (had[*row.1] as u64).saturating_sub(share(row))).sum();
        assert_eq!(world.moved(plan) as u64, least, "seed {seed}");
    });
}

#[test]
fn no_single_move_brings_sizes_nearer_to_the_weights() {
    live(600, false, |seed, world, weights, _, plan| {
        // Members that read the same have exact shares instead, which is a law of its own.
        let known = |id: &String| -> Vec<&String> {
            world.members[id]
                .topics
                .iter()
                .filter(|topic| world.topics.get(*topic).is_some_and(|&count| count > 0))
                .collect()
        };
        // A drained member counts for next to nothing.
        let weight = |id: &String| if weights[id] == 0 { 1e-12 } else { weights[id] as f64 };
        for (at, readers) in world.read_partitions() {
            let owner = &plan.owners[&at][0];
            let wins = (2.0 * plan.size(owner) as f64 - 1.0) / weight(owner);
            for reader in readers.iter().filter(|reader| known(reader) != known(owner)) {
                let loses = (2.0 * plan.size(reader) as f64 + 1.0) / weight(reader);
                assert!(loses >= wins * (1.0 - 1e-9), "seed {seed}: {at:?} could go from {owner} to {reader}");
            }
        }
    });
}

#[test]
fn a_plan_made_of_its_own_outcome_moves_nothing() {
    for loaded in [false, true] {
        live(400, loaded, |seed, world, weights, _, plan| {
            let mut next = world.clone();
            next.adopt(plan);
            let again = grouped(seed, &next, weights, loaded).plan(assign).expect("a plan");
            assert_eq!(again.owners, plan.owners, "seed {seed}");
        });
    }
}

#[test]
fn weights_that_make_no_sense_are_told_and_count_as_one() {
    let group = TestGroup::new()
        .topic("t", 12)
        .member(TestMember::new("a").reads(["t"]).fact("weight", "heavy"))
        .member(TestMember::new("b").reads(["t"]).fact("weight", -3.0))
        .member(TestMember::new("c").reads(["t"]).fact("weight", f64::NAN))
        .member(TestMember::new("d").reads(["t"]));
    let plan = group.plan(assign).expect("a plan");
    laws::balanced(&plan, 0);
    assert_eq!(plan.notes.len(), 3);
    assert_eq!(
        plan.notes[0].1,
        "the fact \"weight\" of member \"a\" is not a number from 0: it counts as 1 until the member tells another"
    );
}

#[test]
fn the_fact_may_have_another_name() {
    let group = TestGroup::new()
        .topic("t", 9)
        .config("fact", "cores")
        .member(TestMember::new("a").reads(["t"]).fact("cores", 8.0).fact("weight", 1.0))
        .member(TestMember::new("b").reads(["t"]).fact("cores", 1.0).fact("weight", 8.0));
    let plan = group.plan(assign).expect("a plan");
    assert_eq!((plan.size("a"), plan.size("b")), (8, 1));
}

#[test]
fn settings_that_nobody_understands_are_refused() {
    let refused = |group: TestGroup| group.plan(assign).expect_err("a refusal").message;
    let group = || TestGroup::new().topic("t", 3).members(2);
    assert_eq!(refused(group().config("fact", 3.0)), "config: fact is 3: write the name of a fact, such as \"weight\"");
    assert_eq!(refused(group().config("min_gain", 2.0)), "config: min_gain is 2: write a number from 0 to 1");
    assert_eq!(
        refused(group().config("min_gian", 0.0)),
        "config: there is no key \"min_gian\": did you mean \"min_gain\"?"
    );
}

#[test]
fn extreme_weights_neither_panic_nor_lose_anything() {
    for (heavy, light) in [(1e300, 1e-300), (1e12, 1e-6), (f64::MAX, f64::MIN_POSITIVE), (1.0, 0.0)] {
        let group = TestGroup::new()
            .topic("t", 100)
            .topic("u", 7)
            .member(TestMember::new("a").reads(["t"]).fact("weight", heavy))
            .member(TestMember::new("b").reads(["t", "u"]).fact("weight", light))
            .member(TestMember::new("c").reads(["u"]).fact("weight", 0.0));
        let plan = group.plan(assign).expect("a plan");
        laws::whole(&group, &plan);
        assert_eq!((plan.size("a"), plan.size("c")), (100, if light > 0.0 { 0 } else { 3 }), "{heavy} {light}");
    }
}
