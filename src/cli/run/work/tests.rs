//! What children are told.

use bytes::Bytes;

use super::*;
use crate::embedded::single_writer;
use crate::ids::{Generation, MemberId, Protocol};
use crate::membership::{Cause, Role};

fn assigned(share: Share) -> Assigned {
    Assigned {
        generation: Generation(7),
        protocol: Protocol::from("range"),
        digest: None,
        served_by: None,
        stand_in: None,
        leader: MemberId::from("m-1"),
        member: MemberId::from("m-1"),
        role: Role::Leader,
        cause: Cause::Start,
        share,
        user_data: None,
    }
}

fn share(topics: &[(&str, &[i32])]) -> Share {
    Share::Partitions(topics.iter().map(|(topic, numbers)| (TopicName::from(*topic), numbers.to_vec())).collect())
}

fn variable<'a>(order: &'a Order, name: &str) -> Option<&'a str> {
    order.environment.iter().find(|(known, _)| *known == name).map(|(_, value)| value.as_str())
}

#[test]
fn one_child_has_the_whole_share() {
    let share = share(&[("clicks", &[0, 1, 5]), ("queries", &[2])]);
    let orders = orders("g", &assigned(share.clone()), Division::Whole);
    assert_eq!(orders.len(), 1);
    let expected = [
        ("DIVVY_GROUP", "g"),
        ("DIVVY_MEMBER", "m-1"),
        ("DIVVY_GENERATION", "7"),
        ("DIVVY_PROTOCOL", "range"),
        ("DIVVY_PARTITIONS", "clicks:0,1,5;queries:2"),
        ("DIVVY_PARTITIONS_JSON", r#"{"clicks":[0,1,5],"queries":[2]}"#),
    ];
    let told: Vec<_> = orders[0].environment.iter().map(|(name, value)| (*name, value.as_str())).collect();
    assert_eq!(told, expected);
    assert_eq!(keys(&share, Division::Whole), [Key::Member]);
}

#[test]
fn the_same_share_in_another_order_is_the_same_work() {
    let one = share(&[("queries", &[2]), ("clicks", &[5, 0, 1]), ("none", &[])]);
    let other = share(&[("clicks", &[0, 1, 5]), ("queries", &[2])]);
    let order = |share| orders("g", &assigned(share), Division::Whole).remove(0);
    let (one, other) = (order(one), order(other));
    assert_eq!(one.work, other.work);
    assert_eq!(variable(&one, "DIVVY_PARTITIONS"), Some("clicks:0,1,5;queries:2"));
    assert_eq!(variable(&one, "DIVVY_PARTITIONS_JSON"), Some(r#"{"clicks":[0,1,5],"queries":[2]}"#));
}

#[test]
fn each_partition_has_a_child() {
    let share = share(&[("clicks", &[0, 5]), ("queries", &[])]);
    let orders = orders("g", &assigned(share.clone()), Division::Each);
    let names: Vec<String> = orders.iter().map(|order| order.key.to_string()).collect();
    assert_eq!(names, ["clicks-0", "clicks-5"]);
    assert_eq!(variable(&orders[1], "DIVVY_TOPIC"), Some("clicks"));
    assert_eq!(variable(&orders[1], "DIVVY_PARTITION"), Some("5"));
    assert_eq!(variable(&orders[1], "DIVVY_PARTITIONS"), Some("clicks:5"));
    assert_eq!(keys(&share, Division::Each), orders.iter().map(|order| order.key.clone()).collect::<Vec<_>>());
}

#[test]
fn nothing_to_do_is_no_child() {
    assert!(orders("g", &assigned(share(&[("clicks", &[])])), Division::Whole).is_empty());
    assert!(keys(&share(&[]), Division::Whole).is_empty());
}

#[test]
fn a_writer_has_a_child_only_while_it_is_active() {
    let role = |active| single_writer::Role { active, epoch: 12, active_member: "m-1".into() };
    let state = |active| Share::State(Bytes::from(role(active).encode()));
    let active = orders("g", &assigned(state(true)), Division::Writer);
    assert_eq!(variable(&active[0], "DIVVY_EPOCH"), Some("12"));
    assert_eq!(variable(&active[0], "DIVVY_PARTITIONS"), None);
    assert!(orders("g", &assigned(state(false)), Division::Writer).is_empty());
    assert_eq!(keys(&state(true), Division::Writer), [Key::Member]);
}

#[test]
fn every_variable_is_one_that_is_not_inherited() {
    let share = share(&[("clicks", &[0])]);
    for division in [Division::Whole, Division::Each] {
        for order in orders("g", &assigned(share.clone()), division) {
            assert!(order.environment.iter().all(|(name, _)| VARIABLES.contains(name)));
        }
    }
}

#[test]
fn what_no_environment_takes_is_said() {
    let numbers: Vec<i32> = (0..40_000).collect();
    let orders = orders("g", &assigned(share(&[("clicks", &numbers)])), Division::Whole);
    let reason = too_large(&orders[0].environment).unwrap();
    assert!(reason.contains("DIVVY_PARTITIONS") && reason.contains("--each"), "{reason}");
}
