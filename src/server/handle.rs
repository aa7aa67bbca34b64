//! The running server, as its own parts and the admin port see it.

use std::collections::HashMap;
use std::future::Future;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use tokio::sync::mpsc::UnboundedSender;
use tokio::sync::oneshot;

use super::clock::Clock;
use super::config::Config;
use super::directory::Directory;
use super::ends::Ends;
use super::large::Large;
use super::memory::Memory;
use super::messages::{Loading, Question, ToShard, TopicOffsets};
use super::metrics::Metrics;
use super::modules::Modules;
use super::outbox::Close;
use super::plan_maker::PlanMaker;
use super::pulse::Shared;
use super::quiet::Quiet;
use super::registry::Registry;
use super::reload::{only_after_a_restart, running};
use super::settings::{self, Setting};
use super::spawn::{self, Failure, Loss};
use super::topics::View;
use crate::coordinator::placement;
use crate::group::{GenerationRecord, GroupDescription, GroupSummary};
use crate::ids::{Digest, GroupId, TopicName};
use crate::sandbox::{Module, ModuleStatus};
use crate::time::WallTime;
use crate::wire::Text;

/// A running server. Clones are the same server.
#[derive(Clone)]
pub struct Handle(Arc<Inner>);

/// What every part of a server can reach.
pub(crate) struct Inner {
    /// The time.
    pub(crate) clock: Clock,
    /// Where clients are told to connect.
    pub(crate) advertised: (Text, i32),
    /// Its groups, as plain heartbeats reach them.
    pub(crate) coordinators: Vec<Shared>,
    /// Its queues.
    pub(crate) shards: Vec<UnboundedSender<ToShard>>,
    /// The topics.
    pub(crate) topics: Directory,
    /// The open connections.
    pub(crate) registry: Registry,
    /// What is counted.
    pub(crate) metrics: Metrics,
    /// What is logged only so often.
    pub(crate) quiet: Quiet,
    /// What is left for requests.
    pub(crate) memory: Memory,
    /// Who builds long answers.
    pub(crate) large: Large,
    /// The coordinator's own modules.
    pub(crate) modules: Modules,
    /// Who makes the plans of the groups that the coordinator leads.
    pub(crate) plan_maker: PlanMaker,
    /// The configuration that holds.
    pub(crate) config: Mutex<Arc<Config>>,
    /// `socket.request.max.bytes`.
    pub(crate) max_request_bytes: usize,
    /// Whether divvy's own fields are left out and ignored.
    pub(crate) presents_as_kafka: bool,
    /// Whether requests are no longer taken.
    pub(crate) stopping: AtomicBool,
    /// Why the server cannot go on, if it cannot.
    pub(crate) failure: Failure,
    /// How far anybody has come with a topic, as it was lately.
    pub(crate) ends: Ends,
}

/// The groups are still being read from the store: ask again soon.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[error("the groups are still being read from the store: ask again in a moment")]
pub struct StillLoading;

/// The name under which clients know that they talk to the same server as before. It is the same after every restart:
/// some clients take another name for another cluster.
const CLUSTER_ID: &str = "divvy";

impl Handle {
    pub(crate) fn new(inner: Inner) -> Self {
        Self(Arc::new(inner))
    }

    /// A line for each group, sorted by id.
    pub async fn list(&self) -> Result<Vec<GroupSummary>, StillLoading> {
        let mut all = self.ask_all(Question::List).await?;
        all.sort_by(|a, b| a.id.cmp(&b.id));
        Ok(all)
    }

    /// All groups whole, sorted by id.
    pub async fn describe_all(&self) -> Result<Vec<GroupDescription>, StillLoading> {
        let mut all = self.ask_all(Question::DescribeAll).await?;
        all.sort_by(|a, b| a.summary.id.cmp(&b.summary.id));
        all.iter_mut().for_each(|group| self.add_trouble(group));
        Ok(all)
    }

    /// One group whole; none if there is none of this id.
    pub async fn describe(&self, group: &GroupId) -> Result<Option<GroupDescription>, StillLoading> {
        let (answer, answered) = oneshot::channel();
        self.tell(self.shard_of(group.as_str()), ToShard::Ask(Question::Describe(group.clone(), answer)));
        match answered.await {
            Ok(Ok(mut group)) => {
                group.iter_mut().for_each(|group| self.add_trouble(group));
                Ok(group)
            }
            Ok(Err(Loading)) | Err(_) => Err(StillLoading),
        }
    }

