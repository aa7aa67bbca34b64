//! What a smaller group must still show, and how many are tried.

use super::{TRIES, shrink};
use crate::prelude::*;
use crate::strategy;
use crate::testing::{Law, TestGroup, TestMember, random_group};

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

/// Each partition to whoever has least.
fn least_loaded(group: &Group<'_>, owners: &mut Owners) -> Result<(), Refusal> {
    let mut load = vec![0usize; group.members().len()];
    for topic in group.topics() {
        let readers = topic.subscribers();
        for partition in topic.partitions() {
            let Some(&next) = readers.iter().min_by_key(|member| (load[member.index()], member.index())) else { break };
            load[next.index()] += 1;
            owners.give(partition, next);
        }
    }
    Ok(())
}

fn range(group: &Group<'_>, owners: &mut Owners) -> Result<(), Refusal> {
    strategy::range::assign(group, owners);
    Ok(())
}

#[test]
fn partitions_go_where_two_at_once_must() {
    // Without any one of the first three the fourth goes to a member that is near.
    let group = TestGroup::new()
        .topic_with_racks("t4", vec![vec![], vec![], vec![], vec!["r2"]])
        .member(TestMember::new("m2").reads(["t4"]).rack("r2"))
        .member(TestMember::new("m7").reads(["t4"]).rack("r3"));
    let planner = |group: &TestGroup| group.try_plan(least_loaded);
    let smallest = shrink(&group, TRIES, &same, &mut |group| Law::Racks.check(group, &planner).is_err());
    assert_eq!(smallest.topics["t4"].racks, [vec![], vec!["r2".to_owned()]], "{smallest:?}");
}

/// Deals each topic, and leaves its first partition out where `bad` says so.
fn omitting(group: &Group<'_>, owners: &mut Owners, bad: bool) {
    for topic in group.topics() {
        let readers = topic.subscribers();
        for (at, partition) in topic.partitions().enumerate().skip(usize::from(bad)) {
            if !readers.is_empty() {
                owners.give(partition, readers[at % readers.len()]);
            }
        }
    }
}

#[test]
fn what_only_odd_numbers_of_members_show_loses_two_at_once() {
    fn odd(group: &Group<'_>, owners: &mut Owners) -> Result<(), Refusal> {
        let (members, partitions) = (group.members().len(), group.partitions().len());
        omitting(group, owners, members % 2 == 1 && members > 1 && partitions % 4 == 1 && partitions > 4);
        Ok(())
    }
    let of = |id| TestMember::new(id);
    let group = TestGroup::new().topic("t1", 2).topic("t2", 3).member(of("m7").reads(["t2"]));
    let group = ["m0", "m2", "m4", "m5"].into_iter().fold(group, |group, id| group.member(of(id)));
    let planner = |group: &TestGroup| group.try_plan(odd);
    let smallest = shrink(&group, TRIES, &same, &mut |group| Law::Complete.check(group, &planner).is_err());
    assert_eq!([smallest.members.len(), smallest.topics.len(), smallest.partitions()], [3, 1, 5], "{smallest:?}");
}

#[test]
fn one_member_is_left_of_two_that_read_a_topic_each() {
    fn pair(group: &Group<'_>, owners: &mut Owners) -> Result<(), Refusal> {
        let read: Vec<usize> =
            group.topics().filter(|topic| !topic.subscribers().is_empty()).map(|topic| topic.len()).collect();
        let bad = (0..read.len()).any(|one| read[one] > 1 && read[..one].contains(&read[one]));
        omitting(group, owners, bad);
        Ok(())
    }
    let group = TestGroup::new()
        .topic("t1", 2)
        .topic("t3", 2)
        .member(TestMember::new("m4").reads(["t1"]).owned("t1", [0]))
        .member(TestMember::new("m5").reads(["t3"]));
    let planner = |group: &TestGroup| group.try_plan(pair);
    let smallest = shrink(&group, TRIES, &same, &mut |group| Law::Complete.check(group, &planner).is_err());
    assert_eq!([smallest.members.len(), smallest.topics.len(), smallest.partitions()], [1, 2, 4], "{smallest:?}");
}

#[test]
fn topics_that_become_one_keep_what_was_claimed() {
    let group = TestGroup::new()
        .topic("a", 2)
        .topic("b", 3)
        .member(TestMember::new("m").reads(["b"]).owned("b", [1]).owned("a", [0]));
    let shows = |group: &TestGroup| group.partitions() == 5 && group.members.values().any(|it| it.owned.len() == 2);
    let smallest = shrink(&group, TRIES, &same, &mut |group| shows(group));
    assert_eq!(smallest.topics.len(), 1);
    assert_eq!(
        smallest.members["m"].owned,
        [("b".to_owned(), 1), ("a".to_owned(), 0)]
            .map(|(topic, at)| { if topic == "b" { ("a".to_owned(), at + 2) } else { (topic, at) } })
    );
}

#[test]
fn the_same_partitions_of_all_topics_go_together() {
    let group = TestGroup::new()
        .topic_with_racks("a", vec![vec!["r1"], vec!["r2"], vec!["r1"]])
        .topic_with_racks("b", vec![vec!["r1"], vec!["r2"], vec!["r1"]]);
    let alike = |group: &TestGroup| match (group.topics.get("a"), group.topics.get("b")) {
        (Some(a), Some(b)) => a.racks == b.racks && a.racks.contains(&vec!["r2".to_owned()]),
        _ => false,
    };
    let smallest = shrink(&group, TRIES, &same, &mut |group| alike(group));
    assert_eq!(smallest.partitions(), 2, "{smallest:?}");
}

#[test]
fn a_fact_that_not_everybody_tells_goes_and_one_that_everybody_tells_stays() {
    let zones = |id: &str| (id != "m0").then(|| "eu".into());
    let some = |group: TestGroup| group.all_read_everything().some_facts("zone", zones);
    let all = |group: TestGroup| group.all_read_everything().facts("cores", |_| 4.0).some_facts("zone", zones);
    let group = TestGroup::new()
        .topic("t0", 1)
        .topic("t1", 1)
        .member(TestMember::new("m5"))
        .member(TestMember::new("m7"))
        .member(TestMember::new("m8"));
    let planner = |group: &TestGroup| group.try_plan(range);
    let facts = |with: &dyn Fn(TestGroup) -> TestGroup| -> Vec<usize> {
        let breaks = &mut |group: &TestGroup| Law::Balanced(1).check(group, &planner).is_err();
        let smallest = shrink(&with(group.clone()), TRIES, with, breaks);
        smallest.members.values().map(|member| member.facts.0.len()).collect()
    };
    assert_eq!(facts(&some), [0, 0]);
    assert_eq!(facts(&all), [1, 1]);
}

#[test]
fn racks_that_say_nothing_go_one_by_one() {
    let group = TestGroup::new().topic_with_racks("t", vec![vec!["r1", "r2", "r3"]]);
    let has =
        |group: &TestGroup| group.topics.get("t").is_some_and(|topic| topic.racks.concat().contains(&"r2".into()));
    let smallest = shrink(&group, TRIES, &same, &mut |group| has(group));
    assert_eq!(smallest.topics["t"].racks, [["r2"]]);
}
