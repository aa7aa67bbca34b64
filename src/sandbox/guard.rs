//! Watches over one instance: how much memory and table it has, and when its time is up.

use std::time::{Duration, Instant};

use wasmtime::ResourceLimiter;

use super::limits::{MAX_REFUSED_GROWTHS, MAX_TABLE_ELEMENTS};
use super::wasi::Wasi;

/// What the limits of one call are and how near it came to them.
pub(super) struct Guard {
    pub memory_limit: usize,
    pub memory_peak: usize,
    /// How often more memory was refused.
    pub memory_refused: u32,
    /// How often a larger table was refused.
    pub table_refused: u32,
    pub deadline: Duration,
    pub until: Instant,
    /// What the functions of WASI remember, for modules that may import them.
    pub wasi: Wasi,
}

impl Guard {
    pub fn new(memory_limit: usize, deadline: Duration, started: Instant, wasi: Wasi) -> Self {
        // A deadline that no clock can hold is none that anybody waits for: a day is as good.
        let until = started.checked_add(deadline).unwrap_or(started + Duration::from_hours(24));
        Self { memory_limit, memory_peak: 0, memory_refused: 0, table_refused: 0, deadline, until, wasi }
    }
}

/// `Ok(false)` is the guest's -1, an error ends the call.
fn refuse(times: &mut u32) -> wasmtime::Result<bool> {
    *times += 1;
    match *times <= MAX_REFUSED_GROWTHS {
        true => Ok(false),
        false => Err(wasmtime::Error::msg("it was refused more and went on asking")),
    }
}

impl ResourceLimiter for Guard {
    fn memory_growing(&mut self, _: usize, desired: usize, declared: Option<usize>) -> wasmtime::Result<bool> {
        if desired > self.memory_limit {
            return refuse(&mut self.memory_refused);
        }
        if declared.is_some_and(|most| desired > most) {
            return Ok(false);
        }
        self.memory_peak = self.memory_peak.max(desired);
        Ok(true)
    }

    /// Memory within the limit that the host does not have must not look like -1: the same request would give
    /// another plan on another machine.
    fn memory_grow_failed(&mut self, error: wasmtime::Error) -> wasmtime::Result<()> {
        self.memory_refused += 1;
        Err(error)
    }

    fn table_growing(&mut self, _: usize, desired: usize, declared: Option<usize>) -> wasmtime::Result<bool> {
        if desired > MAX_TABLE_ELEMENTS as usize {
            return refuse(&mut self.table_refused);
        }
        Ok(declared.is_none_or(|most| desired <= most))
    }

    fn instances(&self) -> usize {
        1
    }

    fn memories(&self) -> usize {
        1
    }

    fn tables(&self) -> usize {
        1
    }
}
