//! The strategy as a function: `cargo test` runs this without a sandbox.

use divvy_guest::testing::{TestGroup, TestMember};
use {{ident}}::assign;

#[test]
fn two_members_share_two_topics() {
    let plan = TestGroup::new().topic("clicks", 3).topic("queries", 2).members(2).plan(assign).expect("a plan");
    assert_eq!(plan.of("m-00", "clicks"), [0, 2]);
    assert_eq!(plan.of("m-01", "queries"), [0]);
}

#[test]
fn who_does_not_read_a_topic_gets_none_of_it() {
    let group = TestGroup::new().topic("clicks", 2).members(1).member(TestMember::new("idle"));
    let plan = group.plan(assign).expect("a plan");
    assert_eq!((plan.size("m-00"), plan.size("idle")), (2, 0));
}

// Each is tried on many random groups; one that is broken shows the smallest group that breaks it.
divvy_guest::laws! { assign; complete, disjoint, subscribed, order_independent }

mod when_all_read_the_same {
    use super::assign;
    divvy_guest::laws! { assign, |group| group.all_read_everything(); balanced(1) }
}
