//! Evens out: from who has most to who has least, as long as a copy may move and the difference is two or more.
//!
//! No partition is looked at twice for the same reason: what a member has is in lists that only grow, and for each kind of taker there is a
//! place up to which nothing is for it. When a copy moves, its partition is put behind the lists of all who hold it: for them something
//! may have changed.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, BinaryHeap};

use divvy_guest::prelude::*;

use crate::copies::Copies;

/// How many looks at a copy or at a kind of members there may be for each copy of the plan: a group in which nearly nothing may move
/// (members that each read something else, racks of one member) would otherwise be tried in all pairs.
const LOOKS_PER_COPY: usize = 8;

/// And so many in any case, so that small groups are always even.
const LOOKS_AT_LEAST: usize = 4_000_000;

/// From a partition it is so far at most to one of which the topic is known.
const SIGNS_APART: usize = 32;

/// A member by its load, then by its place in Kafka's order; those that have least come first.
type Key = u64;

/// Nobody's.
const NONE: Key = Key::MAX;

/// Up to where the two lists of a member were looked at.
type Cursor = [u32; 2];

struct Spread<'g, 'c> {
    group: &'g Group<'g>,
    topics: Vec<Topic<'g>>,
    /// The topic of every so many partitions.
    signs: Vec<u32>,
    /// By place.
    members: Vec<Member<'g>>,
    held: &'c mut Copies,
    /// Partitions of each member, from the highest on: those that it did not have before, and those that it had. What it gave stays
    /// where it is.
    lists: Vec<[Vec<u32>; 2]>,
    /// For each member its kind: rack and subscription. Without a rack nobody stands in a member's way but itself.
    kinds: Vec<u32>,
    /// How many racks there are: who has none has a number from here on.
    racks: u32,
    /// The members of each kind, and the first of them.
    takers: Vec<BTreeSet<Key>>,
    least: Vec<Key>,
    /// For each giver the kinds for which its lists were looked at, ascending, and how far: those beyond which nothing is for the kind.
    hopes: Vec<Vec<(u32, Cursor)>>,
    /// For a giver and a taker how far the giver's lists were looked at, if that is further than for its kind.
    seen: BTreeMap<(u32, u32), Cursor>,
    looks: usize,
}

/// Moves copies until nobody has two more than somebody who could take one of them.
pub fn even_out(group: &Group<'_>, held: &mut Copies) {
    let loads = || held.loads.iter().copied();
    if loads().max().unwrap_or(0) - loads().min().unwrap_or(0) < 2 {
        return;
    }
    let mut spread = Spread::new(group, held);
    while spread.looks > 0 && spread.round() {}
}

impl<'g, 'c> Spread<'g, 'c> {
    fn new(group: &'g Group<'_>, held: &'c mut Copies) -> Self {
        let racks = group.racks().len() as u32;
        let members: Vec<Member<'g>> = group.members_in_kafkas_order().collect();
        let topics: Vec<Topic<'_>> = group.topics().collect();
        let signs = topics.iter().zip(0..).flat_map(|(topic, at)| {
            let partitions = topic.partitions().map(Partition::index);
            partitions.filter(|partition| partition % SIGNS_APART == 0).map(move |_| at)
        });
        let signs = signs.collect();
        let mut numbers = BTreeMap::new();
        let mut takers = Vec::new();
        let mut kinds = vec![0; members.len()];
        for (place, member) in members.iter().enumerate() {
            let rack = held.racks[member.index()].min(racks);
            let kind = *numbers.entry((rack, member.subscription())).or_insert(takers.len() as u32);
            if kind as usize == takers.len() {
                takers.push(BTreeSet::new());
            }
            takers[kind as usize].insert(key(held.loads[member.index()], place));
            kinds[member.index()] = kind;
        }
        let least = takers.iter().map(first).collect();
        let looks = held.loads.iter().map(|&load| load as usize).sum::<usize>() * LOOKS_PER_COPY + LOOKS_AT_LEAST;
        let is_first = group.claim_layers() == 0;
        let room = |load: u32| if is_first { [load as usize, 0] } else { [0, load as usize] };
        let lists = held.loads.iter().map(|&load| room(load).map(Vec::with_capacity)).collect();
        let hopes = vec![Vec::new(); held.loads.len()];
        let seen = BTreeMap::new();
        let mut spread =
            Spread { group, topics, signs, members, held, lists, kinds, racks, takers, least, hopes, seen, looks };
        let partitions = group.partitions();
        for partition in (0..partitions.len()).rev().filter_map(|at| partitions.get(at)) {
            spread.list(partition);
        }
        spread
    }

    /// Puts a partition behind the lists of who holds it.
    fn list(&mut self, partition: Partition) {
        for &holder in self.held.holders(partition.index()) {
            let claimants =
                (0..self.group.claim_layers()).filter_map(|layer| self.group.owner_before_in(layer, partition));
            let is_old = claimants.map(|claimant| claimant.index() as u32).any(|claimant| claimant == holder);
            self.lists[holder as usize][usize::from(is_old)].push(partition.index() as u32);
        }
    }

    /// Lets everybody give as much as it can; says whether anything moved.
    fn round(&mut self) -> bool {
        let least = self.least.iter().map(|&key| load(key)).min().unwrap_or(0);
        let places = self.members.iter().zip(0_u32..);
        let mut givers: BinaryHeap<(u32, Reverse<u32>)> =
            places.map(|(member, place)| (self.held.loads[member.index()], Reverse(place))).collect();
        // Who is through: it may take, but gives no more in this round.
        let mut is_done = vec![false; self.members.len()];
        let mut moved = false;
        while let Some((load, Reverse(place))) = givers.pop().filter(|giver| giver.0 >= least + 2 && self.looks > 0) {
            let giver = self.members[place as usize].index();
            // Of its entries only one is true.
            if is_done[giver] || self.held.loads[giver] != load {
                continue;
            }
            let Some((taker, partition)) = self.taker_for(giver as u32, load) else {
                is_done[giver] = true;
                continue;
            };
            moved = true;
            self.pass(partition, giver as u32, taker.index() as u32);
            for member in [self.members[place as usize], taker] {
                givers.push((self.held.loads[member.index()], Reverse(member.place() as u32)));
            }
        }
        moved
    }

