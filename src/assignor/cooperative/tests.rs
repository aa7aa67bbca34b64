//! What is held back, partition by partition; and groups that churn until they are left alone.

use super::*;
use crate::assignor::check::{EncodedPlan, check_plan};
use crate::assignor::lead::view_of;
use crate::assignor::testing::Group;
use crate::assignor::{lead, native_range};
use crate::embedded::consumer::{Assignment, Subscription, Tail, TopicPartitions};

mod churn;
mod scatter;

/// Partition 0 of `t` is held by these members, each in that generation.
fn held(holders: &[(&str, i32)]) -> Group {
    ["a", "b", "c", "d"].into_iter().fold(Group::new(&[("t", 1)]).cooperative(), |group, id| {
        match holders.iter().find(|holder| holder.0 == id) {
            Some(&(_, generation)) => group.owner(id, &["t"], generation, &[("t", &[0])]),
            None => group.member(id, &["t"]),
        }
    })
}

/// The members a, b, c and d by number.
const A: u32 = 0;
const B: u32 = 1;
const C: u32 = 2;
const D: u32 = 3;

/// Who gets the partition, primary first, of those that shall have it; and what is said about the rest.
fn given(holders: &[(&str, i32)], wanted: &[u32]) -> (Vec<u32>, Withheld) {
    let group = held(holders);
    let input = group.input();
    let view = view_of(&input).unwrap();
    let mut owners = Owners::nobody(1, wanted.len() as u16);
    owners.of_mut(0).copy_from_slice(wanted);
    let holds = Holds::of(&view, owners.copies());
    let withheld = take_out(&mut owners, &holds);
    assert_eq!(verify(&view, &owners, &holds), Ok(()));
    (owners.cells().iter().copied().filter(|owner| *owner != NOBODY).collect(), withheld)
}

fn settled(owners: &[u32]) -> (Vec<u32>, Withheld) {
    (owners.to_vec(), Withheld::default())
}

fn waits(owners: &[u32], places: usize) -> (Vec<u32>, Withheld) {
    (owners.to_vec(), Withheld { places, needs_call: false })
}

#[test]
fn a_partition_goes_to_its_only_holder_or_if_nobody_holds_it_to_anybody() {
    assert_eq!(given(&[], &[A]), settled(&[A]));
    assert_eq!(given(&[("a", 5)], &[A]), settled(&[A]));
    assert_eq!(given(&[("b", 5)], &[A]), waits(&[], 1));
    assert_eq!(given(&[("b", -1)], &[A]), waits(&[], 1));
}

#[test]
fn an_older_claim_is_no_hold_neither_for_nor_against() {
    assert_eq!(given(&[("a", 4), ("b", 5)], &[A]), waits(&[], 1));
    assert_eq!(given(&[("a", 4), ("b", 5)], &[B]), settled(&[B]));
    assert_eq!(given(&[("a", -1), ("b", 0)], &[B]), settled(&[B]));
}

#[test]
fn what_two_hold_in_one_generation_neither_gets() {
    for wanted in [A, B, C] {
        assert_eq!(given(&[("a", 5), ("b", 5), ("c", 4)], &[wanted]), waits(&[], 1));
    }
}

#[test]
fn holders_and_new_owners_are_no_more_than_the_copies() {
    assert_eq!(given(&[("a", 5), ("b", 5)], &[A, B]), settled(&[A, B]));
    assert_eq!(given(&[("a", 5)], &[A, B]), settled(&[A, B]));
    assert_eq!(given(&[("a", 5), ("b", 5)], &[A, C]), waits(&[A], 1));
    assert_eq!(given(&[("a", 5), ("b", 5)], &[A, C, D]), waits(&[A, C], 1));
    // One copy too many: whoever is right, they all give it up.
    assert_eq!(given(&[("a", 5), ("b", 5), ("c", 5)], &[A, B]), waits(&[], 2));
    // An older claim may be of a member that missed what the newer one got.
    assert_eq!(given(&[("a", 4), ("b", 5)], &[C, B]), waits(&[B], 1));
}

