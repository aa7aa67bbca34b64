//! How far a life is, for somebody who waits at a terminal; nobody else hears of it.

use std::io::{IsTerminal, Write};

use crate::cli::clock;
use crate::cli::output::plain;
use crate::time::Timestamp;

/// Nobody reads faster.
const BETWEEN_MS: u64 = 100;

/// One line on stderr that is written over.
pub struct Progress {
    steps: usize,
    is_seen: bool,
    last: Timestamp,
    has_written: bool,
}

impl Progress {
    /// Of so many steps for each strategy.
    pub fn new(steps: usize) -> Self {
        Self { steps, is_seen: std::io::stderr().is_terminal(), last: clock::now(), has_written: false }
    }

    /// Where it is.
    pub fn tell(&mut self, name: &str, step: usize) {
        let now = clock::now();
        if !self.is_seen || now.0.saturating_sub(self.last.0) < BETWEEN_MS {
            return;
        }
        (self.last, self.has_written) = (now, true);
        // Who does not read it misses nothing.
        let _ = write!(std::io::stderr().lock(), "\r\x1b[K{}: step {step} of {}", plain(name), self.steps);
    }

    /// Nothing of it stays.
    pub fn over(&self) {
        if self.has_written {
            let _ = write!(std::io::stderr().lock(), "\r\x1b[K");
        }
    }
}
