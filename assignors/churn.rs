//! Groups with a history, for the laws of strategies that remember: members join, leave, bounce and change what they read, topics
//! come, grow and go, and claims are stale, doubled or nonsense. The tests of several assignors include this file.
#![allow(dead_code, reason = "not every strategy is asked everything")]

use std::collections::{BTreeMap, BTreeSet};

use divvy_guest::testing::{Dice, TestGroup, TestMember, TestPlan};

/// A group and who had what.
#[derive(Clone, Debug)]
pub struct World {
    pub dice: Dice,
    pub topics: BTreeMap<String, u32>,
    pub members: BTreeMap<String, Reader>,
    /// What each member says that it had, whether or not that is so.
    pub claims: BTreeMap<String, BTreeSet<(String, u32)>>,
    alike: bool,
    born: u64,
}

/// A member.
#[derive(Clone, Debug)]
pub struct Reader {
    pub topics: BTreeSet<String>,
    pub instance_id: Option<String>,
}

/// How large groups get.
#[derive(Clone, Copy)]
pub struct Bounds {
    pub topics: u64,
    pub partitions: u64,
    pub members: u64,
}

/// Groups as most are.
pub const USUAL: Bounds = Bounds { topics: 6, partitions: 12, members: 7 };

/// Groups small enough to try every plan.
pub const SMALL: Bounds = Bounds { topics: 3, partitions: 3, members: 3 };

/// 200 partitions, and 20 members each of which reads all topics but one (B38); a plan that they had last, if any.
pub fn each_misses_one_topic(last: Option<&TestPlan>) -> TestGroup {
    let topics: Vec<String> = (0..20).map(|at| format!("t{at:02}")).collect();
    let mut group = topics.iter().fold(TestGroup::new(), |group, topic| group.topic(topic, 10));
    for at in 0..20 {
        let id = format!("m{at:02}");
        let mut member = TestMember::new(&id).reads(topics.iter().filter(|topic| **topic != topics[at]));
        for (topic, owned) in last.and_then(|last| last.members.get(&id)).into_iter().flatten() {
            member = member.owned(topic, owned.iter().copied());
        }
        group = group.member(member);
    }
    group
}

impl World {
    /// A fresh group; in half of them all members read everything.
    pub fn new(seed: u64, bounds: Bounds) -> Self {
        let mut dice = Dice::new(seed);
        let alike = dice.once_in(2);
        let topics =
            (0..1 + dice.roll(bounds.topics)).map(|at| (format!("t{at}"), dice.roll(bounds.partitions + 1) as u32));
        let topics = topics.collect();
        let mut world = World { dice, topics, members: BTreeMap::new(), claims: BTreeMap::new(), alike, born: 0 };
        (0..1 + world.dice.roll(bounds.members)).for_each(|_| world.join());
        world
    }

    /// Whether all members read everything.
    pub fn is_alike(&self) -> bool {
        self.alike
    }

    /// One more member.
    pub fn join(&mut self) {
        self.born += 1;
        // Ids in no particular order, and sometimes those of members that are gone.
        let id = format!("m{}", self.dice.roll(30));
        let topics = self.some_topics();
        let instance_id = self.dice.once_in(3).then(|| format!("i{}", 1000 - self.born));
        self.members.insert(id, Reader { topics, instance_id });
    }

    /// One of the members goes.
    pub fn leave(&mut self) {
        if let Some(id) = self.any_member() {
            self.members.remove(&id);
        }
    }

    /// Something happens.
    pub fn happen(&mut self, bounds: Bounds) {
        match self.dice.roll(8) {
            0 | 1 => self.join(),
            2 => self.leave(),
            3 => {
                // A bounce: the same process under another id, its claims with it.
                if let Some(id) = self.any_member()
                    && let Some(reader) = self.members.remove(&id)
                {
                    self.born += 1;
                    let claims = self.claims.remove(&id).unwrap_or_default();
                    let id = format!("n{}", self.born);
                    self.claims.insert(id.clone(), claims);
                    self.members.insert(id, reader);
                }
            }
            4 => {
                if let Some(count) = self.any_topic().and_then(|topic| self.topics.get_mut(&topic)) {
                    *count += 1 + self.dice.roll(2) as u32;
                }
            }
            5 => {
                let topic = self.any_topic().filter(|_| self.topics.len() > 1);
                topic.map(|topic| self.topics.remove(&topic));
                let name = format!("t{}", self.dice.roll(9));
                let count = self.dice.roll(bounds.partitions + 1) as u32;
                self.topics.entry(name).or_insert(count);
                let all: BTreeSet<String> = self.topics.keys().cloned().collect();
                let alike = self.alike;
                self.members.values_mut().filter(|_| alike).for_each(|reader| reader.topics = all.clone());
            }
            6 => {
                let topics = self.some_topics();
                if let Some(reader) = self.any_member().and_then(|id| self.members.get_mut(&id)) {
                    reader.topics = topics;
                }
            }
            _ => {
                // Claims that nobody should believe: of others' partitions, out of range, of topics that are gone.
                if let Some(id) = self.any_member() {
                    let topic = self.any_topic().unwrap_or_default();
                    let at = self.dice.roll(2 * bounds.partitions + 2) as u32;
                    let claims = self.claims.entry(id).or_default();
                    claims.insert((topic, at));
                    claims.insert(("gone".to_owned(), at));
                }
            }
        }
    }

