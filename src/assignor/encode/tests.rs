//! Plans as Kafka's assignments: sorted, whole, also for those who get nothing.

use proptest::prelude::*;

use super::*;
use crate::assignor::lead::view_of;
use crate::assignor::testing::Group;
use crate::embedded::consumer::{Assignment, TopicPartitions, empty_assignment};

/// The plain way to the same bytes.
fn plainly(view: &View<'_>, owners: &Owners, member: u32, user_data: Option<&[u8]>) -> Vec<u8> {
    let has = |dense: u32| owners.of(dense as usize).contains(&member);
    let topics = view.topics.iter().map(|topic| TopicPartitions {
        topic: topic.name,
        partitions: (0..topic.partitions).filter(|p| has(topic.base + p)).map(|p| p as i32).collect(),
    });
    Assignment { topics: topics.filter(|of| !of.partitions.is_empty()).collect(), user_data }.encode()
}

proptest! {
    #[test]
    fn the_fast_way_writes_the_plain_way_s_bytes(
        partitions in prop::collection::vec(prop::sample::select(vec![1u32, 1, 1, 2, 5, 30]), 0..8),
        owners in prop::collection::vec(prop::option::of(0u32..4), 480),
        copies in 1u16..3,
    ) {
        let names: Vec<_> = (0..partitions.len()).map(|index| format!("{}{index}", "long".repeat(index * 3))).collect();
        let topics: Vec<_> = names.iter().map(String::as_str).zip(partitions).collect();
        let mut group = Group::new(&topics);
        let all: Vec<_> = names.iter().map(String::as_str).collect();
        for id in ["a", "b", "c", "d"] {
            group = group.member(id, &all);
        }
        let input = group.input();
        let view = view_of(&input).unwrap();
        let mut map = Owners::nobody(view.partitions, copies);
        for partition in 0..view.partitions {
            for layer in 0..usize::from(copies) {
                let owner = owners[partition * usize::from(copies) + layer];
                if let Some(owner) = owner && !map.of(partition).contains(&owner) {
                    map.of_mut(partition)[layer] = owner;
                }
            }
        }
        let data: [Option<&[u8]>; 2] = [None, Some(b"data")];
        let states = assignments(&view, &map, &data);
        prop_assert_eq!(states.len(), 4);
        for (member, state) in states.iter().enumerate() {
            let data = data.get(member).copied().flatten();
            prop_assert_eq!(state, &plainly(&view, &map, member as u32, data));
        }
    }
}

#[test]
fn a_member_without_work_gets_an_encoded_nothing() {
    let group = Group::new(&[]).member("a", &["t"]);
    let input = group.input();
    let view = view_of(&input).unwrap();
    assert_eq!(assignments(&view, &Owners::nobody(0, 1), &[]), [empty_assignment()]);
}

#[test]
fn a_member_s_next_partition_may_be_many_topics_away() {
    let names: Vec<_> = (100..200).map(|index| format!("t{index}")).collect();
    let topics: Vec<_> = names.iter().map(|name| (name.as_str(), 1)).collect();
    let all: Vec<_> = names.iter().map(String::as_str).collect();
    let group = Group::new(&topics).member("a", &all).member("b", &all);
    let input = group.input();
    let view = view_of(&input).unwrap();
    let mut map = Owners::nobody(100, 1);
    (0..100).for_each(|partition| map.of_mut(partition)[0] = u32::from(partition % 33 != 5));
    let states = assignments(&view, &map, &[]);
    assert_eq!(states[0], plainly(&view, &map, 0, None));
    assert_eq!(states[1], plainly(&view, &map, 1, None));
}
