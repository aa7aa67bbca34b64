//! A store that fails on command. Shared by the test binaries with `#[path]`: the product has no such thing.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex};

use divvy::group::Record;
use divvy::ids::GroupId;
use divvy::store::{Entry, Snapshot, Store, StoreError};

/// How a batch fails.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Fault {
    /// Nothing of it is kept.
    Lost,
    /// All of it is kept, and the caller is told that it failed: the outcome of a failed write is unknown.
    KeptUnsaid,
}

/// Gives orders to a [`FailingStore`] that somebody else owns by now.
#[derive(Clone, Debug, Default)]
pub struct Faults(Arc<Mutex<VecDeque<Fault>>>);

impl Faults {
    /// The next batch that has no fault yet fails like this.
    pub fn order(&self, fault: Fault) {
        self.0.lock().unwrap().push_back(fault);
    }

    fn next(&self) -> Option<Fault> {
        self.0.lock().unwrap().pop_front()
    }
}

/// Passes everything on, but for the batches that were ordered to fail.
#[derive(Debug)]
pub struct FailingStore<S> {
    inner: S,
    faults: Faults,
}

impl<S> FailingStore<S> {
    /// Around `inner`.
    pub fn new(inner: S, faults: Faults) -> Self {
        Self { inner, faults }
    }
}

impl<S: Store> Store for FailingStore<S> {
    fn append(&mut self, batch: &[Entry]) -> Result<(), StoreError> {
        let Some(fault) = self.faults.next() else {
            return self.inner.append(batch);
        };
        if fault == Fault::KeptUnsaid {
            self.inner.append(batch)?;
        }
        Err(StoreError { message: "the store was told to fail: this is a test".to_owned() })
    }

    fn load(&mut self) -> Result<Snapshot, StoreError> {
        self.inner.load()
    }

    fn load_group(&mut self, group: &GroupId) -> Result<Vec<Record>, StoreError> {
        self.inner.load_group(group)
    }
}
