//! Lines that one refused client could write every second: some of each kind are logged, the rest is counted, and the count is
//! logged when its minute is over, or when the server stops.

use std::collections::HashMap;
use std::num::NonZeroU32;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use super::clock::Clock;
use super::limits::LOG_LINES_PER_MINUTE;
use crate::time::Timestamp;

/// How many lines of a kind were left out before one; none if none were, so that the log says nothing of it.
pub(crate) type LeftOut = Option<NonZeroU32>;

const MINUTE: Duration = Duration::from_secs(60);

/// Who counts.
#[derive(Clone)]
pub(crate) struct Quiet {
    clock: Clock,
    kinds: Arc<Mutex<Kinds>>,
}

/// What was logged of each kind. Kinds are names in the code, so there are only so many.
#[derive(Default)]
struct Kinds(HashMap<&'static str, Minute>);

#[derive(Clone, Copy)]
struct Minute {
    ends: Timestamp,
    lines: u32,
}

impl Minute {
    fn left_out(self) -> u32 {
        self.lines.saturating_sub(LOG_LINES_PER_MINUTE)
    }
}

impl Quiet {
    /// Nothing was logged yet.
    pub(crate) fn new(clock: Clock) -> Self {
        Self { clock, kinds: Arc::default() }
    }

    /// Whether a line of this kind is to be logged now, and how many of its kind were left out before and not told of.
    pub(crate) fn allows(&self, kind: &'static str) -> Option<LeftOut> {
        let mut kinds = self.kinds.lock().unwrap_or_else(PoisonError::into_inner);
        kinds.allows(kind, self.clock.mono()).map(NonZeroU32::new)
    }

    /// Tells the log what was left out in minutes that are over.
    pub(crate) fn tell_left_out(&self) {
        self.tell_until(self.clock.mono());
    }

    /// The same of the minutes that are not over: nothing is logged any more.
    pub(crate) fn tell_the_rest(&self) {
        self.tell_until(self.clock.mono() + MINUTE);
    }

    fn tell_until(&self, until: Timestamp) {
        let over = self.kinds.lock().unwrap_or_else(PoisonError::into_inner).over(until);
        for (kind, left_out) in over {
            tracing::info!(
                kind,
                left_out,
                "lines of one kind were left out: there were more than {LOG_LINES_PER_MINUTE} in a minute"
            );
        }
    }
}

impl Kinds {
    fn allows(&mut self, kind: &'static str, now: Timestamp) -> Option<u32> {
        let begins = Minute { ends: now + MINUTE, lines: 0 };
        let minute = self.0.entry(kind).or_insert(begins);
        let mut left_out = 0;
        if minute.ends <= now {
            left_out = minute.left_out();
            *minute = begins;
        }
        minute.lines = minute.lines.saturating_add(1);
        (minute.lines <= LOG_LINES_PER_MINUTE).then_some(left_out)
    }

    /// Forgets the minutes that have ended by then; those with something left out, in the order of their names.
    fn over(&mut self, by: Timestamp) -> Vec<(&'static str, u32)> {
        let over = self.0.extract_if(|_, minute| minute.ends <= by);
        let mut left_out: Vec<_> = over.map(|(kind, minute)| (kind, minute.left_out())).collect();
        left_out.retain(|(_, left_out)| *left_out > 0);
        left_out.sort_unstable();
        left_out
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ALLOWED: usize = LOG_LINES_PER_MINUTE as usize;

    fn at(seconds: u64) -> Timestamp {
        Timestamp::default() + Duration::from_secs(seconds)
    }

    fn logged(kinds: &mut Kinds, kind: &'static str, lines: usize, now: Timestamp) -> Vec<u32> {
        (0..lines).filter_map(|_| kinds.allows(kind, now)).collect()
    }

    #[test]
    fn each_kind_has_so_many_lines_a_minute() {
        let kinds = &mut Kinds::default();
        assert_eq!(logged(kinds, "tls", 100, at(0)), [0; ALLOWED]);
        assert_eq!(logged(kinds, "http", 1, at(59)), [0]);
        assert!(logged(kinds, "tls", 1, at(59)).is_empty());
        assert_eq!(logged(kinds, "tls", 3, at(60)), [91, 0, 0], "where nobody told of them before, the next line does");
    }

    #[test]
    fn what_was_left_out_is_told_when_its_minute_is_over_and_once() {
        let kinds = &mut Kinds::default();
        logged(kinds, "tls", ALLOWED + 7, at(0));
        logged(kinds, "http", ALLOWED + 2, at(30));
        logged(kinds, "store", 3, at(0));
        assert_eq!(kinds.over(at(59)), []);
        assert_eq!(kinds.over(at(60)), [("tls", 7)], "although nothing of its kind is logged any more");
        assert_eq!(logged(kinds, "tls", ALLOWED + 1, at(61)), [0; ALLOWED]);
        assert_eq!(kinds.over(at(61) + MINUTE), [("http", 2), ("tls", 1)]);
        assert_eq!(kinds.over(at(500)), []);
    }
}
