//! What a smaller group must still show, and how many are tried.

use super::{TRIES, shrink};
use crate::testing::{TestGroup, TestMember, random_group};

fn same(group: TestGroup) -> TestGroup {
    group
}

#[test]
fn only_what_matters_is_left() {
    for seed in 0..200 {
        let group = random_group(seed).config("x", 1.0).lags((0..100).map(Some)).memo([1]).now_ms(7);
        let member = |group: &TestGroup| group.members.values().any(|member| member.topics.contains("t1"));
        if member(&group) {
            let smallest = shrink(&group, TRIES, &same, &mut |group| member(group));
            assert_eq!(
                [smallest.members.len(), smallest.topics.len(), smallest.partitions()],
                [1, 1, 0],
                "{smallest:?}"
            );
            assert_eq!(smallest.config.0.len() + smallest.columns.len(), 0, "{smallest:?}");
        }
    }
}

#[test]
fn partitions_in_the_middle_go_with_their_claims_racks_and_columns() {
    let group = TestGroup::new()
        .topic("a", 2)
        .topic_with_racks("b", (0..6).map(|at| vec![format!("r{at}")]).collect())
        .member(TestMember::new("m").reads(["b"]).owned("b", [1, 4]).owned("a", [0]))
        .lags((0..8).map(Some));
    let has = |group: &TestGroup| {
        let racks = &group.topics.get("b")?.racks;
        let at = racks.iter().position(|racks| *racks == ["r4"])?;
        group.members.get("m")?.owned.contains(&("b".to_owned(), at as u32)).then_some(())?;
        let base: usize = group.topics.range(.."b".to_owned()).map(|(_, topic)| topic.partitions as usize).sum();
        let (_, column) = group.columns.first()?;
        (column.get((base + at) * 8..)?.first()? == &6).then_some(())
    };
    let smallest = shrink(&group, TRIES, &same, &mut |group| has(group).is_some());
    let expected = TestGroup::new()
        .topic_with_racks("b", vec![vec!["r4"]])
        .member(TestMember::new("m").owned("b", [0]))
        .lags([Some(6)]);
    assert_eq!(smallest.request(), expected.request());
}

#[test]
fn no_more_groups_are_tried_than_allowed_and_each_is_of_the_kind() {
    let group = random_group(5).config("copies", 2.0);
    let mut tried = 0;
    let with = |group: TestGroup| group.config("copies", 2.0).all_read_everything();
    shrink(&group, 7, &with, &mut |group| {
        tried += 1;
        let all_alike = group.members.values().all(|member| member.topics.len() == group.topics.len());
        assert!(all_alike && group.config.0.len() == 1);
        true
    });
    assert_eq!(tried, 7);
}
