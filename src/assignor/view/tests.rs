//! The view of a group: what is known, what is dropped, and in which order.

use proptest::prelude::*;

use super::*;
use crate::assignor::lead::view_of;
use crate::assignor::testing::Group;
use crate::embedded::consumer::{Subscription, Tail};

fn names<'a>(view: &View<'a>) -> Vec<&'a str> {
    view.topics.iter().map(|topic| topic.name).collect()
}

#[test]
fn topics_that_nobody_reads_or_that_have_no_partitions_or_do_not_exist_drop_out() {
    let group = Group::new(&[("a", 2), ("b", 0), ("c", 3), ("d", 1)]).member("m", &["d", "b", "nowhere", "a", "d"]);
    let input = group.input();
    let view = view_of(&input).unwrap();
    assert_eq!(names(&view), ["a", "d"]);
    assert_eq!(view.topics.iter().map(|topic| topic.base).collect::<Vec<_>>(), [0, 2]);
    assert_eq!(view.partitions, 3);
    assert_eq!(view.sets, [TopicSet(vec![(0, 2)])]);
}

#[test]
fn equal_sets_are_one_however_they_are_written() {
    let group = Group::new(&[("a", 1), ("b", 1)])
        .member("m-3", &["b", "a"])
        .member("m-1", &["a", "b", "gone"])
        .member("m-2", &["b"]);
    let input = group.input();
    let view = view_of(&input).unwrap();
    assert_eq!(view.members.iter().map(|member| member.set).collect::<Vec<_>>(), [0, 1, 0]);
    assert_eq!(view.sets, [TopicSet(vec![(0, 2)]), TopicSet(vec![(1, 2)])]);
    assert!(view.sets[1].contains(1) && !view.sets[1].contains(0) && !view.sets[1].contains(2));
}

#[test]
fn of_two_members_with_one_id_the_first_counts() {
    let group = Group::new(&[("a", 1), ("b", 1)]).member("m", &["a"]).member("m", &["b"]);
    let input = group.input();
    let view = view_of(&input).unwrap();
    assert_eq!((view.members.len(), names(&view)), (1, vec!["a"]));
}

#[test]
fn a_member_that_cannot_be_read_stays_and_subscribes_to_nothing() {
    let group = Group::new(&[("a", 1)]).raw("broken", vec![0, 1, 0x7f, 0xff]).member("whole", &["a"]);
    let input = group.input();
    let view = view_of(&input).unwrap();
    assert_eq!(view.sets[view.members[0].set as usize], TopicSet::default());
    assert_eq!(view.diagnostics[0].text, r#"member "broken" gets nothing: its metadata is not decodable: topics"#);
}

#[test]
fn more_partitions_than_a_plan_may_have_are_refused() {
    let group = Group::new(&[("a", MAX_PARTITIONS), ("b", 1)]).member("m", &["a", "b"]);
    let input = group.input();
    assert_eq!(view_of(&input).err().unwrap().kind, FaultKind::Input);
}

proptest! {
    #[test]
    fn any_bytes_make_a_view(metadata in prop::collection::vec(prop::collection::vec(any::<u8>(), 0..60), 0..6)) {
        let mut group = Group::new(&[("a", 2), ("b", 2)]);
        for (index, bytes) in metadata.into_iter().enumerate() {
            group = group.raw(&format!("m-{index}"), bytes);
        }
        let input = group.input();
        prop_assert!(view_of(&input).is_ok());
    }

    #[test]
    fn every_truncation_makes_a_view(cut in 0usize..80) {
        let whole = Subscription { version: 3, topics: vec!["a", "b"], tail: Tail { generation: 4, ..Tail::default() } }.encode();
        let group = Group::new(&[("a", 2), ("b", 2)]).raw("m", whole[..cut.min(whole.len())].to_vec());
        let input = group.input();
        prop_assert!(view_of(&input).is_ok());
    }
}
