//! What `/metrics` shows. Labels are names in the code, and the modules that are offered: no group and no member ever
//! becomes one.

use std::sync::Arc;
use std::time::Duration;

use prometheus_client::encoding::EncodeLabelSet;
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::metrics::histogram::{Histogram, exponential_buckets};
use prometheus_client::registry::{Registry, Unit};

use crate::group::GroupSummary;
use crate::sandbox::ModuleMetrics;
use crate::wire::api::SERVED;
use crate::wire::{ApiKey, ErrorCode};

/// All of them.
#[derive(Clone)]
pub(crate) struct Metrics(Arc<Inner>);

struct Inner {
    registry: Registry,
    /// By the number of the API key: counted with every request, so not looked up.
    requests: Vec<Counter>,
    errors: Family<ErrorLabels, Counter>,
    groups: Family<StateLabel, Gauge>,
    members: Gauge,
    rebalances: Family<TriggerLabel, Counter>,
    modules_failed: Family<KindLabel, Counter>,
    plans_refused: Counter,
    plans_questioned: Counter,
    offsets_committed: Counter,
    offsets_expired: Counter,
    commits_not_owned: Family<ActionLabel, Counter>,
    groups_deleted: Counter,
    store_batch: Histogram,
    store_entries: Counter,
    store_failures: Counter,
    connections: Gauge,
    closed: Family<KindLabel, Counter>,
    bytes_in: Counter,
    bytes_out: Counter,
    modules: ModuleMetrics,
}

#[derive(Clone, PartialEq, Eq, Hash, Debug, EncodeLabelSet)]
struct ApiLabel {
    api: &'static str,
}

#[derive(Clone, PartialEq, Eq, Hash, Debug, EncodeLabelSet)]
struct ErrorLabels {
    api: &'static str,
    code: i16,
}

#[derive(Clone, PartialEq, Eq, Hash, Debug, EncodeLabelSet)]
struct StateLabel {
    state: &'static str,
}

#[derive(Clone, PartialEq, Eq, Hash, Debug, EncodeLabelSet)]
struct TriggerLabel {
    trigger: &'static str,
}

#[derive(Clone, PartialEq, Eq, Hash, Debug, EncodeLabelSet)]
struct KindLabel {
    kind: &'static str,
}

#[derive(Clone, PartialEq, Eq, Hash, Debug, EncodeLabelSet)]
struct ActionLabel {
    action: &'static str,
}

/// From a tenth of a millisecond, a fast disk's sync, to 13 s.
const BATCH_BUCKETS: (f64, f64, u16) = (0.000_1, 2.0, 18);

impl Metrics {
    /// All at zero.
    pub(crate) fn new() -> Self {
        let mut registry = Registry::with_prefix("divvy");
        let requests = requests(&mut registry);
        let (start, factor, length) = BATCH_BUCKETS;
        let mut inner = Inner {
            registry,
            requests,
            errors: Family::default(),
            groups: Family::default(),
            members: Gauge::default(),
            rebalances: Family::default(),
            modules_failed: Family::default(),
            plans_refused: Counter::default(),
            plans_questioned: Counter::default(),
            offsets_committed: Counter::default(),
            offsets_expired: Counter::default(),
            commits_not_owned: Family::default(),
            groups_deleted: Counter::default(),
            store_batch: Histogram::new(exponential_buckets(start, factor, length)),
            store_entries: Counter::default(),
            store_failures: Counter::default(),
            connections: Gauge::default(),
            closed: Family::default(),
            bytes_in: Counter::default(),
            bytes_out: Counter::default(),
            modules: ModuleMetrics::default(),
        };
        inner.register();
        Self(Arc::new(inner))
    }

    /// Those of the coordinator's own modules.
    pub(crate) fn modules(&self) -> &ModuleMetrics {
        &self.0.modules
    }

    /// A request came.
    pub(crate) fn request(&self, key: ApiKey) {
        if let Some(counter) = usize::try_from(key.code()).ok().and_then(|code| self.0.requests.get(code)) {
            counter.inc();
        }
    }

    /// An answer says an error.
    pub(crate) fn error(&self, key: ApiKey, error: ErrorCode) {
        if error.is_error() {
            self.0.errors.get_or_create(&ErrorLabels { api: key.name(), code: error.code() }).inc();
        }
    }

    /// A rebalance began.
    pub(crate) fn rebalance(&self, trigger: &'static str) {
        self.0.rebalances.get_or_create(&TriggerLabel { trigger }).inc();
    }

    /// A leader's module failed.
    pub(crate) fn module_failed(&self, kind: &'static str) {
        self.0.modules_failed.get_or_create(&KindLabel { kind }).inc();
    }

    /// A plan was refused.
    pub(crate) fn plan_refused(&self) {
        self.0.plans_refused.inc();
    }

