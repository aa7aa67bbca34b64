//! A group that lives: members join, leave, come back with claims of long ago, change what they read; topics grow and go. Laws of sticky
//! strategies hold of every plan on the way. Each sticky assignor's `laws.rs` includes this file.
#![allow(dead_code, reason = "each strategy has some of the laws")]

use std::collections::{BTreeMap, BTreeSet};

use divvy_guest::AssignPartitions;
use divvy_guest::testing::{Dice, TestGroup, TestMember, TestPlan, laws};

/// A topic and a number.
pub type Spot = (String, u32);

#[derive(Clone, Debug, Default)]
pub struct Topic {
    pub partitions: u32,
    /// The rack of each replica, by partition; none when nobody knows.
    pub racks: Vec<Vec<String>>,
}

#[derive(Clone, Debug, Default)]
pub struct One {
    pub topics: BTreeSet<String>,
    pub rack: Option<String>,
    pub instance_id: Option<String>,
    /// What it says that it owns, and since when.
    pub owned: BTreeSet<Spot>,
    pub generation: i32,
}

#[derive(Clone, Debug)]
pub struct World {
    pub topics: BTreeMap<String, Topic>,
    pub members: BTreeMap<String, One>,
    pub generation: i32,
    /// All members read all topics.
    pub alike: bool,
    racks: bool,
    born: u32,
    dice: Dice,
}

/// How many groups live for a law, and how many events each sees.
pub const WORLDS: u64 = 200;
const EVENTS: usize = 12;

/// Lets groups live; each plan is taken over before the next event.
pub fn each_plan(assign: AssignPartitions, racks: bool, check: impl Fn(&World)) {
    for seed in 0..WORLDS {
        let mut world = World::new(seed, racks);
        for _ in 0..EVENTS {
            world.live();
            check(&world);
            let plan = world.plan(assign);
            world.take_over(&whole(&plan));
        }
    }
}

impl World {
    /// A group of up to 6 members and 5 topics.
    pub fn new(seed: u64, racks: bool) -> Self {
        Self::of(seed, racks, Dice::new(seed).once_in(2))
    }

    /// The same, of which it is said whether all members read all topics.
    pub fn of(seed: u64, racks: bool, alike: bool) -> Self {
        let dice = Dice::new(seed);
        let mut world =
            World { topics: BTreeMap::new(), members: BTreeMap::new(), generation: 1, alike, racks, born: 0, dice };
        for _ in 0..=world.dice.roll(4) {
            world.topic_comes();
        }
        for _ in 0..=world.dice.roll(5) {
            world.joins();
        }
        world
    }

    /// Something happens, garbage and lies among it.
    pub fn live(&mut self) {
        match self.dice.roll(12) {
            0 | 1 => self.joins(),
            2 | 3 => drop(self.leaves()),
            4 => self.bounces(),
            5 => self.topic_comes(),
            6 => {
                let gone = self.any_topic();
                self.topics.remove(&gone);
            }
            7 => {
                let grows = self.any_topic();
                let more = self.dice.roll(3) as u32;
                let racks: Vec<Vec<String>> = (0..more).map(|_| self.replicas()).collect();
                if let Some(topic) = self.topics.get_mut(&grows) {
                    topic.partitions += more;
                    topic.racks.extend(racks);
                }
            }
            8 => {
                let reads = self.what_to_read();
                let rack = self.any_rack();
                self.any_member(|one, _| (one.topics, one.rack) = (reads, rack));
            }
            9 => self.any_member(|one, dice| one.generation -= 1 + dice.roll(2) as i32),
            10 => {
                let all: Vec<Spot> = self.members.values().flat_map(|one| one.owned.iter().cloned()).collect();
                self.any_member(|one, dice| {
                    let copied = all.iter().filter(|_| dice.once_in(4)).cloned();
                    one.owned.extend(copied);
                });
            }
            _ => {
                let garbage = [(self.any_topic(), 99), ("no-topic".to_owned(), 0), (self.any_topic(), 0)];
                self.any_member(|one, _| one.owned.extend(garbage));
            }
        }
    }

