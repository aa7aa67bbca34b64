//! Against an oracle that tries everything, on small groups.

use std::collections::BTreeMap;

use crate::prelude::*;
use crate::strategy::sticky::Sticky;
use crate::testing::{Dice, TestGroup, TestMember, TestPlan, laws};

fn plain(group: &Group<'_>, owners: &mut Owners) -> Result<(), Refusal> {
    Sticky::new(group).plan(owners)
}

fn near(group: &Group<'_>, owners: &mut Owners) -> Result<(), Refusal> {
    Sticky::new(group).near_replicas().plan(owners)
}

/// As many groups as take a moment; more with `DIVVY_CASES`.
fn cases() -> u64 {
    std::env::var("DIVVY_CASES").ok().and_then(|cases| cases.parse().ok()).unwrap_or(2_000)
}

/// A small group as plain lists: readers by topic and partition owners before.
struct Small {
    group: TestGroup,
    /// Of each partition: topic, number, readers, owner before, members that are near.
    partitions: Vec<(String, u32, Vec<usize>, Option<usize>, Vec<usize>)>,
    members: Vec<String>,
}

fn small(seed: u64, racks: bool) -> Small {
    let mut dice = Dice::new(seed);
    let members = 1 + dice.roll(5) as usize;
    let topics = 1 + dice.roll(5) as usize;
    let all_alike = dice.once_in(3);
    let reads: Vec<Vec<usize>> =
        (0..members).map(|_| (0..topics).filter(|_| all_alike || dice.once_in(2)).collect()).collect();
    let rack_of: Vec<u64> = (0..members).map(|_| if racks { dice.roll(4) } else { 0 }).collect();
    let mut group = TestGroup::new();
    let mut partitions = Vec::new();
    let mut owned: Vec<Vec<(usize, u32)>> = vec![Vec::new(); members];
    let most = 1 + dice.roll(5);
    let claims = dice.roll(4);
    for topic in 0..topics {
        let count = dice.roll(most + 1) as u32;
        let mut topic_racks = Vec::new();
        for number in 0..count {
            let replicas: Vec<u64> =
                if racks { (0..dice.roll(3)).map(|_| 1 + dice.roll(4)).collect() } else { Vec::new() };
            let readers: Vec<usize> = (0..members).filter(|&member| reads[member].contains(&topic)).collect();
            let owner = (dice.roll(4) < claims).then(|| (dice.roll(members as u64) * dice.roll(2)) as usize);
            if let Some(owner) = owner {
                owned[owner].push((topic, number));
            }
            let known = replicas.iter().any(|rack| rack_of.contains(rack));
            let near = |&member: &usize| !known || rack_of[member] == 0 || replicas.contains(&rack_of[member]);
            let near = (0..members).filter(near).collect();
            partitions.push((format!("t{topic}"), number, readers, owner, near));
            topic_racks.push(replicas.into_iter().map(|rack| format!("r{rack}")).collect::<Vec<_>>());
        }
        group = match racks {
            true => group.topic_with_racks(format!("t{topic}"), topic_racks),
            false => group.topic(format!("t{topic}"), count),
        };
    }
    for member in 0..members {
        let mut one =
            TestMember::new(format!("m{member}")).reads(reads[member].iter().map(|topic| format!("t{topic}")));
        for &(topic, number) in &owned[member] {
            one = one.owned(&format!("t{topic}"), [number]);
        }
        if rack_of[member] > 0 {
            one = one.rack(format!("r{}", rack_of[member]));
        }
        group = group.member(one);
    }
    Small { group, partitions, members: (0..members).map(|member| format!("m{member}")).collect() }
}

/// Sizes in descending order, partitions that are near, partitions that stay: the best there is, in this order. All plans are tried, by
/// the sizes that they lead to.
fn best(small: &Small) -> (Vec<u32>, u32, u32) {
    let mut plans: BTreeMap<Vec<u32>, (u32, u32)> = BTreeMap::from([(vec![0; small.members.len()], (0, 0))]);
    for (_, _, readers, owner, near) in small.partitions.iter().filter(|partition| !partition.2.is_empty()) {
        let mut next = BTreeMap::new();
        for (sizes, (nears, keeps)) in &plans {
            for reader in readers {
                let mut sizes = sizes.clone();
                sizes[*reader] += 1;
                let value = (nears + u32::from(near.contains(reader)), keeps + u32::from(*owner == Some(*reader)));
                let best = next.entry(sizes).or_insert(value);
                *best = value.max(*best);
            }
        }
        plans = next;
    }
    let descending = |sizes: &Vec<u32>| {
        let mut sizes = sizes.clone();
        sizes.sort_unstable_by(|a, b| b.cmp(a));
        sizes
    };
    let evenest = plans.keys().map(descending).min().expect("a plan");
    let (near, keeps) =
        plans.iter().filter(|plan| descending(plan.0) == evenest).map(|plan| *plan.1).max().expect("one");
    (evenest, near, keeps)
}

fn value(small: &Small, plan: &TestPlan) -> (Vec<u32>, u32, u32) {
    let mut sizes: Vec<u32> = small.members.iter().map(|member| plan.size(member) as u32).collect();
    sizes.sort_unstable_by(|a, b| b.cmp(a));
    let owner = |topic: &String, number: u32| {
        let owner = &plan.owners.get(&(topic.clone(), number))?[0];
        small.members.iter().position(|member| member == owner)
    };
    let (mut near, mut keeps) = (0, 0);
    for (topic, number, _, before, close) in &small.partitions {
        if let Some(owner) = owner(topic, *number) {
            near += u32::from(close.contains(&owner));
            keeps += u32::from(*before == Some(owner));
        }
    }
    (sizes, near, keeps)
}

#[test]
fn no_plan_is_more_even_and_none_of_the_evenest_moves_less() {
    for seed in 0..cases() {
        let mut small = small(seed, false);
        small.partitions.iter_mut().for_each(|partition| partition.4.clear());
        let plan = small.group.plan(plain).expect("a plan");
        laws::whole(&small.group, &plan);
        assert_eq!(value(&small, &plan), best(&small), "seed {seed}: {:?}", small.group);
    }
}

#[test]
fn with_racks_no_plan_as_even_is_nearer_and_none_as_near_moves_less() {
    for seed in 0..cases() {
        let small = small(seed, true);
        let plan = small.group.plan(near).expect("a plan");
        laws::whole(&small.group, &plan);
        assert_eq!(value(&small, &plan), best(&small), "seed {seed}: {:?}", small.group);
    }
}