    /// Who has least and can take something of the giver's, and what.
    fn taker_for(&mut self, giver: u32, load: u32) -> Option<(Member<'g>, Partition)> {
        // Those with less than two fewer.
        let end = key(load.saturating_sub(1), 0);
        let mut open = self.open_kinds(giver, end);
        while self.looks > 0 {
            self.looks = self.looks.saturating_sub(open.len());
            let at = (0..open.len()).min_by_key(|&at| self.least[open[at].0 as usize])?;
            let (kind, before) = open.swap_remove(at);
            let (mut cursor, mut after, mut found) = (before, 0, None);
            while let Some(&taker) = self.takers[kind as usize].range(after..end).next() {
                let member = self.members[taker as u32 as usize];
                found = self.find(giver, member, &mut cursor).map(|partition| (member, partition));
                if found.is_some() || self.looks == 0 || self.is_end(giver, cursor) {
                    break;
                }
                after = taker + 1;
            }
            if cursor != before {
                let hopes = &mut self.hopes[giver as usize];
                match hopes.binary_search_by_key(&kind, |hope| hope.0) {
                    Ok(at) => hopes[at].1 = cursor,
                    Err(at) => hopes.insert(at, (kind, cursor)),
                }
            }
            if found.is_some() {
                return found;
            }
        }
        None
    }

    /// The kinds of which somebody is before an end, and that a giver may have something for.
    fn open_kinds(&mut self, giver: u32, end: Key) -> Vec<(u32, Cursor)> {
        self.looks = self.looks.saturating_sub(self.least.len());
        let mut hopes = self.hopes[giver as usize].iter().peekable();
        let mut open = Vec::new();
        for (kind, &least) in (0..).zip(&self.least) {
            let cursor = hopes.next_if(|hope| hope.0 == kind).map_or([0, 0], |hope| hope.1);
            if least < end && !self.is_end(giver, cursor) {
                open.push((kind, cursor));
            }
        }
        open
    }

    fn is_end(&self, giver: u32, cursor: Cursor) -> bool {
        let lists = &self.lists[giver as usize];
        cursor == [0, 1].map(|which| lists[which].len() as u32)
    }

    /// The first of the giver's partitions that the taker may have. The cursor of its kind goes on to the first that is for the kind.
    fn find(&mut self, giver: u32, taker: Member<'g>, of_kind: &mut Cursor) -> Option<Partition> {
        let pair = (giver, taker.index() as u32);
        let mut at = *of_kind;
        if let Some(seen) = self.seen.get(&pair) {
            at = [0, 1].map(|which| at[which].max(seen[which]));
        }
        let mut goes_on = at == *of_kind;
        let mut found = None;
        'lists: for which in [0, 1] {
            let list = &self.lists[giver as usize][which];
            while let Some(&partition) = list.get(at[which] as usize) {
                self.looks = self.looks.saturating_sub(1);
                if self.is_for(giver, taker, partition) {
                    goes_on = false;
                    if !self.held.holders(partition as usize).contains(&pair.1) {
                        found = self.group.partitions().get(partition as usize);
                        break 'lists;
                    }
                }
                at[which] += 1;
                if goes_on {
                    of_kind[which] = at[which];
                }
            }
        }
        if at != *of_kind {
            self.seen.insert(pair, at);
        }
        found
    }

    /// Whether a giver may give a partition to members of a taker's kind.
    fn is_for(&self, giver: u32, taker: Member<'g>, partition: u32) -> bool {
        let holders = self.held.holders(partition as usize);
        let [from, to] = [giver as usize, taker.index()].map(|member| self.held.racks[member]);
        let others = || holders.iter().filter(|&&holder| holder != giver);
        let in_rack = |rack: u32| others().any(|&holder| self.held.racks[holder as usize] == rack);
        // As many racks as before: a new one, or the giver's was there twice.
        let costs_rack = to < self.racks && in_rack(to) && !in_rack(from);
        !costs_rack && holders.contains(&giver) && taker.subscribes(self.topic(partition as usize))
    }

    fn topic(&self, partition: usize) -> Topic<'g> {
        let mut at = self.signs[partition / SIGNS_APART] as usize;
        while self.topics.get(at + 1).is_some_and(|next| next.partitions().start() <= partition) {
            at += 1;
        }
        self.topics[at]
    }

    fn pass(&mut self, partition: Partition, giver: u32, taker: u32) {
        let before = [giver, taker].map(|member| self.key(member));
        self.held.pass(partition.index(), giver, taker);
        for (member, before) in [giver, taker].into_iter().zip(before) {
            let after = self.key(member);
            let kind = self.kinds[member as usize] as usize;
            self.takers[kind].remove(&before);
            self.takers[kind].insert(after);
            self.least[kind] = first(&self.takers[kind]);
        }
        self.list(partition);
    }

    fn key(&self, member: u32) -> Key {
        key(self.held.loads[member as usize], self.group.member(member as usize).place())
    }
}

fn key(load: u32, place: usize) -> Key {
    u64::from(load) << 32 | place as u64
}

fn load(key: Key) -> u32 {
    (key >> 32) as u32
}

fn first(takers: &BTreeSet<Key>) -> Key {
    takers.first().copied().unwrap_or(NONE)
}
