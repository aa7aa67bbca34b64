//! The topics as requests see them: also while the store is still being read, and durable before anybody is told.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::{Notify, RwLock, watch};

use super::Handle;
use super::cluster::Ids;
use super::config::Config;
use super::forgetting::forget_offsets;
use super::limits::DEFAULT_PARTITIONS;
use super::origins::{Origins, Stored};
use super::quiet::Quiet;
use super::store_writer::StoreWriter;
use super::topics::{self, Before, Followed, Growth, Named, TopicError, Topics, View};
use crate::ids::TopicName;
use crate::store::Entry;
use crate::text::list;
use crate::time::WallTime;
use crate::topics::Topic;
use crate::wire::ErrorCode;

/// The topics of a server.
pub(crate) struct Directory {
    /// Those of the configuration alone until the store is read.
    topics: Topics,
    /// Whether the store was read, and the shards have their groups before anything else that they are told.
    loaded: watch::Sender<bool>,
    store: StoreWriter,
    /// Written by who takes topics away or lets them grow, read by who makes them: until it is durable nobody makes a
    /// topic anew that is on its way out. Creations do not wait for each other.
    order: RwLock<()>,
    /// Which topics of the Kafka cluster an earlier process saw; none without one. Whoever follows it takes them.
    origins: Option<Origins>,
    auto_create: Option<u32>,
    load_wait: Duration,
}

impl Directory {
    /// The topics of the configuration.
    pub(crate) fn new(config: &Config, store: StoreWriter) -> Self {
        let topics = Topics::new(&config.topics);
        if let Some(kafka) = &config.kafka {
            topics.belong_to(&kafka.servers.join(","));
        }
        Self {
            topics,
            loaded: watch::Sender::new(false),
            store,
            order: RwLock::new(()),
            origins: config.kafka.is_some().then(Origins::new),
            // A name that a client makes up would be in the way of the cluster's.
            auto_create: config.topics_auto_create.filter(|_| config.kafka.is_none()),
            load_wait: config.load_wait,
        }
    }

    /// The way to the store.
    pub(crate) fn store_writer(&self) -> &StoreWriter {
        &self.store
    }

    /// The store was read, and has these; nobody is let in before [`Directory::open`]. It learns those of the
    /// configuration too: what is once there is never taken away, whatever the file says after a restart.
    pub(crate) fn load(&self, stored: Vec<(TopicName, Topic)>, origins: Stored) {
        match &self.origins {
            Some(held) => held.put(origins),
            // Without a cluster nobody checks ids: offsets that are committed from now on may be for another topic.
            None if !origins.ids.is_empty() => {
                self.store.topics_soon(origins.ids.into_iter().map(|(name, _)| Entry::Origin(name, None)).collect());
            }
            None => {}
        }
        let before: BTreeMap<TopicName, Topic> = stored.iter().cloned().collect();
        self.topics.add_stored(stored).iter().for_each(|warning| tracing::warn!("{warning}"));
        let unstored = self.topics.configured_besides(&before);
        if !unstored.is_empty() {
            // Before anybody can let a topic grow: the last one that is written holds. If this fails, the store's log says
            // so, and the next start does it again.
            self.store.topics_soon(unstored);
        }
    }

    /// All shards were told their groups: whoever waited goes on. What he tells a shard comes behind them, so that nobody
    /// is told to forget offsets that are not there yet.
    pub(crate) fn open(&self) {
        self.loaded.send_replace(true);
    }

    /// Which topics of the cluster an earlier process saw, once.
    pub(crate) fn take_origins(&self) -> Stored {
        self.origins.as_ref().map(Origins::take).unwrap_or_default()
    }

    /// The cluster was looked at, and nothing is new.
    pub(crate) async fn followed(&self, handle: &Handle) {
        if let Some(until) = self.origins_due(handle)
            && self.store.topics(vec![Entry::OriginsUntil(until)]).await.is_ok()
        {
            self.origins_kept(Some(until));
        }
    }

