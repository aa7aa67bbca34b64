//! How even a plan is: over all topics, and within each of them among the members that read it.

use std::collections::{BTreeMap, HashMap};

use super::{Comparison, Partition, Row};
use crate::ids::TopicName;

/// How many partitions members have.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct Counts {
    /// The fewest that one has.
    pub least: usize,
    /// The most that one has.
    pub most: usize,
    /// The standard deviation, of these members as the whole population.
    pub deviation: f64,
}

impl Counts {
    /// Of these members.
    pub fn of(counts: impl Iterator<Item = usize> + Clone) -> Self {
        let members = counts.clone().count();
        if members == 0 {
            return Self::default();
        }
        let mean = counts.clone().sum::<usize>() as f64 / members as f64;
        let squares = counts.clone().map(|count| (count as f64 - mean).powi(2));
        Self {
            deviation: (squares.sum::<f64>() / members as f64).sqrt(),
            least: counts.clone().min().unwrap_or(0),
            most: counts.max().unwrap_or(0),
        }
    }
}

/// One topic under both plans.
#[derive(Clone, PartialEq, Debug)]
pub struct TopicSpread {
    /// The topic.
    pub topic: TopicName,
    /// How many partitions it has.
    pub partitions: usize,
    /// How many members read it, or have something of it.
    pub members: usize,
    /// What they have, and would have.
    pub counts: (Counts, Counts),
    /// How many of its partitions come to a member while another had them.
    pub moved: usize,
    /// How many have no owner, and would have none.
    pub unowned: (usize, usize),
}

impl Comparison {
    /// How even all of it is, and would be.
    pub fn balance(&self) -> (Counts, Counts) {
        (
            Counts::of(self.rows.iter().map(|row| row.before.len())),
            Counts::of(self.rows.iter().map(|row| row.after.len())),
        )
    }

    /// The same for each topic, by name.
    pub fn topics(&self) -> Vec<TopicSpread> {
        let mut members: BTreeMap<&TopicName, Vec<(usize, usize)>> = BTreeMap::new();
        for row in &self.rows {
            for (topic, counts) in by_topic(row) {
                members.entry(topic).or_default().push(counts);
            }
        }
        let (before, after) = self.owned();
        let mut moved: HashMap<&TopicName, usize> = HashMap::new();
        for (topic, _) in self.rows.iter().flat_map(Row::gets).filter(|it| before.contains(*it)) {
            *moved.entry(topic).or_default() += 1;
        }
        let (owned_before, owned_after) = (per_topic(before.iter().copied()), per_topic(after.iter().copied()));
        let spread = |(topic, size): (&TopicName, &usize)| {
            let counts = members.get(topic).map_or(&[][..], |counts| counts);
            let lack = |owned: &HashMap<&TopicName, usize>| size - owned.get(topic).copied().unwrap_or(0).min(*size);
            TopicSpread {
                topic: topic.clone(),
                partitions: *size,
                members: counts.len(),
                counts: (Counts::of(counts.iter().map(|it| it.0)), Counts::of(counts.iter().map(|it| it.1))),
                moved: moved.get(topic).copied().unwrap_or(0),
                unowned: (lack(&owned_before), lack(&owned_after)),
            }
        };
        self.sizes.iter().map(spread).collect()
    }
}

/// What the member has of each topic that it reads or has something of.
fn by_topic(row: &Row) -> HashMap<&TopicName, (usize, usize)> {
    let mut counts: HashMap<&TopicName, (usize, usize)> = row.wants.iter().map(|topic| (topic, (0, 0))).collect();
    row.before.iter().for_each(|(topic, _)| counts.entry(topic).or_default().0 += 1);
    row.after.iter().for_each(|(topic, _)| counts.entry(topic).or_default().1 += 1);
    counts
}

fn per_topic<'a>(partitions: impl Iterator<Item = &'a Partition>) -> HashMap<&'a TopicName, usize> {
    let mut counts = HashMap::new();
    partitions.for_each(|(topic, _)| *counts.entry(topic).or_default() += 1);
    counts
}

#[cfg(test)]
mod tests {
    use super::super::tests::{lines, topics};
    use super::*;

    #[test]
    fn the_deviation_of_equals_is_none() {
        assert_eq!(Counts::of([3, 3, 3].into_iter()), Counts { least: 3, most: 3, deviation: 0.0 });
        assert_eq!(Counts::of([1, 3].into_iter()), Counts { least: 1, most: 3, deviation: 1.0 });
        assert_eq!(Counts::of([].into_iter()), Counts::default());
    }

    #[test]
    fn a_topic_is_spread_among_those_that_read_it() {
        let plan = lines(&[("a", None, Some(&[0, 1, 2]), &[0, 1]), ("b", None, None, &[2, 3])], &topics(&[]));
        let topics = plan.topics();
        assert_eq!(topics.len(), 1);
        let TopicSpread { partitions, members, moved, unowned, counts, .. } = &topics[0];
        assert_eq!((*partitions, *members, *moved, *unowned), (4, 2, 1, (1, 0)));
        assert_eq!((counts.0.least, counts.0.most), (0, 3));
        assert_eq!(counts.1, Counts { least: 2, most: 2, deviation: 0.0 });
        assert_eq!(plan.balance(), *counts);
    }

    #[test]
    fn who_does_not_read_a_topic_does_not_count_in_it() {
        let mut plan = lines(&[("a", None, Some(&[0, 1, 2, 3]), &[0, 1, 2, 3]), ("b", None, None, &[])], &topics(&[]));
        plan.rows[1].wants.clear();
        assert_eq!(plan.topics()[0].counts.1, Counts { least: 4, most: 4, deviation: 0.0 });
        assert_eq!(plan.balance().1, Counts { least: 0, most: 4, deviation: 2.0 });
    }
}