    /// A plan breaks a rule and was handed out.
    pub(crate) fn plan_questioned(&self) {
        self.0.plans_questioned.inc();
    }

    /// Offsets were committed.
    pub(crate) fn committed(&self, partitions: usize) {
        self.0.offsets_committed.inc_by(partitions as u64);
    }

    /// Committed offsets had their time.
    pub(crate) fn offsets_expired(&self, partitions: usize) {
        self.0.offsets_expired.inc_by(partitions as u64);
    }

    /// A member committed so many partitions that another one has.
    pub(crate) fn commit_not_owned(&self, refused: bool, partitions: usize) {
        let action = if refused { "refused" } else { "stored" };
        self.0.commits_not_owned.get_or_create(&ActionLabel { action }).inc_by(partitions as u64);
    }

    /// A group was deleted, on request or after its time.
    pub(crate) fn group_deleted(&self) {
        self.0.groups_deleted.inc();
    }

    /// The store took a batch, or did not.
    pub(crate) fn store_batch(&self, took: Duration, entries: usize, stored: bool) {
        self.0.store_batch.observe(took.as_secs_f64());
        if stored {
            self.0.store_entries.inc_by(entries as u64);
        } else {
            self.0.store_failures.inc();
        }
    }

    /// So many connections are open.
    pub(crate) fn connections(&self, open: usize) {
        self.0.connections.set(i64::try_from(open).unwrap_or(i64::MAX));
    }

    /// The server closed a connection.
    pub(crate) fn closed(&self, kind: &'static str) {
        self.0.closed.get_or_create(&KindLabel { kind }).inc();
    }

    /// Bytes came.
    pub(crate) fn bytes_in(&self, count: usize) {
        self.0.bytes_in.inc_by(count as u64);
    }

    /// Bytes went.
    pub(crate) fn bytes_out(&self, count: usize) {
        self.0.bytes_out.inc_by(count as u64);
    }

    /// Everything as text; the groups are counted now, from their list.
    pub(crate) fn text(&self, groups: &[GroupSummary]) -> String {
        self.0.groups.clear();
        for group in groups {
            self.0.groups.get_or_create(&StateLabel { state: group.state.wire() }).inc();
        }
        let members = groups.iter().map(|group| group.members).sum::<usize>();
        self.0.members.set(i64::try_from(members).unwrap_or(i64::MAX));
        let mut text = String::new();
        // Writing to a string fails only if a metric's own encoder does; none of ours can.
        let _ = prometheus_client::encoding::text::encode(&mut text, &self.0.registry);
        text
    }
}

fn requests(registry: &mut Registry) -> Vec<Counter> {
    let family = Family::<ApiLabel, Counter>::default();
    registry.register("requests", "Requests by API", family.clone());
    let highest = SERVED.iter().map(|served| served.key.code()).max().unwrap_or(0);
    let counter = |code| match ApiKey::from_code(code) {
        Some(key) => family.get_or_create(&ApiLabel { api: key.name() }).clone(),
        None => Counter::default(),
    };
    (0..=highest).map(counter).collect()
}

impl Inner {
    fn register(&mut self) {
        let to = &mut self.registry;
        to.register("errors", "Answers of the group APIs with an error, by API and code", self.errors.clone());
        to.register("groups", "Groups by state", self.groups.clone());
        to.register("members", "Members of all groups", self.members.clone());
        to.register("rebalances", "Rebalances by what began them", self.rebalances.clone());
        to.register("modules_failed", "Failures of leaders' modules by kind", self.modules_failed.clone());
        to.register("plans_refused", "Plans that broke a rule and were refused", self.plans_refused.clone());
        let questioned = self.plans_questioned.clone();
        to.register("plans_questioned", "Plans that broke a rule and were handed out all the same", questioned);
        to.register("offsets_committed", "Offsets committed", self.offsets_committed.clone());
        to.register("offsets_expired", "Offsets forgotten after their time", self.offsets_expired.clone());
        let not_owned = self.commits_not_owned.clone();
        to.register("commits_not_owned", "Offsets committed by members that do not own them, by action", not_owned);
        to.register("groups_deleted", "Groups deleted, on request or after their time", self.groups_deleted.clone());
        let batch = self.store_batch.clone();
        to.register_with_unit("store_batch", "How long the store takes for a batch", Unit::Seconds, batch);
        to.register("store_entries", "Entries made durable", self.store_entries.clone());
        to.register("store_failures", "Batches that were not stored", self.store_failures.clone());
        to.register("connections", "Open connections", self.connections.clone());
        to.register("connections_closed", "Connections closed by the server, by reason", self.closed.clone());
        to.register_with_unit("received", "Bytes read from clients", Unit::Bytes, self.bytes_in.clone());
        to.register_with_unit("sent", "Bytes written to clients", Unit::Bytes, self.bytes_out.clone());
        self.modules.register(to);
    }
}
