//! A store that fails on command, taken in from beside the stores; it wants these names around it.

#[allow(unused_imports, reason = "for the file that is taken in")]
use divvy::{
    group::Record,
    ids::GroupId,
    store::{Entry, MemoryStore, Snapshot, Store, StoreError},
};

#[path = "../../src/store/failing.rs"]
pub mod failing;
