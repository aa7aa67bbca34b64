//! Partitions of different load: the longest first to the least loaded, and as little moved as the gain is worth.
//!
//! In order of importance:
//!
//! 1. Every partition goes to one of its topic's readers.
//! 2. Counts: with [`Rules::max_count_skew`] no reader of a topic has more than so many of its pool's partitions above another.
//! 3. The worst load (load by weight) is at most `1 + min_gain` times what the longest-first rule gives: for members that read the
//!    same and weigh the same that is at most 4/3 of the best that there is (Graham 1969).
//! 4. Within that, partitions stay where they were: everything, if that is good enough; else all that fits.
//! 5. Partitions without load, or whose load nobody knows, change no load wherever they are: they even out the counts, and of them
//!    as many stay as that allows.
//!
//! A plan made of its own outcome and the same loads is the same plan.

mod attempt;

use super::even::Level;
use super::pools::{Pool, Pools};
use crate::prelude::*;
use attempt::{Attempt, Kind};

/// What may be chosen.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Rules {
    /// How much above the longest-first rule's the worst load may be before anything moves: 0.1 is a tenth.
    pub min_gain: f64,
    /// By how many partitions of one pool its readers may differ; at least 1.
    pub max_count_skew: Option<u32>,
    /// Whether each topic is evened out by itself, instead of all that a member has.
    pub by_topic: bool,
}

impl Default for Rules {
    fn default() -> Self {
        Rules { min_gain: 0.1, max_count_skew: None, by_topic: false }
    }
}

/// The loads of all partitions, eight bytes each as they stand in a column; all ones is a load that nobody knows.
#[derive(Clone, Copy, Debug)]
pub struct Loads<'a>(&'a [u8]);

impl<'a> Loads<'a> {
    /// Reads a column; `None` when it is not made of eight bytes for each partition, or no load in it is known and above zero.
    pub fn of(column: &'a [u8], group: &Group<'_>) -> Option<Self> {
        let loads = Loads(column);
        let fits = column.len() == 8 * group.partitions().len();
        (fits && group.partitions().any(|partition| loads.get(partition) > 0)).then_some(loads)
    }

    /// No load anywhere: counts alone are evened out, within the rules.
    pub fn none() -> Self {
        Loads(&[])
    }

    /// A partition's load; 0 also when nobody knows it.
    #[inline]
    pub fn get(&self, partition: Partition) -> u64 {
        let at = 8 * partition.index();
        let bytes = self.0.get(at..at + 8).and_then(|bytes| bytes.try_into().ok());
        match bytes.map_or(0, u64::from_le_bytes) {
            u64::MAX => 0,
            load => load,
        }
    }
}

/// Gives all partitions of a group; `weights` has a number from 0 for each member by index: what it can bear beside others. A
/// member of weight 0 gets something only if nobody else can.
pub fn give(
    group: &Group<'_>,
    pools: &Pools<'_>,
    weights: &[f64],
    loads: Loads<'_>,
    rules: Rules,
    owners: &mut Owners,
) {
    let mut attempt = Attempt::new(group, pools, weights, loads, rules);
    if rules.by_topic {
        for pool in &pools.pools {
            let mut unit = attempt.unit(pool);
            for topic in &pool.topics {
                unit.topics = std::slice::from_ref(topic);
                attempt.decide(std::slice::from_ref(&unit), owners);
            }
        }
        return;
    }
    let (alone, shared): (Vec<&Pool<'_>>, Vec<&Pool<'_>>) = pools.pools.iter().partition(|pool| pool.is_alone);
    for pool in alone {
        let unit = attempt.unit(pool);
        attempt.decide(&[unit], owners);
    }
    let units: Vec<Unit<'_, '_>> = shared.into_iter().map(|pool| attempt.unit(pool)).collect();
    attempt.decide(&units, owners);
}

/// Topics of one pool whose loads are evened out together.
struct Unit<'u, 'g> {
    topics: &'u [Topic<'g>],
    /// The member indexes of those who share them, in Kafka's order: the readers, of weight 0 only if all are.
    readers: Vec<u32>,
    /// Whether all of these weigh the same.
    is_alike: bool,
}

impl Unit<'_, '_> {
    fn partitions(&self) -> impl Iterator<Item = Partition> + '_ {
        self.topics.iter().flat_map(|topic| topic.partitions())
    }
}

impl Attempt<'_, '_> {
    /// The first of three plans that is good enough: all stays that can; what fits stays; the longest first to the least loaded.
    fn decide(&mut self, units: &[Unit<'_, '_>], owners: &mut Owners) {
        if units.is_empty() {
            return;
        }
        self.sort(units);
        let mut worst = self.run(Kind::Fresh, units);
        if self.has_claims {
            let fresh = std::mem::take(&mut self.plan);
            self.plan = std::mem::take(&mut self.spare);
            let bound = worst * (1.0 + self.rules.min_gain);
            worst = self.run(Kind::Keep, units);
            if worst > bound {
                worst = self.run(Kind::Fit(bound), units);
            }
            self.spare = fresh;
            if worst > bound {
                std::mem::swap(&mut self.plan, &mut self.spare);
            }
        }
        self.write(units, owners);
    }
}
