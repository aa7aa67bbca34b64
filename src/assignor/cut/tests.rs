//! The last plan, cut to the members and partitions that are still there.

use super::*;
use crate::assignor::testing::Group;
use crate::assignor::{case, lead, native_range};

#[test]
fn who_stays_keeps_what_still_exists() {
    let before = Group::new(&[("t", 4), ("gone", 2)]).member("a", &["t", "gone"]).member("b", &["t", "gone"]);
    let last = lead(native_range(), &before.input()).unwrap().states;
    let now = Group::new(&[("t", 3)]).member("a", &["t"]).member("b", &["t"]).member("new", &["t"]);
    let plan = cut_last_plan(&last, &now.input()).unwrap();
    let shares = case::shares(&plan).unwrap();
    assert_eq!((&shares["a"]["t"], &shares["b"]["t"], shares["new"].len()), (&vec![0, 1], &vec![2], 0));
    assert_eq!((plan.complete, plan.copies, plan.topics), (true, 1, vec![("t".into(), 3)]));
}

#[test]
fn there_is_no_such_plan_when_a_partition_would_be_left_without_an_owner() {
    let before = Group::new(&[("t", 2)]).member("a", &["t"]).member("b", &["t"]);
    let last = lead(native_range(), &before.input()).unwrap().states;
    let now = Group::new(&[("t", 2)]).member("a", &["t"]);
    let refused = cut_last_plan(&last, &now.input()).unwrap_err();
    let sentence =
        r#"the last plan is not whole any more: partition 1 of "t" goes to nobody, although 1 members subscribe to it"#;
    assert_eq!(refused.message, sentence);
}

#[test]
fn a_last_plan_that_gave_one_partition_twice_is_cut_to_one_owner() {
    let group = Group::new(&[("t", 1)]).member("a", &["t"]).member("b", &["t"]);
    let all = lead(native_range(), &Group::new(&[("t", 1)]).member("a", &["t"]).input()).unwrap().states[0].1.clone();
    let plan = cut_last_plan(&[("b".into(), all.clone()), ("a".into(), all)], &group.input()).unwrap();
    let shares = case::shares(&plan).unwrap();
    assert_eq!((shares["a"].len(), &shares["b"]["t"]), (0, &vec![0]));
}

#[test]
fn opaque_states_cannot_be_cut() {
    let mut group = Group::new(&[]);
    group.protocol_type = "single-writer".into();
    assert!(cut_last_plan(&[], &group.input()).is_err());
}
