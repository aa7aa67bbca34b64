//! What no member survives, named with topic, partition and member; and what is nobody's business.

use proptest::prelude::*;

use super::*;
use crate::assignor::testing::Group;

fn state(given: &[(&str, &[i32])]) -> Bytes {
    // Written as it is said: the encoder would sort.
    let mut bytes = vec![0, 0];
    bytes.extend_from_slice(&(given.len() as i32).to_be_bytes());
    for &(topic, numbers) in given {
        bytes.extend_from_slice(&(topic.len() as i16).to_be_bytes());
        bytes.extend_from_slice(topic.as_bytes());
        bytes.extend_from_slice(&(numbers.len() as i32).to_be_bytes());
        numbers.iter().for_each(|number| bytes.extend_from_slice(&number.to_be_bytes()));
    }
    bytes.extend_from_slice(&(-1i32).to_be_bytes());
    bytes.into()
}

fn group() -> Group {
    Group::new(&[("t", 2), ("u", 1)]).member("a", &["u", "t"]).member("b", &["t", "w"]).raw("c", &b"?"[..])
}

fn check(states: &[(&str, Bytes)]) -> Result<(), String> {
    let states: Vec<_> = states.iter().map(|(id, state)| ((*id).into(), state.clone())).collect();
    let group = group();
    check_foreign_plan(&group.metadata(), &states, &group.topics)
}

#[test]
fn what_members_survive_is_left_alone() {
    let fine: [&[(&str, Bytes)]; 6] = [
        &[("a", state(&[("t", &[0, 1]), ("u", &[0])])), ("b", state(&[]))],
        // Half of it goes to nobody, and some to two: its strategy's own matter.
        &[("a", state(&[("u", &[0])])), ("b", state(&[("t", &[1])]))],
        &[("a", state(&[("t", &[0])])), ("b", state(&[("t", &[0])]))],
        // Nobody here knows how many partitions w has, nor what c subscribes to.
        &[("b", state(&[("w", &[7])])), ("c", state(&[("x", &[0])]))],
        &[("stranger", Bytes::from_static(b"?"))],
        &[("a", Bytes::new()), ("b", state(&[("w", &[1]), ("t", &[1, 0])]))],
    ];
    for states in fine {
        assert_eq!(check(states), Ok(()), "{states:?}");
    }
}

#[test]
fn what_no_member_survives_is_named() {
    let broken = |given: &[(&str, &[i32])]| check(&[("b", state(given))]).unwrap_err();
    assert_eq!(broken(&[("u", &[0])]), r#"topic "u" goes to "b", which does not subscribe to it"#);
    assert_eq!(broken(&[("t", &[0, 2])]), r#"partition 2 of "t" goes to "b", but the topic has 2 partitions"#);
    assert_eq!(broken(&[("t", &[-1])]), r#"partition -1 of "t" goes to "b", but the topic has 2 partitions"#);
    assert_eq!(broken(&[("w", &[-5])]), r#"partition -5 of "w" goes to "b", but no partition has that number"#);
    assert_eq!(broken(&[("t", &[1, 0, 1])]), r#"partition 1 of "t" goes to "b" twice"#);
    assert_eq!(broken(&[("w", &[3]), ("t", &[0]), ("w", &[3])]), r#"partition 3 of "w" goes to "b" twice"#);
    let cut = check(&[("b", Bytes::from_static(&[0, 0, 0]))]).unwrap_err();
    assert_eq!(cut, r#"the state of member "b" is not decodable: partitions"#);
}

proptest! {
    #[test]
    fn any_bytes_are_judged_without_a_panic(of_a in prop::collection::vec(any::<u8>(), 0..60), of_b in any::<Vec<u8>>()) {
        let group = Group::new(&[("t", 2)]).raw("a", of_a.clone()).member("b", &["t"]);
        let states = [("a".into(), of_b.clone().into()), ("b".into(), Bytes::from(of_a))];
        let _ = check_foreign_plan(&group.metadata(), &states, &group.topics);
    }
}
