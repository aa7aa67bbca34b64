//! Watches over one instance: how much memory and table it has, when its time is up, and whether its module is still wanted.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

use wasmtime::ResourceLimiter;

use super::limits::{MAX_REFUSED_GROWTHS, MAX_TABLE_ELEMENTS, RETIRED_CALL_TIME};
use super::wasi::Wasi;

/// How often a module was retired. A member goes on with its last module although the file is gone, so this ends the calls that run
/// at that moment and none that begins later.
#[derive(Default, Debug)]
pub(super) struct Retirements(Arc<AtomicU32>);

impl Retirements {
    pub fn retire(&self) {
        self.0.fetch_add(1, Ordering::Relaxed);
    }

    /// For a call that begins now.
    pub fn watch(&self) -> Watch {
        Watch { count: Arc::clone(&self.0), at_start: self.0.load(Ordering::Relaxed) }
    }
}

/// Whether a module was retired since.
#[derive(Clone)]
pub(super) struct Watch {
    count: Arc<AtomicU32>,
    at_start: u32,
}

impl Watch {
    pub fn is_retired(&self) -> bool {
        self.count.load(Ordering::Relaxed) != self.at_start
    }
}

/// What the limits of one call are and how near it came to them.
pub(super) struct Guard {
    pub memory_limit: usize,
    pub memory_peak: usize,
    /// How often more memory was refused.
    pub memory_refused: u32,
    /// Whether more memory that it may have was not there.
    pub host_lacks_memory: bool,
    /// How often a larger table was refused.
    pub table_refused: u32,
    pub deadline: Duration,
    until: Instant,
    watch: Option<Watch>,
    /// Until then it runs although its module was retired.
    spared_until: Instant,
    /// Whether that ended it.
    pub was_retired: bool,
    /// What the functions of WASI remember, for modules that may import them.
    pub wasi: Wasi,
}

impl Guard {
    pub fn new(memory_limit: usize, deadline: Duration, started: Instant, watch: Option<Watch>, wasi: Wasi) -> Self {
        // A deadline that no clock can hold is none that anybody waits for: a day is as good.
        let until = started.checked_add(deadline).unwrap_or(started + Duration::from_hours(24));
        let spared_until = started + RETIRED_CALL_TIME;
        Self {
            memory_limit,
            memory_peak: 0,
            memory_refused: 0,
            host_lacks_memory: false,
            table_refused: 0,
            deadline,
            until,
            watch,
            spared_until,
            was_retired: false,
            wasi,
        }
    }

    /// Whether the call has to end.
    pub fn is_over(&mut self, now: Instant) -> bool {
        if now >= self.until {
            return true;
        }
        self.was_retired = now >= self.spared_until && self.watch.as_ref().is_some_and(Watch::is_retired);
        self.was_retired
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
        self.host_lacks_memory = true;
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
