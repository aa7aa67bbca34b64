//! How a plan is handed over, in many groups that live: the strategy plans, the host holds back what another may still be running.

#[path = "../../life.rs"]
mod life;

use std::collections::BTreeMap;

use divvy_assignor_cooperative_sticky::assign;
use life::{Spot, World};

divvy_guest::laws! { assign; complete, disjoint, subscribed, balanced(1), sticky, fixed_point, order_independent, cooperative_safe }

const WORLDS: u64 = 200;
const EVENTS: usize = 10;

/// Rounds until everybody has what it is to have: one that withholds and one that hands out.
const MOST_ROUNDS: usize = 2;

/// Who may be running a partition: whoever claims it, until it joins again without.
fn nobody_else_runs(world: &World, given: &BTreeMap<Spot, String>) {
    let newest = world.members.values().flat_map(|one| one.owned.iter().map(move |spot| (spot, one.generation)));
    let newest = newest.fold(BTreeMap::new(), |mut all: BTreeMap<&Spot, i32>, (spot, generation)| {
        let known = all.entry(spot).or_insert(generation);
        *known = generation.max(*known);
        all
    });
    for (spot, owner) in given {
        for (id, one) in world.members.iter().filter(|(id, _)| *id != owner) {
            let runs = one.owned.contains(spot) && newest.get(spot) == Some(&one.generation);
            assert!(!runs, "{spot:?} goes to {owner} while {id} may be running it: {world:#?}");
        }
    }
}

#[test]
fn what_is_handed_over_settles_in_two_rounds_and_nobody_runs_what_another_has() {
    for seed in 0..WORLDS {
        let mut world = World::new(seed, false);
        for _ in 0..EVENTS {
            world.live();
            let target = world.plan(assign);
            for round in 1.. {
                assert!(round <= MOST_ROUNDS, "not settled after {MOST_ROUNDS} rounds: {world:#?}");
                let plan = world.plan(assign);
                assert_eq!(world.plan(assign).owners, plan.owners, "C5");
                let given = world.withhold(&plan);
                nobody_else_runs(&world, &given);
                let all = life::whole(&plan);
                let claimed = |spot: &&Spot| world.members.values().any(|one| one.owned.contains(*spot));
                assert!(all.keys().filter(|spot| !given.contains_key(*spot)).all(|spot| claimed(&spot)), "C2");
                world.take_over(&given);
                if given.len() == all.len() {
                    break;
                }
            }
            let settled = world.plan(assign);
            life::no_single_move_helps(&world, &settled);
            let sizes = |plan: &divvy_guest::testing::TestPlan| {
                let mut sizes: Vec<usize> = plan.members.keys().map(|id| plan.size(id)).collect();
                sizes.sort_unstable();
                sizes
            };
            assert_eq!(sizes(&settled), sizes(&target), "{world:#?}");
        }
    }
}

#[test]
fn the_second_round_gives_what_the_first_one_planned() {
    for seed in 0..WORLDS {
        let mut world = World::new(seed, false);
        for _ in 0..EVENTS {
            world.live();
            let plan = world.plan(assign);
            let given = world.withhold(&plan);
            let mut next = world.clone();
            next.take_over(&given);
            assert_eq!(life::moves(&next, &next.plan(assign)), [], "{world:#?}");
            world.take_over(&life::whole(&plan));
        }
    }
}
