//! How far a life is, for somebody who waits at a terminal; nobody else hears of it.

use std::cell::Cell;
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
    last: Cell<Timestamp>,
    has_written: Cell<bool>,
}

impl Progress {
    /// Of so many steps for each strategy.
    pub fn new(steps: usize) -> Self {
        Self {
            steps,
            is_seen: std::io::stderr().is_terminal(),
            last: Cell::new(clock::now()),
            has_written: Cell::new(false),
        }
    }

    /// Where it is.
    pub fn tell(&self, name: &str, step: usize, generation: usize) {
        let now = clock::now();
        if !self.is_seen || now.0.saturating_sub(self.last.get().0) < BETWEEN_MS {
            return;
        }
        self.last.set(now);
        self.has_written.set(true);
        let text = format!("{}: step {step} of {}, generation {generation}", plain(name), self.steps);
        // Who does not read it misses nothing.
        let _ = write!(std::io::stderr().lock(), "\r\x1b[K{text}");
    }

    /// Nothing of it stays.
    pub fn over(&self) {
        if self.has_written.get() {
            let _ = write!(std::io::stderr().lock(), "\r\x1b[K");
        }
    }
}
