//! How many each gets.

use super::super::order::{Lowest, key, sort, third};
use super::super::pools::Pool;
use super::Even;

/// Weights become whole numbers below 2⁶², all by the same power of two, so that shares and remainders are exact.
const WEIGHT_BITS: i32 = 61;

/// What each of some members gets of `total` partitions in proportion to its weight, whole ones by the largest remainder. Of equal
/// remainders those come first whose member had more than its whole share, so that nothing moves for the sake of order; then the
/// earlier members.
pub fn shares(total: u32, weights: &[f64], had: &[u32]) -> Vec<u32> {
    let Some(&first) = weights.first() else { return Vec::new() };
    if weights.iter().all(|&weight| weight == first) {
        return equal_shares(total, had);
    }
    let weights = whole(weights);
    let sum: u128 = weights.iter().map(|&weight| u128::from(weight)).sum();
    if sum == 0 {
        return equal_shares(total, had);
    }
    let exact = |weight: u64| (u128::from(total) * u128::from(weight)) / sum;
    let mut shares: Vec<u32> = weights.iter().map(|&weight| exact(weight) as u32).collect();
    let left = (total - shares.iter().sum::<u32>()) as usize;
    if left > 0 {
        let rest = |at: usize| (u128::from(total) * u128::from(weights[at])) % sum;
        // Sums are below 2⁸⁶, so a remainder, a flag and an index fit into one key.
        let order = |at: usize| (sum - rest(at)) << 40 | u128::from(had[at] <= shares[at]) << 32 | at as u128;
        let mut order: Vec<u128> = (0..weights.len()).map(order).collect();
        sort(&mut order);
        order.into_iter().take(left).for_each(|key| shares[third(key) as usize] += 1);
    }
    shares
}

/// Everybody the same; the odd ones go to those who had more, then to the first.
fn equal_shares(total: u32, had: &[u32]) -> Vec<u32> {
    let members = had.len() as u32;
    let (share, mut odd) = (total / members, total % members);
    let mut shares = vec![share; had.len()];
    for more in [true, false] {
        for (own, &had) in shares.iter_mut().zip(had) {
            if odd > 0 && (had > share) == more {
                *own += 1;
                odd -= 1;
            }
        }
    }
    shares
}

/// A member that has some partitions already, among others that get more.
#[derive(Clone, Copy, Debug)]
pub struct Level {
    /// How many it has.
    pub size: u32,
    /// What it weighs; above zero.
    pub weight: f64,
    /// How many of those that are to be given it had: of equals it comes first while that is more than it got.
    pub had: u32,
    /// Among equals the lower one is first, then the earlier.
    pub rank: u32,
}

/// How many of `total` each gets, so that sizes are as near to the proportion of weights as they can be.
pub fn level(members: &[Level], total: u32) -> Vec<u32> {
    if members.is_empty() {
        return Vec::new();
    }
    let below =
        |member: &Level, level: f64| (((level * member.weight + 1.0) / 2.0).floor() as u32).saturating_sub(member.size);
    let mut shares = vec![0; members.len()];
    // From so many on it pays to look for what is sure.
    if total as usize >= members.len() {
        let sure = sure_level(members.iter().map(|member| (member.size, member.weight)), u64::from(total), |level| {
            members.iter().map(|member| u64::from(below(member, level))).sum()
        });
        shares.iter_mut().zip(members).for_each(|(share, member)| *share = below(member, sure));
    }
    // One more for whoever has the lowest step.
    let row = |at: usize, share: u32| {
        let step = f64::from(2 * (members[at].size + share) + 1) / members[at].weight;
        let rank = members[at].rank.min(u32::MAX >> 1) | u32::from(members[at].had <= share) << 31;
        key(step.to_bits(), rank, at as u32)
    };
    let left = u64::from(total).saturating_sub(shares.iter().map(|&share| u64::from(share)).sum());
    let rows = if left > 0 { members.len() } else { 0 };
    let mut next = Lowest::of((0..rows).map(|at| row(at, shares[at])).collect());
    for _ in 0..left {
        let Some(lowest) = next.peek() else { break };
        let at = third(lowest) as usize;
        shares[at] += 1;
        next.replace(Some(row(at, shares[at])));
    }
    shares
}

