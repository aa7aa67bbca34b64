//! One way to place all partitions, and what its worst load is.

use super::super::order::{Lowest, key, sort, third};
use super::super::pools::{Pool, Pools};
use super::{Level, Loads, Rules, Unit};
use crate::prelude::*;

/// No member, among member indexes.
const NOBODY: u32 = u32::MAX;

/// Members are compared exactly by so many different weights; above that, neighbouring weights are compared as one.
const MOST_QUEUES: usize = 16;

/// How claims count.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) enum Kind {
    /// Not at all.
    Fresh,
    /// What was somewhere stays there.
    Keep,
    /// It stays while the load by weight is at most this.
    Fit(f64),
}

/// The state of a plan, and room for the next.
pub(super) struct Attempt<'a, 'g> {
    group: &'a Group<'a>,
    pools: &'a Pools<'g>,
    loads: Loads<'a>,
    pub(super) rules: Rules,
    pub(super) has_claims: bool,
    /// By member index.
    weights: Vec<f64>,
    load: Vec<f64>,
    /// Its partitions of all units, and of this one; and those that carry load as units were decided before.
    count: Vec<u32>,
    here: Vec<u32>,
    decided: Vec<u32>,
    at_place: Vec<u32>,
    /// By partition index its owner in the plan at hand, and in another one.
    pub(super) plan: Vec<u32>,
    pub(super) spare: Vec<u32>,
    /// Of each unit the partitions with load, the longest first, then the others; and how many there are of both.
    order: Vec<u32>,
    lens: Vec<(usize, usize)>,
}

/// Bounds of a reader's count within a unit.
struct Bounds {
    least: u32,
    most: u32,
}

impl<'a, 'g> Attempt<'a, 'g> {
    pub(super) fn new(
        group: &'a Group<'a>,
        pools: &'a Pools<'g>,
        weights: &[f64],
        loads: Loads<'a>,
        rules: Rules,
    ) -> Self {
        let members = group.members().len();
        let partitions = group.partitions().len();
        let has_claims = group.claim_layers() > 0;
        Attempt {
            group,
            pools,
            loads,
            rules,
            has_claims,
            weights: weights.to_vec(),
            load: vec![0.0; members],
            count: vec![0; members],
            here: vec![0; members],
            decided: vec![0; members],
            at_place: group.members_in_kafkas_order().map(|member| member.index() as u32).collect(),
            plan: vec![NOBODY; partitions],
            spare: vec![NOBODY; if has_claims { partitions } else { 0 }],
            order: Vec::new(),
            lens: Vec::new(),
        }
    }

