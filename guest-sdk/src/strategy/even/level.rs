//! Moves partitions from members that have too many to those that have too few, until no single move helps.

use super::super::order::{Lowest, first, key, third};
use super::super::pools::Pool;
use super::{Even, NOBODY};
use crate::prelude::*;

/// Rounds over all pools that every group gets, however large.
const ROUNDS: usize = 16;

/// What may be looked at beyond that, in partitions and readers: a fraction of a second. Groups of ordinary sizes settle within a
/// few rounds, and long before this in the worst case.
const LOOKS: usize = 24_000_000;

impl Even<'_, '_> {
    /// Evens out pools that share readers; false when the bound was reached first.
    pub(super) fn settle(&mut self, pools: &[&Pool<'_>], owners: &mut Owners) -> bool {
        let size: usize = pools.iter().map(|pool| pool.partitions + pool.readers).sum();
        let rounds = ROUNDS + LOOKS / (size + 1);
        // By pool when it was last looked at. The clock counts looks that changed something.
        let mut seen = vec![u32::MAX; pools.len()];
        let mut clock = 0;
        let mut moved = false;
        for _ in 0..rounds {
            let before = clock;
            for (&pool, seen) in pools.iter().zip(&mut seen) {
                let changed = pool.cohorts().map(|cohort| self.changed[cohort]).max();
                if *seen != u32::MAX && changed.is_none_or(|changed| changed <= *seen) {
                    continue;
                }
                if pool.readers > 1 && self.level(pool, owners) {
                    clock += 1;
                    pool.cohorts().for_each(|cohort| self.changed[cohort] = clock);
                }
                *seen = clock;
            }
            if clock != before {
                moved = true;
                continue;
            }
            // Balanced; what moved for nothing goes back, which may open ways that were closed.
            if !moved || !self.restore_all(pools, owners) {
                return true;
            }
            clock += 1;
            self.changed.fill(clock);
            moved = false;
        }
        false
    }

    /// Evens out one pool; says whether anything moved.
    fn level(&mut self, pool: &Pool<'_>, owners: &mut Owners) -> bool {
        let lowest = self.lowest_step(pool);
        let mut holders = Vec::new();
        for topic in &pool.topics {
            for partition in topic.partitions() {
                if let Some(owner) = owners.owner(partition) {
                    if self.count[owner] == 0 {
                        holders.push(owner);
                    }
                    self.count[owner] += 1;
                }
            }
        }
        let givers = holders.iter().filter(|&&holder| self.wins(holder) > lowest);
        let givers: Vec<u128> = givers.map(|&holder| self.giver(holder)).collect();
        let moves = if givers.is_empty() { Vec::new() } else { self.choose(pool, Lowest::of(givers)) };
        if moves.is_empty() {
            holders.into_iter().for_each(|holder| self.count[holder] = 0);
            return false;
        }
        self.carry_out(pool, &holders, moves, owners);
        pool.cohorts().for_each(|cohort| self.lowest[cohort] = None);
        true
    }

    /// Who gives one to whom, in turn: who wins most to who loses least, as long as that is a gain. Sizes are those afterwards.
    fn choose(&mut self, pool: &Pool<'_>, mut givers: Lowest) -> Vec<(u32, u32)> {
        let most = givers.peek().map_or(0, |giver| !first(giver));
        let takers = self.pools.readers(pool).map(|reader| self.key(reader.index()));
        let mut takers = Lowest::of(takers.filter(|&taker| first(taker) < most).collect());
        let mut moves = Vec::new();
        while let (Some(giver), Some(taker)) = (givers.peek(), takers.peek()) {
            if !first(giver) <= first(taker) {
                break;
            }
            let (from, to) = (self.member_at(third(giver)), self.member_at(third(taker)));
            moves.push((from as u32, to as u32));
            self.size[from] -= 1;
            self.size[to] += 1;
            self.count[from] -= 1;
            takers.replace(Some(self.key(to)));
            givers.replace((self.count[from] > 0).then(|| self.giver(from)));
        }
        moves
    }

    /// Finds the partitions for moves: first those that come home, then those that are not at home where they are, then others,
    /// spread over all that their owner has here.
    fn carry_out(&mut self, pool: &Pool<'_>, holders: &[usize], moves: Vec<(u32, u32)>, owners: &mut Owners) {
        let group = self.group;
        // From here on `count` is what a holder still has to give; `takes` what a taker is still to get.
        holders.iter().for_each(|&holder| self.count[holder] = 0);
        let mut takes = vec![0_u32; self.size.len()];
        for &(from, to) in &moves {
            self.count[from as usize] += 1;
            takes[to as usize] += 1;
        }
        let mut at_home = vec![0_u32; self.size.len()];
        for partition in pool.all() {
            let Some(owner) = owners.owner(partition).filter(|&owner| self.count[owner] > 0) else { continue };
            match self.claimant(pool, partition) {
                Some(home) if home == owner => at_home[owner] += 1,
                Some(home) if takes[home] > 0 => {
                    takes[home] -= 1;
                    self.count[owner] -= 1;
                    owners.give(partition, group.member(home));
                }
                _ => {}
            }
        }
        let mut next = moves.into_iter().map(|(_, to)| to as usize);
        let mut taker = || next.by_ref().find(|&to| takes[to] > 0).inspect(|&to| takes[to] -= 1);
        for partition in pool.all() {
            let Some(owner) = owners.owner(partition).filter(|&owner| self.count[owner] > 0) else { continue };
            if self.claimant(pool, partition) != Some(owner)
                && let Some(to) = taker()
            {
                self.count[owner] -= 1;
                owners.give(partition, group.member(to));
            }
        }
        let mut owed = vec![0_u32; self.size.len()];
        let gives: Vec<u32> = self.count.clone();
        for partition in pool.all() {
            let Some(owner) = owners.owner(partition).filter(|&owner| self.count[owner] > 0) else { continue };
            if self.claimant(pool, partition) != Some(owner) {
                continue;
            }
            owed[owner] += gives[owner];
            if owed[owner] >= at_home[owner]
                && let Some(to) = taker()
            {
                owed[owner] -= at_home[owner];
                self.count[owner] -= 1;
                owners.give(partition, group.member(to));
            }
        }
    }

    /// The lowest step of a pool's readers.
    fn lowest_step(&mut self, pool: &Pool<'_>) -> f64 {
        let mut lowest = f64::INFINITY;
        for cohort in pool.cohorts() {
            let known = self.lowest[cohort];
            let of_cohort = known.unwrap_or_else(|| {
                let members = self.pools.cohort_members(cohort).iter();
                members.map(|member| self.step(member.index())).fold(f64::INFINITY, f64::min)
            });
            self.lowest[cohort] = Some(of_cohort);
            lowest = lowest.min(of_cohort);
        }
        lowest
    }

    /// What the balance wins when a member gives one up.
    #[inline]
    fn wins(&self, member: usize) -> f64 {
        (f64::from(2 * self.size[member]) - 1.0) / self.weights[member]
    }

    /// Who wins most comes first, ties in Kafka's order.
    fn giver(&self, member: usize) -> u128 {
        key(!self.wins(member).to_bits(), 0, self.group.member(member).place() as u32)
    }

    /// Brings partitions home where that costs no balance; says whether a size changed.
    fn restore_all(&mut self, pools: &[&Pool<'_>], owners: &mut Owners) -> bool {
        if !self.has_claims {
            return false;
        }
        let mut first = vec![NOBODY; self.size.len()];
        let mut next = vec![NOBODY; self.group.partitions().len()];
        let mut changed = false;
        for pool in pools {
            changed |= self.go_home(pool, owners);
            self.exchange(pool, &mut first, &mut next, owners);
        }
        if changed {
            self.lowest.fill(None);
        }
        changed
    }

    /// Partitions go home where the balance is as good with them.
    fn go_home(&mut self, pool: &Pool<'_>, owners: &mut Owners) -> bool {
        let mut changed = false;
        for partition in pool.all() {
            let (Some(home), Some(owner)) = (self.claimant(pool, partition), owners.owner(partition)) else { continue };
            if home != owner && self.step(home) <= self.wins(owner) {
                self.size[home] += 1;
                self.size[owner] -= 1;
                owners.give(partition, self.group.member(home));
                changed = true;
            }
        }
        changed
    }

    /// A member that lost a partition of the pool, and has another one here that is not its own, has them exchanged.
    fn exchange(&self, pool: &Pool<'_>, first: &mut [u32], next: &mut [u32], owners: &mut Owners) {
        // By member the partitions here that are not at home with it, as chains through `next`.
        for partition in pool.all() {
            if let Some(owner) = owners.owner(partition)
                && self.claimant(pool, partition) != Some(owner)
            {
                next[partition.index()] = std::mem::replace(&mut first[owner], partition.index() as u32);
            }
        }
        let all = self.group.partitions();
        for partition in pool.all() {
            let (Some(home), Some(owner)) = (self.claimant(pool, partition), owners.owner(partition)) else { continue };
            if home == owner {
                continue;
            }
            while let Some(other) = all.get(first[home] as usize).filter(|_| first[home] != NOBODY) {
                first[home] = next[other.index()];
                // A stranger that went home, or elsewhere, since it was put into the chain.
                if owners.owner(other) != Some(home) || self.claimant(pool, other) == Some(home) {
                    continue;
                }
                owners.give(partition, self.group.member(home));
                owners.give(other, self.group.member(owner));
                if self.claimant(pool, other) != Some(owner) {
                    next[other.index()] = std::mem::replace(&mut first[owner], other.index() as u32);
                }
                break;
            }
        }
        self.pools.readers(pool).for_each(|member| first[member.index()] = NOBODY);
    }
}
