//! The invariants of roundrobin, over many groups.

use divvy_assignor_roundrobin::assign;
use divvy_guest::prelude::*;
use divvy_guest::testing::{laws, random_group};

/// The loop that defines it, step by step.
fn reference(group: &Group<'_>, owners: &mut Owners) -> Result<(), Refusal> {
    let order: Vec<Member<'_>> = group.members_in_kafkas_order().collect();
    let mut cursor = 0;
    for topic in group.topics().filter(|topic| !topic.subscribers().is_empty()) {
        for partition in topic.partitions() {
            while !order[cursor % order.len()].subscribes(topic) {
                cursor += 1;
            }
            owners.give(partition, order[cursor % order.len()]);
            cursor += 1;
        }
    }
    Ok(())
}

#[test]
fn it_equals_the_reference_loop() {
    for seed in 0..5_000 {
        let group = random_group(seed);
        assert_eq!(group.plan(assign), group.plan(reference), "seed {seed}");
    }
}

#[test]
fn plans_are_whole_and_equal_subscriptions_get_equal_shares() {
    for seed in 0..2_000 {
        let group = random_group(seed);
        let plan = group.plan(assign).expect("a plan");
        laws::whole(&group, &plan);
        if group.plan(reads_alike).is_ok() {
            laws::balanced(&plan, 1);
        }
    }
}

/// Refuses unless all members read the same topics.
fn reads_alike(group: &Group<'_>, _: &mut Owners) -> Result<(), Refusal> {
    let all = group.members().len();
    match group.topics().all(|topic| [0, all].contains(&topic.subscribers().len())) {
        true => Ok(()),
        false => Err(Refusal::new("mixed", "subscriptions differ")),
    }
}
