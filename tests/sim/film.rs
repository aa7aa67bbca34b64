//! What happened, in words: only the last generations of a run that failed are of interest.

use std::collections::VecDeque;
use std::fmt::Display;

/// So many lines are kept at most.
const KEPT_MAX: usize = 400;

/// So many generations are shown.
const GENERATIONS: usize = 2;

/// The film of a run. A run that nobody looks at records nothing.
#[derive(Default)]
pub struct Film {
    records: bool,
    lines: VecDeque<(bool, String)>,
}

impl Film {
    pub fn recording() -> Self {
        Self { records: true, ..Self::default() }
    }

    pub fn shot(&mut self, now: u64, line: impl FnOnce() -> String) {
        if self.records {
            self.push(now, line(), false);
        }
    }

    /// A generation begins: the scene that a viewer wants to see from its start.
    pub fn scene(&mut self, now: u64, line: &dyn Display) {
        if self.records {
            self.push(now, line.to_string(), true);
        }
    }

    fn push(&mut self, now: u64, line: String, begins: bool) {
        if self.lines.len() == KEPT_MAX {
            self.lines.pop_front();
        }
        self.lines.push_back((begins, format!("{:>9.3}  {line}", now as f64 / 1000.0)));
    }

    /// The last generations, or as much of them as was kept.
    pub fn show(&self) -> String {
        let begins: Vec<usize> =
            self.lines.iter().enumerate().filter(|(_, (begins, _))| *begins).map(|(at, _)| at).collect();
        let from = begins.len().checked_sub(GENERATIONS).map_or(0, |at| begins[at]);
        self.lines.iter().skip(from).map(|(_, line)| format!("{line}\n")).collect()
    }

    /// Everything that was kept: two runs of one seed show the same.
    pub fn whole(&self) -> String {
        self.lines.iter().map(|(_, line)| format!("{line}\n")).collect()
    }
}
