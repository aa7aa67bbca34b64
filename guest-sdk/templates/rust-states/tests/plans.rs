//! The strategy as a function: `cargo test` runs this without a sandbox.

use divvy_guest::testing::TestStates;
use {{ident}}::assign;

#[test]
fn two_members_have_half_each() {
    let plan = TestStates::new().member("a", "").member("b", "").plan(assign).expect("a plan");
    assert_eq!((plan.states["a"].as_slice(), plan.states["b"].as_slice()), (&b"1/2"[..], &b"2/2"[..]));
}

#[test]
fn who_stands_by_has_no_part() {
    let plan = TestStates::new().member("a", "standby").member("b", "").plan(assign).expect("a plan");
    assert_eq!((plan.states["a"].as_slice(), plan.states["b"].as_slice()), (&b"standby"[..], &b"1/1"[..]));
}

// Each is tried on many random groups; one that is broken shows the smallest group that breaks it.
divvy_guest::state_laws! { assign; every_member, deterministic, order_independent }
