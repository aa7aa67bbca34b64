//! What a module used so far: counted per module, so that the numbers of one that is gone go with it.

use std::collections::BTreeMap;
use std::sync::Mutex;
use std::time::Duration;

use super::lock;
use crate::assignor::CallError;

/// What one call used.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct CallStats {
    /// Making the instance, its start function included.
    pub instantiate: Duration,
    /// The whole call: instance, request in, run, reply out, instance dropped. Waiting for a turn is not in it.
    pub took: Duration,
    /// The most memory it had, in bytes.
    pub memory_peak: usize,
    /// Instructions, as fuel counts them; none where they are not counted ([`super::Metered`]).
    pub fuel: Option<u64>,
}

/// Upper bounds of a histogram's buckets, in seconds: from a small group in a warm slot to more than any deadline.
const BOUNDS: [f64; 11] = [4e-6, 16e-6, 64e-6, 256e-6, 1e-3, 4e-3, 16e-3, 64e-3, 0.25, 1.0, 4.0];

/// The counters of one module.
#[derive(Debug, Default)]
pub(super) struct Usage(Mutex<Counts>);

/// One moment of them.
#[derive(Clone, Debug, Default)]
pub(super) struct Counts {
    pub last: Option<CallStats>,
    pub calls: u64,
    /// By the kind's name.
    pub faults: BTreeMap<&'static str, u64>,
    pub instantiate: Durations,
    pub call: Durations,
    /// What the host did around the calls of a plan.
    pub host: Durations,
    pub bytes_in: u64,
    pub bytes_out: u64,
    pub memory_peak: usize,
    /// What was left of the deadline of the call that came nearest to it.
    pub least_headroom: Option<Duration>,
}

/// How long something took, each time.
#[derive(Clone, Debug, Default)]
pub(super) struct Durations {
    counts: [u64; BOUNDS.len() + 1],
    sum: Duration,
}

impl Durations {
    fn add(&mut self, took: Duration) {
        let seconds = took.as_secs_f64();
        self.counts[BOUNDS.iter().position(|bound| seconds <= *bound).unwrap_or(BOUNDS.len())] += 1;
        self.sum += took;
    }

    fn add_all(&mut self, other: &Self) {
        self.counts.iter_mut().zip(other.counts).for_each(|(to, more)| *to += more);
        self.sum += other.sum;
    }

    /// Sum in seconds, count, and the buckets with their upper bounds.
    pub fn buckets(&self) -> (f64, u64, Vec<(f64, u64)>) {
        let bounds = BOUNDS.into_iter().chain([f64::MAX]);
        (self.sum.as_secs_f64(), self.counts.iter().sum(), bounds.zip(self.counts).collect())
    }
}

impl Usage {
    /// A call ended. Without statistics it was not begun.
    pub fn called(
        &self,
        sent: usize,
        deadline: Duration,
        stats: Option<CallStats>,
        reply: &Result<Vec<u8>, CallError>,
    ) {
        let mut counts = lock(&self.0);
        counts.calls += 1;
        match reply {
            Ok(reply) => counts.bytes_out += reply.len() as u64,
            Err(fault) => *counts.faults.entry(fault.kind.name()).or_default() += 1,
        }
        let Some(stats) = stats else { return };
        counts.bytes_in += sent as u64;
        counts.instantiate.add(stats.instantiate);
        counts.call.add(stats.took);
        counts.memory_peak = counts.memory_peak.max(stats.memory_peak);
        let left = deadline.saturating_sub(stats.took);
        counts.least_headroom = Some(counts.least_headroom.map_or(left, |least| least.min(left)));
        counts.last = Some(stats);
    }

    /// A plan was made in that time, the last call included.
    pub fn planned(&self, took: Duration) {
        let mut counts = lock(&self.0);
        let call = counts.last.map_or(Duration::ZERO, |last| last.took);
        counts.host.add(took.saturating_sub(call));
    }

    /// Begins anew: what a module did on trial is nobody's use of it.
    pub fn forget(&self) {
        *lock(&self.0) = Counts::default();
    }

    pub fn counts(&self) -> Counts {
        lock(&self.0).clone()
    }

    pub fn last(&self) -> Option<CallStats> {
        lock(&self.0).last
    }
}

impl Counts {
    /// The same module in another catalog counts with it.
    pub fn add_all(&mut self, other: &Self) {
        self.calls += other.calls;
        other.faults.iter().for_each(|(kind, count)| *self.faults.entry(kind).or_default() += count);
        self.instantiate.add_all(&other.instantiate);
        self.call.add_all(&other.call);
        self.host.add_all(&other.host);
        self.bytes_in += other.bytes_in;
        self.bytes_out += other.bytes_out;
        self.memory_peak = self.memory_peak.max(other.memory_peak);
        self.least_headroom = self.least_headroom.into_iter().chain(other.least_headroom).min();
    }
}
