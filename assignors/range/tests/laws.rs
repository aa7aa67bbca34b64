//! The invariants I1 to I6 of range, over many groups.

use std::collections::BTreeSet;

use divvy_assignor_range::assign;
use divvy_guest::testing::{TestGroup, TestMember, random_group};

divvy_guest::laws! { assign; complete, disjoint, subscribed, balanced_by_topic, copartitioned, fixed_point, order_independent, cooperative_safe }

#[test]
fn everyones_partitions_of_a_topic_are_one_run_and_runs_follow_member_order() {
    for seed in 0..2_000 {
        let plan = random_group(seed).plan(assign).expect("a plan");
        let topics: BTreeSet<&String> = plan.owners.keys().map(|(topic, _)| topic).collect();
        for topic in topics {
            let owners = plan.owners.iter().filter(|((of, _), _)| of == topic).map(|(_, owners)| &owners[0]);
            let mut changes: Vec<&String> = owners.collect();
            changes.dedup();
            let distinct: BTreeSet<&&String> = changes.iter().collect();
            assert_eq!(distinct.len(), changes.len(), "seed {seed}: {topic} goes back and forth between {changes:?}");
        }
    }
    let group = TestGroup::new()
        .topic("t", 5)
        .member(TestMember::new("a").reads(["t"]))
        .member(TestMember::new("b").reads(["t"]).instance_id("z"))
        .member(TestMember::new("c").reads(["t"]).instance_id("y"));
    let plan = group.plan(assign).expect("a plan");
    assert_eq!([plan.of("c", "t"), plan.of("b", "t"), plan.of("a", "t")], [&[0, 1][..], &[2, 3], &[4]]);
}

#[test]
fn what_members_had_before_does_not_matter() {
    for seed in 0..500 {
        let group = random_group(seed);
        let claiming = TestMember::new("m0").reads(["t0", "t1"]).owned("t0", 0..12);
        let fresh = group.clone().member(TestMember::new("m0").reads(["t0", "t1"]));
        assert_eq!(group.member(claiming).plan(assign), fresh.plan(assign), "seed {seed}");
    }
}