    /// All topics of a pool as one unit.
    pub(super) fn unit<'u>(&self, pool: &'u Pool<'g>) -> Unit<'u, 'g> {
        let readers = self.pools.ordered_readers(pool).into_iter();
        let readers: Vec<u32> = readers.map(|reader| reader.index() as u32).collect();
        // Members of weight 0 take part only among themselves.
        let weight = |reader: u32| self.weights[reader as usize];
        let bearing: Vec<u32> = readers.iter().copied().filter(|&reader| weight(reader) > 0.0).collect();
        let readers = if bearing.is_empty() { readers } else { bearing };
        let is_alike = readers.windows(2).all(|pair| weight(pair[0]) == weight(pair[1]));
        Unit { topics: &pool.topics, readers, is_alike }
    }

    /// Puts each unit's partitions in order.
    pub(super) fn sort(&mut self, units: &[Unit<'_, '_>]) {
        self.order.clear();
        self.lens.clear();
        for unit in units {
            let start = self.order.len();
            let loaded = unit.partitions().filter(|&partition| self.loads.get(partition) > 0);
            self.order.extend(loaded.map(|partition| partition.index() as u32));
            let mut order = std::mem::take(&mut self.order);
            self.longest_first(&mut order[start..]);
            self.order = order;
            let loaded = self.order.len() - start;
            let others = unit.partitions().filter(|&partition| self.loads.get(partition) == 0);
            self.order.extend(others.map(|partition| partition.index() as u32));
            self.lens.push((loaded, self.order.len() - start - loaded));
        }
    }

    /// Places all partitions of some units; gives the worst load by weight.
    pub(super) fn run(&mut self, kind: Kind, units: &[Unit<'_, '_>]) -> f64 {
        for reader in units.iter().flat_map(|unit| &unit.readers).map(|&reader| reader as usize) {
            self.load[reader] = 0.0;
            self.count[reader] = self.decided[reader];
        }
        let order = std::mem::take(&mut self.order);
        let mut rest = &order[..];
        for (at, unit) in units.iter().enumerate() {
            let (loaded, others) = self.lens[at];
            let (here, behind) = rest.split_at(loaded + others);
            rest = behind;
            self.place(kind, unit, &here[..loaded], &here[loaded..]);
        }
        self.order = order;
        let readers = units.iter().flat_map(|unit| &unit.readers).map(|&reader| reader as usize);
        readers.map(|reader| self.load[reader] / self.weight(reader)).fold(0.0, f64::max)
    }

    /// Writes the plan at hand.
    pub(super) fn write(&mut self, units: &[Unit<'_, '_>], owners: &mut Owners) {
        for unit in units {
            for partition in unit.partitions() {
                if let Some(owner) = self.plan.get(partition.index()).filter(|owner| **owner != NOBODY) {
                    self.decided[*owner as usize] += 1;
                    owners.give(partition, self.group.member(*owner as usize));
                }
            }
        }
    }

    fn place(&mut self, kind: Kind, unit: &Unit<'_, '_>, loaded: &[u32], others: &[u32]) {
        let readers = &unit.readers[..];
        let mut takes_part = vec![false; if kind == Kind::Fresh && others.is_empty() { 0 } else { self.load.len() }];
        readers.iter().for_each(|&reader| self.here[reader as usize] = 0);
        if !takes_part.is_empty() {
            readers.iter().for_each(|&reader| takes_part[reader as usize] = true);
        }
        let bounds = self.bounds(readers.len(), loaded.len() + others.len());
        let mut free = match kind {
            Kind::Fresh => loaded.to_vec(),
            _ => self.keep(kind, loaded, &takes_part, &bounds),
        };
        if kind != Kind::Fresh {
            self.release(&mut free, loaded, readers, others.len(), &bounds);
        }
        self.fill(&free, unit, others.len(), &bounds);
        self.even_out(others, readers, &takes_part);
    }

    /// From so many to so many that each reader may have, such that all partitions find a place.
    fn bounds(&self, readers: usize, partitions: usize) -> Bounds {
        match self.rules.max_count_skew {
            Some(skew) => {
                let least = ((partitions / readers.max(1)) as u32).saturating_sub(skew / 2);
                Bounds { least, most: least.saturating_add(skew.max(1)) }
            }
            None => Bounds { least: 0, most: u32::MAX },
        }
    }

    #[inline]
    fn claimant(&self, partition: u32, takes_part: &[bool]) -> Option<usize> {
        let partition = self.group.partitions().get(partition as usize)?;
        let member = self.group.owner_before(partition)?.index();
        takes_part[member].then_some(member)
    }

    /// Not inlined: a sort would have it at every comparison that it writes out.
    #[inline(never)]
    fn exact_load(&self, partition: u32) -> u64 {
        self.group.partitions().get(partition as usize).map_or(0, |partition| self.loads.get(partition))
    }

    fn load_of(&self, partition: u32) -> f64 {
        self.exact_load(partition) as f64
    }

    fn put(&mut self, partition: u32, member: usize, load: f64) {
        self.plan[partition as usize] = member as u32;
        self.load[member] += load;
        self.count[member] += 1;
        self.here[member] += 1;
    }

    /// Leaves partitions where they were, as far as that is allowed; gives the others, the longest first.
    fn keep(&mut self, kind: Kind, loaded: &[u32], takes_part: &[bool], bounds: &Bounds) -> Vec<u32> {
        let mut free = Vec::new();
        for &partition in loaded {
            let load = self.load_of(partition);
            let fits = |member: &usize| {
                self.here[*member] < bounds.most
                    && match kind {
                        Kind::Fit(most) => self.load[*member] + load <= most * self.weights[*member],
                        _ => true,
                    }
            };
            match self.claimant(partition, takes_part).filter(fits) {
                Some(member) => self.put(partition, member, load),
                None => {
                    self.plan[partition as usize] = NOBODY;
                    free.push(partition);
                }
            }
        }
        free
    }

    /// Frees the shortest of those who have most, when the others could not reach the least count otherwise.
    fn release(&mut self, free: &mut Vec<u32>, loaded: &[u32], readers: &[u32], others: usize, bounds: &Bounds) {
        let need: usize =
            readers.iter().map(|&reader| bounds.least.saturating_sub(self.here[reader as usize]) as usize).sum();
        let Some(missing) = need.checked_sub(free.len() + others).filter(|&missing| missing > 0) else { return };
        // The highest count that frees enough.
        let above = |most: u32| {
            readers.iter().map(|&reader| self.here[reader as usize].saturating_sub(most) as usize).sum::<usize>()
        };
        let (mut low, mut high) = (bounds.least, bounds.most);
        while low < high {
            let middle = low + (high - low).div_ceil(2);
            match above(middle) >= missing {
                true => low = middle,
                false => high = middle - 1,
            }
        }
        let mut left = missing;
        for &partition in loaded.iter().rev() {
            let owner = self.plan[partition as usize];
            if left > 0 && owner != NOBODY && self.here[owner as usize] > low {
                let member = owner as usize;
                self.plan[partition as usize] = NOBODY;
                self.load[member] -= self.load_of(partition);
                self.count[member] -= 1;
                self.here[member] -= 1;
                free.push(partition);
                left -= 1;
            }
        }
        self.longest_first(free);
    }

    #[inline(never)]
    fn longest_first(&self, partitions: &mut [u32]) {
        partitions.sort_unstable_by_key(|&at| (!self.exact_load(at), at));
    }

    /// Each free partition goes to the reader whose load by weight is least with it, ties to the one with fewer partitions.
    fn fill(&mut self, free: &[u32], unit: &Unit<'_, '_>, others: usize, bounds: &Bounds) {
        if free.is_empty() {
            return;
        }
        let readers = &unit.readers[..];
        let mut need: usize =
            readers.iter().map(|&reader| bounds.least.saturating_sub(self.here[reader as usize]) as usize).sum();
        let mut left = free.len() + others;
        let mut is_short = left <= need && need > 0;
        let mut queues = self.queues(unit, |here| here < if is_short { bounds.least } else { bounds.most });
        for &partition in free {
            if !is_short && need > 0 && left <= need {
                is_short = true;
                queues = self.queues(unit, |here| here < bounds.least);
            }
            let load = self.load_of(partition);
            let with = |queue: &Lowest| {
                let place = third(queue.peek()?);
                let member = self.at_place[place as usize] as usize;
                Some(key(((self.load[member] + load) / self.weight(member)).to_bits(), self.count[member], place))
            };
            let best = queues.iter().enumerate().filter_map(|(at, queue)| Some((with(queue)?, at))).min();
            // There is always one: the bounds leave room for all.
            let Some((best, at)) = best else { return };
            let member = self.at_place[third(best) as usize] as usize;
            need -= usize::from(self.here[member] < bounds.least);
            left -= 1;
            self.put(partition, member, load);
            let most = if is_short { bounds.least } else { bounds.most };
            queues[at].replace((self.here[member] < most).then(|| self.key(member)));
        }
    }

    /// Partitions that change no load even out the counts; who had them keeps them as far as that goes.
    fn even_out(&mut self, others: &[u32], readers: &[u32], takes_part: &[bool]) {
        if others.is_empty() {
            return;
        }
        let mut had = vec![0_u32; self.load.len()];
        if self.has_claims {
            for &partition in others {
                if let Some(member) = self.claimant(partition, takes_part) {
                    had[member] += 1;
                }
            }
        }
        let is_local = self.rules.by_topic || self.rules.max_count_skew.is_some();
        let rows: Vec<Level> = readers
            .iter()
            .map(|&reader| reader as usize)
            .map(|reader| Level {
                size: if is_local { self.here[reader] } else { self.count[reader] },
                weight: self.weight(reader),
                had: had[reader],
                rank: self.count[reader],
            })
            .collect();
        let shares = super::super::even::level(&rows, others.len() as u32);
        let mut left = vec![0_u32; self.load.len()];
        readers.iter().zip(&shares).for_each(|(&reader, &share)| left[reader as usize] = share);
        let mut free = Vec::new();
        for &partition in others {
            match self.claimant(partition, takes_part).filter(|&member| self.has_claims && left[member] > 0) {
                Some(member) => {
                    left[member] -= 1;
                    self.put(partition, member, 0.0);
                }
                None => free.push(partition),
            }
        }
        let open = readers.iter().map(|&reader| reader as usize);
        let mut open: Vec<usize> = open.filter(|&reader| left[reader] > 0).collect();
        let mut free = free.into_iter();
        while free.len() > 0 && !open.is_empty() {
            open.retain(|&member| {
                if left[member] > 0
                    && let Some(partition) = free.next()
                {
                    left[member] -= 1;
                    self.put(partition, member, 0.0);
                }
                left[member] > 0
            });
        }
    }

    /// Readers by load, one queue for each weight.
    fn queues(&self, unit: &Unit<'_, '_>, may: impl Fn(u32) -> bool) -> Vec<Lowest> {
        let readers = unit.readers.iter().map(|&reader| reader as usize);
        let able = readers.clone().filter(|&reader| may(self.here[reader]));
        if unit.is_alike {
            return vec![Lowest::of(able.map(|reader| self.key(reader)).collect())];
        }
        let mut weights: Vec<u128> = readers.map(|reader| u128::from(self.weight(reader).to_bits())).collect();
        sort(&mut weights);
        weights.dedup();
        let queue_of = |reader: usize| {
            let rank = weights.partition_point(|&weight| weight < u128::from(self.weight(reader).to_bits()));
            if weights.len() <= MOST_QUEUES { rank } else { rank * MOST_QUEUES / weights.len() }
        };
        let mut queues = vec![Vec::new(); weights.len().min(MOST_QUEUES)];
        able.for_each(|reader| queues[queue_of(reader)].push(self.key(reader)));
        queues.into_iter().map(Lowest::of).collect()
    }

    /// The least loaded first, then who has fewest partitions, then Kafka's order.
    fn key(&self, member: usize) -> u128 {
        key((self.load[member] / self.weight(member)).to_bits(), self.count[member], self.place_of(member))
    }

    /// Its weight; members of weight 0 are alike among themselves.
    fn weight(&self, member: usize) -> f64 {
        if self.weights[member] > 0.0 { self.weights[member] } else { 1.0 }
    }

    fn place_of(&self, member: usize) -> u32 {
        self.group.member(member).place() as u32
    }
}