    /// Of a group that the coordinator leads: whether the file of what should serve it is broken.
    fn add_trouble(&self, group: &mut GroupDescription) {
        if let Some(led) = &mut group.led {
            led.trouble = self.modules().trouble_of(&led.wanted);
        }
    }

    /// Forgets how far groups had come with topics that are being deleted.
    pub fn topics_removed(&self, topics: &[TopicName]) {
        self.tell_removed(topics, None);
    }

    /// The same; with a time, what was committed by then.
    pub(crate) fn tell_removed(&self, topics: &[TopicName], upto: Option<WallTime>) {
        (0..self.shards()).for_each(|shard| self.tell(shard, ToShard::TopicsRemoved(topics.to_vec(), upto)));
    }

    /// The last generations of a group, oldest first; none if there is none of this id.
    pub async fn history(&self, group: &GroupId) -> Result<Option<Vec<GenerationRecord>>, StillLoading> {
        let (answer, answered) = oneshot::channel();
        self.tell(self.shard_of(group.as_str()), ToShard::Ask(Question::History(group.clone(), answer)));
        match answered.await {
            Ok(Ok(history)) => Ok(history),
            Ok(Err(Loading)) | Err(_) => Err(StillLoading),
        }
    }

    /// The topics of this moment.
    pub fn topics_view(&self) -> Arc<View> {
        self.topics().view()
    }

    /// The bounds that hold for every group.
    pub fn limits(&self) -> Vec<Setting> {
        settings::limits(&self.config().limits)
    }

    /// All metrics in the text form of OpenMetrics.
    pub async fn metrics_text(&self) -> String {
        self.metrics().connections(self.registry().len());
        self.metrics().text(&self.list().await.unwrap_or_default())
    }

    /// Whether all groups were read from the store.
    pub async fn is_loaded(&self) -> bool {
        self.list().await.is_ok()
    }

    /// Why the server cannot go on, if it cannot.
    pub fn failure(&self) -> Option<&str> {
        self.0.failure.reason()
    }

    /// Why the store refuses writes, if it does: groups go on as they are, and nothing new happens to them.
    pub async fn store_trouble(&self) -> Option<String> {
        self.topics().store_writer().trouble().await.map(|error| error.to_string())
    }

    async fn ask_all<T>(
        &self,
        question: impl Fn(oneshot::Sender<Result<Vec<T>, Loading>>) -> Question,
    ) -> Result<Vec<T>, StillLoading> {
        let mut all = Vec::new();
        for shard in 0..self.shards() {
            let (answer, answered) = oneshot::channel();
            self.tell(shard, ToShard::Ask(question(answer)));
            match answered.await {
                Ok(Ok(groups)) => all.extend(groups),
                Ok(Err(Loading)) | Err(_) => return Err(StillLoading),
            }
        }
        Ok(all)
    }

    /// How far anybody has come with a topic: for each partition that has a commit, the highest of all groups.
    pub(crate) async fn ends(&self, topic: &TopicName) -> HashMap<i32, i64> {
        let mut ends = HashMap::new();
        let asked: Vec<_> = (0..self.shards())
            .map(|shard| {
                let (answer, answered) = oneshot::channel();
                self.tell(shard, ToShard::Ask(Question::Ends(topic.clone(), answer)));
                answered
            })
            .collect();
        for answered in asked {
            for (partition, offset) in answered.await.unwrap_or_default() {
                let end = ends.entry(partition).or_insert(offset);
                *end = offset.max(*end);
            }
        }
        ends
    }

    /// How far a group has come with topics; nothing if its shard is gone.
    pub(crate) async fn committed(&self, group: &GroupId, topics: Vec<TopicName>) -> Vec<TopicOffsets> {
        let (answer, answered) = oneshot::channel();
        let question = Question::Committed(group.clone(), topics, answer);
        self.tell(self.shard_of(group.as_str()), ToShard::Ask(question));
        answered.await.unwrap_or_default()
    }