    fn origins_due(&self, handle: &Handle) -> Option<WallTime> {
        self.origins.as_ref()?.due(handle.clock().now().wall)
    }

    fn origins_kept(&self, until: Option<WallTime>) {
        if let (Some(origins), Some(until)) = (&self.origins, until) {
            origins.renewed(until);
        }
    }

    /// The server stops, and nobody looks at the cluster any more.
    pub(crate) fn stop_following(&self, now: WallTime) {
        if let Some(entry) = self.origins.as_ref().and_then(|origins| origins.at_stop(now)) {
            self.store.topics_soon(vec![entry]);
        }
    }

    /// Whether the store was read.
    pub(crate) fn is_loaded(&self) -> bool {
        *self.loaded.borrow()
    }

    /// Waits until the store was read, at most `load.wait.ms`; false if that was too short.
    pub(crate) async fn loaded(&self) -> bool {
        // As nearly always, no timer is needed.
        self.is_loaded() || tokio::time::timeout(self.load_wait, self.wait_loaded()).await.is_ok()
    }

    /// Waits until the store was read, however long that takes; for ever if the server stops before.
    pub(crate) async fn wait_loaded(&self) {
        // The sender is a part of this value.
        let _ = self.loaded.subscribe().wait_for(|loaded| *loaded).await;
    }

    /// Told of every change of the topics, and of the modules.
    pub(crate) fn changes(&self) -> Arc<Notify> {
        self.topics.changes()
    }

    /// The configuration was read again: whole, or not at all. What has come and what has grown is durable when this
    /// returns.
    pub(crate) async fn reconfigure(&self, configured: &[(TopicName, Topic)]) -> Result<(), TopicError> {
        if !self.loaded().await {
            return Err(loading());
        }
        let _order = self.order.write().await;
        let before = Arc::clone(self.view().table());
        let warnings = self.topics.reconfigure(configured)?;
        let unstored = self.topics.changed_since(&before, configured);
        let stored = if unstored.is_empty() { Ok(()) } else { self.store.topics(unstored).await };
        if let Err(error) = stored {
            self.topics.put_all_back(&before);
            return Err(TopicError { code: ErrorCode::UnknownServerError, message: error.message });
        }
        warnings.iter().for_each(|warning| tracing::warn!("{warning}"));
        Ok(())
    }

    /// Takes what a cluster has; that is durable when this returns. Topics that were made anew there have no offsets yet.
    pub(crate) async fn follow(
        &self,
        found: BTreeMap<TopicName, Topic>,
        gone: BTreeSet<TopicName>,
        Ids { anew, anew_meanwhile, upto, marks }: Ids,
        handle: &Handle,
    ) -> Result<(), String> {
        let _order = self.order.write().await;
        let following = handle.clone();
        let followed = handle.aside(move || following.topics().topics.follow(found, &gone)).await;
        let Followed { entries, before, warnings } =
            followed.ok_or_else(|| "its topics could not be taken: this is a bug of divvy".to_owned())?;
        for warning in warnings {
            if let Some(left_out) = handle.quiet().allows("cluster_topic") {
                tracing::warn!(left_out, "{warning}");
            }
        }
        let (count, until) = (entries.len(), self.origins_due(handle));
        let entries = [entries, marks, until.map(Entry::OriginsUntil).into_iter().collect()].concat();
        let stored = async {
            // First the offsets are gone, then the ids are known: who failed between the two finds the topics anew again.
            forget_offsets(handle, &anew, None).await?;
            forget_offsets(handle, &anew_meanwhile, Some(upto)).await?;
            if entries.is_empty() { Ok(()) } else { self.store.topics(entries).await }
        };
        if let Err(error) = stored.await {
            self.topics.put_all_back(&before);
            return Err(error.message);
        }
        self.origins_kept(until);
        tell_anew(&anew, &anew_meanwhile);
        if count > 0 {
            tracing::info!(count, "topics changed in the Kafka cluster");
        }
        Ok(())
    }

