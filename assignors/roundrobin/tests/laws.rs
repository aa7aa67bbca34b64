//! The invariants of roundrobin, over many groups.

use divvy_assignor_roundrobin::assign;
use divvy_guest::prelude::*;
use divvy_guest::testing::random_group;

divvy_guest::laws! { assign; complete, disjoint, subscribed, fixed_point, order_independent, cooperative_safe }

mod with_equal_subscriptions {
    divvy_guest::laws! { super::assign, |group| group.all_read_everything(); balanced(1) }
}

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
