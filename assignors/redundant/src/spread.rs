//! Evens out: from who has most to who has least, as long as a copy may move and the difference is two or more.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

use divvy_guest::prelude::*;

use crate::copies::Copies;

/// How many looks at a copy there may be for each copy of the plan: a group in which nearly nothing may move (members that each read
/// something else, racks of one member) would otherwise be tried in all pairs.
const LOOKS_PER_COPY: usize = 64;

/// And so many in any case, so that small groups are always even.
const LOOKS_AT_LEAST: usize = 1_000_000;

struct Spread<'g, 'c> {
    /// For each partition its topic's index; and the topics.
    topics: Vec<Topic<'g>>,
    members: Vec<Member<'g>>,
    held: &'c mut Copies,
    /// Partitions of each member.
    lists: Vec<Vec<u32>>,
    /// For each member a number for its rack and its subscription together.
    classes: Vec<u32>,
    takers: BTreeSet<(u32, usize, u32)>,
    givers: BTreeSet<(Reverse<u32>, usize, u32)>,
    looks: usize,
}

/// Whether a giver has something for a taker.
enum Found {
    /// At this position of the giver's list.
    At(usize),
    /// Not for this one, which holds it.
    NotForThis,
    /// Not for any of its kind: it would be in a rack twice, or they do not read it.
    NotForItsKind,
}

/// Moves copies until nobody has two more than somebody who could take one of them.
pub fn even_out(group: &Group<'_>, held: &mut Copies) {
    let loads = || held.loads.iter().copied();
    if loads().max().unwrap_or(0) - loads().min().unwrap_or(0) < 2 {
        return;
    }
    let mut spread = Spread::new(group, held);
    while spread.looks > 0 && spread.sweep() {}
}

impl<'g, 'c> Spread<'g, 'c> {
    fn new(group: &'g Group<'_>, held: &'c mut Copies) -> Self {
        let members: Vec<Member<'g>> = group.members().collect();
        let mut lists: Vec<Vec<u32>> = held.loads.iter().map(|&load| Vec::with_capacity(load as usize)).collect();
        for partition in 0..group.partitions().len() {
            held.holders(partition).iter().for_each(|&holder| lists[holder as usize].push(partition as u32));
        }
        let mut numbers = BTreeMap::new();
        let kinds = members.iter().map(|member| (held.racks[member.index()], member.subscription()));
        let classes = kinds.map(|kind| {
            let next = numbers.len() as u32;
            *numbers.entry(kind).or_insert(next)
        });
        let classes = classes.collect();
        let copies: usize = lists.iter().map(Vec::len).sum();
        let takers = members.iter().map(|member| (held.loads[member.index()], member.place(), member.index() as u32));
        let takers = takers.collect();
        Spread {
            topics: group.topics().collect(),
            members,
            held,
            lists,
            classes,
            takers,
            givers: BTreeSet::new(),
            looks: copies * LOOKS_PER_COPY + LOOKS_AT_LEAST,
        }
    }

    /// Lets everybody give once as much as it can; says whether anything moved.
    fn sweep(&mut self) -> bool {
        self.givers = self.takers.iter().map(|&(load, place, member)| (Reverse(load), place, member)).collect();
        let least = self.takers.first().map_or(0, |taker| taker.0);
        let mut moved = false;
        // For the giver at hand: the kinds of members that it has nothing for.
        let mut hopeless: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
        while let Some(&(Reverse(load), place, giver)) = self.givers.first() {
            if load < least + 2 || self.looks == 0 {
                break;
            }
            let hopeless = hopeless.entry(giver).or_default();
            match self.taker_for(giver, load, hopeless) {
                Some((taker, at)) => {
                    moved = true;
                    self.pass(giver, taker, at);
                }
                None => drop(self.givers.remove(&(Reverse(load), place, giver))),
            }
        }
        moved
    }

    /// Who has least and can take something of the giver's, and what.
    fn taker_for(&mut self, giver: u32, load: u32, hopeless: &mut Vec<u32>) -> Option<(u32, usize)> {
        let mut looks = self.looks;
        let mut found = None;
        for &(less, _, taker) in &self.takers {
            if less + 2 > load || looks == 0 {
                break;
            }
            looks -= 1;
            if hopeless.contains(&self.classes[taker as usize]) {
                continue;
            }
            match self.find(giver, taker, &mut looks) {
                Found::At(at) => {
                    found = Some((taker, at));
                    break;
                }
                Found::NotForThis => {}
                Found::NotForItsKind => hopeless.push(self.classes[taker as usize]),
            }
        }
        self.looks = looks;
        found
    }

    /// The highest of the giver's partitions that the taker may have.
    fn find(&self, giver: u32, taker: u32, looks: &mut usize) -> Found {
        let mut answer = Found::NotForItsKind;
        let [from, to] = [giver, taker].map(|member| self.held.racks[member as usize]);
        for (at, &partition) in self.lists[giver as usize].iter().enumerate().rev() {
            *looks = looks.saturating_sub(1);
            let others = || self.held.holders(partition as usize).iter().filter(|&&holder| holder != giver);
            let in_rack = |rack: u32| others().any(|&holder| self.held.racks[holder as usize] == rack);
            // As many racks as before: a new one, or the giver's was there twice.
            if !self.members[taker as usize].subscribes(self.topic(partition)) || (in_rack(to) && !in_rack(from)) {
                continue;
            }
            if others().all(|&holder| holder != taker) {
                return Found::At(at);
            }
            answer = Found::NotForThis;
        }
        answer
    }

    fn topic(&self, partition: u32) -> Topic<'g> {
        let after = self.topics.partition_point(|topic| topic.partitions().start() <= partition as usize);
        self.topics[after - 1]
    }

    fn pass(&mut self, giver: u32, taker: u32, at: usize) {
        let partition = self.lists[giver as usize].remove(at);
        self.lists[taker as usize].push(partition);
        for (member, passes) in [(giver, true), (taker, false)] {
            let (load, place) = (self.held.loads[member as usize], self.members[member as usize].place());
            let after = if passes { load - 1 } else { load + 1 };
            self.takers.remove(&(load, place, member));
            self.takers.insert((after, place, member));
            if self.givers.remove(&(Reverse(load), place, member)) {
                self.givers.insert((Reverse(after), place, member));
            }
        }
        self.held.pass(partition as usize, giver, taker);
    }
}
