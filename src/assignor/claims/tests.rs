//! Claims: the highest generation wins, equal ones are void, garbage does not count.

use divvy_guest::abi::Width;

use super::*;
use crate::assignor::lead::view_of;
use crate::assignor::testing::Group;

/// By dense index the id of each layer's claimant, `-` for nobody.
fn claimed(group: &Group, settle: fn(&View<'_>, &[Claim<'_>]) -> Vec<u8>) -> Vec<String> {
    let input = group.input();
    let view = view_of(&input).unwrap();
    let claims: Vec<_> = view
        .members
        .iter()
        .map(|member| Claim { generation: member.tail.generation, owned: member.tail.owned.clone() })
        .collect();
    let bytes = settle(&view, &claims);
    let layer = view.partitions * Width::Two.bytes();
    bytes
        .chunks(layer.max(1))
        .map(|map| {
            let owner = |at| Width::Two.get(map, at).map_or("-", |owner| view.members[owner as usize].id.as_str());
            (0..view.partitions).map(owner).collect::<Vec<_>>().join(" ")
        })
        .collect()
}

/// apache/kafka#10985: two members claim one partition in one generation.
#[test]
fn b06_claims_of_equal_generation_are_void_and_the_newest_wins() {
    let group = |of_a: i32, of_b: i32| {
        Group::new(&[("t", 3)])
            .owner("a", &["t"], of_a, &[("t", &[0, 1]), ("gone", &[0])])
            .owner("b", &["t"], of_b, &[("t", &[1, 2, 99, -1])])
            .member("c", &["t"])
    };
    assert_eq!(claimed(&group(7, 7), of_one), ["a - b"]);
    assert_eq!(claimed(&group(7, 6), of_one), ["a a b"]);
    assert_eq!(claimed(&group(6, 7), of_one), ["a b b"]);
    assert_eq!(claimed(&group(-1, -1), of_one), ["a - b"]);
}

#[test]
fn b06_a_third_older_or_equal_claim_does_not_revive_a_void_one() {
    for third in [3, 7] {
        let group = Group::new(&[("t", 1)])
            .owner("a", &["t"], 7, &[("t", &[0])])
            .owner("b", &["t"], 7, &[("t", &[0])])
            .owner("c", &["t"], third, &[("t", &[0])]);
        assert_eq!(claimed(&group, of_one), ["-"]);
    }
    let newer = Group::new(&[("t", 1)])
        .owner("a", &["t"], 7, &[("t", &[0])])
        .owner("b", &["t"], 7, &[("t", &[0])])
        .owner("c", &["t"], 8, &[("t", &[0])]);
    assert_eq!(claimed(&newer, of_one), ["c"]);
}

#[test]
fn b06_topics_that_a_member_no_longer_reads_do_not_count() {
    let group = Group::new(&[("t", 1), ("u", 1)]).owner("a", &["t"], 7, &[("u", &[0])]).member("b", &["u", "t"]);
    assert_eq!(claimed(&group, of_one), ["- -"]);
}

#[test]
fn a_partition_named_twice_by_one_member_is_one_claim() {
    let group = Group::new(&[("t", 1)]).owner("a", &["t"], 7, &[("t", &[0, 0])]);
    assert_eq!(claimed(&group, of_one), ["a"]);
    assert_eq!(claimed(&group, of_many), ["a"]);
}

#[test]
fn nobody_claims_nothing_in_no_bytes() {
    let group = Group::new(&[("t", 1)]).member("a", &["t"]);
    assert!(claimed(&group, of_one).is_empty());
    assert!(claimed(&group, of_many).is_empty());
}

#[test]
fn with_copies_the_newest_claims_come_first_in_at_most_eight_layers() {
    let mut group = Group::new(&[("t", 2)]).owner("z", &["t"], 9, &[("t", &[0])]);
    for index in 0..9 {
        group = group.owner(&format!("m{index}"), &["t"], 5, &[("t", &[0])]);
    }
    let layers = claimed(&group, of_many);
    assert_eq!(layers.len(), 8);
    assert_eq!((layers[0].as_str(), layers[1].as_str(), layers[7].as_str()), ("z -", "m0 -", "m6 -"));
}

