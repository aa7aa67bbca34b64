//! There is one writer, it stays, and it knows its epoch, whoever comes and goes.

use std::collections::{BTreeMap, BTreeSet};

use divvy_assignor_single_writer::assign;
use divvy_guest::abi::msgpack::Reader;
use divvy_guest::testing::{Dice, TestGroup, TestMember, TestPlan, laws, random_group};

mod by_topic {
    divvy_guest::laws! { super::assign, |group| group.config("scope", "topic"); complete, disjoint, subscribed, fixed_point, order_independent, cooperative_safe }
}

mod of_the_group {
    divvy_guest::laws! { super::assign, |group| group.all_read_everything(); complete, disjoint, subscribed, fixed_point, order_independent, cooperative_safe }
}

struct World {
    topics: BTreeMap<String, u32>,
    members: BTreeMap<String, BTreeSet<String>>,
    before: BTreeMap<String, BTreeMap<String, Vec<u32>>>,
}

impl World {
    fn new(dice: &mut Dice) -> Self {
        let topics: BTreeMap<String, u32> =
            (0..dice.roll(5) + 1).map(|at| (format!("t{at}"), dice.roll(5) as u32 + 1)).collect();
        let all: BTreeSet<String> = topics.keys().cloned().collect();
        World { topics, members: BTreeMap::from([("m5".to_owned(), all)]), before: BTreeMap::new() }
    }

    fn step(&mut self, dice: &mut Dice) {
        let id = format!("m{}", [0, 1, 2, 3, 4, 6, 7, 8][dice.roll(8) as usize]);
        match dice.roll(4) {
            0 | 1 => {
                let all = dice.once_in(2);
                self.members.insert(id, self.topics.keys().filter(|_| all || dice.once_in(2)).cloned().collect());
            }
            2 => drop(self.members.remove(&id)),
            _ => {
                let grows = format!("t{}", dice.roll(5));
                self.topics.get_mut(&grows).into_iter().for_each(|partitions| *partitions += 1);
            }
        }
    }

    fn plan(&self, scope: &str, generation: i32) -> TestPlan {
        let topics = self.topics.iter();
        let mut group = topics.fold(TestGroup::new(), |group, (name, &partitions)| group.topic(name, partitions));
        for (id, reads) in &self.members {
            let owned = self.before.get(id).into_iter().flatten().filter(|(topic, _)| reads.contains(*topic));
            let member = TestMember::new(id).reads(reads.iter().map(String::as_str));
            group = group.member(owned.fold(member, |member, (topic, of)| member.owned(topic, of.iter().copied())));
        }
        let group = group.config("scope", scope).generation(generation);
        let plan = group.plan(assign).expect("a plan");
        laws::whole(&group, &plan);
        for id in self.members.keys() {
            let mut from = Reader::new(&plan.user_data[id]);
            assert_eq!((from.array("data"), from.unsigned("a version")), (Ok(2), Ok(1)));
            assert_eq!(from.signed("an epoch"), Ok(i64::from(generation)));
        }
        plan
    }
}

fn writers(plan: &TestPlan, topic: &str) -> BTreeSet<String> {
    plan.owners.iter().filter(|((of, _), _)| of == topic).map(|(_, owners)| owners[0].clone()).collect()
}

#[test]
fn a_group_has_one_writer_and_it_stays_while_it_can() {
    for seed in 0..300 {
        let mut dice = Dice::new(seed);
        let mut world = World::new(&mut dice);
        let mut before: Option<String> = None;
        for step in 0..12 {
            world.step(&mut dice);
            let plan = world.plan("group", step + 1);
            let writers: BTreeSet<String> = world.topics.keys().flat_map(|topic| writers(&plan, topic)).collect();
            assert_eq!(writers.len(), 1, "seed {seed}, step {step}: {writers:?}");
            let writer = writers.first().expect("a writer").clone();
            let still = |id: &String| world.members.get(id).is_some_and(|reads| reads.len() == world.topics.len());
            if let Some(before) = before.filter(still) {
                assert_eq!(writer, before, "seed {seed}, step {step}");
            }
            before = Some(writer);
            world.before = plan.members;
        }
    }
}

#[test]
fn each_topic_has_one_writer_that_stays_and_new_ones_are_spread() {
    for seed in 0..300 {
        let mut dice = Dice::new(seed);
        let mut world = World::new(&mut dice);
        let mut before: BTreeMap<String, String> = BTreeMap::new();
        for step in 0..12 {
            world.step(&mut dice);
            let plan = world.plan("topic", step + 1);
            for topic in world.topics.keys() {
                let writers = writers(&plan, topic);
                assert_eq!(writers.len(), 1, "seed {seed}, step {step}: {topic} has {writers:?}");
                let writer = writers.first().expect("a writer").clone();
                let still = |id: &&String| world.members.get(*id).is_some_and(|reads| reads.contains(topic));
                if let Some(before) = before.get(topic).filter(still) {
                    assert_eq!(&writer, before, "seed {seed}, step {step}: {topic}");
                }
                before.insert(topic.clone(), writer);
            }
            world.before = plan.members;
        }
    }
}

#[test]
fn fresh_topics_are_spread_evenly() {
    for topics in 0..30 {
        let group = (0..topics).fold(TestGroup::new(), |group, at| group.topic(format!("t{at:02}"), 3)).members(4);
        let plan = group.config("scope", "topic").plan(assign).expect("a plan");
        let counts: Vec<usize> = plan.members.values().map(BTreeMap::len).collect();
        assert!(counts.iter().max().unwrap_or(&0) - counts.iter().min().unwrap_or(&0) <= 1, "{counts:?}");
    }
}

#[test]
fn whatever_the_group_there_is_a_plan_or_a_reason() {
    for seed in 0..2_000 {
        let group = random_group(seed);
        let by_topic = group.clone().config("scope", "topic");
        laws::whole(&by_topic, &by_topic.plan(assign).expect("a plan"));
        match group.plan(assign) {
            Ok(plan) => laws::whole(&group, &plan),
            Err(refused) => assert_eq!(refused.code, "no_full_reader", "{}", refused.message),
        }
    }
    let wrong = TestGroup::new().config("scope", true).plan(assign).expect_err("a refusal");
    assert_eq!(wrong.message, "config: scope is true: write \"group\" or \"topic\"");
}
