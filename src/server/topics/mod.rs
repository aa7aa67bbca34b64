//! The topics of a running server: a value that is replaced whole, so that any number of tasks read it without waiting.

mod change;
mod cluster;
mod racks;
mod rules;

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock};

pub use self::change::{Before, Growth};
pub use self::cluster::Followed;
use self::cluster::Owners;
pub use self::racks::{Broker, COORDINATOR_NODE};
pub use self::rules::{
    MAX_NAMED_TOPICS, MAX_PARTITIONS, MAX_PARTITIONS_PER_TOPIC, MAX_RACK_NAME_BYTES, MAX_RACKS, MAX_TOPIC_NAME_BYTES,
    MAX_TOPICS, TopicError, check,
};
use tokio::sync::Notify;

use crate::ids::TopicName;
use crate::store::Entry;
use crate::topics::{Rack, Topic, TopicTable};
use crate::wire::ErrorCode;

/// A topic as ids on the wire name it.
pub type TopicId = [u8; 16];

/// The topics of one moment, with all that Metadata says about them.
#[derive(Clone, PartialEq, Debug)]
pub struct View {
    table: Arc<TopicTable>,
    names: HashMap<TopicId, TopicName>,
    brokers: Vec<Broker>,
    partitions: u64,
}

impl View {
    fn of(table: TopicTable) -> Self {
        Self {
            names: table.0.keys().map(|name| (topic_id(name.as_str()), name.clone())).collect(),
            brokers: racks::brokers(&table),
            partitions: table.0.values().map(|topic| u64::from(topic.partitions)).sum(),
            table: Arc::new(table),
        }
    }

    /// The topics by name.
    pub fn table(&self) -> &Arc<TopicTable> {
        &self.table
    }

    /// The topic that has this id.
    pub fn name_of(&self, id: &TopicId) -> Option<&TopicName> {
        self.names.get(id)
    }

    /// The id of a topic that is there, else zeros.
    pub fn id_of(&self, name: &str) -> TopicId {
        if self.table.get(name).is_some() { topic_id(name) } else { TopicId::default() }
    }

    /// The virtual brokers by node id: the coordinator, then one for each rack.
    pub fn brokers(&self) -> &[Broker] {
        &self.brokers
    }

    /// The rack that this virtual broker stands for.
    pub fn rack_of(&self, node: i32) -> Option<&Rack> {
        let at = self.brokers.binary_search_by_key(&node, |broker| broker.node).ok()?;
        self.brokers[at].rack.as_ref()
    }

    /// The virtual brokers of a partition, its leader first; never empty for a partition that exists.
    pub fn replicas(&self, topic: &Topic, partition: u32) -> Vec<i32> {
        let racks = topic.racks.get(partition as usize).map(Vec::as_slice).unwrap_or_default();
        let mut nodes: Vec<i32> = racks.iter().filter_map(|rack| racks::node_of(&self.brokers, rack)).collect();
        if nodes.is_empty() {
            nodes.push(COORDINATOR_NODE);
        }
        nodes
    }
}

/// What became of topics that a client named.
#[derive(Default, PartialEq, Debug)]
pub struct Named {
    /// What is to be made durable.
    pub entries: Vec<Entry>,
    /// How many there was no room for.
    pub left_out: usize,
}

/// The topics of a running server.
#[derive(Debug)]
pub struct Topics {
    /// What readers take. Its lock is held only to copy or to replace a pointer.
    view: RwLock<Arc<View>>,
    /// Whose they are. Held by who changes the topics, from reading the view to replacing it.
    owners: Mutex<Owners>,
    /// Told of every change.
    changed: Arc<Notify>,
}

impl Topics {
    /// Those of the configuration.
    pub fn new(configured: &[(TopicName, Topic)]) -> Self {
        let table = TopicTable(configured.iter().cloned().collect());
        let owners = Mutex::new(Owners { configured: Self::names(configured), cluster: None });
        let view = RwLock::new(Arc::new(View::of(table)));
        Self { view, owners, changed: Arc::default() }
    }

    /// Who waits for changes waits here.
    pub fn changes(&self) -> Arc<Notify> {
        Arc::clone(&self.changed)
    }

