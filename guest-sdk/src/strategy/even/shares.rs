//! How many each gets.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::super::pools::Pool;
use super::{Even, Key};

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
        let mut order: Vec<(Reverse<u128>, bool, usize)> =
            (0..weights.len()).map(|at| (Reverse(rest(at)), had[at] <= shares[at], at)).collect();
        order.sort_unstable();
        order.iter().take(left).for_each(|&(_, _, at)| shares[at] += 1);
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
            let level = self.sure_level(&readers, free as u64);
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
        let mut keys = std::mem::take(&mut self.keys);
        keys.clear();
        keys.extend(members.iter().map(|&member| self.key(member)));
        // No more members than partitions can get any.
        if left < keys.len() {
            if left > 0 {
                keys.select_nth_unstable(left);
            }
            keys.truncate(left);
        }
        let mut next: BinaryHeap<Reverse<Key>> = keys.iter().copied().map(Reverse).collect();
        self.keys = keys;
        let mut order = Vec::new();
        for _ in 0..left {
            let Some(mut lowest) = next.peek_mut() else { break };
            let member = self.member_at(lowest.0.1);
            if self.count[member] == 0 {
                order.push(member);
            }
            self.count[member] += 1;
            let step = f64::from(2 * (self.size[member] + self.count[member]) + 1) / self.weights[member];
            lowest.0.0 = step.to_bits();
        }
        order.into_iter().map(|member| (member, std::mem::take(&mut self.count[member]))).collect()
    }

    pub(super) fn key(&self, member: usize) -> Key {
        (self.step(member).to_bits(), self.group.member(member).place() as u32)
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

    /// A level up to which all steps together are at most `free`, and nearly that.
    fn sure_level(&self, members: &[usize], free: u64) -> f64 {
        let all = |level: f64| members.iter().map(|&member| u64::from(self.below(member, level))).sum::<u64>();
        let most = members.iter().map(|&member| self.weights[member]).fold(0.0, f64::max);
        let high_size = free as f64 + members.iter().map(|&member| f64::from(self.size[member])).fold(0.0, f64::max);
        let (mut low, mut high) = (0.0, (2.0 * high_size + 2.0) / most);
        for _ in 0..30 {
            let middle = (low + high) / 2.0;
            match all(middle) <= free {
                true => low = middle,
                false => high = middle,
            }
        }
        low
    }
}
