//! Groups that churn: members come, go, miss a rebalance, come back with what they had long ago, claim what others have;
//! topics grow, vanish and come back. C1 to C5 of KIP-429's promise hold at every step, and when nothing happens any more
//! the group is settled after a bounded number of rounds.

use std::collections::{BTreeMap, BTreeSet};

use proptest::prelude::*;

use super::scatter::{Mood, Scatter};
use super::*;
use crate::assignor::{Assignor, Plan};

const TOPICS: [&str; 3] = ["t", "u", "v"];

/// A topic, by number, and a partition of it.
type Place = (usize, i32);

/// A member as it really is, and what it says of itself.
#[derive(Clone, Debug, Default)]
struct Member {
    reads: BTreeSet<usize>,
    runs: BTreeSet<Place>,
    /// Of the last rebalance that it saw the end of.
    generation: i32,
    /// What it says instead of what it runs: it was given up for dead, or it is wrong.
    says: Option<(i32, BTreeSet<Place>)>,
}

#[derive(Clone, Debug)]
enum Event {
    Join(BTreeSet<usize>),
    Leave(usize),
    /// Its session ended: it stops, and joins again with what it had.
    Evict(usize),
    /// One that runs nothing claims what another runs, in the other's generation.
    Duplicate(usize, usize),
    Subscribe(usize, BTreeSet<usize>),
    Partitions(usize, u32),
    /// A rebalance whose end some members do not see, in an order of its own.
    Rebalance {
        missed: u16,
        turn: usize,
    },
}

fn any_event() -> impl Strategy<Value = Event> {
    let topics = || prop::collection::btree_set(0usize..3, 0..4);
    prop_oneof![
        2 => topics().prop_map(Event::Join),
        1 => any::<usize>().prop_map(Event::Leave),
        1 => any::<usize>().prop_map(Event::Evict),
        1 => any::<(usize, usize)>().prop_map(|(liar, other)| Event::Duplicate(liar, other)),
        1 => (any::<usize>(), topics()).prop_map(|(member, topics)| Event::Subscribe(member, topics)),
        1 => (0usize..3, 0u32..7).prop_map(|(topic, partitions)| Event::Partitions(topic, partitions)),
        4 => (any::<u16>(), any::<usize>()).prop_map(|(missed, turn)| Event::Rebalance { missed: missed & 0x1111, turn }),
    ]
}

struct World<'a> {
    strategy: &'a dyn Assignor,
    copies: usize,
    topics: [u32; 3],
    members: BTreeMap<String, Member>,
    joined: usize,
    generation: i32,
}

