//! Topics that are a Kafka cluster's: they come, grow and go there, and are only looked at here. Those of the
//! configuration stay what the configuration says.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::{TopicError, Topics, View, check, rules};
use crate::ids::TopicName;
use crate::store::Entry;
use crate::topics::{Topic, TopicTable};
use crate::wire::ErrorCode;

/// Whose the topics are.
#[derive(Debug)]
pub(super) struct Owners {
    /// Those of the configuration, which stay.
    pub(super) configured: BTreeSet<TopicName>,
    /// A cluster that has the others.
    pub(super) cluster: Option<Cluster>,
}

/// The cluster, and what it has.
#[derive(Debug)]
pub(super) struct Cluster {
    /// Where it is, for people.
    address: String,
    /// As far as it was seen; before that, whatever is not the configuration's may be its.
    names: Option<BTreeSet<TopicName>>,
}

impl Owners {
    /// Whether a topic is the cluster's.
    pub(super) fn is_clusters(&self, name: &TopicName) -> bool {
        let seen = |cluster: &Cluster| cluster.names.as_ref().is_none_or(|names| names.contains(name));
        self.cluster.as_ref().is_some_and(seen) && !self.configured.contains(name)
    }

    /// Whether topics are made here at all.
    pub(super) fn may_create(&self, name: &TopicName) -> Result<(), TopicError> {
        match &self.cluster {
            None => Ok(()),
            Some(_) => Err(self.only_there(name, ErrorCode::PolicyViolation)),
        }
    }

    /// What is said to somebody who would change one here.
    pub(super) fn only_there(&self, name: &TopicName, code: ErrorCode) -> TopicError {
        let address = self.cluster.as_ref().map_or("?", |cluster| cluster.address.as_str());
        let message = format!(
            "topics come from the Kafka cluster at {address}: make, change or delete {name} there, and it is seen here; \
             what is no topic of Kafka's is declared as a [[topic]] in divvy.toml"
        );
        TopicError { code, message }
    }
}

/// What a look at the cluster changed.
#[derive(Debug)]
pub struct Followed {
    /// What is to be made durable.
    pub entries: Vec<Entry>,
    /// What was before: to go back to if that fails.
    pub before: Arc<TopicTable>,
    /// A sentence for each topic that could not be taken as it is.
    pub warnings: Vec<String>,
}

impl Topics {
    /// From now on topics are those of a cluster, and nobody makes any here.
    pub fn belong_to(&self, address: &str) {
        self.changing().cluster = Some(Cluster { address: address.to_owned(), names: None });
    }

    /// Whether a topic may be made here.
    pub fn may_create(&self, name: &str) -> Result<(), TopicError> {
        self.changing().may_create(&name.into())
    }

    /// Takes what the cluster has: those that were found, as they are there, and not those that are gone. Nothing is copied
    /// if nothing has changed.
    pub fn follow(&self, found: BTreeMap<TopicName, Topic>, gone: &BTreeSet<TopicName>) -> Followed {
        let mut owners = self.changing();
        let view = self.view();
        let mut room = rules::Room::of(&view);
        let (mut entries, mut warnings) = (Vec::new(), Vec::new());
        let mut seen = BTreeSet::new();
        for (name, topic) in found {
            let present = view.table().0.get(&name);
            if owners.configured.contains(&name) {
                if present.is_some_and(|present| present.partitions != topic.partitions) {
                    warnings.push(differs(&name, topic.partitions));
                }
                continue;
            }
            let taken = check(name.as_str(), &topic).and_then(|()| match present {
                Some(present) if *present == topic => Ok(false),
                Some(present) => room.grow(&name, present, &topic).map(|()| true),
                None => room.take(&name, &topic).map(|()| true),
            });
            match taken {
                Ok(is_change) => {
                    if is_change {
                        entries.push(Entry::Topic(name.clone(), topic));
                    }
                    seen.insert(name);
                }
                Err(error) => warnings.push(error.message),
            }
        }
        let leave = gone.iter().filter(|name| !owners.configured.contains(*name) && view.table().0.contains_key(*name));
        entries.extend(leave.cloned().map(Entry::TopicRemoved));
        if let Some(cluster) = &mut owners.cluster {
            // One that is not seen for a moment stays its.
            seen.extend(cluster.names.take().unwrap_or_default().into_iter().filter(|name| !gone.contains(name)));
            cluster.names = Some(seen);
        }
        if !entries.is_empty() {
            let mut table = TopicTable::clone(view.table());
            for entry in &entries {
                match entry {
                    Entry::Topic(name, topic) => drop(table.0.insert(name.clone(), topic.clone())),
                    Entry::TopicRemoved(name) => drop(table.0.remove(name)),
                    Entry::Group(..) | Entry::Origin(..) | Entry::OriginsUntil(_) => {}
                }
            }
            self.put(View::of(table));
        }
        Followed { entries, before: Arc::clone(view.table()), warnings }
    }

    /// Those that nobody vouches for: neither the configuration nor, as far as it was seen, the cluster.
    pub fn left_over(&self) -> Vec<TopicName> {
        let owners = self.changing();
        let view = self.view();
        let names = view.table().0.keys();
        names.filter(|name| !owners.configured.contains(*name) && !owners.is_clusters(name)).cloned().collect()
    }
}

fn differs(name: &TopicName, partitions: u32) -> String {
    format!(
        "topic {name} has {partitions} partitions in the Kafka cluster, and the configuration says something else, which \
         holds: take its [[topic]] out of divvy.toml if the cluster's is meant"
    )
}
