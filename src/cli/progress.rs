//! How far a long piece of work is: one line on stderr that is written over, and only where somebody sees it.

use std::io::{IsTerminal, Write};
use std::time::Duration;

use super::clock;
use crate::time::Timestamp;

/// Often enough to see it move.
const EVERY: Duration = Duration::from_millis(100);

/// A line that says `what 12/200`.
pub struct Progress {
    what: String,
    all: usize,
    done: usize,
    shown: Option<Timestamp>,
    is_seen: bool,
}

impl Progress {
    /// Nothing is done yet. The line comes with the first step.
    pub fn new(what: impl Into<String>, all: usize) -> Self {
        Self { what: what.into(), all, done: 0, shown: None, is_seen: std::io::stderr().is_terminal() }
    }

    /// One more is done.
    pub fn step(&mut self) {
        self.done += 1;
        if !self.is_seen {
            return;
        }
        let now = clock::now();
        if self.shown.is_none_or(|shown| now >= shown + EVERY) {
            self.shown = Some(now);
            self.write(&format!("{} {}/{}", self.what, self.done, self.all));
        }
    }

    fn write(&self, text: &str) {
        let mut stderr = std::io::stderr().lock();
        // Nobody is left to see it.
        let _ = write!(stderr, "\r\u{1b}[K{text}").and_then(|()| stderr.flush());
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        if self.shown.is_some() {
            self.write("");
        }
    }
}
