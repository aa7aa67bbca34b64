//! What modules use, for `/metrics`: a series per module and digest of those that are offered now, at most as many as a
//! catalog offers; and what became of the files that were looked at.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, Weak};

use prometheus_client::collector::Collector;
use prometheus_client::encoding::{DescriptorEncoder, EncodeLabelSet, NoLabelSet};
use prometheus_client::metrics::MetricType;
use prometheus_client::registry::{Registry, Unit};

use super::catalog::{Catalog, Shared};
use super::lock;
use super::usage::{Counts, Durations};

/// The numbers of some catalogs; a clone is the same. Catalogs that are gone take theirs along.
#[derive(Clone, Debug, Default)]
pub struct ModuleMetrics(Arc<Mutex<Vec<Weak<Shared>>>>);

/// What became of files.
#[derive(Debug, Default)]
pub(super) struct Tally {
    pub loaded: AtomicU64,
    pub refused: AtomicU64,
    pub cache_hits: AtomicU64,
    pub cache_misses: AtomicU64,
    /// Those of modules that are gone, by kind: their own series went with them.
    faults: Mutex<BTreeMap<&'static str, u64>>,
}

impl Tally {
    pub fn one(counter: &AtomicU64) {
        counter.fetch_add(1, Ordering::Relaxed);
    }

    /// A module goes, and what it failed at stays.
    pub fn keep_faults(&self, counts: &Counts) {
        let mut faults = lock(&self.faults);
        counts.faults.iter().for_each(|(kind, count)| *faults.entry(kind).or_default() += count);
    }
}

#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, EncodeLabelSet)]
struct ModuleLabels {
    module: String,
    digest: String,
}

#[derive(Clone, PartialEq, Eq, Hash, Debug, EncodeLabelSet)]
struct FaultLabels {
    module: String,
    digest: String,
    kind: &'static str,
}

#[derive(Clone, PartialEq, Eq, Hash, Debug, EncodeLabelSet)]
struct KindLabel {
    kind: &'static str,
}

#[derive(Clone, PartialEq, Eq, Hash, Debug, EncodeLabelSet)]
struct ResultLabel {
    result: &'static str,
}

type All = BTreeMap<ModuleLabels, Counts>;

impl ModuleMetrics {
    /// Shows the modules of a catalog, too.
    pub fn add(&self, catalog: &Catalog) {
        let mut catalogs = lock(&self.0);
        let new = Arc::downgrade(catalog.shared());
        catalogs.retain(|it| it.strong_count() > 0 && !it.ptr_eq(&new));
        catalogs.push(new);
    }

    /// Puts them into a registry, as `divvy_module_…` if `divvy` is its prefix.
    pub fn register(&self, registry: &mut Registry) {
        registry.register_collector(Box::new(self.clone()));
    }

    fn catalogs(&self) -> Vec<Arc<Shared>> {
        lock(&self.0).iter().filter_map(Weak::upgrade).collect()
    }
}