    /// Names what the store has and neither the configuration nor the cluster.
    pub(crate) fn tell_left_over(&self) {
        let left_over = self.topics.left_over();
        if !left_over.is_empty() {
            tracing::warn!(
                topics = list(&left_over),
                "the store has topics that are neither in the Kafka cluster nor in the configuration: `divvy topics delete` \
                 takes those away that are no longer needed"
            );
        }
    }

    /// The topics of this moment.
    pub(crate) fn view(&self) -> Arc<View> {
        self.topics.view()
    }

    /// The error of a partition that is not there; one to try again after while the store is being read.
    pub(crate) fn missing(&self, topic: &str, partition: i32) -> Option<ErrorCode> {
        if self.view().table().has_partition(topic, partition) {
            None
        } else if self.is_loaded() {
            Some(ErrorCode::UnknownTopicOrPartition)
        } else {
            Some(ErrorCode::LeaderNotAvailable)
        }
    }

    /// What a topic gets whose creator leaves it to the server.
    pub(crate) fn default_partitions(&self) -> u32 {
        self.auto_create.unwrap_or(DEFAULT_PARTITIONS)
    }

    /// Makes those of the topics that do not exist, if the configuration allows it. One that cannot be made stays
    /// unknown, and the log says why.
    pub(crate) async fn auto_create(&self, names: &[&str], quiet: &Quiet) {
        let Some(partitions) = self.auto_create else { return };
        let view = self.view();
        if names.iter().all(|name| view.table().get(name).is_some()) {
            // As nearly always.
            return;
        }
        let _order = self.order.read().await;
        let created = self.add_named(names, partitions, quiet);
        let count = created.len();
        if count > 0 && self.store(created).await.is_ok() {
            tracing::info!(count, partitions, "topics created, since a client named them");
        }
    }

    fn add_named(&self, names: &[&str], partitions: u32, quiet: &Quiet) -> Vec<Entry> {
        let Named { entries, left_out: not_created } = self.topics.create_named(names.iter().copied(), partitions);
        if let Some(left_out) = (not_created > 0).then(|| quiet.allows("not_created")).flatten() {
            tracing::warn!(
                not_created,
                left_out,
                "a client named topics that there is no room for: create those that are needed with `divvy topics \
                 create`; `topics.auto.create = \"off\"` keeps clients from filling the table"
            );
        }
        entries
    }

    /// Makes topics, each or not; those that are made are durable when this returns.
    pub(crate) async fn create(&self, wanted: &[(&str, Topic)]) -> Vec<Result<(), TopicError>> {
        if !self.is_loaded() {
            return vec![Err(loading()); wanted.len()];
        }
        let _order = self.order.read().await;
        let made = self.topics.create_all(wanted.iter().map(|(name, topic)| (*name, topic.clone())));
        let entries: Vec<Entry> = made.iter().flatten().cloned().collect();
        let stored = if entries.is_empty() { Ok(()) } else { self.store(entries).await };
        made.into_iter().map(|made| made.and_then(|_| stored.clone())).collect()
    }

    /// Makes new topics durable, or takes them back.
    async fn store(&self, entries: Vec<Entry>) -> Result<(), TopicError> {
        let Err(error) = self.store.topics(entries.clone()).await else { return Ok(()) };
        self.topics.remove(entries.iter().filter_map(|entry| match entry {
            Entry::Topic(name, _) => Some(name),
            Entry::Group(..) | Entry::TopicRemoved(_) | Entry::Origin(..) | Entry::OriginsUntil(_) => None,
        }));
        Err(TopicError { code: ErrorCode::UnknownServerError, message: error.message })
    }

