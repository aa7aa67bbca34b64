//! The one file here that reads a clock: how long a step took, how long a condition may take.

use std::time::{Duration, Instant};

/// A moment from which time is counted.
#[derive(Clone, Copy)]
pub struct Stopwatch(Instant);

impl Stopwatch {
    /// Begins to count.
    #[allow(clippy::disallowed_methods, reason = "this is the file that reads the clock")]
    pub fn start() -> Self {
        Self(Instant::now())
    }

    /// What has passed since.
    pub fn elapsed(self) -> Duration {
        self.0.elapsed()
    }

    /// What is left of `limit`; zero when it is over.
    pub fn left_of(self, limit: Duration) -> Duration {
        limit.saturating_sub(self.elapsed())
    }
}
