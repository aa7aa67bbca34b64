use super::*;
use crate::assignor::lead::view_of;
use crate::assignor::testing::Group;
use crate::embedded::consumer::TopicPartitions;

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

fn state(of: &[(&str, &[i32])]) -> Bytes {
    let topics = of
        .iter()
        .map(|(topic, numbers)| TopicPartitions { topic, partitions: numbers.iter().copied().collect() })
        .collect();
    Assignment { topics, user_data: None }.encode().into()
}

fn check(states: &[(&str, Bytes)], copies: u16, complete: bool) -> Result<(), String> {
    let group = group();
    let states: Vec<_> = states.iter().map(|(id, state)| (MemberId::from(*id), state.clone())).collect();
    check_plan(&EncodedPlan {
        protocol_type: &group.protocol_type,
        members: &group.metadata(),
        states: &states,
        topics: &[("u".into(), 1), ("t".into(), 2), ("unread".into(), 5)],
        copies,
        complete,
    })
}

#[test]
fn encoded_plans_that_keep_the_rules_pass() {
    let whole = [("b", state(&[("t", &[1]), ("u", &[0])])), ("a", state(&[("t", &[0])]))];
    assert_eq!(check(&whole, 1, true), Ok(()));
    assert_eq!(check(&[("a", Bytes::new())], 1, false), Ok(()));
    let copies = [("b", state(&[("t", &[1, 0]), ("u", &[0])])), ("a", state(&[("t", &[0, 1])]))];
    assert_eq!(check(&copies, 2, true), Ok(()));
}

#[test]
fn a_broken_rule_in_an_encoded_plan_is_named() {
    let broken =
        |a: &[(&str, &[i32])], b: &[(&str, &[i32])]| check(&[("a", state(a)), ("b", state(b))], 1, true).unwrap_err();
    let all: &[(&str, &[i32])] = &[("t", &[0, 1]), ("u", &[0])];
    assert_eq!(broken(&[("t", &[0])], all), r#"partition 0 of "t" goes both to "a" and to "b""#);
    assert_eq!(broken(&[("t", &[0, 0])], &[]), r#"partition 0 of "t" goes to "a" twice"#);
    assert_eq!(broken(&[("u", &[0])], &[]), r#"topic "u" goes to "a", which does not subscribe to it"#);
    assert_eq!(broken(&[("w", &[0])], all), r#"topic "w" goes to "a", but the plan was made without that topic"#);
    assert_eq!(broken(&[("t", &[2])], all), r#"partition 2 of "t" goes to "a", but the topic has 2 partitions"#);
    assert_eq!(broken(&[("t", &[-1])], all), r#"partition -1 of "t" goes to "a", but the topic has 2 partitions"#);
    assert_eq!(
        broken(&[], &[("t", &[0, 1])]),
        r#"partition 0 of "u" goes to nobody, although 1 members subscribe to it"#
    );
    let cut = check(&[("a", Bytes::from_static(&[0, 0, 0]))], 1, true).unwrap_err();
    assert_eq!(cut, r#"the state of member "a" is not decodable: partitions"#);
    assert_eq!(
        check(&[("x", Bytes::new())], 1, true).unwrap_err(),
        r#"there is a state for "x", which is not a member"#
    );
    let twice = [("a", Bytes::new()), ("a", Bytes::new())];
    assert_eq!(check(&twice, 1, true).unwrap_err(), r#"member "a" has two states"#);
    let third = [("a", state(&[("t", &[0])])), ("b", state(&[("t", &[0])]))];
    assert_eq!(
        check(&third, 2, true).unwrap_err(),
        r#"partition 1 of "t" goes to nobody, although 2 members subscribe to it"#
    );
}

#[test]
fn two_members_are_never_both_active() {
    let role = |active| Role { active, epoch: 3, active_member: "a".into() }.encode().into();
    let members = [("a".into(), Bytes::new()), ("b".into(), Bytes::new())];
    let check = |a: bool, b: bool| {
        check_plan(&EncodedPlan {
            protocol_type: &"single-writer".into(),
            members: &members,
            states: &[("a".into(), role(a)), ("b".into(), role(b))],
            topics: &[],
            copies: 1,
            complete: true,
        })
    };
    assert_eq!(check(true, false), Ok(()));
    assert_eq!(check(true, true).unwrap_err(), r#"both "a" and "b" are told to be active"#);
    assert_eq!(check(false, false).unwrap_err(), "no member is told to be active");
}
