//! Who runs what at each moment of a simulated life, and for how long nobody does, or two do that should not.

use std::collections::BTreeMap;

use crate::ids::TopicName;
use crate::topics::Topic;

/// One piece of work.
pub(super) type Unit = (TopicName, i32);

/// What changes at a moment. Who gives up comes before who takes: in the protocol it did, if both are the same millisecond.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum Turn {
    /// A member stops with it.
    Ends,
    /// A member begins with it.
    Begins,
}

/// The work of one partition.
#[derive(Clone, Debug, Default)]
struct Slot {
    running: Vec<usize>,
    since_ms: u64,
}

impl Slot {
    /// Time passes until then: it counts as unowned if nobody runs what somebody wants, as doubled if two do and may not.
    fn pass(&mut self, now_ms: u64, (is_wanted, shares): (bool, bool), (unowned, doubled): (&mut u64, &mut u64)) {
        let passed = now_ms.saturating_sub(self.since_ms);
        self.since_ms = self.since_ms.max(now_ms);
        match self.running.len() {
            0 if is_wanted => *unowned = unowned.saturating_add(passed),
            2.. if !shares => *doubled = doubled.saturating_add(passed),
            _ => {}
        }
    }
}

/// The book.
#[derive(Clone, Debug)]
pub(super) struct Ledger {
    slots: BTreeMap<TopicName, (bool, Vec<Slot>)>,
    /// What has yet to be written down, in any order.
    pending: Vec<(u64, Turn, usize, Unit)>,
    /// Whether several may run one partition.
    shares: bool,
    /// The number of a topic's first piece.
    first: i32,
    /// Partition-milliseconds without an owner …
    pub(super) unowned_ms: u64,
    /// … and with two.
    pub(super) doubled_ms: u64,
}

impl Ledger {
    pub(super) fn new(shares: bool, first: i32) -> Self {
        Self { slots: BTreeMap::new(), pending: Vec::new(), shares, first, unowned_ms: 0, doubled_ms: 0 }
    }

    /// There are these topics from now on; only what somebody wants is missed.
    pub(super) fn know(
        &mut self,
        topics: &BTreeMap<TopicName, Topic>,
        wanted: impl Fn(&TopicName) -> bool,
        now_ms: u64,
    ) {
        self.close(now_ms);
        self.slots.retain(|name, _| topics.contains_key(name));
        for (name, topic) in topics {
            let (is_wanted, slots) = self.slots.entry(name.clone()).or_default();
            *is_wanted = wanted(name);
            slots.resize(
                topic.partitions as usize + self.first.unsigned_abs() as usize,
                Slot { running: Vec::new(), since_ms: now_ms },
            );
        }
    }

    /// A member begins or ends with something, now or later.
    pub(super) fn turn(&mut self, at_ms: u64, turn: Turn, member: usize, unit: Unit) {
        self.pending.push((at_ms, turn, member, unit));
    }

    /// Writes down all that was told so far and happens up to then, and counts the time up to it.
    pub(super) fn close(&mut self, now_ms: u64) {
        let mut due: Vec<_> = self.pending.extract_if(.., |(at, ..)| *at <= now_ms).collect();
        due.sort_by_key(|(at, turn, ..)| (*at, *turn));
        for (at, turn, member, (topic, number)) in due {
            let Some((is_wanted, slots)) = self.slots.get_mut(&topic) else { continue };
            let Some(slot) = usize::try_from(number - self.first).ok().and_then(|at| slots.get_mut(at)) else {
                continue;
            };
            slot.pass(at, (*is_wanted, self.shares), (&mut self.unowned_ms, &mut self.doubled_ms));
            match turn {
                Turn::Begins if !slot.running.contains(&member) => slot.running.push(member),
                Turn::Begins => {}
                Turn::Ends => slot.running.retain(|it| *it != member),
            }
        }
        let (mut unowned, mut doubled) = (self.unowned_ms, self.doubled_ms);
        for (is_wanted, slots) in self.slots.values_mut() {
            for slot in slots {
                slot.pass(now_ms, (*is_wanted, self.shares), (&mut unowned, &mut doubled));
            }
        }
        (self.unowned_ms, self.doubled_ms) = (unowned, doubled);
    }

    /// How many that somebody wants nobody runs.
    pub(super) fn unowned(&self) -> usize {
        let wanted = self.slots.values().filter(|(is_wanted, _)| *is_wanted).flat_map(|(_, slots)| slots);
        wanted.filter(|slot| slot.running.is_empty()).count()
    }

    /// How many there are that somebody wants.
    pub(super) fn wanted(&self) -> usize {
        self.slots.values().filter(|(is_wanted, _)| *is_wanted).map(|(_, slots)| slots.len()).sum()
    }

    /// Time that is not counted passes.
    pub(super) fn skip(&mut self, now_ms: u64) {
        self.slots.values_mut().flat_map(|(_, slots)| slots).for_each(|slot| slot.since_ms = slot.since_ms.max(now_ms));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn time_is_counted_by_who_runs_a_partition_and_by_nothing_else() {
        let topics = BTreeMap::from([("t".into(), Topic { partitions: 2, racks: vec![] })]);
        let mut ledger = Ledger::new(false, 0);
        ledger.know(&topics, |_| true, 100);
        let unit = |number| (TopicName::from("t"), number);
        ledger.turn(150, Turn::Begins, 0, unit(0));
        ledger.turn(170, Turn::Begins, 1, unit(0));
        ledger.turn(180, Turn::Ends, 0, unit(0));
        ledger.close(200);
        assert_eq!((ledger.unowned_ms, ledger.doubled_ms, ledger.unowned()), (50 + 100, 10, 1));
        // At the same moment one ends first, so nothing is doubled and nothing is missed.
        ledger.turn(250, Turn::Begins, 0, unit(0));
        ledger.turn(250, Turn::Ends, 1, unit(0));
        ledger.skip(240);
        ledger.close(260);
        assert_eq!((ledger.unowned_ms, ledger.doubled_ms), (150 + 20, 10));
    }
}
