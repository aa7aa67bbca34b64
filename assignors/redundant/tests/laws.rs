//! What redundant promises, over groups that members join and leave, that move between racks, and that grow.

use std::collections::{BTreeMap, BTreeSet};

use divvy_assignor_redundant::assign;
use divvy_guest::abi::msgpack::Reader;
use divvy_guest::testing::{Dice, TestGroup, TestMember, TestPlan, laws};

divvy_guest::laws! { assign, |group| group.config("copies", 2.0); complete, disjoint, subscribed, copies(2), racks, fixed_point, order_independent }

mod with_equal_subscriptions {
    divvy_guest::laws! { super::assign, |group| group.config("copies", 2.0).all_read_everything(); cooperative_safe }
}

#[derive(Clone, Default)]
struct Reads {
    topics: BTreeSet<String>,
    rack: Option<&'static str>,
}

#[derive(Clone)]
struct World {
    topics: BTreeMap<String, u32>,
    members: BTreeMap<String, Reads>,
    last: Option<TestPlan>,
    copies: usize,
    with_racks: bool,
    alike: bool,
    generation: i32,
}

type Owners = BTreeMap<(String, u32), Vec<String>>;

impl World {
    fn new(dice: &mut Dice) -> Self {
        World {
            topics: (0..dice.roll(4)).map(|at| (format!("t{at}"), dice.roll(7) as u32)).collect(),
            members: BTreeMap::new(),
            last: None,
            copies: dice.roll(4) as usize + 1,
            with_racks: dice.once_in(2),
            alike: dice.once_in(2),
            generation: 0,
        }
    }

    fn step(&mut self, dice: &mut Dice) {
        let id = format!("m{}", dice.roll(8));
        match dice.roll(6) {
            0..=2 => {
                let racks = [None, Some("r1"), Some("r2"), Some("r3")];
                let rack = racks[dice.roll(4) as usize].filter(|_| self.with_racks);
                let topics = self.topics.keys().filter(|_| self.alike || !dice.once_in(3)).cloned().collect();
                self.members.insert(id, Reads { topics, rack });
            }
            3 | 4 => drop(self.members.remove(&id)),
            _ => {
                let grows = format!("t{}", dice.roll(4));
                self.topics.get_mut(&grows).into_iter().for_each(|partitions| *partitions += 1);
            }
        }
        self.generation += 1;
    }

    fn group(&self) -> TestGroup {
        let topics = self.topics.iter();
        let mut group = topics.fold(TestGroup::new(), |group, (name, &partitions)| group.topic(name, partitions));
        for (id, reads) in &self.members {
            let mut member = TestMember::new(id).reads(reads.topics.iter().map(String::as_str));
            member = member.rack(reads.rack.unwrap_or_default());
            for (topic, partitions) in self.last.iter().flat_map(|last| last.members.get(id)).flatten() {
                if reads.topics.contains(topic) {
                    member = member.owned(topic, partitions.iter().copied());
                }
            }
            group = group.member(member);
        }
        if let Some(memo) = self.last.as_ref().and_then(|last| last.memo.clone()) {
            group = group.memo(memo);
        }
        group.copies().config("copies", self.copies as f64).generation(self.generation)
    }

    fn plan(&self) -> TestPlan {
        self.group().plan(assign).expect("a plan")
    }

    fn readers(&self, topic: &str) -> Vec<&String> {
        self.members.iter().filter(|(_, reads)| reads.topics.contains(topic)).map(|(id, _)| id).collect()
    }

    /// Who has no rack is in one of its own.
    fn rack<'w>(&'w self, id: &'w str) -> &'w str {
        self.members[id].rack.unwrap_or(id)
    }

    fn racks<'w>(&'w self, ids: impl IntoIterator<Item = &'w String>) -> usize {
        ids.into_iter().map(|id| self.rack(id)).collect::<BTreeSet<_>>().len()
    }

    /// A copy that could move to somebody with two fewer without costing a rack.
    fn move_that_evens(&self, plan: &TestPlan) -> Option<String> {
        for ((topic, partition), owners) in &plan.owners {
            for from in owners {
                for to in self.readers(topic).into_iter().filter(|to| !owners.contains(to)) {
                    let after: Vec<&String> = owners.iter().filter(|id| *id != from).chain([to]).collect();
                    let costs_none = self.racks(after) >= self.racks(owners);
                    if costs_none && plan.size(from) >= plan.size(to) + 2 {
                        return Some(format!("{topic}-{partition} could move from {from} to {to}"));
                    }
                }
            }
        }
        None
    }
}

fn primaries(owners: &Owners) -> BTreeMap<String, usize> {
    let mut counts = BTreeMap::new();
    owners.values().for_each(|owners| *counts.entry(owners[0].clone()).or_default() += 1);
    counts
}