    pub fn joins(&mut self) {
        self.born += 1;
        let one = One {
            topics: self.what_to_read(),
            rack: self.any_rack(),
            instance_id: self.dice.once_in(3).then(|| format!("i{}", (self.born * 7) % 20)),
            generation: -1,
            ..One::default()
        };
        self.members.insert(format!("m{}", (self.born * 11) % 31), one);
    }

    pub fn leaves(&mut self) -> Option<One> {
        let at = self.dice.roll(self.members.len().max(1) as u64) as usize;
        let id = self.members.keys().nth(at)?.clone();
        self.members.remove(&id)
    }

    /// Comes back under another id, with what it had or without.
    fn bounces(&mut self) {
        let Some(mut one) = self.leaves() else { return };
        if self.dice.once_in(2) {
            (one.owned, one.generation) = (BTreeSet::new(), -1);
        }
        self.born += 1;
        self.members.insert(format!("m{}", (self.born * 11) % 31), one);
    }

    fn topic_comes(&mut self) {
        let partitions = self.dice.roll(7) as u32;
        let racks = (0..partitions).map(|_| self.replicas()).collect();
        let name = format!("t{}", self.dice.roll(8));
        self.topics.insert(name, Topic { partitions, racks });
        if self.alike {
            let all: BTreeSet<String> = self.topics.keys().cloned().collect();
            self.members.values_mut().for_each(|one| one.topics = all.clone());
        }
    }

    fn what_to_read(&mut self) -> BTreeSet<String> {
        let (alike, dice) = (self.alike, &mut self.dice);
        self.topics.keys().filter(|_| alike || dice.once_in(2)).cloned().collect()
    }

    fn any_topic(&mut self) -> String {
        let at = self.dice.roll(self.topics.len().max(1) as u64) as usize;
        self.topics.keys().nth(at).cloned().unwrap_or_default()
    }

    fn any_member(&mut self, change: impl FnOnce(&mut One, &mut Dice)) {
        let at = self.dice.roll(self.members.len().max(1) as u64) as usize;
        if let Some(one) = self.members.values_mut().nth(at) {
            change(one, &mut self.dice);
        }
    }

    fn any_rack(&mut self) -> Option<String> {
        let rack = if self.racks { self.dice.roll(4) } else { 0 };
        (rack > 0).then(|| format!("r{rack}"))
    }

    fn replicas(&mut self) -> Vec<String> {
        let replicas = if self.racks { self.dice.roll(3) } else { 0 };
        (0..replicas).map(|_| format!("r{}", 1 + self.dice.roll(4))).collect()
    }

    /// All claims to partitions that exist, newest first.
    fn claims(&self, counts: impl Fn(&One, &Spot) -> bool) -> BTreeMap<&Spot, Vec<(i32, &String)>> {
        let mut claims: BTreeMap<&Spot, Vec<(i32, &String)>> = BTreeMap::new();
        let exists = |spot: &&Spot| self.topics.get(&spot.0).is_some_and(|topic| spot.1 < topic.partitions);
        for (id, one) in &self.members {
            for spot in one.owned.iter().filter(exists).filter(|spot| counts(one, spot)) {
                claims.entry(spot).or_default().push((one.generation, id));
            }
        }
        claims.values_mut().for_each(|claims| claims.sort_by(|a, b| b.cmp(a)));
        claims
    }

    /// Who had what: the only claimant of the highest generation, if it still reads the topic.
    pub fn owners_before(&self) -> BTreeMap<&Spot, &String> {
        let claims = self.claims(|one, spot| one.topics.contains(&spot.0));
        let only = |claims: &[(i32, &String)]| claims.len() == 1 || claims[0].0 > claims[1].0;
        claims.into_iter().filter(|(_, claims)| only(claims)).map(|(spot, claims)| (spot, claims[0].1)).collect()
    }

