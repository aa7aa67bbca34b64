//! The promises of uniform, over many groups with a history.

use std::cell::Cell;

use divvy_assignor_uniform::assign;
use divvy_guest::testing::{TestGroup, TestPlan, laws};

#[path = "../../churn.rs"]
mod churn;

use churn::{Bounds, SMALL, USUAL, World};

divvy_guest::laws! { assign; complete, disjoint, subscribed, balanced(1), fixed_point, order_independent }

mod with_equal_subscriptions {
    divvy_guest::laws! { super::assign, |group| group.all_read_everything(); sticky, cooperative_safe }
}

mod spread {
    divvy_guest::laws! { super::assign, |group| group.config("spread", true); complete, disjoint, subscribed, balanced_by_topic, fixed_point, order_independent }
}

/// Runs a group through events; after each the plan is looked at and adopted.
fn live(seeds: u64, bounds: Bounds, config: fn(TestGroup) -> TestGroup, look: impl Fn(u64, &World, &TestPlan)) {
    for seed in 0..seeds {
        let mut world = World::new(seed, bounds);
        for _ in 0..8 {
            let plan = config(world.group()).plan(assign).expect("a plan");
            look(seed, &world, &plan);
            world.adopt(&plan);
            world.happen(bounds);
        }
    }
}

fn plain(group: TestGroup) -> TestGroup {
    group
}

fn spread(group: TestGroup) -> TestGroup {
    group.config("spread", true)
}

/// Two of these with one partition between them cannot be evened out by moving it.
fn no_single_move_helps(seed: u64, world: &World, plan: &TestPlan) {
    for ((topic, partition), readers) in world.read_partitions() {
        let owner = &plan.owners[&(topic.clone(), partition)][0];
        for reader in readers {
            let (has, other) = (plan.size(owner), plan.size(&reader));
            assert!(
                has <= other + 1,
                "seed {seed}: {topic}-{partition} of {owner} ({has}) could go to {reader} ({other})"
            );
        }
    }
}

/// The least that must move when everybody reads the same: what is above the shares, the largest owners having the larger shares.
fn least_moves(world: &World) -> usize {
    let mut sizes: Vec<usize> = world.sizes_before().into_values().collect();
    sizes.sort_unstable_by(|one, other| other.cmp(one));
    let all = world.read_partitions().len();
    let (share, odd) = (all / sizes.len(), all % sizes.len());
    sizes.iter().enumerate().map(|(at, size)| size.saturating_sub(share + usize::from(at < odd))).sum()
}

fn reads_alike(world: &World) -> bool {
    let known = |topics: &std::collections::BTreeSet<String>| {
        world.topics.iter().filter(|(name, count)| **count > 0 && topics.contains(*name)).count()
    };
    let all = world.topics.values().filter(|count| **count > 0).count();
    !world.members.is_empty() && world.members.values().all(|reader| known(&reader.topics) == all)
}

#[test]
fn every_plan_is_whole_and_no_single_move_helps() {
    live(600, USUAL, plain, |seed, world, plan| {
        laws::whole(&world.group(), plan);
        no_single_move_helps(seed, world, plan);
        assert_eq!(plan.notes, [], "seed {seed}");
    });
}

#[test]
fn equal_subscriptions_get_equal_shares_with_the_fewest_moves() {
    live(600, USUAL, plain, |seed, world, plan| {
        if reads_alike(world) {
            laws::balanced(plan, 1);
            assert_eq!(world.moved(plan), least_moves(world), "seed {seed}");
        }
    });
}

#[test]
fn a_plan_made_of_its_own_outcome_moves_nothing() {
    for config in [plain, spread] {
        live(300, USUAL, config, |seed, world, plan| {
            let mut next = world.clone();
            next.adopt(plan);
            let again = config(next.group()).plan(assign).expect("a plan");
            assert_eq!(again.owners, plan.owners, "seed {seed}");
        });
    }
}

#[test]
fn a_join_moves_only_to_the_joiner_and_a_leave_only_what_was_left() {
    for seed in 0..1_000 {
        let mut world = World::new(seed, USUAL);
        if !world.is_alike() {
            continue;
        }
        world.adopt(&world.group().plan(assign).expect("a plan"));
        let before = world.clone();
        if seed % 2 == 0 {
            world.join()
        } else {
            world.leave()
        }
        let joined = world.members.keys().find(|id| !before.members.contains_key(*id));
        let plan = world.group().plan(assign).expect("a plan");
        for (at, id) in world.owners_before() {
            let owner = &plan.owners[&at][0];
            assert!(*owner == id || Some(owner) == joined, "seed {seed}: {at:?} went from {id} to {owner}");
        }
    }
}

