//! A store that lives as long as its process: for tests and for `data = "memory"`.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::{Entry, Origin, Snapshot, Store, StoreError};
use crate::group::{Record, RecordKey};
use crate::ids::{GroupId, TopicName};
use crate::time::WallTime;
use crate::topics::Topic;

/// Clones share what they hold, so that a test may drop one and "restart" on another.
#[derive(Clone, Debug, Default)]
pub struct MemoryStore {
    held: Arc<Mutex<Held>>,
}

#[derive(Debug, Default)]
struct Held {
    /// Boxed: most groups have a few records, and a map makes room for eleven.
    groups: BTreeMap<GroupId, BTreeMap<RecordKey, Box<Record>>>,
    topics: BTreeMap<TopicName, Topic>,
    origins: BTreeMap<TopicName, Origin>,
    origins_until: Option<WallTime>,
}

impl MemoryStore {
    /// An empty one.
    pub fn new() -> Self {
        Self::default()
    }

    fn held(&self) -> MutexGuard<'_, Held> {
        // Nothing under the lock can stop half-way, so a poisoned lock guards whole data.
        self.held.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Held {
    fn put(&mut self, entry: &Entry) {
        match entry {
            Entry::Group(group, record) => self.put_record(group, record),
            Entry::Topic(name, topic) => {
                self.topics.insert(name.clone(), topic.clone());
            }
            Entry::TopicRemoved(name) => {
                self.topics.remove(name);
            }
            Entry::Origin(name, Some(origin)) => {
                self.origins.insert(name.clone(), origin.clone());
            }
            Entry::Origin(name, None) => {
                self.origins.remove(name);
            }
            Entry::OriginsUntil(at) => self.origins_until = Some(*at),
        }
    }

    fn put_record(&mut self, group: &GroupId, record: &Record) {
        match record {
            Record::Removed => {
                self.groups.remove(group);
            }
            Record::OffsetRemoved(..) => {
                if let Some(records) = self.groups.get_mut(group) {
                    records.remove(&record.key());
                    if records.is_empty() {
                        self.groups.remove(group);
                    }
                }
            }
            Record::Header(_)
            | Record::Plan(_)
            | Record::Reserved(_)
            | Record::Suspensions(_)
            | Record::Generation(_)
            | Record::Offset(_) => {
                self.groups.entry(group.clone()).or_default().insert(record.key(), Box::new(record.clone()));
            }
        }
    }
}

fn all(records: &BTreeMap<RecordKey, Box<Record>>) -> Vec<Record> {
    records.values().map(|record| Record::clone(record)).collect()
}

impl Store for MemoryStore {
    fn append(&mut self, batch: &[Entry]) -> Result<(), StoreError> {
        let mut held = self.held();
        batch.iter().for_each(|entry| held.put(entry));
        Ok(())
    }

    fn is_instant(&self) -> bool {
        true
    }

    fn load(&mut self) -> Result<Snapshot, StoreError> {
        let held = self.held();
        Ok(Snapshot {
            groups: held.groups.iter().map(|(id, records)| (id.clone(), all(records))).collect(),
            topics: held.topics.iter().map(|(name, topic)| (name.clone(), topic.clone())).collect(),
            origins: held.origins.iter().map(|(name, origin)| (name.clone(), origin.clone())).collect(),
            origins_until: held.origins_until,
        })
    }

    fn load_group(&mut self, group: &GroupId) -> Result<Vec<Record>, StoreError> {
        Ok(self.held().groups.get(group).map(all).unwrap_or_default())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::contract;

    #[test]
    fn keeps_the_contract() {
        contract::check(MemoryStore::new, |place| Box::new(place.clone()));
    }
}