impl Collector for ModuleMetrics {
    fn encode(&self, mut encoder: DescriptorEncoder<'_>) -> fmt::Result {
        let catalogs = self.catalogs();
        let mut all = All::new();
        for module in catalogs.iter().flat_map(|catalog| catalog.modules().to_vec()) {
            let labels = ModuleLabels { module: module.protocol().to_string(), digest: module.digest().short() };
            all.entry(labels).or_default().add_all(&module.counts());
        }
        let mut by_kind = BTreeMap::<&'static str, u64>::new();
        let mut count = |faults: &BTreeMap<&'static str, u64>| {
            faults.iter().for_each(|(kind, more)| *by_kind.entry(kind).or_default() += more);
        };
        all.values().for_each(|counts| count(&counts.faults));
        catalogs.iter().for_each(|catalog| count(&lock(&catalog.tally().faults)));
        let to = &mut encoder;
        counters(to, &all, "module_calls", "Calls of a module", None, |it| it.calls)?;
        faults(to, &all)?;
        let help = "Failed calls of all modules, those that are gone included, by kind";
        let mut metric = to.encode_descriptor("modules_faults", help, None, MetricType::Counter)?;
        for (kind, count) in by_kind {
            metric.encode_family(&KindLabel { kind })?.encode_counter::<NoLabelSet, u64, f64>(&count, None)?;
        }
        let bytes = Some(&Unit::Bytes);
        counters(to, &all, "module_received", "Requests written into a module", bytes, |it| it.bytes_in)?;
        counters(to, &all, "module_sent", "Replies read from a module", bytes, |it| it.bytes_out)?;
        durations(to, &all, "module_instantiate", "How long making an instance took", |it| &it.instantiate)?;
        durations(to, &all, "module_call", "How long a whole call took, the instance included", |it| &it.call)?;
        let help =
            "What the host spent on a plan around the call: writing the request, checking and splitting the reply";
        durations(to, &all, "module_validate", help, |it| &it.host)?;
        let help = "The most memory that an instance had";
        gauges(to, &all, "module_memory_peak", help, &Unit::Bytes, |it| Some(it.memory_peak as f64))?;
        let help = "What was left of the deadline in the call that came nearest to it";
        gauges(to, &all, "module_deadline_headroom", help, &Unit::Seconds, |it| {
            it.least_headroom.map(|it| it.as_secs_f64())
        })?;
        let sum = |of: fn(&Tally) -> &AtomicU64| catalogs.iter().map(|it| of(it.tally()).load(Ordering::Relaxed)).sum();
        let loads = [("ok", sum(|it| &it.loaded)), ("failed", sum(|it| &it.refused))];
        results(to, "module_loads", "Files that were read and judged, by what came of it", loads)?;
        let cache = [("hit", sum(|it| &it.cache_hits)), ("miss", sum(|it| &it.cache_misses))];
        results(to, "module_code_cache", "Loaded modules, by whether their code was in the cache", cache)
    }
}

fn counters(
    to: &mut DescriptorEncoder<'_>,
    all: &All,
    name: &str,
    help: &str,
    unit: Option<&Unit>,
    value: impl Fn(&Counts) -> u64,
) -> fmt::Result {
    let mut metric = to.encode_descriptor(name, help, unit, MetricType::Counter)?;
    all.iter().try_for_each(|(labels, counts)| {
        metric.encode_family(labels)?.encode_counter::<NoLabelSet, u64, f64>(&value(counts), None)
    })
}

fn faults(to: &mut DescriptorEncoder<'_>, all: &All) -> fmt::Result {
    let mut metric =
        to.encode_descriptor("module_faults", "Failed calls of a module, by kind", None, MetricType::Counter)?;
    for (ModuleLabels { module, digest }, counts) in all {
        for (kind, count) in &counts.faults {
            let labels = FaultLabels { module: module.clone(), digest: digest.clone(), kind };
            metric.encode_family(&labels)?.encode_counter::<NoLabelSet, u64, f64>(count, None)?;
        }
    }
    Ok(())
}

fn durations(
    to: &mut DescriptorEncoder<'_>,
    all: &All,
    name: &str,
    help: &str,
    value: impl Fn(&Counts) -> &Durations,
) -> fmt::Result {
    let mut metric = to.encode_descriptor(name, help, Some(&Unit::Seconds), MetricType::Histogram)?;
    all.iter().try_for_each(|(labels, counts)| {
        let (sum, count, buckets) = value(counts).buckets();
        metric.encode_family(labels)?.encode_histogram::<NoLabelSet>(sum, count, &buckets, None)
    })
}

fn gauges(
    to: &mut DescriptorEncoder<'_>,
    all: &All,
    name: &str,
    help: &str,
    unit: &Unit,
    value: impl Fn(&Counts) -> Option<f64>,
) -> fmt::Result {
    let mut metric = to.encode_descriptor(name, help, Some(unit), MetricType::Gauge)?;
    let mut values = all.iter().filter_map(|(labels, counts)| Some((labels, value(counts)?)));
    values.try_for_each(|(labels, value)| metric.encode_family(labels)?.encode_gauge(&value))
}

fn results(to: &mut DescriptorEncoder<'_>, name: &str, help: &str, values: [(&'static str, u64); 2]) -> fmt::Result {
    let mut metric = to.encode_descriptor(name, help, None, MetricType::Counter)?;
    values.iter().try_for_each(|(result, count)| {
        metric.encode_family(&ResultLabel { result })?.encode_counter::<NoLabelSet, u64, f64>(count, None)
    })
}