fn primaries_are_even(owners: &Owners) -> bool {
    let counts = primaries(owners);
    let count = |id: &String| counts.get(id).copied().unwrap_or(0);
    owners.values().all(|owners| owners.iter().all(|other| count(&owners[0]) < count(other) + 2))
}

/// Reads who is told to be the primary of what.
fn told(world: &World, plan: &TestPlan) -> BTreeSet<(String, u32, String)> {
    let mut told = BTreeSet::new();
    for (id, data) in &plan.user_data {
        let mut from = Reader::new(data);
        assert_eq!((from.array("data"), from.unsigned("a version")), (Ok(3), Ok(1)));
        assert_eq!(from.signed("an epoch"), Ok(i64::from(world.generation)));
        let bits = from.binary("bits").expect("bits");
        let partitions = plan.members[id].iter().flat_map(|(topic, of)| of.iter().map(move |at| (topic, *at)));
        for (at, (topic, partition)) in partitions.enumerate() {
            if bits[at / 8] >> (at % 8) & 1 == 1 {
                told.insert((topic.clone(), partition, id.clone()));
            }
        }
    }
    told
}

fn holds(world: &World, plan: &TestPlan, context: &str) {
    laws::whole(&world.group(), plan);
    for ((topic, partition), owners) in &plan.owners {
        let readers = world.readers(topic);
        let racks = world.racks(readers.iter().copied()).min(world.copies);
        assert_eq!(world.racks(owners), racks, "{context}: {topic}-{partition} is in too few racks: {owners:?}");
    }
    assert_eq!(world.move_that_evens(plan), None, "{context}");
    if world.alike && !world.with_racks {
        laws::balanced(plan, 1);
    }
    assert!(primaries_are_even(&plan.owners), "{context}: {:?}", plan.owners);
    let firsts = plan.owners.iter().map(|((topic, at), owners)| (topic.clone(), *at, owners[0].clone()));
    assert_eq!(told(world, plan), firsts.collect(), "{context}");
}

#[test]
fn copies_are_whole_apart_even_and_told_and_planned_again_they_stay() {
    for seed in 0..500 {
        let mut dice = Dice::new(seed);
        let mut world = World::new(&mut dice);
        for step in 0..14 {
            world.step(&mut dice);
            let context = format!("seed {seed}, step {step}");
            let plan = world.plan();
            holds(&world, &plan, &context);
            world.last = Some(plan.clone());
            assert_eq!(world.plan().owners, plan.owners, "{context}: planned again");
        }
    }
}

/// With equal readers and no racks: everybody down to its share, the larger shares are of those that had most.
#[test]
fn no_more_copies_move_than_evenness_asks_for() {
    for seed in 0..1_000 {
        let mut dice = Dice::new(seed);
        let mut world = World { with_racks: false, alike: true, ..World::new(&mut dice) };
        for step in 0..10 {
            world.step(&mut dice);
            let group = world.group();
            let plan = group.plan(assign).expect("a plan");
            let before = world.last.replace(plan.clone()).unwrap_or_default();
            let mut had = Vec::new();
            let mut moved = 0;
            for id in world.members.keys() {
                let of = |plan: &TestPlan| -> BTreeSet<(String, u32)> {
                    let topics = plan.members.get(id).into_iter().flatten();
                    topics.flat_map(|(topic, of)| of.iter().map(move |&at| (topic.clone(), at))).collect()
                };
                let (had_now, has) = (of(&before), of(&plan));
                had.push(had_now.len());
                moved += had_now.difference(&has).count();
            }
            had.sort_unstable_by(|one, other| other.cmp(one));
            let total: usize = plan.owners.values().map(Vec::len).sum();
            let share = |at| total / had.len() + usize::from(at < total % had.len());
            let fewest: usize = had.iter().enumerate().map(|(at, had)| had.saturating_sub(share(at))).sum();
            assert!(moved <= fewest + 1, "seed {seed}, step {step}: {moved} moved, {fewest} had to");
        }
    }
}

#[test]
fn a_primary_stays_while_it_holds_the_partition_and_evenness_does_not_ask_for_more() {
    let mut kept = 0;
    for seed in 0..500 {
        let mut dice = Dice::new(seed);
        let mut world = World::new(&mut dice);
        (0..8).for_each(|_| world.step(&mut dice));
        let before = world.plan();
        world.last = Some(before.clone());
        world.step(&mut dice);
        let after = world.plan();
        // What primaries would be if all that can stayed, and the others were nobody's yet.
        let stays = |at: &(String, u32)| before.owners.get(at).filter(|was| after.owners[at].contains(&was[0]));
        let mut as_before = after.owners.clone();
        as_before.retain(|at, _| stays(at).is_some());
        for (at, owners) in &mut as_before {
            let primary = before.owners[at][0].clone();
            owners.retain(|id| *id != primary);
            owners.insert(0, primary);
        }
        if as_before.len() == after.owners.len() && primaries_are_even(&as_before) {
            as_before.iter().for_each(|(at, owners)| assert_eq!(after.owners[at][0], owners[0], "seed {seed}: {at:?}"));
            kept += as_before.len();
        }
    }
    assert!(kept > 500, "only {kept} primaries were looked at");
}

