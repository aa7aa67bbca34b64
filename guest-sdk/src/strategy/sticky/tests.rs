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

/// A partition, and members by their positions.
#[derive(Clone)]
struct Spot {
    topic: String,
    number: u32,
    readers: Vec<usize>,
    before: Option<usize>,
    near: Vec<usize>,
}

/// A small group as plain lists.
struct Small {
    group: TestGroup,
    partitions: Vec<Spot>,
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
            partitions.push(Spot { topic: format!("t{topic}"), number, readers, before: owner, near });
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
    for Spot { readers, before, near, .. } in small.partitions.iter().filter(|spot| !spot.readers.is_empty()) {
        let mut next = BTreeMap::new();
        for (sizes, (nears, keeps)) in &plans {
            for reader in readers {
                let mut sizes = sizes.clone();
                sizes[*reader] += 1;
                let value = (nears + u32::from(near.contains(reader)), keeps + u32::from(*before == Some(*reader)));
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
    for Spot { topic, number, before, near: close, .. } in &small.partitions {
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
        small.partitions.iter_mut().for_each(|partition| partition.near.clear());
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

/// Capacities in which everything fits are kept, and within them sizes are even.
#[test]
fn nobody_gets_more_than_fits_while_others_have_room() {
    for seed in 0..cases() {
        let small = small(seed, false);
        let mut dice = Dice::new(seed);
        let limits: Vec<u32> = small.members.iter().map(|_| dice.roll(8) as u32).collect();
        let with = |group: &TestGroup, limits: &[u32]| {
            let mut group = group.clone();
            for (number, limit) in limits.iter().enumerate() {
                group = group.config(&format!("limit-{number}"), f64::from(*limit));
            }
            group
        };
        let group = with(&small.group, &limits);
        let plan = group.plan(up_to).expect("a plan");
        laws::whole(&group, &plan);
        // Beyond its capacity a member's next partition counts more than any within, by how far it is beyond.
        let price = |member: usize, size: usize| match size.checked_sub(limits[member] as usize) {
            None | Some(0) => size,
            Some(beyond) => 1_000 + beyond,
        };
        let size = |member: usize| plan.size(&small.members[member]);
        for Spot { topic, number, readers, .. } in &small.partitions {
            let Some(owners) = plan.owners.get(&(topic.clone(), *number)) else { continue };
            let owner = small.members.iter().position(|member| *member == owners[0]).expect("a member");
            for &reader in readers.iter().filter(|reader| **reader != owner) {
                let (saves, costs) = (price(owner, size(owner)), price(reader, size(reader) + 1));
                assert!(saves <= costs, "seed {seed}: {topic}-{number} of {owner} should go to {reader}");
            }
        }
    }
}

fn up_to(group: &Group<'_>, owners: &mut Owners) -> Result<(), Refusal> {
    let limit = |at: usize| group.config().number(["limit-0", "limit-1", "limit-2", "limit-3", "limit-4"][at]);
    let limits = (0..group.members().len()).map(|at| limit(at).map_or(u32::MAX, |limit| limit as u32));
    Sticky::new(group).capacities(limits.collect()).plan(owners)
}

/// What is not asked for is not touched, and does not count.
#[test]
fn some_topics_are_planned_as_if_there_were_no_others() {
    fn first(group: &Group<'_>, owners: &mut Owners) -> Result<(), Refusal> {
        Sticky::new(group).topics(group.topics().take(2)).plan(owners)
    }
    for seed in 0..cases() {
        let small = small(seed, false);
        let plan = small.group.plan(first).expect("a plan");
        let names: Vec<String> = plan.owners.keys().map(|spot| spot.0.clone()).collect();
        assert!(names.iter().all(|name| name == "t0" || name == "t1"), "seed {seed}: {names:?}");
        let asked = |spot: &&Spot| ["t0", "t1"].contains(&&*spot.topic);
        let partitions = small.partitions.iter().filter(asked).cloned().collect();
        let mut part = Small { partitions, ..small };
        part.partitions.iter_mut().for_each(|partition| partition.near.clear());
        assert_eq!(value(&part, &plan), best(&part), "seed {seed}");
    }
}

/// Whatever the subscriptions: work is bounded, and what comes out is whole.
#[test]
fn many_members_that_read_all_sorts_of_topics_get_a_plan() {
    let mut dice = Dice::new(1);
    let mut group = (0..150).fold(TestGroup::new(), |group, at| group.topic(format!("t{at}"), 1 + at % 9));
    for member in 0..120 {
        let reads = (0..150).filter(|_| dice.once_in(3)).map(|at| format!("t{at}"));
        group = group.member(TestMember::new(format!("m{member}")).reads(reads));
    }
    let plan = group.plan(plain).expect("a plan");
    laws::whole(&group, &plan);
    laws::balanced(&plan, 1);
    assert!(plan.notes.is_empty(), "{:?}", plan.notes);
}

/// Many members that read a few of many topics: what they read is told as ranges of topics, several in one word of bits.
#[test]
fn many_members_with_few_topics_each_leave_nothing_without_owner() {
    for seed in 0..200 {
        let mut dice = Dice::new(seed);
        let (topics, members, reads) = (40 + dice.roll(160), 20 + dice.roll(40), 1 + dice.roll(5));
        let mut group = TestGroup::new();
        for topic in 0..topics {
            group = group.topic(&format!("t{topic}"), 1 + dice.roll(3) as u32);
        }
        for member in 0..members {
            let mine: Vec<String> = (0..reads).map(|_| format!("t{}", dice.roll(topics))).collect();
            let mine: Vec<&str> = mine.iter().map(String::as_str).collect();
            group = group.member(TestMember::new(&format!("m{member}")).reads(mine));
        }
        laws::whole(&group, &group.plan(plain).expect("a plan"));
    }
}