    /// Runs work on the server that is to end well even if whoever asked for it goes away; none if the server stops.
    pub(crate) async fn to_its_end<T: Send + 'static>(
        &self,
        name: &'static str,
        work: impl Future<Output = T> + Send + 'static,
    ) -> Option<T> {
        let (done, is_done) = oneshot::channel();
        let work = async move { drop(done.send(work.await)) };
        spawn::task(name, Loss::Server(self.0.failure.clone()), work);
        is_done.await.ok()
    }

    /// The configuration that holds.
    pub(crate) fn config(&self) -> Arc<Config> {
        Arc::clone(&self.0.config.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// How many shards there are.
    pub(crate) fn shards(&self) -> usize {
        self.0.shards.len()
    }

    /// The groups of a shard.
    pub(crate) fn coordinator(&self, shard: usize) -> &Shared {
        &self.0.coordinators[shard]
    }

    /// The shard of a group.
    pub(crate) fn shard_of(&self, group: &str) -> usize {
        if self.shards() == 1 { 0 } else { placement::shard_of(group, self.shards()) }
    }

    /// Tells a shard. A shard that is gone means that the server stops.
    pub(crate) fn tell(&self, shard: usize, what: ToShard) {
        let _ = self.0.shards[shard].send(what);
    }

    /// The coordinator's own modules, each file with its state; none if no folder is open.
    pub fn own_modules(&self) -> Option<Vec<ModuleStatus>> {
        self.modules().status()
    }

    /// The coordinator's own module of that digest, if it is at hand.
    pub fn module(&self, digest: &Digest) -> Option<Arc<Module>> {
        self.modules().by_digest(digest)
    }

    /// The coordinator's own modules.
    pub(crate) fn modules(&self) -> &Modules {
        &self.0.modules
    }

    /// Who makes the plans of the groups that the coordinator leads.
    pub(crate) fn plan_maker(&self) -> &PlanMaker {
        &self.0.plan_maker
    }

    /// Holds another configuration from now on; gives back the keys whose change a running server cannot make.
    pub(super) fn replace_config(&self, config: Config) -> Vec<&'static str> {
        let mut held = self.0.config.lock().unwrap_or_else(PoisonError::into_inner);
        let mut runs = Config::clone(&held);
        // The folder of modules is opened when something needs it, so perhaps only now, and stays.
        if self.modules().runs_with(&config) {
            (runs.assignors, runs.module_cache) = (config.assignors.clone(), config.module_cache.clone());
            runs.trust = config.trust.clone();
        }
        let later = only_after_a_restart(&runs, &config);
        *held = Arc::new(running(runs, config));
        later
    }

    /// Tells the groups that the coordinator leads of each change of topics and modules, as long as it runs.
    pub(crate) async fn tell_ground(self) {
        let changes = self.topics().changes();
        loop {
            changes.notified().await;
            self.modules().tell_changes(self.quiet());
            let modules = self.modules().offers();
            (0..self.shards()).for_each(|shard| self.tell(shard, ToShard::GroundChanged(modules.clone())));
        }
    }

    /// Does what takes long beside the thread that serves the groups, one such work after the other; none if it panicked.
    pub async fn aside<T: Send + 'static>(&self, work: impl FnOnce() -> T + Send + 'static) -> Option<T> {
        self.large().aside(work).await
    }

    /// Who builds long answers.
    pub(crate) fn large(&self) -> &Large {
        &self.0.large
    }

    /// The memory for requests.
    pub(crate) fn memory(&self) -> &Memory {
        &self.0.memory
    }

    /// Tells log and metrics that the server closes a connection.
    pub(crate) fn tell_closed(&self, peer: std::net::SocketAddr, close: &Close) {
        self.metrics().closed(close.kind);
        let Close { kind, reason } = close;
        if *kind == "idle" || *kind == "stop" {
            tracing::debug!(%peer, kind, reason, "connection closed");
        } else if let Some(left_out) = self.0.quiet.allows(kind) {
            tracing::warn!(%peer, kind, reason, left_out, "connection closed");
        }
    }

    pub(crate) fn topics(&self) -> &Directory {
        &self.0.topics
    }

    pub(crate) fn recent_ends(&self) -> &Ends {
        &self.0.ends
    }

    pub(crate) fn registry(&self) -> &Registry {
        &self.0.registry
    }

    pub(crate) fn metrics(&self) -> &Metrics {
        &self.0.metrics
    }

    pub(crate) fn quiet(&self) -> &Quiet {
        &self.0.quiet
    }

    pub(crate) fn clock(&self) -> Clock {
        self.0.clock
    }

    pub(crate) fn advertised(&self) -> (Text, i32) {
        self.0.advertised.clone()
    }

    pub(crate) fn cluster_id(&self) -> Text {
        Text::from(CLUSTER_ID)
    }

    pub(crate) fn max_request_bytes(&self) -> usize {
        self.0.max_request_bytes
    }

    pub(crate) fn presents_as_kafka(&self) -> bool {
        self.0.presents_as_kafka
    }

    pub(crate) fn is_stopping(&self) -> bool {
        self.0.stopping.load(Ordering::Relaxed)
    }

    /// From now on no request is taken.
    pub(crate) fn begin_stop(&self) {
        self.0.stopping.store(true, Ordering::Relaxed);
    }
}
