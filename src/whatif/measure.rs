//! How a group stands at the end of a step: how even it is, what nobody has, what is in a wrong rack.

use std::collections::{BTreeMap, BTreeSet};

use super::life::read_of;
use super::report::After;
use super::stage::Stage;
use super::work::Work;
use crate::ids::TopicName;
use crate::lead::compare::Counts;

impl Stage<'_> {
    /// The group as it stands.
    pub(super) fn after(&self) -> After {
        let counts = Counts::of(self.roster.iter().map(|at| self.players[*at].share.len()));
        After {
            members: self.roster.len(),
            partitions: self.ledger.wanted(),
            least: counts.least,
            most: counts.most,
            stddev: rounded(counts.deviation),
            topic_spread: self.topic_spread(),
            unowned: self.ledger.unowned(),
            rack_mismatches: self.rack_mismatches(),
            active: self.active(),
        }
    }

    /// For each topic the difference between those of its readers that have the most and the least of it; the largest.
    fn topic_spread(&self) -> usize {
        // By topic: readers, those of them that have any of it, the least and the most of these.
        let mut topics = BTreeMap::<&TopicName, (usize, usize, usize, usize)>::new();
        for player in self.roster.iter().map(|at| &self.players[*at]) {
            let reads: BTreeSet<TopicName> = read_of(&player.spec.reads, &self.topics).into_iter().collect();
            for (name, _) in self.topics.iter().filter(|(name, _)| reads.contains(*name)) {
                topics.entry(name).or_insert((0, 0, usize::MAX, 0)).0 += 1;
            }
            for run in player.share.iter().collect::<Vec<_>>().chunk_by(|a, b| a.0 == b.0) {
                if let Some((_, having, least, most)) = run.first().and_then(|unit| topics.get_mut(&unit.0)) {
                    (*having, *least, *most) = (*having + 1, run.len().min(*least), run.len().max(*most));
                }
            }
        }
        let spread = |(readers, having, least, most): (usize, usize, usize, usize)| match having < readers {
            true => most,
            false => most.saturating_sub(least),
        };
        topics.into_values().map(spread).max().unwrap_or(0)
    }

    /// Partitions whose owner is in none of their racks, where both are known; none where that is so of no partition.
    fn rack_mismatches(&self) -> Option<usize> {
        if !self.is_of_partitions() {
            return None;
        }
        let (mut known, mut wrong) = (false, 0);
        for player in self.roster.iter().map(|at| &self.players[*at]) {
            let Some(rack) = player.spec.rack() else { continue };
            for (topic, number) in &player.share {
                let racks = usize::try_from(*number).ok().and_then(|at| self.topics.get(topic)?.racks.get(at));
                if let Some(racks) = racks.filter(|racks| !racks.is_empty()) {
                    known = true;
                    wrong += usize::from(!racks.iter().any(|it| it == rack));
                }
            }
        }
        known.then_some(wrong)
    }

    fn active(&self) -> Option<String> {
        if self.work != Work::Writer {
            return None;
        }
        let active = self.roster.iter().map(|at| &self.players[*at]).find(|player| !player.share.is_empty());
        Some(active.map_or_else(|| "nobody".to_owned(), |player| player.spec.name.clone()))
    }
}

/// To three digits: more are nobody's business, and make no difference between two machines.
fn rounded(number: f64) -> f64 {
    (number * 1_000.0).round() / 1_000.0
}