/// All plans of a small group without a past: none is more even, and none has more racks.
#[test]
fn no_plan_of_a_small_group_is_more_even() {
    fn most_even(partitions: usize, copies: usize, sizes: &mut Vec<usize>, racks: &[usize]) -> usize {
        if partitions == 0 {
            return sizes.iter().max().unwrap_or(&0) - sizes.iter().min().unwrap_or(&0);
        }
        let distinct = racks.iter().collect::<BTreeSet<_>>().len().min(copies);
        let sets = (0..1_u32 << sizes.len()).filter(|set| set.count_ones() as usize == copies);
        let in_racks = |set: &u32| {
            let used = (0..racks.len()).filter(|at| set >> at & 1 == 1).map(|at| racks[at]);
            used.collect::<BTreeSet<_>>().len() == distinct
        };
        let mut best = usize::MAX;
        for set in sets.filter(in_racks) {
            (0..racks.len()).filter(|at| set >> at & 1 == 1).for_each(|at| sizes[at] += 1);
            best = best.min(most_even(partitions - 1, copies, sizes, racks));
            (0..racks.len()).filter(|at| set >> at & 1 == 1).for_each(|at| sizes[at] -= 1);
        }
        best
    }
    for seed in 0..150 {
        let mut dice = Dice::new(seed);
        let (partitions, members) = (dice.roll(4) as usize + 1, dice.roll(4) as usize + 1);
        let copies = (dice.roll(3) as usize + 1).min(members);
        let racks: Vec<usize> = (0..members).map(|_| dice.roll(3) as usize).collect();
        let mut group = TestGroup::new().topic("t", partitions as u32).config("copies", copies as f64);
        for (at, rack) in racks.iter().enumerate() {
            group = group.member(TestMember::new(format!("m{at}")).reads(["t"]).rack(format!("r{rack}")));
        }
        let plan = group.plan(assign).expect("a plan");
        let sizes = plan.members.keys().map(|id| plan.size(id));
        let spread = sizes.clone().max().unwrap_or(0) - sizes.min().unwrap_or(0);
        let best = most_even(partitions, copies, &mut vec![0; members], &racks);
        assert_eq!(spread, best, "seed {seed}: {partitions} partitions, {copies} copies, racks {racks:?}");
    }
}

#[test]
fn a_cooperative_group_is_told_by_name() {
    let group = TestGroup::new().topic("a", 1).topic("b", 2).members(2).generation(7).cooperative();
    let plan = group.plan(assign).expect("a plan");
    let mut named = BTreeSet::new();
    for (id, data) in &plan.user_data {
        let mut from = Reader::new(data);
        from.array("data").expect("an array");
        assert_eq!((from.unsigned("a version"), from.signed("an epoch")), (Ok(1), Ok(7)));
        for _ in 0..from.map("topics").expect("a map") {
            let topic = from.text("a topic").expect("a name").to_owned();
            for _ in 0..from.array("numbers").expect("a list") {
                named.insert(((topic.clone(), from.unsigned32("a number").expect("a number")), id.clone()));
            }
        }
    }
    assert_eq!(named, plan.owners.into_iter().map(|(at, owners)| (at, owners[0].clone())).collect());
}

#[test]
fn a_memo_of_something_else_is_no_memo() {
    for memo in [&b""[..], &[0xc1], &[0x93, 1, 8, 0xc4, 3, 1, 2, 3], &[0x93, 1, 3, 0xc4, 0]] {
        let group = TestGroup::new().topic("t", 3).members(2);
        assert_eq!(group.clone().memo(memo).plan(assign), group.plan(assign));
    }
}

#[test]
fn settings_that_are_none_are_refused() {
    let refused = |group: TestGroup| group.plan(assign).expect_err("a refusal").message;
    let wrong = refused(TestGroup::new().config("copies", 9.0));
    assert_eq!(wrong, "config: copies is 9: write a whole number from 1 to 8");
    let wrong = refused(TestGroup::new().config("copies", 1.5));
    assert_eq!(wrong, "config: copies is 1.500: write a whole number from 1 to 8");
    let wrong = refused(TestGroup::new().config("copys", 2.0));
    assert_eq!(wrong, "config: there is no key \"copys\": did you mean \"copies\"?");
}

