//! The pieces of work, found by their child and by when something is due with them: of thousands of children each may end at
//! the same moment, and none of that is a look at all of them.

use std::collections::{BTreeMap, BTreeSet};

use super::super::limits::RUNS_WELL;
use super::super::work::{Key, Order};
use super::ChildId;
use crate::time::Timestamp;

/// Where a child stands.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Phase {
    Starting {
        until: Timestamp,
    },
    Running {
        since: Timestamp,
    },
    Draining {
        until: Timestamp,
    },
    /// Its end counts as a failure or not.
    Killed {
        failed: bool,
    },
}

#[derive(Debug)]
pub(super) struct Child {
    pub(super) id: ChildId,
    pub(super) order: Order,
    pub(super) phase: Phase,
}

/// One piece of work: what is wanted, and who does it.
#[derive(Debug, Default)]
pub(super) struct Slot {
    pub(super) wanted: Option<Order>,
    pub(super) child: Option<Child>,
    /// In a row.
    pub(super) failures: u32,
    /// Not started before.
    pub(super) not_before: Timestamp,
    /// The failures count until then.
    pub(super) forget_at: Timestamp,
}

/// What is to be done with a piece of work, and when.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Due {
    /// Start a child, when there is a turn for it.
    Start(Timestamp),
    /// Look at it.
    Look(Timestamp),
}

impl Slot {
    fn due(&self) -> Option<Due> {
        match self.child.as_ref().map(|child| child.phase) {
            Some(Phase::Starting { until } | Phase::Draining { until }) => Some(Due::Look(until)),
            Some(Phase::Running { since }) => (self.failures > 0).then_some(Due::Look(since + RUNS_WELL)),
            Some(Phase::Killed { .. }) => None,
            None if self.wanted.is_some() => Some(Due::Start(self.not_before)),
            None => Some(Due::Look(self.forget_at)),
        }
    }

    fn child_id(&self) -> Option<ChildId> {
        self.child.as_ref().map(|child| child.id)
    }
}

/// All of them.
#[derive(Debug, Default)]
pub(super) struct Slots {
    all: BTreeMap<Key, Slot>,
    living: BTreeMap<ChildId, Key>,
    /// Who waits to be started, by since when that may be.
    starts: BTreeSet<(Timestamp, Key)>,
    looks: BTreeSet<(Timestamp, Key)>,
}

impl Slots {
    /// Changes one that is there.
    pub(super) fn change<R>(&mut self, key: &Key, change: impl FnOnce(&mut Slot) -> R) -> Option<R> {
        let slot = self.all.get_mut(key)?;
        let (due, child) = (slot.due(), slot.child_id());
        let result = change(slot);
        let (due_now, child_now) = (slot.due(), slot.child_id());
        if due != due_now {
            self.mark(key, due, false);
            self.mark(key, due_now, true);
        }
        if child != child_now {
            child.map(|id| self.living.remove(&id));
            self.living.extend(child_now.map(|id| (id, key.clone())));
        }
        Some(result)
    }

    /// The same, of one that may be new.
    pub(super) fn make<R>(&mut self, key: &Key, change: impl FnOnce(&mut Slot) -> R) -> Option<R> {
        if !self.all.contains_key(key) {
            let slot = Slot::default();
            self.mark(key, slot.due(), true);
            self.all.insert(key.clone(), slot);
        }
        self.change(key, change)
    }

    /// Forgets one.
    pub(super) fn remove(&mut self, key: &Key) {
        let Some(slot) = self.all.remove(key) else { return };
        self.mark(key, slot.due(), false);
        slot.child_id().map(|id| self.living.remove(&id));
    }

    fn mark(&mut self, key: &Key, due: Option<Due>, is_due: bool) {
        let (marks, at) = match due {
            None => return,
            Some(Due::Start(at)) => (&mut self.starts, at),
            Some(Due::Look(at)) => (&mut self.looks, at),
        };
        let mark = (at, key.clone());
        if is_due {
            marks.insert(mark)
        } else {
            marks.remove(&mark)
        };
    }

    /// One of them.
    pub(super) fn get(&self, key: &Key) -> Option<&Slot> {
        self.all.get(key)
    }

    /// Each of them, in order.
    pub(super) fn keys(&self) -> Vec<Key> {
        self.all.keys().cloned().collect()
    }

    /// Whose child that is.
    pub(super) fn key_of(&self, child: ChildId) -> Option<Key> {
        self.living.get(&child).cloned()
    }

    /// Whether no child lives.
    pub(super) fn are_idle(&self) -> bool {
        self.living.is_empty()
    }

    /// When something is due.
    pub(super) fn next_deadline(&self) -> Option<Timestamp> {
        self.starts.first().into_iter().chain(self.looks.first()).map(|(at, _)| *at).min()
    }

    /// Those to look at by now, in order.
    pub(super) fn to_look_at(&self, now: Timestamp) -> Vec<Key> {
        let mut due: Vec<Key> = due(&self.looks, now).collect();
        due.sort_unstable();
        due
    }

    /// Some that may be started by now: who waits longest comes first, so that those that fail do not keep the others from
    /// starting.
    pub(super) fn to_start(&self, now: Timestamp, most: usize) -> Vec<Key> {
        due(&self.starts, now).take(most).collect()
    }
}

fn due(marks: &BTreeSet<(Timestamp, Key)>, now: Timestamp) -> impl Iterator<Item = Key> {
    marks.iter().take_while(move |(at, _)| *at <= now).map(|(_, key)| key.clone())
}