    /// Takes a configuration that was read again: topics that are new, partitions that were added, other racks. What is
    /// no longer in it stays, since members may hold work in it. Else as [`Topics::add_stored`].
    pub fn reconfigure(&self, configured: &[(TopicName, Topic)]) -> Result<Vec<String>, TopicError> {
        let mut owners = self.changing();
        let before = self.view();
        let mut table = TopicTable::clone(&before.table);
        let mut warnings = Vec::new();
        for (name, configured) in configured {
            let present = table.0.get(name).map_or(0, |topic| topic.partitions);
            if present > configured.partitions {
                warnings.push(disagreement(name, configured.partitions, present));
            }
            table.0.insert(name.clone(), grown(configured, present));
        }
        let view = View::of(table);
        rules::fits(&before, &view)?;
        owners.configured.append(&mut Self::names(configured));
        if view != *before {
            self.put(view);
        }
        Ok(warnings)
    }

    /// Adds those of the store, before the first is created, and gives back a sentence for each that configuration and
    /// store disagree about. The configuration outranks the store, but partitions never vanish: members may hold work
    /// in them.
    pub fn add_stored(&self, stored: Vec<(TopicName, Topic)>) -> Vec<String> {
        let _changing = self.changing();
        let mut table = TopicTable::clone(&self.view().table);
        let mut warnings = Vec::new();
        for (name, stored) in stored {
            let merged = match table.0.get(&name) {
                None => stored,
                Some(configured) if configured.partitions == stored.partitions => continue,
                Some(configured) => {
                    warnings.push(disagreement(&name, configured.partitions, stored.partitions));
                    grown(configured, stored.partitions)
                }
            };
            table.0.insert(name, merged);
        }
        self.put(View::of(table));
        warnings
    }

    /// Those of the configuration that are not in the store as they are now.
    pub(super) fn configured_besides(&self, stored: &BTreeMap<TopicName, Topic>) -> Vec<Entry> {
        let (owners, view) = (self.changing(), self.view());
        let now = owners.configured.iter().filter_map(|name| view.table.0.get_key_value(name));
        let differs = now.filter(|(name, topic)| stored.get(*name) != Some(*topic));
        differs.map(|(name, topic)| Entry::Topic(name.clone(), topic.clone())).collect()
    }

    /// Those of a configuration that are no longer what they were.
    pub(super) fn changed_since(&self, before: &TopicTable, configured: &[(TopicName, Topic)]) -> Vec<Entry> {
        let view = self.view();
        let now = configured.iter().filter_map(|(name, _)| view.table.0.get_key_value(name));
        let differs = now.filter(|(name, topic)| before.0.get(*name) != Some(*topic));
        differs.map(|(name, topic)| Entry::Topic(name.clone(), topic.clone())).collect()
    }

    /// The table of another moment, where nobody else has changed anything since.
    pub(super) fn put_all_back(&self, before: &TopicTable) {
        let _changing = self.changing();
        self.put(View::of(before.clone()));
    }

    /// The topics by name, as they are now.
    pub fn snapshot(&self) -> Arc<TopicTable> {
        Arc::clone(self.view().table())
    }

    /// The topics as they are now, with ids and brokers.
    pub fn view(&self) -> Arc<View> {
        // Only whole views are ever put in, so a poisoned lock guards a whole one.
        Arc::clone(&self.view.read().unwrap_or_else(PoisonError::into_inner))
    }

    /// Adds a topic and says what the caller must make durable before it tells anybody; if that fails, the caller
    /// takes the topic back with [`Topics::remove`]. `racks` is empty, or holds for each partition the racks of its
    /// replicas, the leader's first.
    pub fn create(&self, name: &str, partitions: u32, racks: Vec<Vec<Rack>>) -> Result<Entry, TopicError> {
        let mut outcomes = self.create_all(std::iter::once((name, Topic { partitions, racks })));
        outcomes.pop().expect("there is an outcome for each topic")
    }

