//! A Kafka cluster that the topics come from: it is looked at every few seconds, and what has changed there becomes the
//! topics of this coordinator. While it is away the topics stay what they were last.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;

use super::Handle;
use super::config::KafkaCluster;
use super::limits::{
    CLUSTER_ANSWER_TIMEOUT, CLUSTER_BROKERS_KEPT, CLUSTER_IDS_KEPT, CLUSTER_LOOK_FACTOR, CLUSTER_LOOKS_LEFT_OUT,
};
use super::origins::Stored;
use crate::ids::TopicName;
use crate::peer::topics::{racks_of_brokers, topic};
use crate::peer::{Connection, Dial, Security, address_of, in_keys};
use crate::store::{Entry, Origin};
use crate::time::WallTime;
use crate::topics::{Rack, Topic};
use crate::wire::messages::metadata::MetadataRequest;
use crate::wire::streamed::{self, Part};

/// The id of a topic that has none.
const NO_ID: [u8; 16] = [0; 16];

/// Who looks.
pub(crate) struct Cluster {
    servers: Vec<String>,
    dial: Dial,
    max_age: Duration,
    connection: Option<Connection>,
    /// Brokers that told of themselves: where to ask when those that were named are away.
    brokers: Vec<String>,
    /// Who was connected to and did not answer.
    last: Option<String>,
    known: Arc<Known>,
    /// What is wrong, as it was said last: the same is not said again.
    trouble: Option<String>,
    was_seen: bool,
}

/// What was seen in looks before.
#[derive(Clone, Default)]
struct Known {
    /// Also of brokers that are away at the moment: a broker that restarts does not move its partitions.
    racks: BTreeMap<i32, Rack>,
    /// The topics that were there, and are not gone.
    names: BTreeSet<TopicName>,
    /// Their ids, and those of topics that are gone: one that was made anew has another (KIP-516), however long it was
    /// away, and its offsets are another topic's. The store has them too, for what happens while nobody looks.
    ids: BTreeMap<TopicName, Origin>,
    /// Those whose id is an earlier process's, and what was committed by when is of that id.
    unseen: BTreeSet<TopicName>,
    upto: WallTime,
    /// Topics that were not there in the last look. Who is not there twice is gone.
    missing: BTreeSet<TopicName>,
    /// The bytes of the last answer, in short: the same again is not even read.
    hash: u64,
}

/// One look.
struct Look {
    known: Known,
    brokers: Vec<String>,
    found: BTreeMap<TopicName, Topic>,
    gone: BTreeSet<TopicName>,
    ids: Ids,
    /// Whether this is another cluster than the one that was seen before.
    is_another: bool,
}

/// What the ids of topics say.
#[derive(Default)]
pub(crate) struct Ids {
    /// Topics that were deleted there and made again since they were seen last.
    pub(crate) anew: Vec<TopicName>,
    /// Likewise, since an earlier process saw them: only what was committed by then is another topic's.
    pub(crate) anew_meanwhile: Vec<TopicName>,
    pub(crate) upto: WallTime,
    /// What the store has to know of it.
    pub(crate) marks: Vec<Entry>,
}

impl Cluster {
    /// Nothing was asked yet.
    pub(crate) fn new(config: &KafkaCluster, security: Security) -> Self {
        Self {
            servers: config.servers.clone(),
            dial: Dial::new("divvy-serve", security),
            max_age: config.max_age,
            connection: None,
            brokers: Vec::new(),
            last: None,
            known: Arc::default(),
            trouble: None,
            was_seen: false,
        }
    }