/// A level up to which all steps together are at most `free`, and nearly that; `all` counts them.
fn sure_level(members: impl Iterator<Item = (u32, f64)>, free: u64, all: impl Fn(f64) -> u64) -> f64 {
    let most = |one: (f64, f64), next: (u32, f64)| (one.0.max(f64::from(next.0)), one.1.max(next.1));
    let (size, weight) = members.fold((0.0, 0.0), most);
    let (mut low, mut high) = (0.0, (2.0 * (size + free as f64) + 2.0) / weight);
    for _ in 0..30 {
        let middle = (low + high) / 2.0;
        match all(middle) <= free {
            true => low = middle,
            false => high = middle,
        }
    }
    low
}

fn whole(weights: &[f64]) -> Vec<u64> {
    let most = weights.iter().copied().fold(0.0, f64::max);
    let exponent = ((most.to_bits() >> 52) & 0x7ff) as i32 - 1023;
    let scale = 2_f64.powi((WEIGHT_BITS - exponent).clamp(-1000, 1000));
    weights.iter().map(|weight| (weight * scale) as u64).collect()
}

impl Even<'_, '_> {
    /// Who gets how many of a pool's free partitions: always the lowest step next. What is sure is found at once, the rest one by
    /// one.
    pub(super) fn shares_of_free(&mut self, pool: &Pool<'_>, free: usize) -> Vec<(usize, u32)> {
        /// From so many for each reader on it pays to look for what is sure.
        const MANY: usize = 4;
        let readers: Vec<usize> = self.pools.readers(pool).map(|member| member.index()).collect();
        let mut shares: Vec<(usize, u32)> = Vec::new();
        let mut left = free;
        if free >= MANY * readers.len() {
            let all = |level: f64| readers.iter().map(|&member| u64::from(self.below(member, level))).sum();
            let members = readers.iter().map(|&member| (self.size[member], self.weights[member]));
            let level = sure_level(members, free as u64, all);
            for &member in &readers {
                let share = self.below(member, level);
                if share > 0 {
                    self.size[member] += share;
                    left -= share as usize;
                    shares.push((member, share));
                }
            }
        }
        let taken = self.take_lowest(&readers, left);
        for &(member, share) in &shares {
            self.size[member] -= share;
        }
        shares.extend(taken);
        shares
    }

    /// The lowest steps of some members, `left` times.
    fn take_lowest(&mut self, members: &[usize], left: usize) -> Vec<(usize, u32)> {
        if left == 0 {
            return Vec::new();
        }
        let mut next = Lowest::of(members.iter().map(|&member| self.key(member)).collect());
        let mut order = Vec::new();
        for _ in 0..left {
            let Some(lowest) = next.peek() else { break };
            let member = self.member_at(third(lowest));
            if self.count[member] == 0 {
                order.push(member);
            }
            self.count[member] += 1;
            let step = f64::from(2 * (self.size[member] + self.count[member]) + 1) / self.weights[member];
            next.replace(Some(key(step.to_bits(), 0, third(lowest))));
        }
        order.into_iter().map(|member| (member, std::mem::take(&mut self.count[member]))).collect()
    }

    /// The lowest step first, ties in Kafka's order. The bits of positive numbers sort as the numbers do.
    pub(super) fn key(&self, member: usize) -> u128 {
        key(self.step(member).to_bits(), 0, self.group.member(member).place() as u32)
    }

    /// The member at a place of Kafka's order.
    pub(super) fn member_at(&self, place: u32) -> usize {
        self.at_place[place as usize] as usize
    }

    /// How many partitions a member can take with steps below a level.
    fn below(&self, member: usize, level: f64) -> u32 {
        // step(size + n - 1) < level, that is n < (level * weight + 1) / 2 - size
        let most = ((level * self.weights[member] + 1.0) / 2.0).floor();
        (most as u32).saturating_sub(self.size[member])
    }
}
