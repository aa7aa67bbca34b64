//! The coordinator's check of encoded plans: each rule, broken once.

use super::*;
use crate::assignor::testing::Group;
use crate::embedded::consumer::TopicPartitions;

fn group() -> Group {
    Group::new(&[("t", 2), ("u", 1)]).member("a", &["t"]).member("b", &["t", "u"])
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
        mode: Mode::Eager,
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
            mode: Mode::Eager,
        })
    };
    assert_eq!(check(true, false), Ok(()));
    assert_eq!(check(true, true).unwrap_err(), r#"both "a" and "b" are told to be active"#);
    assert_eq!(check(false, false).unwrap_err(), "no member is told to be active");
}

#[test]
fn a_plan_for_other_topics_than_there_are_is_told_from_a_broken_one() {
    let group = Group::new(&[("t", 4), ("u", 1), ("unread", 9)]).member("a", &["t", "u", "later"]);
    let outdated = |topics: &[(&str, u32)]| {
        let topics: Vec<_> = topics.iter().map(|&(name, partitions)| (name.into(), partitions)).collect();
        let plan = EncodedPlan {
            protocol_type: &group.protocol_type,
            members: &group.metadata(),
            states: &[],
            topics: &topics,
            copies: 1,
            complete: true,
            mode: Mode::Eager,
        };
        outdated_topic(&plan, &group.topics).map(|topic| topic.to_string())
    };
    assert_eq!(outdated(&[("u", 1), ("t", 4)]), None);
    assert_eq!(outdated(&[("t", 2), ("u", 1)]).as_deref(), Some("t"), "it grew");
    assert_eq!(outdated(&[("t", 4)]).as_deref(), Some("u"), "it appeared");
    assert_eq!(outdated(&[("later", 3), ("t", 4), ("u", 1)]).as_deref(), Some("later"), "it is gone");
}