    /// Looks until the server stops.
    pub(crate) async fn watch(mut self, handle: Handle) {
        // What the store knows comes first: the cluster changes it.
        handle.topics().wait_loaded().await;
        self.known = Arc::new(Known::of(handle.topics().take_origins()));
        loop {
            let began = handle.clock().mono();
            match self.look(&handle).await {
                Ok(()) => {
                    if self.trouble.take().is_some() {
                        tracing::info!(cluster = self.servers.join(","), "the Kafka cluster answers again");
                    }
                }
                Err(reason) => self.tell(in_keys(&reason), &handle),
            }
            // A large cluster is looked at less often: what that costs here and there stays small.
            let took = handle.clock().mono() - began;
            let longest = self.max_age * CLUSTER_LOOKS_LEFT_OUT;
            tokio::time::sleep((took * CLUSTER_LOOK_FACTOR).clamp(self.max_age, longest)).await;
        }
    }

    fn tell(&mut self, reason: String, handle: &Handle) {
        self.connection = None;
        if self.trouble.as_ref() != Some(&reason) {
            let topics = handle.topics().view().table().0.len();
            tracing::warn!(
                cluster = self.servers.join(","),
                topics,
                "the topics cannot be read from the Kafka cluster: {reason}. Groups are served with the topics as they were \
                 last; it is asked again every {} ms",
                self.max_age.as_millis()
            );
        }
        self.trouble = Some(reason);
    }

    async fn look(&mut self, handle: &Handle) -> Result<(), String> {
        let (connection, frame, version) = self.ask().await?;
        let known = Arc::clone(&self.known);
        let read = handle.aside(move || read(frame, version, &known)).await;
        let read = read.ok_or_else(|| "its answer could not be read: this is a bug of divvy".to_owned())?;
        self.connection = Some(connection);
        let Some(look) = read? else {
            handle.topics().followed(handle).await;
            return Ok(());
        };
        let Look { known, brokers, found, gone, ids, is_another } = look;
        let count = found.len();
        handle.topics().follow(found, gone, ids, handle).await?;
        if is_another {
            tracing::warn!(
                cluster = self.servers.join(","),
                "this is another Kafka cluster than the one that the topics came from before: what was committed for topics of the \
                 same names counts for these"
            );
        }
        (self.known, self.brokers) = (Arc::new(known), brokers);
        if !std::mem::replace(&mut self.was_seen, true) {
            tracing::info!(cluster = self.servers.join(","), topics = count, "topics come from the Kafka cluster");
            handle.topics().tell_left_over();
        }
        Ok(())
    }

    /// Asks for everything. A connection that was kept may be over by now, for brokers close those that were quiet for long:
    /// that is no trouble, and it is asked over a new one.
    async fn ask(&mut self) -> Result<(Connection, Bytes, i16), String> {
        let request = MetadataRequest { topics: None, allow_auto_topic_creation: false, ..MetadataRequest::default() };
        if let Some(kept) = self.connection.take()
            && let Ok((frame, version)) = kept.call_unread(&request, CLUSTER_ANSWER_TIMEOUT).await
        {
            return Ok((kept, frame, version));
        }
        let connection = self.connect().await?;
        let answer = connection.call_unread(&request, CLUSTER_ANSWER_TIMEOUT).await;
        // Who lets people in and does not answer is asked last from now on.
        self.last = answer.is_err().then(|| connection.address().to_owned());
        let (frame, version) = answer?;
        Ok((connection, frame, version))
    }

    async fn connect(&self) -> Result<Connection, String> {
        let (last, first): (Vec<String>, Vec<String>) =
            self.servers.iter().chain(&self.brokers).cloned().partition(|address| self.last.as_ref() == Some(address));
        let opened = self.dial.open_any(&[first, last].concat()).await;
        opened.map_err(|error| error.map_or_else(|| "there is no address to ask".to_owned(), |error| error.to_string()))
    }
}

impl Known {
    /// What an earlier process left of it.
    fn of(Stored { ids, upto }: Stored) -> Self {
        let unseen = ids.iter().map(|(name, _)| name.clone()).collect();
        Self { ids: ids.into_iter().collect(), unseen, upto, ..Self::default() }
    }

