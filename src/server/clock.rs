//! The one file of the server that reads clocks and draws entropy; everybody else is told.

use std::time::{Duration, Instant, SystemTime};

use crate::time::{Now, Timestamp, WallTime};

/// Where the server's monotonic time begins.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Clock {
    origin: Instant,
}

impl Clock {
    /// A clock that begins now.
    #[allow(clippy::disallowed_methods, reason = "the server's clock")]
    pub(crate) fn start() -> Self {
        Self { origin: Instant::now() }
    }

    /// Both faces of this moment.
    #[allow(clippy::disallowed_methods, reason = "the server's clock")]
    pub(crate) fn now(&self) -> Now {
        let wall = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
        Now { mono: self.mono(), wall: WallTime(i64::try_from(wall.as_millis()).unwrap_or(i64::MAX)) }
    }

    /// This moment, for deadlines.
    #[allow(clippy::disallowed_methods, reason = "the server's clock")]
    pub(crate) fn mono(&self) -> Timestamp {
        Timestamp::default() + self.origin.elapsed()
    }

    /// When a timer has to fire so that `at` has passed by the clock of [`Clock::mono`], which cuts off parts of a millisecond.
    pub(crate) fn instant(&self, at: Timestamp) -> tokio::time::Instant {
        (self.origin + (at - Timestamp::default())).into()
    }

    /// The moment so far from now.
    pub(crate) fn after(&self, wait: Duration) -> tokio::time::Instant {
        self.instant(self.mono() + wait)
    }
}

/// Draws that no peer can guess, fetched from the system a page at a time.
pub(crate) struct Entropy {
    pool: [u8; POOL_BYTES],
    used: usize,
}

/// One system call serves so many bytes: a draw for each input must not be a call for each input.
const POOL_BYTES: usize = 1024;

impl Entropy {
    /// An empty pool; the first draw fills it.
    pub(crate) fn new() -> Self {
        Self { pool: [0; POOL_BYTES], used: POOL_BYTES }
    }

    /// The next draw.
    pub(crate) fn draw(&mut self) -> u64 {
        if self.used == POOL_BYTES {
            fill(&mut self.pool);
            self.used = 0;
        }
        let (at, next) = (self.used, self.used + size_of::<u64>());
        self.used = next;
        let mut word = [0; size_of::<u64>()];
        word.copy_from_slice(&self.pool[at..next]);
        u64::from_ne_bytes(word)
    }
}

#[allow(clippy::disallowed_methods, reason = "the server's entropy")]
fn fill(pool: &mut [u8]) {
    getrandom::fill(pool).expect("getrandom(2) cannot fail for a buffer of ours once the system has booted");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_timer_set_for_a_timestamp_never_fires_before_it() {
        let clock = Clock::start();
        let at = clock.mono() + Duration::from_millis(5);
        assert!(clock.instant(at) >= clock.after(Duration::from_millis(4)));
    }

    #[test]
    fn draws_differ_over_a_refill() {
        let mut entropy = Entropy::new();
        let draws: std::collections::HashSet<u64> = (0..POOL_BYTES / 4).map(|_| entropy.draw()).collect();
        assert_eq!(draws.len(), POOL_BYTES / 4);
    }
}
