//! One active member at any moment, and it stays.

use divvy_assignor_active_standby::{assign, check};
use divvy_guest::abi::msgpack::Reader;
use divvy_guest::testing::{Dice, TestStates, TestStatesPlan};

divvy_guest::state_laws! { assign, |group| group.metadata(|_| []); every_member, deterministic, order_independent }

/// The active member and its epoch, after all states agreed on it.
fn active(plan: &TestStatesPlan) -> (String, i64) {
    let mut found = None;
    for (id, state) in &plan.states {
        let mut from = Reader::new(state);
        assert_eq!((from.array("a state"), from.unsigned("a version")), (Ok(4), Ok(1)));
        let active = from.boolean("active").expect("a role");
        let epoch = from.signed("an epoch").expect("an epoch");
        let named = from.text("the active member").expect("an id").to_owned();
        assert_eq!(active, named == *id, "{id} has the wrong role");
        assert_eq!(*found.get_or_insert((named.clone(), epoch)), (named, epoch), "states disagree");
    }
    found.expect("a member")
}

#[test]
fn the_first_in_member_order_begins() {
    let group = TestStates::new().member("a", []).member("b", []).static_member("z", "i", []);
    assert_eq!(active(&group.plan(assign).expect("a plan")), ("z".into(), 1));
}

#[test]
fn an_empty_group_has_nobody() {
    assert!(TestStates::new().plan(assign).expect("a plan").states.is_empty());
}

#[test]
fn the_active_member_stays_while_it_is_there() {
    let mut dice = Dice::new(1);
    let mut group = TestStates::new().member("m0", []);
    let mut before: Option<String> = None;
    for generation in 1..2_000 {
        let id = format!("m{}", dice.roll(6));
        group = if dice.once_in(2) { group.member(&id, []) } else { group.without_member(&id) };
        group = group.generation(generation);
        let plan = group.plan(assign).expect("a plan");
        assert_eq!(group.check(check, &plan), Ok(()));
        group = group.memo(plan.memo.clone());
        if plan.states.is_empty() {
            before = None;
            continue;
        }
        let (now, epoch) = active(&plan);
        assert_eq!(epoch, i64::from(generation));
        if let Some(before) = before.filter(|before| plan.states.contains_key(before)) {
            assert_eq!(now, before, "generation {generation}");
        }
        before = Some(now);
    }
}

#[test]
fn a_static_member_stays_active_under_a_new_id() {
    let group = TestStates::new().static_member("old", "i2", []).member("a", []);
    let memo = group.plan(assign).expect("a plan").memo;
    let restarted = TestStates::new().static_member("new", "i2", []).static_member("b", "i1", []).member("a", []);
    assert_eq!(active(&restarted.memo(memo).plan(assign).expect("a plan")).0, "new");
}

#[test]
fn a_memo_of_another_strategy_is_no_memo() {
    let group = TestStates::new().member("a", []).memo(Some(vec![0xc1, 7]));
    assert_eq!(active(&group.plan(assign).expect("a plan")).0, "a");
}

#[test]
fn two_active_members_are_found_out() {
    let group = TestStates::new().member("a", []).member("b", []);
    let plan = group.plan(assign).expect("a plan");
    let mut both = plan.clone();
    both.states.insert("b".into(), plan.states["a"].clone());
    assert_eq!(group.check(check, &both).expect_err("refused").member, Some(1));
    assert!(group.clone().generation(2).check(check, &plan).is_err());
    assert_eq!(group.check(check, &plan), Ok(()));
}
