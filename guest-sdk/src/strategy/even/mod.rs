//! Shares in proportion to weights, with as few moves as that allows.
//!
//! In order of importance:
//!
//! 1. Every partition goes to one of its topic's readers.
//! 2. Members that read the same, and nobody else reads any of it, have exactly their shares: the partitions in proportion to
//!    weights, whole ones by the largest remainder. With equal weights no two of them differ by more than one partition.
//!    Otherwise no single move improves the balance: no partition is with a member that has two more than another reader of
//!    its topic (with weights: no move lowers the sum of `size² / weight`).
//! 3. Partitions stay where they were last. Between members that read the same the number of moves is the least that the shares
//!    allow; what a member gives up is spread over all that it has, so that nobody's share of one topic grows with each join.
//! 4. A plan made of its own outcome is the same plan.
//!
//! Costs time in proportion to partitions, and to readers of each pool; no map, no search per partition.

mod level;
mod shares;

use super::pools::{Pool, Pools};
use crate::prelude::*;

pub use shares::{Level, level, shares};

/// Nobody, among member indexes.
const NOBODY: u32 = u32::MAX;

/// A member that is to get nothing counts for so little that it gets something only if nobody else can.
const DRAINED: f64 = 1.0 / (1_u64 << 40) as f64;

/// What a plan came to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Evened {
    /// Whether no single move would improve the balance. Only groups made to be hard are left before that: the work is bounded
    /// for every group.
    pub is_settled: bool,
}

/// Gives all partitions of a group; `weights` has a number from 0 for each member by index.
pub fn give(group: &Group<'_>, pools: &Pools<'_>, weights: &[f64], owners: &mut Owners) -> Evened {
    let mut even = Even::new(group, pools, weights);
    let mut uneven = Vec::new();
    for pool in &pools.pools {
        match pool.is_alone {
            true => even.give_alone(pool, owners),
            false => uneven.push(pool),
        }
    }
    uneven.iter().for_each(|pool| even.keep(pool, owners));
    uneven.iter().for_each(|pool| even.fill(pool, owners));
    Evened { is_settled: even.settle(&uneven, owners) }
}

/// A plan while it is made.
struct Even<'a, 'g> {
    group: &'a Group<'a>,
    pools: &'a Pools<'g>,
    has_claims: bool,
    /// By member index: what it weighs, how many partitions it has, and room for counting.
    weights: Vec<f64>,
    /// What a member of weight 0 weighs.
    drained: f64,
    size: Vec<u32>,
    count: Vec<u32>,
    /// By place in Kafka's order the member's index.
    at_place: Vec<u32>,
    /// By subscription: the lowest step (see `step`) of its members, when it is known.
    lowest: Vec<Option<f64>>,
    /// By subscription: when its members' sizes last changed.
    changed: Vec<u32>,
}

impl<'a, 'g> Even<'a, 'g> {
    fn new(group: &'a Group<'a>, pools: &'a Pools<'g>, weights: &[f64]) -> Self {
        let least = weights.iter().copied().filter(|&weight| weight > 0.0).fold(f64::INFINITY, f64::min);
        let least = if least.is_finite() { least } else { 1.0 };
        let drained = least * DRAINED;
        let weights = weights.iter().map(|&weight| if weight > 0.0 { weight } else { drained }).collect();
        let members = group.members().len();
        Even {
            group,
            pools,
            has_claims: group.claim_layers() > 0,
            weights,
            drained,
            size: vec![0; members],
            count: vec![0; members],
            at_place: group.members_in_kafkas_order().map(|member| member.index() as u32).collect(),
            lowest: vec![None; pools.cohorts()],
            changed: vec![0; pools.cohorts()],
        }
    }

    /// The reader of the pool that had a partition last.
    #[inline]
    fn claimant(&self, pool: &Pool<'_>, partition: Partition) -> Option<usize> {
        let member = self.group.owner_before(partition)?.index();
        pool.is_read_by(self.pools.cohort(member)).then_some(member)
    }

    /// The balance that is lost with one more partition: that of `size² / weight`, which is least when sizes are in proportion
    /// to weights. To give one up wins what `step` was one partition ago.
    #[inline]
    fn step(&self, member: usize) -> f64 {
        f64::from(2 * self.size[member] + 1) / self.weights[member]
    }