    /// What a strategy is shown.
    pub fn group(&self) -> TestGroup {
        let mut group = TestGroup::new().generation(self.generation);
        for (name, topic) in &self.topics {
            group = match self.racks {
                true => group.topic_with_racks(name, topic.racks.clone()),
                false => group.topic(name, topic.partitions),
            };
        }
        let before = self.owners_before();
        for (id, one) in &self.members {
            let mut member = TestMember::new(id).reads(&one.topics).rack(one.rack.as_deref().unwrap_or_default());
            if let Some(instance_id) = &one.instance_id {
                member = member.instance_id(instance_id);
            }
            for spot in before.iter().filter(|(_, owner)| **owner == id).map(|(spot, _)| spot) {
                member = member.owned(&spot.0, [spot.1]);
            }
            group = group.member(member);
        }
        group
    }

    /// The plan, of which every law holds.
    pub fn plan(&self, assign: AssignPartitions) -> TestPlan {
        let plan = self.group().plan(assign).unwrap_or_else(|refused| panic!("{refused:?} of {self:#?}"));
        laws::whole(&self.group(), &plan);
        plan
    }

    /// Everybody has what it was given.
    pub fn take_over(&mut self, given: &BTreeMap<Spot, String>) {
        self.generation += 1;
        for (id, one) in &mut self.members {
            one.generation = self.generation;
            one.owned = given.iter().filter(|(_, owner)| *owner == id).map(|(spot, _)| spot.clone()).collect();
        }
    }

    /// What the host hands out of a plan under a cooperative name: nothing that another may still be running.
    pub fn withhold(&self, plan: &TestPlan) -> BTreeMap<Spot, String> {
        let claims = self.claims(|_, _| true);
        let mut given = whole(plan);
        given.retain(|spot, owner| {
            let claims = claims.get(spot).map_or(&[][..], Vec::as_slice);
            claims.iter().all(|claim| claim.0 < claims[0].0 || claim.1 == owner)
        });
        given
    }
}

/// Who owns what by a plan.
pub fn whole(plan: &TestPlan) -> BTreeMap<Spot, String> {
    plan.owners.iter().map(|(spot, owners)| (spot.clone(), owners[0].clone())).collect()
}

/// S2: no partition can move to a member that has at least two less than its owner.
pub fn no_single_move_helps(world: &World, plan: &TestPlan) {
    for (spot, owners) in &plan.owners {
        for (id, _) in world.members.iter().filter(|(_, one)| one.topics.contains(&spot.0)) {
            let (has, could) = (plan.size(&owners[0]), plan.size(id));
            assert!(has <= could + 1, "{spot:?} of {} ({has}) should go to {id} ({could}): {world:#?}", owners[0]);
        }
    }
}

/// S4: with equal subscriptions no plan of those sizes moves less.
pub fn moves_are_the_fewest(world: &World, plan: &TestPlan) {
    let before = world.owners_before();
    let mut owned: BTreeMap<&String, usize> = world.members.keys().map(|id| (id, 0)).collect();
    before.values().for_each(|id| *owned.entry(id).or_default() += 1);
    let mut owned: Vec<usize> = owned.into_values().collect();
    owned.sort_by(|a, b| b.cmp(a));
    let (low, more) = (plan.owners.len() / owned.len(), plan.owners.len() % owned.len());
    let target = |at: usize| low + usize::from(at < more);
    let fewest: usize = owned.iter().enumerate().map(|(at, has)| has.saturating_sub(target(at))).sum();
    assert_eq!(moves(world, plan).len(), fewest, "{world:#?}");
}

/// What moves: the partition, from whom, to whom.
pub fn moves<'w>(world: &'w World, plan: &'w TestPlan) -> Vec<(&'w Spot, &'w String, &'w String)> {
    let before = world.owners_before();
    let moved = plan.owners.iter().filter_map(|(spot, owners)| Some((spot, *before.get(spot)?, &owners[0])));
    moved.filter(|(_, from, to)| from != to).collect()
}

/// S10: no two members exchange partitions of one topic.
pub fn nobody_swaps(world: &World, plan: &TestPlan) {
    let moves = moves(world, plan);
    let ways: BTreeSet<(&str, &str, &str)> =
        moves.iter().map(|(spot, from, to)| (spot.0.as_str(), from.as_str(), to.as_str())).collect();
    for (topic, from, to) in &ways {
        assert!(!ways.contains(&(topic, to, from)), "{from} and {to} swap partitions of {topic}: {world:#?}");
    }
}
