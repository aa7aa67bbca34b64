//! Evens out: from who has most to who has least, as long as a copy may move and the difference is two or more.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

use divvy_guest::prelude::*;

use crate::copies::Copies;

/// How many looks at a copy there may be for each copy of the plan: a group in which nearly nothing may move (members that each read
/// something else, racks of one member) would otherwise be tried in all pairs.
const LOOKS_PER_COPY: usize = 64;

/// And so many in any case, so that small groups are always even.
const LOOKS_AT_LEAST: usize = 16_000_000;

struct Spread<'g, 'c> {
    topics: Vec<Topic<'g>>,
    members: Vec<Member<'g>>,
    held: &'c mut Copies,
    /// Partitions of each member, those that it had before first.
    lists: Vec<Vec<u32>>,
    /// For each member its kind: rack and subscription. Without a rack nobody stands in a member's way but itself.
    kinds: Vec<u32>,
    /// How many racks there are: who has none has a number from here on.
    racks: u32,
    /// The members of each kind, those that have least first.
    takers: Vec<BTreeSet<(u32, usize, u32)>>,
    givers: BTreeSet<(Reverse<u32>, usize, u32)>,
    looks: usize,
    /// For a giver the kinds of members that it may have something for, and up to which place of its list. Forgotten with every sweep,
    /// since what others give may make room in a rack.
    hopes: BTreeMap<u32, Vec<(u32, usize)>>,
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
        // New copies last: these are looked at first, so that they go before one that may stay.
        let was = |partition, holder| {
            let owners = (0..group.claim_layers()).filter_map(|layer| group.owner_before_in(layer, partition));
            owners.map(|owner| owner.index() as u32).any(|owner| owner == holder)
        };
        for is_old in [true, false] {
            for partition in group.partitions() {
                let holders = held.holders(partition.index()).iter();
                let holders = holders.filter(|&&holder| was(partition, holder) == is_old);
                holders.for_each(|&holder| lists[holder as usize].push(partition.index() as u32));
            }
        }
        let racks = group.racks().len() as u32;
        let mut numbers = BTreeMap::new();
        let mut takers = Vec::new();
        let mut kinds = Vec::with_capacity(members.len());
        for member in &members {
            let rack = held.racks[member.index()].min(racks);
            let kind = *numbers.entry((rack, member.subscription())).or_insert(takers.len() as u32);
            if kind as usize == takers.len() {
                takers.push(BTreeSet::new());
            }
            takers[kind as usize].insert((held.loads[member.index()], member.place(), member.index() as u32));
            kinds.push(kind);
        }
        let looks = lists.iter().map(Vec::len).sum::<usize>() * LOOKS_PER_COPY + LOOKS_AT_LEAST;
        let topics = group.topics().collect();
        let (givers, hopes) = (BTreeSet::new(), BTreeMap::new());
        Spread { topics, members, held, lists, kinds, racks, takers, givers, looks, hopes }
    }

    /// Lets everybody give once as much as it can; says whether anything moved.
    fn sweep(&mut self) -> bool {
        self.givers.clear();
        for &(load, place, member) in self.takers.iter().flatten() {
            self.givers.insert((Reverse(load), place, member));
        }
        let least = self.givers.last().map_or(0, |giver| giver.0.0);
        let mut moved = false;
        self.hopes.clear();
        while let Some(&(Reverse(load), place, giver)) = self.givers.first() {
            if load < least + 2 || self.looks == 0 {
                break;
            }
            match self.taker_for(giver, load) {
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
    fn taker_for(&mut self, giver: u32, load: u32) -> Option<(u32, usize)> {
        let whole = self.lists[giver as usize].len();
        let all = || (0..self.takers.len() as u32).map(|kind| (kind, whole)).collect();
        let mut hopes = self.hopes.remove(&giver).unwrap_or_else(all);
        let mut looks = self.looks;
        // Kinds whose members hold all that is for them already.
        let mut tried = 0;
        let mut found = None;
        while found.is_none() && looks > 0 && tried < hopes.len() {
            looks = looks.saturating_sub(hopes.len() - tried);
            let first = |hope: &(u32, usize)| self.takers[hope.0 as usize].first().copied();
            let least = (tried..hopes.len()).min_by_key(|&at| first(&hopes[at]));
            let Some(at) = least.filter(|&at| first(&hopes[at]).is_some_and(|taker| taker.0 + 2 <= load)) else {
                break;
            };
            let (kind, end) = &mut hopes[at];
            let takers = self.takers[*kind as usize].iter().take_while(|taker| taker.0 + 2 <= load);
            for &(_, _, taker) in takers {
                found = self.find(giver, taker, end, &mut looks).map(|at| (taker, at));
                if found.is_some() || *end == 0 || looks == 0 {
                    break;
                }
            }
            if *end == 0 {
                hopes.swap_remove(at);
            } else if found.is_none() {
                hopes.swap(at, tried);
                tried += 1;
            }
        }
        self.looks = looks;
        self.hopes.insert(giver, hopes);
        found
    }

    /// The last of the giver's partitions that the taker may have, of those before `end`, which goes down to what is for its kind.
    fn find(&self, giver: u32, taker: u32, end: &mut usize, looks: &mut usize) -> Option<usize> {
        let [from, to] = [giver, taker].map(|member| self.held.racks[member as usize]);
        let list = &self.lists[giver as usize];
        *end = (*end).min(list.len());
        let mut for_its_kind = false;
        for at in (0..*end).rev() {
            *looks = looks.saturating_sub(1);
            let others = || self.held.holders(list[at] as usize).iter().filter(|&&holder| holder != giver);
            let in_rack = |rack: u32| others().any(|&holder| self.held.racks[holder as usize] == rack);
            // As many racks as before: a new one, or the giver's was there twice.
            let costs_rack = to < self.racks && in_rack(to) && !in_rack(from);
            if costs_rack || !self.members[taker as usize].subscribes(self.topic(list[at])) {
                continue;
            }
            if !for_its_kind {
                for_its_kind = true;
                *end = at + 1;
            }
            if others().all(|&holder| holder != taker) {
                return Some(at);
            }
        }
        if !for_its_kind {
            *end = 0;
        }
        None
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
            let takers = &mut self.takers[self.kinds[member as usize] as usize];
            takers.remove(&(load, place, member));
            takers.insert((after, place, member));
            if self.givers.remove(&(Reverse(load), place, member)) {
                self.givers.insert((Reverse(after), place, member));
            }
        }
        self.held.pass(partition as usize, giver, taker);
    }
}