    /// Learns what topics are by now; gives back what of that is news.
    fn learn(&mut self, found: BTreeMap<TopicName, Origin>) -> Ids {
        let mut ids = Ids { upto: self.upto, ..Ids::default() };
        for (name, origin) in found {
            let before = self.ids.get(&name);
            let was_unseen = self.unseen.remove(&name);
            if before == Some(&origin) {
                continue;
            }
            // In another cluster it has another id, and may well be a copy.
            if before.is_some_and(|before| before.cluster == origin.cluster) {
                let anew = if was_unseen { &mut ids.anew_meanwhile } else { &mut ids.anew };
                anew.push(name.clone());
            }
            ids.marks.push(Entry::Origin(name.clone(), Some(origin.clone())));
            self.ids.insert(name, origin);
        }
        ids.marks.extend(self.forget_some().into_iter().map(|name| Entry::Origin(name, None)));
        ids
    }

    /// Lets go of ids of topics that are gone, so that those that come and go for ever take no memory for ever.
    fn forget_some(&mut self) -> Vec<TopicName> {
        let excess = self.ids.len().saturating_sub(self.names.len() + CLUSTER_IDS_KEPT);
        let gone = self.ids.keys().filter(|name| !self.names.contains(*name));
        let some: Vec<TopicName> = gone.take(excess).cloned().collect();
        some.iter().for_each(|name| drop(self.ids.remove(name)));
        some
    }
}

/// Reads an answer against what was seen before; nothing if it is the same again.
fn read(frame: Bytes, version: i16, known: &Known) -> Result<Option<Look>, String> {
    // Its number is another each time.
    let hash = xxhash_rust::xxh3::xxh3_64(frame.get(4..).unwrap_or_default());
    if hash == known.hash && known.missing.is_empty() {
        return Ok(None);
    }
    let mut known = known.clone();
    let (mut brokers, mut found, mut ids, mut unsure) = (Vec::new(), BTreeMap::new(), BTreeMap::new(), BTreeSet::new());
    let mut cluster = String::new();
    let part = |part| match part {
        Part::Brokers(all) => {
            brokers = all.iter().take(CLUSTER_BROKERS_KEPT).map(|it| address_of(&it.host, it.port)).collect();
            known.racks.append(&mut racks_of_brokers(&all));
        }
        Part::Cluster(id) => id.as_str().clone_into(&mut cluster),
        Part::Topic(it) => {
            let Some(name) = it.name.as_deref().filter(|_| !it.is_internal).map(TopicName::from) else { return };
            if it.error_code.is_error() || it.partitions.is_empty() {
                // It is there, and cannot be told of now.
                unsure.insert(name);
                return;
            }
            if it.topic_id != NO_ID {
                ids.insert(name.clone(), Origin { cluster: cluster.clone(), id: it.topic_id });
            }
            found.insert(name, topic(&it, &known.racks));
        }
    };
    let error =
        streamed::metadata(frame, version, part).map_err(|error| format!("its answer cannot be read: {error}"))?;
    if error.is_error() {
        return Err(format!("it refuses Metadata: {error}"));
    }
    let is_away = |name: &TopicName| !found.contains_key(name) && !unsure.contains(name);
    let away: BTreeSet<TopicName> = known.names.iter().filter(|name| is_away(name)).cloned().collect();
    let (gone, missing): (BTreeSet<TopicName>, BTreeSet<TopicName>) =
        away.into_iter().partition(|name| known.missing.contains(name));
    known.names.extend(found.keys().cloned());
    known.names.retain(|name| !gone.contains(name));
    let was_in_another =
        |(name, it): (&TopicName, &Origin)| known.ids.get(name).is_some_and(|last| last.cluster != it.cluster);
    let is_another = ids.iter().any(was_in_another);
    let ids = known.learn(ids);
    Ok(Some(Look { known: Known { missing, hash, ..known }, brokers, found, gone, ids, is_another }))
}

#[cfg(test)]
mod tests;