/// The fewest new copies of all plans of equal readers that are whole and even; `had` are the claims by partition, as bits.
fn fewest_new(had: &[u32], copies: u32, sizes: &mut Vec<u32>) -> Option<u32> {
    let Some((had, rest)) = had.split_first() else {
        let spread = sizes.iter().max().unwrap_or(&0) - sizes.iter().min().unwrap_or(&0);
        return (spread <= 1).then_some(0);
    };
    let mut fewest = None;
    for set in (0..1_u32 << sizes.len()).filter(|set| set.count_ones() == copies) {
        (0..sizes.len()).for_each(|at| sizes[at] += set >> at & 1);
        let new = fewest_new(rest, copies, sizes).map(|new| new + (set & !had).count_ones());
        fewest = fewest.into_iter().chain(new).min();
        (0..sizes.len()).for_each(|at| sizes[at] -= set >> at & 1);
    }
    fewest
}

/// The copies that a plan gives to members which did not have them.
fn new_copies(had: &[u32], plan: &TestPlan) -> u32 {
    let bit = |id: &String| 1_u32 << id[1..].parse::<u32>().expect("a number");
    let new = |((_, at), owners): (&(String, u32), &Vec<String>)| {
        owners.iter().filter(|id| had[*at as usize] & bit(id) == 0).count() as u32
    };
    plan.owners.iter().map(new).sum()
}

/// A group of `m0`, `m1` and so on that all read one topic and had these copies.
fn equal_readers(members: usize, copies: u32, had: &[u32]) -> TestGroup {
    let mut group = TestGroup::new().topic("t", had.len() as u32).copies().config("copies", f64::from(copies));
    for at in 0..members {
        let owned = (0..had.len() as u32).filter(|partition| had[*partition as usize] >> at & 1 == 1);
        group = group.member(TestMember::new(format!("m{at}")).reads(["t"]).owned("t", owned));
    }
    group
}

#[test]
fn of_all_plans_as_even_none_has_fewer_new_copies() {
    for seed in 0..1_500 {
        let mut dice = Dice::new(seed);
        let (partitions, members) = (dice.roll(5) + 1, dice.roll(4) as usize + 1);
        let copies = (dice.roll(3) as u32 + 1).min(members as u32);
        // As many claims as there are, also more than copies: the setting may have been higher.
        let had: Vec<u32> = (0..partitions).map(|_| dice.roll(1 << members) as u32).collect();
        let plan = equal_readers(members, copies, &had).plan(assign).expect("a plan");
        laws::balanced(&plan, 1);
        let fewest = fewest_new(&had, copies, &mut vec![0; members]);
        assert_eq!(Some(new_copies(&had, &plan)), fewest, "seed {seed}: {copies} copies, had {had:?}");
    }
}

#[test]
fn a_copy_of_who_stays_is_not_taken_when_another_one_leaves() {
    let had = [0b001, 0b011, 0b100];
    let plan = equal_readers(3, 2, &had).plan(assign).expect("a plan");
    assert_eq!((plan.of("m0", "t"), plan.of("m1", "t"), plan.of("m2", "t")), (&[0, 1][..], &[1, 2][..], &[0, 2][..]));
}

#[test]
fn of_too_many_copies_those_are_cut_that_leave_the_rest_even() {
    let plan = equal_readers(2, 1, &[0b11, 0b01, 0b01, 0b00]).plan(assign).expect("a plan");
    assert_eq!((plan.of("m0", "t"), plan.of("m1", "t")), (&[1, 2][..], &[0, 3][..]));
}

#[test]
fn with_one_copy_more_nothing_moves() {
    for seed in 0..500 {
        let mut dice = Dice::new(seed);
        let (partitions, members) = (dice.roll(12) as usize + 1, dice.roll(6) as usize + 2);
        let copies = dice.roll(members as u64 - 1) as u32 + 1;
        let had: Vec<u32> = (0..partitions).map(|_| dice.roll(1 << members) as u32).collect();
        let before = equal_readers(members, copies, &had).plan(assign).expect("a plan");
        let bits = |owners: &Vec<String>| owners.iter().map(|id| 1 << id[1..].parse::<u32>().expect("a number")).sum();
        let had: Vec<u32> = before.owners.values().map(bits).collect();
        let after = equal_readers(members, copies + 1, &had).plan(assign).expect("a plan");
        assert_eq!(new_copies(&had, &after), partitions as u32, "seed {seed}: {copies} copies, had {had:?}");
    }
}

#[test]
fn who_has_to_give_gives_what_is_new() {
    let group = TestGroup::new().topic("a", 4).topic("z", 2).copies().config("copies", 1.0);
    let group = group.member(TestMember::new("m0").reads(["a"]));
    let group = group.member(TestMember::new("m1").reads(["a", "z"]).owned("a", [3]));
    let plan = group.plan(assign).expect("a plan");
    assert_eq!((plan.of("m0", "a"), plan.of("m1", "a")), (&[0, 1, 2][..], &[3][..]));
}
