//! Each law catches a strategy that breaks it, in the smallest group.

use std::sync::atomic::{AtomicU8, Ordering::Relaxed};

use super::{StateCounterexample, StateLaw};
use crate::AssignStates;
use crate::prelude::*;
use crate::testing::{Entry, Search, TestStates};

fn numbered(group: &StateGroup<'_>, states: &mut States) -> Result<(), Refusal> {
    group.members_in_kafkas_order().zip(1..).for_each(|(member, number)| states.give(member, vec![number]));
    Ok(())
}

fn find(assign: AssignStates, law: StateLaw, with: &dyn Fn(TestStates) -> TestStates) -> Option<StateCounterexample> {
    law.broken(&Search::default(), with, &|group| group.try_plan(assign))
}

#[test]
fn a_good_strategy_keeps_them() {
    for law in StateLaw::ALL {
        assert!(find(numbered, law, &|group| group).is_none());
    }
}

#[test]
fn whoever_is_forgotten_is_found() {
    fn all_but_the_last(group: &StateGroup<'_>, states: &mut States) -> Result<(), Refusal> {
        group.members().skip(1).for_each(|member| states.give(member, vec![1]));
        Ok(())
    }
    let found = find(all_but_the_last, StateLaw::EveryMember, &|group| group).expect("it is broken");
    let text = "\
the law every_member: m7 gets no state

The smallest group that shows it has m7 (of random group 0):

let group = TestStates::new()
    .member(\"m7\", \"\");
let plan = group.plan(assign);
";
    assert_eq!(found.to_string(), text);
}

#[test]
fn chance_and_the_order_of_settings_are_found() {
    static CALLS: AtomicU8 = AtomicU8::new(0);
    fn counting(group: &StateGroup<'_>, states: &mut States) -> Result<(), Refusal> {
        let calls = CALLS.fetch_add(1, Relaxed);
        group.members().for_each(|member| states.give(member, vec![calls]));
        Ok(())
    }
    let found = find(counting, StateLaw::Deterministic, &|group| group).expect("it is broken");
    assert_eq!(found.group.members.len(), 1, "{found}");

    fn first_setting(group: &StateGroup<'_>, states: &mut States) -> Result<(), Refusal> {
        let mut roles = group.config().get("roles").expect("the setting");
        let first = roles.map("roles").and_then(|_| roles.text("a name"))?.as_bytes().to_vec();
        group.members().for_each(|member| states.give(member, first.clone()));
        Ok(())
    }
    let with = |group: TestStates| {
        group.config("roles", Entry::map([("cook", Entry::from(true)), ("waiter", Entry::from(true))]))
    };
    let found = find(first_setting, StateLaw::OrderIndependent, &with).expect("it is broken");
    assert_eq!((found.group.members.len(), found.group.config.0.len()), (1, 1), "{found}");
    assert!(find(first_setting, StateLaw::Deterministic, &with).is_none());
}

#[test]
fn a_panic_is_found_with_the_metadata_that_it_needs() {
    fn picky(group: &StateGroup<'_>, _: &mut States) -> Result<(), Refusal> {
        assert!(group.members().all(|member| !member.metadata().contains(&b'x')), "an x");
        Ok(())
    }
    let found = find(picky, StateLaw::Deterministic, &|group| group).expect("it is broken");
    assert!(found.what.starts_with("it panicked: an x ("), "{found}");
    assert_eq!(found.group.members.values().map(|(_, metadata)| metadata.len()).sum::<usize>(), 1, "{found}");
}
