//! The built-in range gives what Kafka's gives.

use crate::assignor::testing::Group;
use crate::assignor::{case, lead, native_range};

fn shares(group: &Group) -> case::Shares {
    case::shares(&lead(native_range(), &group.input()).unwrap()).unwrap()
}

#[test]
fn the_first_members_get_one_more_and_runs_are_consecutive() {
    let group = Group::new(&[("t", 7)]).member("c", &["t"]).member("a", &["t"]).member("b", &["t"]);
    let shares = shares(&group);
    assert_eq!((&shares["a"]["t"], &shares["b"]["t"], &shares["c"]["t"]), (&vec![0, 1, 2], &vec![3, 4], &vec![5, 6]));
}

#[test]
fn static_members_come_first_by_instance_id() {
    let mut group = Group::new(&[("t", 3)]).member("a", &["t"]).member("b", &["t"]).member("c", &["t"]);
    group.members[1].instance = Some("z".into());
    group.members[2].instance = Some("y".into());
    let shares = shares(&group);
    assert_eq!((&shares["c"]["t"], &shares["b"]["t"], &shares["a"]["t"]), (&vec![0], &vec![1], &vec![2]));
}

#[test]
fn each_topic_is_shared_among_its_own_readers() {
    let group = Group::new(&[("t", 2), ("u", 2)]).member("a", &["t", "u"]).member("b", &["u"]).member("c", &[]);
    let shares = shares(&group);
    assert_eq!((&shares["a"]["t"], &shares["a"]["u"], &shares["b"]["u"]), (&vec![0, 1], &vec![0], &vec![1]));
    assert!(shares["c"].is_empty());
}
