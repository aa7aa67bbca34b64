//! Which topics of a Kafka cluster an earlier process saw, and up to which commits that is sure to count. Offsets of a
//! topic that was made anew meanwhile are forgotten only as far: whoever ran since, an older divvy that does not know ids,
//! or this one before it could look, may have taken commits for the new topic. Rather too much is kept than too little.

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use super::limits::{ORIGINS_AHEAD, ORIGINS_RENEWED};
use crate::ids::TopicName;
use crate::store::{Entry, Origin};
use crate::time::WallTime;

/// What an earlier process left.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Stored {
    /// The topics' ids.
    pub(crate) ids: Vec<(TopicName, Origin)>,
    /// What was committed by then is of these.
    pub(crate) upto: WallTime,
}

/// What it left, and what this one leaves.
pub(crate) struct Origins(Mutex<Held>);

struct Held {
    stored: Stored,
    /// Until when this process has promised to keep them; none before it has looked.
    until: Option<WallTime>,
}

impl Default for Stored {
    fn default() -> Self {
        Self { ids: Vec::new(), upto: WallTime(i64::MIN) }
    }
}

impl Stored {
    /// As it was read `now`, before anything was committed to this process.
    pub(crate) fn new(ids: Vec<(TopicName, Origin)>, until: Option<WallTime>, now: WallTime) -> Self {
        Self { ids, upto: until.map_or(WallTime(i64::MIN), |until| until.min(before(now))) }
    }
}

impl Origins {
    /// Nothing was read yet.
    pub(crate) fn new() -> Self {
        Self(Mutex::new(Held { stored: Stored::default(), until: None }))
    }

    /// This is what was read.
    pub(crate) fn put(&self, stored: Stored) {
        self.held().stored = stored;
    }

    /// What was read, once.
    pub(crate) fn take(&self) -> Stored {
        std::mem::take(&mut self.held().stored)
    }

    /// After a look: until when they are kept from now on, if that has to be stored again.
    pub(crate) fn due(&self, now: WallTime) -> Option<WallTime> {
        let until = now + ORIGINS_AHEAD;
        // A clock that was set back is another reason.
        let is_fresh = |stored: WallTime| stored <= until && until.0 - stored.0 < millis(ORIGINS_RENEWED);
        (!self.held().until.is_some_and(is_fresh)).then_some(until)
    }

    /// That is stored.
    pub(crate) fn renewed(&self, until: WallTime) {
        self.held().until = Some(until);
    }

    /// What the store has to know when the server stops: they are kept no longer.
    pub(crate) fn at_stop(&self, now: WallTime) -> Option<Entry> {
        self.held().until.filter(|until| *until > now).map(|_| Entry::OriginsUntil(before(now)))
    }

    fn held(&self) -> MutexGuard<'_, Held> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// What comes next may be of the same millisecond.
fn before(now: WallTime) -> WallTime {
    WallTime(now.0.saturating_sub(1))
}

fn millis(time: Duration) -> i64 {
    i64::try_from(time.as_millis()).unwrap_or(i64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commits_count_up_to_what_was_promised_and_never_those_of_this_process() {
        let upto = |until, now| Stored::new(Vec::new(), until, WallTime(now)).upto;
        assert_eq!(upto(Some(WallTime(500)), 900), WallTime(500), "who ran from then on is unknown");
        assert_eq!(upto(Some(WallTime(1500)), 900), WallTime(899), "after a crash");
        assert_eq!(upto(None, 900), WallTime(i64::MIN), "nothing was promised");
    }

    #[test]
    fn the_promise_is_renewed_now_and_then_and_ends_with_the_process() {
        let (origins, start) = (Origins::new(), WallTime(1_000_000));
        assert_eq!(origins.at_stop(start), None, "nobody has looked");
        let first = origins.due(start).unwrap();
        assert_eq!(origins.due(start), Some(first), "it was not stored");
        origins.renewed(first);
        assert_eq!(origins.due(start + Duration::from_secs(1)), None);
        assert!(origins.due(start + ORIGINS_RENEWED).is_some());
        assert!(origins.due(WallTime(1)).is_some(), "the clock was set back");
        let stop = start + Duration::from_secs(2);
        assert_eq!(origins.at_stop(stop), Some(Entry::OriginsUntil(before(stop))));
        assert_eq!(origins.at_stop(first), None, "the cluster was away for long");
    }
}