    /// The members have what a plan says.
    pub fn adopt(&mut self, plan: &TestPlan) {
        self.claims.clear();
        for (at, owners) in &plan.owners {
            for owner in owners {
                self.claims.entry(owner.clone()).or_default().insert(at.clone());
            }
        }
    }

    /// The group as a strategy sees it.
    pub fn group(&self) -> TestGroup {
        self.group_with(|_, member| member)
    }

    /// The same, with something done to each member.
    pub fn group_with(&self, mut with: impl FnMut(&str, TestMember) -> TestMember) -> TestGroup {
        let mut group = TestGroup::new();
        for (name, &partitions) in &self.topics {
            group = group.topic(name, partitions);
        }
        for (id, reader) in &self.members {
            let mut member = TestMember::new(id).reads(reader.topics.iter().cloned());
            if let Some(instance_id) = &reader.instance_id {
                member = member.instance_id(instance_id);
            }
            for (topic, partition) in self.claims.get(id).into_iter().flatten() {
                member = member.owned(topic, [*partition]);
            }
            group = group.member(with(id, member));
        }
        group
    }

    /// Who had each partition: claims of members that are there and read the topic; of several the last member's, as in a
    /// `TestGroup`.
    pub fn owners_before(&self) -> BTreeMap<(String, u32), String> {
        let mut before = BTreeMap::new();
        for (id, reader) in &self.members {
            for at in self.claims.get(id).into_iter().flatten() {
                if self.topics.get(&at.0).is_some_and(|&count| at.1 < count) {
                    // A claim of a topic that is no longer read replaces an earlier one, and is void itself.
                    match reader.topics.contains(&at.0) {
                        true => before.insert(at.clone(), id.clone()),
                        false => before.remove(at),
                    };
                }
            }
        }
        before
    }

    /// How many partitions are not where they were.
    pub fn moved(&self, plan: &TestPlan) -> usize {
        let before = self.owners_before();
        before.iter().filter(|(at, id)| !plan.owners.get(*at).is_some_and(|owners| owners.contains(id))).count()
    }

    /// Of partitions that are read, how many a member had.
    pub fn sizes_before(&self) -> BTreeMap<String, usize> {
        let mut sizes: BTreeMap<String, usize> = self.members.keys().map(|id| (id.clone(), 0)).collect();
        self.owners_before().into_values().for_each(|id| *sizes.entry(id).or_default() += 1);
        sizes
    }

    /// The partitions that somebody reads, with who may have them.
    pub fn read_partitions(&self) -> Vec<((String, u32), Vec<String>)> {
        let readers = |topic: &String| -> Vec<String> {
            self.members.iter().filter(|(_, reader)| reader.topics.contains(topic)).map(|(id, _)| id.clone()).collect()
        };
        let all = self.topics.iter().flat_map(|(topic, &count)| (0..count).map(move |at| (topic.clone(), at)));
        all.map(|at| (at.clone(), readers(&at.0))).filter(|(_, readers)| !readers.is_empty()).collect()
    }

    /// Every plan that there is: for each of `read_partitions` the position of its owner among all members, by id.
    pub fn every_plan(&self, mut found: impl FnMut(&[usize])) {
        let readers = self.reader_positions();
        let mut at = vec![0; readers.len()];
        let mut plan: Vec<usize> = readers.iter().map(|readers| readers[0]).collect();
        loop {
            found(&plan);
            let Some(next) = (0..at.len()).find(|&digit| at[digit] + 1 < readers[digit].len()) else { return };
            at[next] += 1;
            at[..next].fill(0);
            (0..=next).for_each(|digit| plan[digit] = readers[digit][at[digit]]);
        }
    }

    /// For each of `read_partitions` the positions of its readers among all members, by id.
    pub fn reader_positions(&self) -> Vec<Vec<usize>> {
        let ids: Vec<&String> = self.members.keys().collect();
        let position = |id: &String| ids.binary_search(&id).expect("a member");
        let partitions = self.read_partitions();
        partitions.iter().map(|(_, readers)| readers.iter().map(position).collect()).collect()
    }

    fn some_topics(&mut self) -> BTreeSet<String> {
        let (alike, dice) = (self.alike, &mut self.dice);
        let mut topics: BTreeSet<String> = self.topics.keys().filter(|_| alike || dice.once_in(2)).cloned().collect();
        // Subscribed to, and not there.
        if dice.once_in(4) {
            topics.insert("unknown".to_owned());
        }
        topics
    }

    fn any_member(&mut self) -> Option<String> {
        let count = self.members.len() as u64;
        let at = (count > 0).then(|| self.dice.roll(count))?;
        self.members.keys().nth(at as usize).cloned()
    }

    fn any_topic(&mut self) -> Option<String> {
        let count = self.topics.len() as u64;
        let at = (count > 0).then(|| self.dice.roll(count))?;
        self.topics.keys().nth(at as usize).cloned()
    }
}