    /// Members that read the same, and all of it is theirs: exact shares, then what stays, then the rest in turn.
    fn give_alone(&mut self, pool: &Pool<'_>, owners: &mut Owners) {
        let group = self.group;
        let members = &self.pools.ordered_readers(pool)[..];
        if self.has_claims {
            for topic in &pool.topics {
                for partition in topic.partitions() {
                    if let Some(member) = self.claimant(pool, partition) {
                        self.count[member] += 1;
                    }
                }
            }
        }
        let index: Vec<usize> = members.iter().map(|member| member.index()).collect();
        let had: Vec<u32> = index.iter().map(|&member| self.count[member]).collect();
        let exact = |weight: f64| if weight > self.drained { weight } else { 0.0 };
        let weights: Vec<f64> = index.iter().map(|&member| exact(self.weights[member])).collect();
        let shares = shares(pool.partitions as u32, &weights, &had);
        let alike = shares[0] <= shares[shares.len() - 1] + 1 && shares.is_sorted_by(|one, next| one >= next);
        if alike && had.iter().all(|&had| had == 0) {
            let mut next = 0;
            for topic in &pool.topics {
                owners.deal(topic.partitions(), members, next);
                next = (next + topic.len()) % members.len();
            }
            return;
        }
        let mut rest = Turns::default();
        let mut cuts = vec![Cut::default(); self.size.len()];
        for (&member, (&share, &had)) in index.iter().zip(shares.iter().zip(&had)) {
            cuts[member] = Cut { had, share: share.min(had), owed: had.saturating_sub(1) };
            rest.add(member, share.saturating_sub(had));
        }
        for topic in &pool.topics {
            for partition in topic.partitions() {
                match group.owner_before(partition).filter(|member| cuts[member.index()].keeps()) {
                    Some(member) => owners.give(partition, member),
                    None => {
                        if let Some(member) = rest.next() {
                            owners.give(partition, group.member(member));
                        }
                    }
                }
            }
        }
    }

    /// Partitions stay where they were.
    fn keep(&mut self, pool: &Pool<'_>, owners: &mut Owners) {
        if !self.has_claims {
            return;
        }
        for partition in pool.all() {
            if let Some(member) = self.claimant(pool, partition) {
                self.size[member] += 1;
                owners.give(partition, self.group.member(member));
            }
        }
    }

    /// Partitions without owner go, one after another, to the reader with the lowest step.
    fn fill(&mut self, pool: &Pool<'_>, owners: &mut Owners) {
        let free = pool.all().filter(|&partition| owners.owner(partition).is_none()).count();
        if free == 0 {
            return;
        }
        let shares = self.shares_of_free(pool, free);
        let mut turns = Turns::default();
        for (member, share) in shares {
            self.size[member] += share;
            turns.add(member, share);
        }
        let group = self.group;
        for partition in pool.all() {
            if owners.owner(partition).is_none()
                && let Some(member) = turns.next()
            {
                owners.give(partition, group.member(member));
            }
        }
    }
}

/// What a member keeps of more than its share is spread over all that it had: each one adds the share to what it is owed, and is
/// kept whenever that makes a whole one. Who is no reader has nothing.
#[derive(Clone, Copy, Default)]
struct Cut {
    had: u32,
    share: u32,
    owed: u32,
}

impl Cut {
    #[inline]
    fn keeps(&mut self) -> bool {
        if self.share == self.had {
            return self.had > 0;
        }
        self.owed += self.share;
        let keeps = self.owed >= self.had;
        self.owed -= if keeps { self.had } else { 0 };
        keeps
    }
}

/// Members that are to get so many each, in turn.
#[derive(Default)]
struct Turns {
    left: Vec<(usize, u32)>,
    at: usize,
}

impl Turns {
    fn add(&mut self, member: usize, share: u32) {
        if share > 0 {
            self.left.push((member, share));
        }
    }

    #[inline]
    fn next(&mut self) -> Option<usize> {
        if self.at == self.left.len() {
            self.left.retain(|&(_, left)| left > 0);
            self.at = 0;
        }
        let (member, left) = self.left.get_mut(self.at)?;
        *left -= 1;
        self.at += 1;
        Some(*member)
    }
}