    /// Deletes topics, each or not. Those that are gone are gone durably when this returns, and so is what every group
    /// committed for them: first the offsets, then the topic, so that a crash between the two never leaves offsets
    /// behind for a topic that is made anew.
    pub(crate) async fn delete(&self, names: &[TopicName], handle: &Handle) -> Vec<Result<(), TopicError>> {
        if !self.is_loaded() {
            return vec![Err(loading()); names.len()];
        }
        let _order = self.order.write().await;
        let taken = self.topics.take_out(names);
        let gone: Vec<Before> = taken.iter().flatten().cloned().collect();
        let stored = if gone.is_empty() { Ok(()) } else { self.store_removal(gone, handle).await };
        taken.into_iter().map(|taken| taken.and_then(|_| stored.clone())).collect()
    }

    async fn store_removal(&self, gone: Vec<Before>, handle: &Handle) -> Result<(), TopicError> {
        let names: Vec<TopicName> = gone.iter().map(|(name, _)| name.clone()).collect();
        let removals = names.iter().cloned().map(Entry::TopicRemoved).collect();
        let removed = async {
            forget_offsets(handle, &names, None).await?;
            self.store.topics(removals).await
        };
        let Err(error) = removed.await else {
            tracing::info!(topics = list(&names), "topics deleted");
            return Ok(());
        };
        self.back_to(gone).await;
        Err(TopicError { code: ErrorCode::UnknownServerError, message: error.message })
    }

    /// Lets topics grow, each or not; those that have grown have done so durably when this returns.
    pub(crate) async fn grow(&self, wanted: &[(TopicName, Growth)], only_say: bool) -> Vec<Result<(), TopicError>> {
        if !self.is_loaded() {
            return vec![Err(loading()); wanted.len()];
        }
        let _order = self.order.write().await;
        let grown = self.topics.grow(wanted, only_say);
        let entries: Vec<Entry> =
            grown.iter().flatten().map(|((name, _), after)| Entry::Topic(name.clone(), after.clone())).collect();
        let stored = if only_say || entries.is_empty() { Ok(()) } else { self.store.topics(entries).await };
        let stored = match stored {
            Ok(()) => Ok(()),
            Err(error) => {
                self.back_to(grown.iter().flatten().map(|(before, _)| before.clone()).collect()).await;
                Err(TopicError { code: ErrorCode::UnknownServerError, message: error.message })
            }
        };
        grown.into_iter().map(|grown| grown.and_then(|_| stored.clone())).collect()
    }

    /// Topics are what they were before something that was not stored. What the store has of it is unknown: it is told
    /// again what holds, so that a restart brings no surprise; if it does not take that either, its log says so.
    async fn back_to(&self, before: Vec<Before>) {
        self.topics.put_back(before.clone());
        let entries = before.into_iter().map(|(name, topic)| Entry::Topic(name, topic)).collect();
        let _ = self.store.topics(entries).await;
    }

    /// Whether a topic could be made.
    pub(crate) fn may_create(&self, name: &str, topic: &Topic) -> Result<(), TopicError> {
        topics::check(name, topic)?;
        self.topics.may_create(name)?;
        if self.view().table().get(name).is_some() { Err(topics::exists(&name.into())) } else { Ok(()) }
    }
}

fn tell_anew(anew: &[TopicName], anew_meanwhile: &[TopicName]) {
    if !anew.is_empty() {
        let topics = list(anew);
        tracing::warn!(topics, "topics were deleted in the Kafka cluster and made anew: their offsets are forgotten");
    }
    if !anew_meanwhile.is_empty() {
        tracing::warn!(
            topics = list(anew_meanwhile),
            "topics were deleted in the Kafka cluster and made anew while nobody looked: their offsets are forgotten, but for \
             those that may be of the new ones"
        );
    }
}

fn loading() -> TopicError {
    let message = "the topics are still being read from the store: try again in a moment".to_owned();
    TopicError { code: ErrorCode::CoordinatorLoadInProgress, message }
}

/// Whether a topic can have this name.
pub(crate) fn is_legal(name: &str) -> bool {
    topics::check(name, &Topic { partitions: 1, racks: Vec::new() }).is_ok()
}
