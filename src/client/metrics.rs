//! What a member counts. Labels are names in the code, and modules: no group, member or topic ever becomes one, so that a thousand
//! members of a process are counted together.

use std::sync::Arc;
use std::time::Duration;

use prometheus_client::encoding::{EncodeLabelSet, text};
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::histogram::{Histogram, exponential_buckets};
use prometheus_client::registry::{Registry, Unit};

use super::error::CommitError;
use crate::assignor::FaultKind;
use crate::membership::Assigned;
use crate::sandbox::ModuleMetrics;

/// The counters of one member, or of all members of a process that were built with the same: a clone counts for both.
#[derive(Clone, Debug, Default)]
pub struct Metrics(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    rebalances: Family<CauseLabel, Counter>,
    without_assignment: Histogram,
    module_calls: Counter,
    module_seconds: Histogram,
    module_faults: Family<KindLabel, Counter>,
    stand_ins: Counter,
    heartbeats_missed: Counter,
    commits: Family<ResultLabel, Counter>,
    modules: ModuleMetrics,
}

#[derive(Clone, PartialEq, Eq, Hash, Debug, EncodeLabelSet)]
struct CauseLabel {
    cause: &'static str,
}

#[derive(Clone, PartialEq, Eq, Hash, Debug, EncodeLabelSet)]
struct KindLabel {
    kind: &'static str,
}

#[derive(Clone, PartialEq, Eq, Hash, Debug, EncodeLabelSet)]
struct ResultLabel {
    result: &'static str,
}

/// From a millisecond, a hand-over on one machine, to half an hour.
const WAIT_BUCKETS: (f64, f64, u16) = (0.001, 2.0, 22);

/// From a tenth of a millisecond to the longest that a plan may take.
const CALL_BUCKETS: (f64, f64, u16) = (0.000_1, 2.0, 20);

impl Default for Inner {
    fn default() -> Self {
        let buckets = |(start, factor, length)| Histogram::new(exponential_buckets(start, factor, length));
        Self {
            rebalances: Family::default(),
            without_assignment: buckets(WAIT_BUCKETS),
            module_calls: Counter::default(),
            module_seconds: buckets(CALL_BUCKETS),
            module_faults: Family::default(),
            stand_ins: Counter::default(),
            heartbeats_missed: Counter::default(),
            commits: Family::default(),
            modules: ModuleMetrics::default(),
        }
    }
}

impl Metrics {
    /// Puts them into the application's own registry, as `divvy_member_…`, and those of the modules at hand as
    /// `divvy_module_…`.
    pub fn register(&self, registry: &mut Registry) {
        self.0.modules.register(registry.sub_registry_with_prefix("divvy"));
        let of = registry.sub_registry_with_prefix("divvy_member");
        let it = &self.0;
        of.register(
            "rebalances",
            "Generations that were joined and brought a share, by why they were joined",
            it.rebalances.clone(),
        );
        of.register_with_unit(
            "without_assignment",
            "How long each time without a share was",
            Unit::Seconds,
            it.without_assignment.clone(),
        );
        of.register("module_calls", "Plans that were made as the leader", it.module_calls.clone());
        of.register_with_unit("module_call", "How long each of them took", Unit::Seconds, it.module_seconds.clone());
        of.register("module_faults", "Modules that failed, by kind", it.module_faults.clone());
        of.register(
            "stand_ins",
            "Shares of plans that something else made than the chosen strategy, which had failed at its leader",
            it.stand_ins.clone(),
        );
        of.register("heartbeats_missed", "Heartbeats that got no answer", it.heartbeats_missed.clone());
        of.register("commits", "Commits, by what came of them", it.commits.clone());
    }

    /// All of them as text in the OpenMetrics format, for a process without a registry of its own.
    pub fn text(&self) -> String {
        let mut registry = Registry::default();
        self.register(&mut registry);
        let mut text = String::new();
        // Writing into a string does not fail.
        let _ = text::encode(&mut text, &registry);
        text
    }

    pub(super) fn modules(&self) -> &ModuleMetrics {
        &self.0.modules
    }

    pub(super) fn assigned(&self, assigned: &Assigned) {
        self.0.rebalances.get_or_create(&CauseLabel { cause: assigned.cause.name() }).inc();
        if assigned.is_stood_in_for() {
            self.0.stand_ins.inc();
        }
    }

    pub(super) fn waited(&self, time: Duration) {
        self.0.without_assignment.observe(time.as_secs_f64());
    }

    pub(super) fn module_called(&self, time: Duration) {
        self.0.module_calls.inc();
        self.0.module_seconds.observe(time.as_secs_f64());
    }

    pub(super) fn module_failed(&self, kind: FaultKind) {
        self.0.module_faults.get_or_create(&KindLabel { kind: kind.name() }).inc();
    }

    pub(super) fn heartbeat_missed(&self) {
        self.0.heartbeats_missed.inc();
    }

    pub(super) fn committed(&self, result: &Result<(), CommitError>) {
        let result = match result {
            Ok(()) => "taken",
            Err(CommitError::Unanswered(_)) => "unanswered",
            Err(CommitError::Refused { .. } | CommitError::NotAssigned | CommitError::Left) => "refused",
        };
        self.0.commits.get_or_create(&ResultLabel { result }).inc();
    }
}