    /// The same for several topics, in order. The table is copied once, however many they are.
    pub fn create_all<'a>(&self, wanted: impl Iterator<Item = (&'a str, Topic)>) -> Vec<Result<Entry, TopicError>> {
        let owners = self.changing();
        let view = self.view();
        let mut room = rules::Room::of(&view);
        let mut added = BTreeMap::new();
        let mut create = |(name, topic): (&str, Topic)| {
            check(name, &topic)?;
            let name = TopicName::from(name);
            owners.may_create(&name)?;
            if view.table.0.contains_key(&name) || added.contains_key(&name) {
                return Err(exists(&name));
            }
            room.take(&name, &topic)?;
            added.insert(name.clone(), topic.clone());
            Ok(Entry::Topic(name, topic))
        };
        let outcomes = wanted.map(&mut create).collect();
        if !added.is_empty() {
            let mut table = TopicTable::clone(&view.table);
            table.0.extend(added);
            self.put(View::of(table));
        }
        outcomes
    }

    /// Adds topics that a client only named, each with so many partitions: the legal names that are new, as far as
    /// there is room. The table is copied once, however many they are. Else as [`Topics::create`].
    pub fn create_named<'a>(&self, names: impl Iterator<Item = &'a str>, partitions: u32) -> Named {
        let topic = Topic { partitions, racks: Vec::new() };
        let _changing = self.changing();
        let view = self.view();
        let is_new = |name: &&str| !view.table.0.contains_key(*name) && check(name, &topic).is_ok();
        let new: BTreeSet<&str> = names.filter(is_new).collect();
        let room = rules::room_for_named(&view, partitions);
        let left_out = new.len().saturating_sub(room);
        let new: Vec<TopicName> = new.into_iter().take(room).map(TopicName::from).collect();
        if !new.is_empty() {
            let mut table = TopicTable::clone(&view.table);
            table.0.extend(new.iter().map(|name| (name.clone(), topic.clone())));
            self.put(View::of(table));
        }
        Named { entries: new.into_iter().map(|name| Entry::Topic(name, topic.clone())).collect(), left_out }
    }

    /// Takes away those of the topics that are there.
    pub fn remove<'a>(&self, names: impl Iterator<Item = &'a TopicName>) {
        let _changing = self.changing();
        let mut table = TopicTable::clone(&self.view().table);
        names.for_each(|name| drop(table.0.remove(name)));
        self.put(View::of(table));
    }

    fn changing(&self) -> MutexGuard<'_, Owners> {
        self.owners.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn put(&self, view: View) {
        *self.view.write().unwrap_or_else(PoisonError::into_inner) = Arc::new(view);
        // One waits; a change while it does not is kept for it.
        self.changed.notify_one();
    }
}

/// What is said of a topic that is there already.
pub(crate) fn exists(name: &TopicName) -> TopicError {
    let message = format!("topic {name} exists already: choose another name");
    TopicError { code: ErrorCode::TopicAlreadyExists, message }
}

fn disagreement(name: &TopicName, configured: u32, stored: u32) -> String {
    if configured > stored {
        format!("topic {name} grows from {stored} to {configured} partitions, as the configuration says")
    } else {
        format!(
            "topic {name} keeps the {stored} partitions of the store although the configuration says {configured}: \
             partitions are never taken away; write `partitions = {stored}`"
        )
    }
}

/// The topic with at least so many partitions. Its racks are dealt on in the same order.
fn grown(topic: &Topic, partitions: u32) -> Topic {
    let partitions = topic.partitions.max(partitions);
    let racks = match topic.racks.as_slice() {
        [] => Vec::new(),
        racks => racks.iter().cycle().take(partitions as usize).cloned().collect(),
    };
    Topic { partitions, racks }
}

/// The id that clients know a topic by. It is made from the name alone, so it is the same after every restart, on every
/// coordinator, and for a topic that is deleted and made again.
pub fn topic_id(name: &str) -> TopicId {
    let mut id = xxhash_rust::xxh3::xxh3_128(name.as_bytes()).to_be_bytes();
    // RFC 9562: version 8 (custom), variant 10. The first bit is cleared because tools take an id whose base64 begins
    // with '-' for an option (Kafka avoids it for the same reason). So it is never one of Kafka's two reserved ids.
    id[0] &= 0x7f;
    id[6] = id[6] & 0x0f | 0x80;
    id[8] = id[8] & 0x3f | 0x80;
    id
}

#[cfg(test)]
mod tests;