#[test]
fn small_groups_with_unequal_subscriptions_move_little_more_than_they_must() {
    let (all, above) = (Cell::new(0), Cell::new(0));
    live(250, SMALL, plain, |seed, world, plan| {
        let partitions = world.read_partitions();
        if partitions.len() > 7 {
            return;
        }
        let ids: Vec<&String> = world.members.keys().collect();
        let before = world.owners_before();
        let before: Vec<Option<usize>> =
            partitions.iter().map(|(at, _)| ids.binary_search(&before.get(at)?).ok()).collect();
        let readers = world.reader_positions();
        let mut least = usize::MAX;
        world.every_plan(|owners| {
            let mut sizes = [0; 64];
            owners.iter().for_each(|&owner| sizes[owner] += 1);
            let stays = |(&owner, readers): (&usize, &Vec<usize>)| {
                readers.iter().all(|&reader| sizes[owner] <= sizes[reader] + 1)
            };
            if owners.iter().zip(&readers).all(stays) {
                let moved = owners.iter().zip(&before).filter(|(owner, before)| before.is_some_and(|id| id != **owner));
                least = least.min(moved.count());
            }
        });
        let moved = world.moved(plan);
        assert!(moved <= least + 1, "seed {seed}: {moved} moves, {least} are enough");
        all.set(all.get() + 1);
        above.set(above.get() + usize::from(moved > least));
    });
    let (all, above) = (all.get(), above.get());
    assert!(above * 50 <= all, "{above} of {all} plans move one more than they must");
}

#[test]
fn spread_topics_are_even_first_then_sizes() {
    live(600, USUAL, spread, |seed, world, plan| {
        let group = world.group();
        laws::whole(&group, plan);
        laws::balanced_by_topic(&group, plan);
        // No odd partition could go to a member that is two smaller.
        for (topic, count) in &world.topics {
            let readers: Vec<&String> =
                world.members.iter().filter(|(_, reader)| reader.topics.contains(topic)).map(|(id, _)| id).collect();
            for giver in &readers {
                for taker in &readers {
                    let has_odd = plan.of(giver, topic).len() > plan.of(taker, topic).len();
                    let helps = has_odd && plan.size(giver) >= plan.size(taker) + 2;
                    assert!(!helps, "seed {seed}: one of {topic} ({count}) could go from {giver} to {taker}");
                }
            }
        }
    });
}

#[test]
fn spread_topics_move_little_when_a_member_joins_or_leaves() {
    for seed in 0..1_500 {
        let mut world = World::new(seed, USUAL);
        if !world.is_alike() {
            continue;
        }
        world.adopt(&spread(world.group()).plan(assign).expect("a plan"));
        let (before, old) = (world.clone(), world.members.len() as u32);
        if seed % 2 == 0 {
            world.join()
        } else {
            world.leave()
        }
        let new = world.members.len() as u32;
        let plan = spread(world.group()).plan(assign).expect("a plan");
        let last = world.owners_before();
        let among_stayers = last.iter().filter(|(at, id)| {
            let owner = plan.owners.get(*at).map(|owners| &owners[0]);
            owner.is_some_and(|owner| owner != *id && before.members.contains_key(owner))
        });
        let bound: u32 =
            world.topics.values().map(|count| (count % old).max(count.checked_rem(new).unwrap_or(0))).sum();
        assert!(among_stayers.count() as u32 <= bound, "seed {seed}: {bound} are allowed");
    }
}

#[test]
fn b38_twenty_members_that_miss_one_topic_each_settle_at_once() {
    for config in [plain, spread] {
        let first = config(churn::each_misses_one_topic(None)).plan(assign).expect("a plan");
        let again = config(churn::each_misses_one_topic(Some(&first))).plan(assign).expect("a plan");
        assert_eq!(again.owners, first.owners);
        laws::balanced(&first, 1);
    }
}

#[test]
fn a_long_chain_of_shared_topics_settles() {
    // Member n reads topics n and n + 1; the first ones have nearly everything.
    let mut world = World::new(1, SMALL);
    world.topics = (0..40).map(|at| (format!("t{at:02}"), if at < 4 { 60 } else { 3 })).collect();
    world.members.clear();
    for at in 0..39 {
        let topics = [at, at + 1].map(|topic| format!("t{topic:02}")).into_iter().collect();
        world.members.insert(format!("m{at:02}"), churn::Reader { topics, instance_id: None });
        world
            .claims
            .entry(format!("m{at:02}"))
            .or_default()
            .extend((0..60).map(|partition| (format!("t{at:02}"), partition)));
    }
    let plan = world.group().plan(assign).expect("a plan");
    no_single_move_helps(1, &world, &plan);
}

#[test]
fn settings_that_nobody_understands_are_refused() {
    let refused = |group: TestGroup| group.plan(assign).expect_err("a refusal").message;
    let group = || TestGroup::new().topic("t", 3).members(2);
    assert_eq!(refused(group().config("spread", "yes")), "config: spread is \"yes\": write true or false");
    assert_eq!(refused(group().config("compat", "kaffka")), "config: compat is \"kaffka\": write \"kafka\"");
    assert_eq!(refused(group().config("spraed", true)), "config: there is no key \"spraed\": did you mean \"spread\"?");
    assert!(refused(group().config("spread", true).config("compat", "kafka")).ends_with("leave one of them out"));
}

#[test]
fn compat_answers_are_whole_too() {
    live(200, USUAL, |group| group.config("compat", "kafka"), |_, world, plan| laws::whole(&world.group(), plan));
}
