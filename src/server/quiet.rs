//! Lines that one refused client could write every second: some of each kind are logged, the rest is counted.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use super::clock::Clock;
use super::limits::LOG_LINES_PER_MINUTE;
use crate::time::Timestamp;

const MINUTE: Duration = Duration::from_secs(60);

/// Who counts. Kinds are names in the code, so there are only so many.
#[derive(Clone)]
pub(crate) struct Quiet {
    clock: Clock,
    kinds: Arc<Mutex<HashMap<&'static str, Minute>>>,
}

#[derive(Clone, Copy)]
struct Minute {
    ends: Timestamp,
    lines: u32,
}

impl Quiet {
    /// Nothing was logged yet.
    pub(crate) fn new(clock: Clock) -> Self {
        Self { clock, kinds: Arc::default() }
    }

    /// Whether a line of this kind is to be logged now, and how many of its kind were left out in the minute before.
    pub(crate) fn allows(&self, kind: &'static str) -> Option<u32> {
        let now = self.clock.mono();
        let mut kinds = self.kinds.lock().unwrap_or_else(PoisonError::into_inner);
        let minute = kinds.entry(kind).or_insert(Minute { ends: now + MINUTE, lines: 0 });
        let mut left_out = 0;
        if minute.ends <= now {
            left_out = minute.lines.saturating_sub(LOG_LINES_PER_MINUTE);
            *minute = Minute { ends: now + MINUTE, lines: 0 };
        }
        minute.lines = minute.lines.saturating_add(1);
        (minute.lines <= LOG_LINES_PER_MINUTE).then_some(left_out)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_kind_has_so_many_lines_a_minute() {
        let quiet = Quiet::new(Clock::start());
        let logged = (0..100).filter(|_| quiet.allows("tls").is_some()).count();
        assert_eq!(logged, LOG_LINES_PER_MINUTE as usize);
        assert_eq!(quiet.allows("http"), Some(0));
    }
}
