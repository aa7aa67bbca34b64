//! What is promised with racks, in many groups that live.

#[path = "../../life.rs"]
mod life;

use std::collections::BTreeSet;

use divvy_assignor_rack_aware_sticky::assign;
use divvy_guest::testing::{TestGroup, TestMember, laws};
use life::World;

divvy_guest::laws! { assign; complete, disjoint, subscribed, balanced(1), racks, fixed_point, order_independent, cooperative_safe }

fn each_plan(check: impl Fn(&World)) {
    life::each_plan(assign, true, check);
}

#[test]
fn racks_never_make_a_plan_less_even() {
    each_plan(|world| {
        let plan = world.plan(assign);
        life::no_single_move_helps(world, &plan);
        if world.alike && !world.members.is_empty() {
            laws::balanced(&plan, 1);
        }
    });
}

#[test]
fn a_plan_made_of_its_own_outcome_moves_nothing() {
    each_plan(|world| {
        let plan = world.plan(assign);
        let mut next = world.clone();
        next.take_over(&life::whole(&plan));
        assert_eq!(next.plan(assign).owners, plan.owners, "{world:#?}");
    });
}

#[test]
fn what_is_handed_over_settles_in_two_rounds() {
    each_plan(|world| {
        let mut next = world.clone();
        next.take_over(&world.withhold(&world.plan(assign)));
        let plan = next.plan(assign);
        assert_eq!(life::moves(&next, &plan), [], "{world:#?}");
        assert_eq!(next.withhold(&plan).len(), plan.owners.len(), "{world:#?}");
    });
}

/// Five members in two racks, 18 partitions with replicas in one rack only, some of them far from who has them.
#[test]
fn b28_what_moves_nearer_is_given_up_first_and_nobody_gets_too_much() {
    let mut world = World::of(1, true, true);
    let rack = |number: u32| if number < 9 { "a" } else { "b" };
    let racks = (0..18).map(|number| vec![rack(number).to_owned()]).collect();
    world.topics = [("t".to_owned(), life::Topic { partitions: 18, racks })].into();
    let one = |rack: &str, owned: &[u32]| life::One {
        topics: ["t".to_owned()].into(),
        rack: Some(rack.to_owned()),
        owned: owned.iter().map(|number| ("t".to_owned(), *number)).collect(),
        generation: 3,
        ..life::One::default()
    };
    let members = [
        ("m1", one("a", &[0, 1, 9, 10, 11])),
        ("m2", one("a", &[2, 3, 4, 12])),
        ("m3", one("b", &[5, 13, 14, 15, 16, 17])),
        ("m4", one("b", &[])),
        ("m5", one("b", &[6, 7, 8])),
    ];
    world.members = members.map(|(id, one)| (id.to_owned(), one)).into();
    let plan = world.plan(assign);
    laws::balanced(&plan, 1);
    let given = world.withhold(&plan);
    for (spot, owner) in &given {
        let holder = world.members.iter().find(|(_, one)| one.owned.contains(spot));
        assert!(holder.is_none_or(|(id, _)| id == owner), "{spot:?} goes to {owner} at once");
    }
    assert!(given.len() < plan.owners.len(), "something moves");
    world.take_over(&given);
    let last = world.plan(assign);
    laws::balanced(&last, 1);
    assert_eq!(world.withhold(&last).len(), 18, "all is given in the second round");
    let far = |id: &String, number: &u32| world.members[id].rack.as_deref() != Some(rack(*number));
    let far: usize =
        last.members.keys().map(|id| last.of(id, "t").iter().filter(|number| far(id, number)).count()).sum();
    // Two members in rack a have room for 8 of its 9 partitions.
    assert_eq!(far, 1);
}

/// Who has no rack takes anything, and partitions of which nobody knows the rack keep their owners.
#[test]
fn what_is_not_known_moves_nothing() {
    let group = TestGroup::new()
        .topic_with_racks("near", vec![vec!["a"], vec!["b"]])
        .topic_with_racks("unknown", vec![Vec::<&str>::new(), Vec::new()])
        .member(TestMember::new("m1").rack("a").reads(["near", "unknown"]).owned("unknown", [0, 1]))
        .member(TestMember::new("m2").reads(["near", "unknown"]).owned("near", [0, 1]));
    let plan = group.plan(assign).expect("a plan");
    let owners: BTreeSet<&str> = plan.owners.values().map(|owners| owners[0].as_str()).collect();
    assert_eq!((plan.of("m1", "unknown"), plan.of("m2", "near"), owners.len()), (&[0, 1][..], &[0, 1][..], 2));
}
