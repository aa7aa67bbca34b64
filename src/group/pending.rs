//! Ids that were handed out with error 79 (KIP-394) and not used yet. A flood of newcomers that never come back leaves
//! tens of thousands of them, each with an end of its own: so what is due, and until when they hold a join phase, is
//! found without a look at all.

use std::collections::{BTreeMap, BTreeSet};

use crate::ids::MemberId;
use crate::time::Timestamp;

/// One such id.
#[derive(Clone, Copy, Debug)]
pub(super) struct PendingId {
    /// It is forgotten then.
    pub expires: Timestamp,
    /// Until then a join phase waits for it.
    pub holds_until: Timestamp,
}

impl PendingId {
    /// It holds nothing any more once it is forgotten.
    fn holds(&self) -> Timestamp {
        self.holds_until.min(self.expires)
    }
}

/// The pending ids of a group.
#[derive(Debug, Default)]
pub(super) struct PendingIds {
    ids: BTreeMap<MemberId, PendingId>,
    /// The same by when they are forgotten …
    expiries: BTreeSet<(Timestamp, MemberId)>,
    /// … and by how long they hold.
    holds: BTreeSet<(Timestamp, MemberId)>,
}

impl PendingIds {
    /// Takes in an id that is new.
    pub fn insert(&mut self, id: MemberId, pending: PendingId) {
        self.expiries.insert((pending.expires, id.clone()));
        self.holds.insert((pending.holds(), id.clone()));
        self.ids.insert(id, pending);
    }

    /// Takes an id out: it is used, or not wanted any more.
    pub fn remove(&mut self, id: &MemberId) -> Option<PendingId> {
        let pending = self.ids.remove(id)?;
        self.expiries.remove(&(pending.expires, id.clone()));
        self.holds.remove(&(pending.holds(), id.clone()));
        if self.ids.is_empty() {
            // As it is mostly: no memory is kept for the next ones.
            *self = Self::default();
        }
        Some(pending)
    }

    /// Forgets those whose time is over.
    pub fn expire(&mut self, now: Timestamp) {
        while let Some((_, id)) = self.expiries.first().filter(|(at, _)| *at <= now).cloned() {
            self.remove(&id);
        }
    }

    /// When the first is forgotten.
    pub fn next_expiry(&self) -> Option<Timestamp> {
        self.expiries.first().map(|(at, _)| *at)
    }

    /// How long a join phase waits for them.
    pub fn held_until(&self) -> Option<Timestamp> {
        self.holds.last().map(|(at, _)| *at)
    }

    /// Whether this id is one of them.
    pub fn contains_key(&self, id: &MemberId) -> bool {
        self.ids.contains_key(id)
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.ids.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.ids.is_empty()
    }

    /// Whether each is found by its times, and nothing else.
    pub fn times_fit(&self) -> bool {
        let found = |times: &BTreeSet<(Timestamp, MemberId)>, of: fn(&PendingId) -> Timestamp| {
            times.len() == self.ids.len() && self.ids.iter().all(|(id, it)| times.contains(&(of(it), id.clone())))
        };
        found(&self.expiries, |it| it.expires) && found(&self.holds, PendingId::holds)
    }
}
