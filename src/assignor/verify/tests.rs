//! The verdict: each rule of a plan, broken once, with topic, partition and member named.

use super::*;
use crate::assignor::lead::view_of;
use crate::assignor::testing::Group;

fn group() -> Group {
    Group::new(&[("t", 2), ("u", 1)]).member("a", &["t"]).member("b", &["t", "u"])
}

/// Owners of t-0, t-1, u-0, layer after layer; `a` is 0 and `b` is 1.
fn judge(owners: &[Option<u32>], complete: bool) -> Result<(), String> {
    let group = group();
    let input = group.input();
    let view = view_of(&input).unwrap();
    let mut all = Owners::nobody(3, (owners.len() / 3) as u16);
    for (index, owner) in owners.iter().enumerate() {
        all.of_mut(index % 3)[index / 3] = owner.unwrap_or(NOBODY);
    }
    super::owners(&view, &all, complete)
}

#[test]
fn an_owner_map_that_keeps_the_rules_passes() {
    assert_eq!(judge(&[Some(0), Some(1), Some(1)], true), Ok(()));
    assert_eq!(judge(&[None, Some(1), None], false), Ok(()));
    assert_eq!(judge(&[Some(0), Some(1), Some(1), Some(1), Some(0), None], true), Ok(()));
}

#[test]
fn a_broken_rule_is_named_with_topic_partition_and_member() {
    let broken = |owners: &[Option<u32>]| judge(owners, true).unwrap_err();
    assert_eq!(broken(&[Some(0), Some(7), Some(1)]), r#"partition 1 of "t" goes to member number 7, but there are 2"#);
    assert_eq!(
        broken(&[Some(0), Some(1), Some(0)]),
        r#"partition 0 of "u" goes to "a", which does not subscribe to it"#
    );
    assert_eq!(
        broken(&[Some(0), None, Some(1)]),
        r#"partition 1 of "t" goes to nobody, although 2 members subscribe to it"#
    );
    let two = |second: [Option<u32>; 3]| broken(&[[Some(0), Some(1), Some(1)], second].concat());
    assert_eq!(two([Some(0), Some(0), None]), r#"partition 0 of "t" goes to "a" twice"#);
    assert_eq!(
        broken(&[None, Some(1), Some(1), Some(0), Some(0), None]),
        r#"partition 0 of "t" has a copy at "a" but no primary owner"#
    );
    assert_eq!(two([None, Some(0), None]), r#"partition 0 of "t" goes to 1 members instead of 2"#);
    let orphan = judge(&[None, None, None, Some(0), None, None], false).unwrap_err();
    assert_eq!(orphan, r#"partition 0 of "t" has a copy at "a" but no primary owner"#);
}
