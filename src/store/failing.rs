//! A store that fails on command: for tests only. A test binary takes it in with `#[path]`, after bringing the names
//! below into the scope of the module that does.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex};

use super::{Entry, GroupId, Record, Snapshot, Store, StoreError};

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
pub struct Faults(Arc<Mutex<(VecDeque<Fault>, bool)>>);

impl Faults {
    /// The next batch that has no fault yet fails like this.
    pub fn order(&self, fault: Fault) {
        self.0.lock().unwrap().0.push_back(fault);
    }

    /// Until it is told otherwise all batches are lost, as on a full disk.
    pub fn refuse(&self, all: bool) {
        self.0.lock().unwrap().1 = all;
    }

    fn next(&self) -> Option<Fault> {
        let mut orders = self.0.lock().unwrap();
        orders.0.pop_front().or(orders.1.then_some(Fault::Lost))
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

#[test]
fn fails_the_batches_that_it_was_told_to() {
    let faults = Faults::default();
    let mut store = FailingStore::new(super::MemoryStore::new(), faults.clone());
    let batch = |name: &str| [Entry::Group(name.into(), Record::Suspensions(Vec::new()))];
    faults.order(Fault::Lost);
    faults.order(Fault::KeptUnsaid);
    assert!(store.append(&batch("lost")).is_err());
    assert!(store.append(&batch("kept")).is_err());
    faults.refuse(true);
    assert!(store.append(&batch("full")).is_err() && store.probe().is_err());
    faults.refuse(false);
    store.append(&batch("said")).unwrap();
    let groups: Vec<_> = store.load().unwrap().groups.into_iter().map(|(id, _)| id).collect();
    assert_eq!(groups, ["kept", "said"]);
    assert_eq!(store.load_group(&"lost".into()).unwrap(), []);
}
