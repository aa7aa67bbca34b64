//! A strategy that a life is played with, and what each of its calls costs.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use serde_json::Value;

use crate::assignor::{Assignor, Budget, CallError, Export, Manifest, native_range};
use crate::ids::Digest;

/// What one call used, where that is known.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Used {
    /// How long it took.
    pub took: Duration,
    /// The most memory that it had, in bytes.
    pub memory: usize,
}

/// Says what the strategy's last call used; none where nobody measures it. This floor has no clock.
pub type Gauge = Arc<dyn Fn() -> Option<Used> + Send + Sync>;

/// A strategy.
#[derive(Clone)]
pub struct Subject {
    /// The name that it stands under in the report.
    pub name: String,
    /// The strategy.
    pub assignor: Arc<dyn Assignor>,
    /// What its calls use.
    pub gauge: Gauge,
    /// Configurations, by the assignor's name without version: its own, and that of what stands in for it.
    pub configs: BTreeMap<String, Value>,
    /// What makes the plan when it fails (`group.fallback`).
    pub fallback: Option<Arc<dyn Assignor>>,
}

impl Subject {
    /// The host's own range, which no file holds.
    pub fn native(name: impl Into<String>) -> Self {
        Self::new(name, native(), Arc::new(|| None))
    }

    /// A strategy without settings and without anything that stands in for it.
    pub fn new(name: impl Into<String>, assignor: Arc<dyn Assignor>, gauge: Gauge) -> Self {
        Self { name: name.into(), assignor, gauge, configs: BTreeMap::new(), fallback: None }
    }
}

/// The host's own range, fit to be shared.
pub fn native() -> Arc<dyn Assignor> {
    Arc::new(Native)
}

struct Native;

impl Assignor for Native {
    fn manifest(&self) -> &Manifest {
        native_range().manifest()
    }

    fn digest(&self) -> Option<Digest> {
        native_range().digest()
    }

    fn call(&self, export: Export, request: &[u8], budget: Budget) -> Result<Vec<u8>, CallError> {
        native_range().call(export, request, budget)
    }
}

/// What calls cost together.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub(super) struct Bill {
    pub(super) calls: usize,
    pub(super) took: Option<Duration>,
    pub(super) request_bytes: usize,
    pub(super) reply_bytes: usize,
    pub(super) memory: Option<usize>,
}

/// The strategy with somebody who counts.
pub(super) struct Metered {
    subject: Subject,
    bill: Mutex<Bill>,
}

impl Metered {
    pub(super) fn new(subject: Subject) -> Self {
        Self { subject, bill: Mutex::default() }
    }

    /// What was used since this was last asked.
    pub(super) fn bill(&self) -> Bill {
        std::mem::take(&mut *self.bill.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl Assignor for Metered {
    fn manifest(&self) -> &Manifest {
        self.subject.assignor.manifest()
    }

    fn digest(&self) -> Option<Digest> {
        self.subject.assignor.digest()
    }

    fn file(&self) -> Option<&Path> {
        self.subject.assignor.file()
    }

    fn has_check(&self) -> bool {
        self.subject.assignor.has_check()
    }

    fn call(&self, export: Export, request: &[u8], budget: Budget) -> Result<Vec<u8>, CallError> {
        let reply = self.subject.assignor.call(export, request, budget);
        if export == Export::Assign {
            let mut bill = self.bill.lock().unwrap_or_else(PoisonError::into_inner);
            let used = (self.subject.gauge)();
            bill.calls += 1;
            bill.request_bytes += request.len();
            bill.reply_bytes += reply.as_ref().map_or(0, Vec::len);
            if let Some(used) = used {
                bill.took = Some(bill.took.unwrap_or_default() + used.took);
                bill.memory = bill.memory.max(Some(used.memory));
            }
        }
        reply
    }
}