#[test]
fn with_copies_claims_of_one_generation_are_ranked_without_sorting_as_if_they_were_sorted() {
    let mut dice = divvy_guest::testing::Dice::new(11);
    for _ in 0..500 {
        let mut group = Group::new(&[("t", 3), ("u", 2)]);
        for id in 0..dice.roll(12) {
            let topics = ["t", "u"].into_iter().filter(|_| !dice.once_in(4)).collect::<Vec<_>>();
            let owned = ["u", "x", "t", "t"].map(|topic| {
                let numbers = (-1..4).chain(0..2).filter(|_| dice.once_in(2)).collect::<Vec<i32>>();
                (topic, numbers)
            });
            let listed: Vec<(&str, &[i32])> = owned.iter().map(|(topic, numbers)| (*topic, &numbers[..])).collect();
            group = group.owner(&format!("m{id:02}"), &topics, 7, &listed);
        }
        assert_eq!(claimed(&group, of_equals), claimed(&group, of_generations));
    }
}

/// What a member reads, and in which generation it owned what.
type Said = (Vec<&'static str>, i32, Vec<(&'static str, Vec<i32>)>);

/// The rules by looking at each partition alone: who claims it, who of these reads it, whose claim is the newest.
#[test]
fn one_look_at_all_claims_finds_what_a_look_at_each_partition_finds() {
    let mut dice = divvy_guest::testing::Dice::new(9);
    for _ in 0..2_000 {
        let mut group = Group::new(&[("t", 3), ("u", 2), ("w", 1)]).cooperative();
        let all_read = dice.once_in(2);
        let mut said: Vec<Said> = Vec::new();
        for id in ["a", "b", "c"] {
            let topics = ["t", "u", "w"].into_iter().filter(|_| all_read || !dice.once_in(3)).collect::<Vec<_>>();
            let generation = if dice.once_in(2) { 7 } else { dice.roll(3) as i32 + 5 };
            let owned = ["w", "t", "x", "u"].map(|topic| {
                let numbers = (-1..4).filter(|_| dice.once_in(4)).collect::<Vec<i32>>();
                (topic, numbers)
            });
            let listed: Vec<(&str, &[i32])> = owned.iter().map(|(topic, numbers)| (*topic, &numbers[..])).collect();
            group = group.owner(id, &topics, generation, &listed);
            said.push((topics, generation, owned.to_vec()));
        }
        let input = group.input();
        let view = view_of(&input).unwrap();
        let claims: Vec<_> = view.members.iter().map(|member| owned_by(&member.tail)).collect();
        let (map, holds) = with_holds(&view, &claims);
        assert_eq!(holds, Holds::of(&view, 1));
        for topic in &view.topics {
            for number in 0..topic.partitions as i32 {
                let index = topic.base as usize + number as usize;
                let newest = |must_read: bool| {
                    let claims = said.iter().enumerate().filter(|(_, (topics, _, owned))| {
                        let has = owned.iter().any(|(name, numbers)| *name == topic.name && numbers.contains(&number));
                        has && (!must_read || topics.contains(&topic.name))
                    });
                    let claims: Vec<_> = claims.map(|(at, said)| (at as u32, said.1)).collect();
                    let newest = claims.iter().map(|claim| claim.1).max();
                    claims.into_iter().filter(|claim| Some(claim.1) == newest).map(|it| it.0).collect::<Vec<_>>()
                };
                let mut holders: Vec<u32> = holds.of_partition(index).collect();
                holders.sort_unstable();
                assert_eq!(holders, newest(false));
                let claimant = (!map.is_empty()).then(|| Width::Two.get(&map, index)).flatten();
                let expected = newest(true);
                assert_eq!(claimant, (expected.len() == 1).then(|| expected[0]));
            }
        }
    }
}