impl World<'_> {
    fn new(strategy: &dyn Assignor, copies: usize) -> World<'_> {
        World { strategy, copies, topics: [4, 3, 0], members: BTreeMap::new(), joined: 0, generation: 0 }
    }

    fn nth(&mut self, index: usize) -> Option<&mut Member> {
        let count = self.members.len().max(1);
        self.members.values_mut().nth(index % count)
    }

    fn apply(&mut self, event: Event) {
        match event {
            Event::Join(reads) if self.members.len() < 8 => {
                // Names that do not ascend with the time of joining.
                let id = format!("m-{}", (self.joined * 7) % 31);
                self.joined += 1;
                self.members.insert(id, Member { reads, generation: -1, ..Member::default() });
            }
            Event::Join(_) => {}
            Event::Leave(index) => {
                let gone = self.members.keys().nth(index % self.members.len().max(1)).cloned();
                gone.map(|id| self.members.remove(&id));
            }
            Event::Evict(index) => {
                if let Some(member) = self.nth(index) {
                    member.says = Some((member.generation, std::mem::take(&mut member.runs)));
                }
            }
            Event::Duplicate(liar, other) => {
                let Some(other) = self.nth(other).map(|other| (other.generation, other.runs.clone())) else { return };
                if let Some(liar) = self.nth(liar).filter(|liar| liar.runs.is_empty()) {
                    liar.says = Some(other);
                }
            }
            Event::Subscribe(index, reads) => {
                if let Some(member) = self.nth(index) {
                    member.reads = reads;
                }
            }
            Event::Partitions(topic, partitions) => self.topics[topic] = partitions,
            Event::Rebalance { missed, turn } => {
                self.rebalance(missed, turn);
            }
        }
    }

    /// The group as its leader sees it.
    fn group(&self) -> Group {
        let topics: Vec<_> = TOPICS.into_iter().zip(self.topics).collect();
        let mut group = Group::new(&topics).cooperative();
        group.generation = self.generation;
        for (id, member) in &self.members {
            let reads: Vec<_> = member.reads.iter().map(|topic| TOPICS[*topic]).collect();
            let (generation, owned) = member.says.clone().unwrap_or_else(|| (member.generation, member.runs.clone()));
            let of = |topic: usize| {
                let numbers = owned.iter().filter(|place| place.0 == topic).map(|place| place.1);
                (TOPICS[topic], numbers.collect::<Vec<_>>())
            };
            let owned: Vec<_> = (0..3).map(of).filter(|of| !of.1.is_empty()).collect();
            let owned: Vec<(&str, &[i32])> = owned.iter().map(|of| (of.0, &of.1[..])).collect();
            group = group.owner(id, &reads, generation, &owned);
        }
        group
    }

    /// One round. Says whether anybody has to give something up, or the leader wants another one.
    fn rebalance(&mut self, missed: u16, turn: usize) -> bool {
        self.generation += 1;
        let group = self.group();
        let plan = lead(self.strategy, &group.input()).unwrap();
        assert_eq!(plan, lead(self.strategy, &group.input()).unwrap(), "C5: unchanged claims, another plan");
        self.coordinator_accepts(&group, &plan);
        let mut again = plan.call_again.is_some();
        let mut order: Vec<usize> = (0..plan.states.len()).collect();
        let start = turn % order.len().max(1);
        order.rotate_left(start);
        if turn.is_multiple_of(2) {
            order.reverse();
        }
        for index in order {
            if missed & (1 << index) == 0 {
                again |= self.sync(&plan, index);
            }
        }
        again
    }

    fn coordinator_accepts(&self, group: &Group, plan: &Plan) {
        let verdict = check_plan(&EncodedPlan {
            protocol_type: &group.protocol_type,
            members: &group.metadata(),
            states: &plan.states,
            topics: &plan.topics,
            copies: plan.copies,
            complete: plan.complete,
            mode: plan.mode,
        });
        assert_eq!(verdict, Ok(()));
    }

    /// A member gets its state: it stops what it no longer has, and only then starts the rest.
    fn sync(&mut self, plan: &Plan, index: usize) -> bool {
        let (id, state) = &plan.states[index];
        let assignment = Assignment::decode_state(state).unwrap();
        let number = |name: &str| TOPICS.iter().position(|topic| *topic == name).unwrap();
        let of = |of: &TopicPartitions<'_>| {
            let topic = number(of.topic);
            of.partitions.iter().map(move |partition| (topic, partition)).collect::<Vec<_>>()
        };
        let given: BTreeSet<Place> = assignment.topics.iter().flat_map(of).collect();
        for place in given.difference(&self.members[id.as_str()].runs.clone()) {
            let others =
                self.members.iter().filter(|(other, member)| *other != id.as_str() && member.runs.contains(place));
            let others: Vec<_> = others.map(|(other, _)| other).collect();
            assert!(others.len() < self.copies, "C4: {place:?} goes to {id} while {others:?} run it");
        }
        let Some(member) = self.members.get_mut(id.as_str()) else { return false };
        let said = member.says.take().map_or_else(|| member.runs.clone(), |said| said.1);
        let gives_up = !said.is_subset(&given);
        member.runs = given;
        member.generation = self.generation;
        gives_up
    }

    fn settle(&mut self, most: usize) {
        let rounds = (1..=most).find(|turn| !self.rebalance(0, *turn));
        assert!(rounds.is_some(), "C3: not settled after {most} rounds: {:?}", self.members);
        for (topic, partitions) in self.topics.into_iter().enumerate() {
            let readers = self.members.values().filter(|member| member.reads.contains(&topic)).count();
            for partition in 0..partitions as i32 {
                let runs = self.members.values().filter(|member| member.runs.contains(&(topic, partition))).count();
                assert_eq!(runs, readers.min(self.copies), "partition {partition} of {}", TOPICS[topic]);
            }
        }
        let before: Vec<_> = self.members.values().map(|member| member.runs.clone()).collect();
        assert!(!self.rebalance(0, 0));
        assert!(self.members.values().map(|member| &member.runs).eq(&before), "C5: settled, and moved all the same");
    }
}

fn live(strategy: &dyn Assignor, copies: usize, events: Vec<Event>) -> World<'_> {
    let mut world = World::new(strategy, copies);
    events.into_iter().for_each(|event| world.apply(event));
    world
}

proptest! {
    #[test]
    fn range_hands_over_in_one_follow_up_whatever_happened_before(events in prop::collection::vec(any_event(), 0..40)) {
        live(native_range(), 1, events).settle(2);
    }

    #[test]
    fn any_steady_strategy_does(events in prop::collection::vec(any_event(), 0..40)) {
        let strategy = Scatter::new(1, Mood::Steady);
        live(&strategy, 1, events).settle(2);
    }

    /// One round more for the primary, which never moves directly.
    #[test]
    fn copies_take_one_round_more(copies in 2usize..4, events in prop::collection::vec(any_event(), 0..40)) {
        let strategy = Scatter::new(copies, Mood::Steady);
        live(&strategy, copies, events).settle(3);
    }

    /// A strategy that never comes to rest cannot settle, but it cannot do harm either; when it rests, the group does.
    #[test]
    fn a_strategy_that_changes_its_mind_is_safe(copies in 1usize..4, events in prop::collection::vec(any_event(), 0..60)) {
        let restless = Scatter::new(copies, Mood::Restless);
        let World { topics, members, generation, joined, .. } = live(&restless, copies, events);
        let steady = Scatter::new(copies, Mood::Steady);
        World { strategy: &steady, copies, topics, members, joined, generation }.settle(3);
    }
}