#[test]
fn a_primary_never_moves_directly() {
    // The successor is a copy first, and somebody has to ask for the round in which it is the primary.
    assert_eq!(given(&[("a", 5)], &[B, A]), (vec![A, B], Withheld { places: 0, needs_call: true }));
    assert_eq!(given(&[("a", 5), ("b", 5)], &[B, A]), settled(&[B, A]));
    // A holder that is left out joins again by itself.
    assert_eq!(given(&[("a", 5), ("c", 5)], &[B, A, D]), waits(&[A, B], 1));
    // Nobody that holds it stays: there is no primary to be a copy beside.
    assert_eq!(given(&[("c", 5)], &[A, B]), waits(&[], 2));
    assert_eq!(given(&[("d", 5)], &[A, B, C]), waits(&[], 3));
}

#[test]
fn what_a_member_holds_of_a_topic_that_it_no_longer_reads_is_held() {
    let group = Group::new(&[("t", 1), ("u", 1)])
        .cooperative()
        .owner("a", &["u"], 5, &[("t", &[0]), ("u", &[0]), ("gone", &[0]), ("t", &[7, -1])])
        .member("b", &["t"]);
    let input = group.input();
    let view = view_of(&input).unwrap();
    let holds = Holds::of(&view, 1);
    assert_eq!((holds.first(0), holds.first(1), holds.others()), (0, 0, &[][..]));
}

#[test]
fn a_generation_may_stand_in_the_user_data_of_kafkas_strategies() {
    let subscription = |generation: &[u8]| {
        let owned = vec![TopicPartitions { topic: "t", partitions: [0].into_iter().collect() }];
        let tail = Tail { user_data: Some(generation), owned: owned.into(), ..Tail::default() };
        Subscription { version: 1, topics: vec!["t"], tail }.encode()
    };
    let group = Group::new(&[("t", 1)])
        .cooperative()
        .raw("a", subscription(&[0, 0, 0, 4]))
        .raw("b", subscription(&[0, 0, 0, 5]))
        .raw("c", subscription(b"words"));
    let input = group.input();
    let holds = Holds::of(&view_of(&input).unwrap(), 1);
    assert_eq!((holds.first(0), holds.others()), (1, &[][..]));
}

fn states(plan: &crate::assignor::Plan) -> Vec<Vec<(String, Vec<i32>)>> {
    let state = |bytes| {
        let assignment = Assignment::decode_state(bytes).unwrap();
        assignment.topics.iter().map(|of| (of.topic.to_owned(), of.partitions.iter().collect())).collect()
    };
    plan.states.iter().map(|(_, bytes)| state(bytes)).collect()
}

/// Range knows nothing of handing over: the same plan is whole under its own name, and half of it waits under a cooperative one.
#[test]
fn the_mode_belongs_to_the_name() {
    let group = || Group::new(&[("t", 4)]).owner("a", &["t"], 7, &[("t", &[0, 1, 2, 3])]).member("b", &["t"]);
    let eager = lead(native_range(), &group().input()).unwrap();
    assert_eq!(states(&eager), [[("t".to_owned(), vec![0, 1])], [("t".to_owned(), vec![2, 3])]]);
    let group = group().cooperative();
    let cooperative = lead(native_range(), &group.input()).unwrap();
    assert_eq!(states(&cooperative), [vec![("t".to_owned(), vec![0, 1])], vec![]]);
    assert_eq!(
        cooperative.diagnostics[0].text,
        "2 partitions wait until those that may still be running them gave them up"
    );

    let check = |plan: &crate::assignor::Plan| {
        check_plan(&EncodedPlan {
            protocol_type: &group.protocol_type,
            members: &group.metadata(),
            states: &plan.states,
            topics: &plan.topics,
            copies: plan.copies,
            complete: plan.complete,
            mode: Mode::Cooperative,
        })
    };
    assert_eq!(check(&cooperative), Ok(()));
    let early = check(&eager).unwrap_err();
    assert_eq!(early, r#"partition 2 of "t" goes to "b" while "a" may still be running it"#);
}
