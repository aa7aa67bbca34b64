//! The grid of groups and events of Kafka's newest benchmark of assignors (ConsumerAssignorBenchmark, PR 23491): every combination
//! of its axes, by the meaning that it gives them.

use std::fmt;

use divvy::assignor::{Assignor, CallError, Plan};
use serde_json::Value;

use crate::world::{Group, World};

/// The axes, in the order of a cell's coordinates. A step along one of the first three is a larger number; the values of the
/// others have no order.
pub const AXES: [&[&str]; 7] = [
    &["5", "50", "500", "5000"],
    &["5", "50", "500", "5000"],
    &["5000", "10000", "20000"],
    &["equal", "skewed"],
    &["homogeneous", "disjoint", "nested"],
    &["no racks", "racks"],
    &["full", "stable", "join one", "join many", "leave one", "leave many", "partitions added"],
];

/// Axes whose neighbours are the next values; on the others each value neighbours each.
const ORDERED: usize = 3;

/// Racks of members and replicas, where they are provided.
const RACKS: usize = 3;

/// Members that read different topics are in so many buckets, if there are as many members and topics.
const BUCKETS: usize = 5;

/// Of the topics two thirds have one partition, of the rest two thirds a few, and so on.
const TIERS: usize = 3;

/// A combination: an index on each axis.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Cell(pub [usize; AXES.len()]);

impl Cell {
    /// All of them, those of one group before an event next to each other.
    pub fn all() -> impl Iterator<Item = Cell> {
        (0..Self::count()).map(Self::at)
    }

    /// How many there are.
    pub fn count() -> usize {
        AXES.iter().map(|axis| axis.len()).product()
    }

    /// One by its number.
    pub fn at(mut number: usize) -> Cell {
        let mut cell = Cell([0; AXES.len()]);
        for (index, axis) in cell.0.iter_mut().zip(&AXES).rev() {
            *index = number % axis.len();
            number /= axis.len();
        }
        cell
    }

    /// The same with one coordinate a step further, each pair once.
    pub fn neighbours(self) -> impl Iterator<Item = Cell> {
        (0..AXES.len()).flat_map(move |axis| {
            let index = self.0[axis];
            let end = if axis < ORDERED { (index + 2).min(AXES[axis].len()) } else { AXES[axis].len() };
            (index + 1..end).map(move |index| {
                let mut other = self;
                other.0[axis] = index;
                other
            })
        })
    }

    /// The group at the event, whose members have what the strategy gave them before it.
    pub fn group(self, assignor: &dyn Assignor, config: &Value) -> Result<(Group, Option<Plan>), CallError> {
        let members = number(AXES[0][self.0[0]]);
        let few = members.div_ceil(10);
        let (before, added) = match AXES[6][self.0[6]] {
            "full" => return Ok((self.world(members, false).group(assignor, None, config), None)),
            "join one" => (members - 1, false),
            "join many" => (members - few, false),
            "leave one" => (members + 1, false),
            "leave many" => (members + few, false),
            "partitions added" => (members, true),
            _ => (members, false),
        };
        let last = self.world(before, false).group(assignor, None, config).plan(assignor)?;
        let group = self.world(members, added).group(assignor, Some(&last), config);
        Ok((group, Some(last)))
    }

    /// Whether nothing happened since the last plan.
    #[allow(dead_code, reason = "a benchmark judges no plans")]
    pub fn is_stable(self) -> bool {
        AXES[6][self.0[6]] == "stable"
    }

    /// The group of this cell with so many members.
    pub fn world(self, members: usize, is_added: bool) -> World {
        let [topics, partitions] = [1, 2].map(|axis| number(AXES[axis][self.0[axis]]));
        let mut counts = if self.0[3] == 0 { equal(topics, partitions) } else { skewed(topics, partitions) };
        if is_added {
            let grow = topics.div_ceil(10);
            (0..grow).for_each(|at| counts[at * topics / grow] += 1);
        }
        // By the members of the cell, not of this group: who joins or leaves changes nobody's topics.
        let buckets = BUCKETS.min(number(AXES[0][self.0[0]])).min(topics);
        let starts: Vec<usize> = (0..=buckets).map(|bucket| bucket * topics / buckets).collect();
        let reads = match AXES[4][self.0[4]] {
            "disjoint" => starts.windows(2).map(|pair| (pair[0]..pair[1]).collect()).collect(),
            "nested" => starts[1..].iter().map(|&end| (0..end).collect()).collect(),
            _ => Vec::new(),
        };
        World { topics: counts, members, reads, last_read: None, racks: RACKS * self.0[5] }
    }
}

impl fmt::Display for Cell {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [members, topics, partitions, distribution, reads, racks, event] = self.0;
        write!(f, "{} members, {} topics, {}", AXES[0][members], AXES[1][topics], AXES[2][partitions])?;
        write!(f, " partitions, {}, {}, {}", AXES[3][distribution], AXES[4][reads], AXES[5][racks])?;
        write!(f, ", {}", AXES[6][event])
    }
}

fn number(text: &str) -> usize {
    text.parse().unwrap()
}

fn equal(topics: usize, partitions: usize) -> Vec<u32> {
    (0..topics).map(|topic| ((topic + 1) * partitions / topics - topic * partitions / topics) as u32).collect()
}

/// The largest first: a tier has a third of the topics of the one before and twice its partitions for each; the first tier's
/// topics have one.
fn skewed(topics: usize, partitions: usize) -> Vec<u32> {
    let (mut sizes, mut left) = (Vec::new(), topics);
    while left > TIERS - 1 {
        sizes.push(left * 2 / TIERS);
        left -= left * 2 / TIERS;
    }
    sizes.push(left);
    let weights: Vec<usize> = (0..sizes.len()).map(|tier| if tier == 0 { 0 } else { 1 << (tier - 1) }).collect();
    let all: usize = sizes.iter().zip(&weights).map(|(size, weight)| size * weight).sum();
    // A partition for each topic, and the rest by weight, what is left over to the largest.
    let rest = partitions - topics;
    let mut counts = Vec::new();
    for (size, weight) in sizes.iter().zip(&weights).rev() {
        counts.extend(std::iter::repeat_n((1 + rest * weight / all.max(1)) as u32, *size));
    }
    let given: usize = counts.iter().map(|count| *count as usize).sum();
    counts[0] += (partitions - given) as u32;
    counts
}
