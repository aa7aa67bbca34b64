//! How a member is put together.

use std::path::PathBuf;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use bytes::Bytes;
use tokio::sync::mpsc;

use super::calls::Caller;
use super::coordinator::Finder;
use super::data::Data;
use super::error::JoinError;
use super::inbox::{Inbox, Input};
use super::limits::{PARKED_EXTRA, UNREAD_NEWS};
use super::metrics::Metrics;
use super::runtime::Runtime;
use super::shelf::{Modules, Shelf};
use super::spawn::{Tasks, blocking, task};
use super::{Member, clock};
use crate::ids::{GroupId, TopicName};
use crate::membership::config::{CONNECT, SINGLE_WRITER};
use crate::membership::lead::Rules;
use crate::membership::leading::Leading;
use crate::membership::{Config, Event, Membership, Purpose, Rollout};
use crate::peer::{Dial, REQUEST_TIMEOUT, Security};
use crate::sandbox::{Captures, CatalogConfig, First, Sandbox, Trust};
use crate::wire::Text;

mod purpose;

/// A member that is being described. Nothing happens before [`Builder::join`].
#[must_use]
pub struct Builder {
    bootstrap: Vec<String>,
    client_id: String,
    security: Security,
    request_timeout: Duration,
    /// Where topics are asked for, if not at the coordinator.
    kafka: Option<(Vec<String>, Security)>,
    instance_id: Option<String>,
    modules: Option<Modules>,
    sandbox: Option<Sandbox>,
    catalog: CatalogConfig,
    protocol_type: Option<String>,
    topics: Vec<TopicName>,
    pattern: Option<String>,
    /// Where a worker of type `connect` answers.
    url: Option<String>,
    metadata: Option<Bytes>,
    context: Option<Bytes>,
    leading: Option<Leading>,
    takes_over: bool,
    metrics: Metrics,
    captures: Option<Captures>,
    /// The purpose is filled in at the end.
    config: Config,
}

impl Builder {
    pub(super) fn new(bootstrap: &str, group: &str) -> Self {
        Self {
            bootstrap: addresses(bootstrap),
            client_id: "divvy".to_owned(),
            security: Security::default(),
            request_timeout: REQUEST_TIMEOUT,
            kafka: None,
            instance_id: None,
            modules: None,
            sandbox: None,
            catalog: CatalogConfig::new(Vec::new()),
            protocol_type: None,
            topics: Vec::new(),
            pattern: None,
            url: None,
            metadata: None,
            context: None,
            leading: None,
            takes_over: false,
            metrics: Metrics::default(),
            captures: None,
            config: Config::new(GroupId::from(group), Purpose::Topics(Vec::new())),
        }
    }

    /// A folder of modules, watched from then on. Several may be given.
    pub fn assignors(mut self, folder: impl Into<PathBuf>) -> Self {
        self.catalog.folders.push(folder.into());
        self
    }

    /// Which assignors to offer, most wanted first: `rack-aware` for its versions at hand, `rack-aware@1` for that one.
    /// Without it those are offered whose manifest says `offer = default`, by rank.
    pub fn assignor_names<N: Into<String>>(mut self, names: impl IntoIterator<Item = N>) -> Self {
        self.config.assignors = names.into_iter().map(Into::into).collect();
        self
    }

    /// Where the bytes of replaced modules are kept, so that the older version of a strategy survives a restart, and
    /// compiled code. Each member needs a folder of its own.
    pub fn module_cache(mut self, folder: impl Into<PathBuf>) -> Self {
        self.catalog.cache_folder = Some(folder.into());
        self
    }

    /// Which modules of its folders may serve at all: those signed by a key, those of a digest. Without it all may.
    pub fn trust(mut self, trust: Trust) -> Self {
        self.catalog.trust = trust;
        self
    }

    /// Modules that several members of one process share, instead of folders of this member's own.
    pub fn modules(mut self, modules: &Modules) -> Self {
        self.modules = Some(modules.clone());
        self
    }

    /// A sandbox that several members of one process share. Without it the member starts its own.
    pub fn sandbox(mut self, sandbox: Sandbox) -> Self {
        self.sandbox = Some(sandbox);
        self
    }

    /// Protocol type `consumer`: a share of the partitions of these topics.
    pub fn subscribe<N: AsRef<str>>(mut self, topics: impl IntoIterator<Item = N>) -> Self {
        self.topics = topics.into_iter().map(|it| TopicName::from(it.as_ref())).collect();
        self
    }

    /// Protocol type `consumer`: a share of the partitions of all topics whose whole name matches this regular expression, but for
    /// the brokers' own. Topics that appear and vanish are noticed within [`Builder::topics_interval`], and cost one rebalance.
    pub fn subscribe_pattern(mut self, pattern: impl Into<String>) -> Self {
        self.pattern = Some(pattern.into());
        self
    }

    /// Another protocol type, with [`Builder::metadata`] as what the member says of itself.
    pub fn protocol_type(mut self, name: impl Into<String>) -> Self {
        self.protocol_type = Some(name.into());
        self
    }

    /// Protocol type `single-writer`, served by `active-standby` unless [`Builder::assignor_names`] says otherwise:
    /// one member is active, see [`super::Duty`].
    pub fn single_writer(self) -> Self {
        self.protocol_type(SINGLE_WRITER)
    }

    /// Protocol type `connect`, served by `connect` unless [`Builder::assignor_names`] says otherwise: a share of connectors
    /// and their tasks, handed over step by step; [`super::Share::Partitions`] has tasks by connector, -1 is the connector
    /// itself. `url` is where this worker answers the others. What there is to share is said by [`Builder::context`] with
    /// [`super::connectors`] (in no other form), or by the group's settings (`config.connect.connectors`), and how far this
    /// worker has read that by [`super::Member::set_config_offset`].
    ///
    /// Such a worker goes on with its tasks while it joins. So its group's settings must not say `config.connect.rebalance =
    /// "eager"`: that shares everything anew in one round, and a task would begin on one worker before another has ended it.
    pub fn connect(mut self, url: impl Into<String>) -> Self {
        self.url = Some(url.into());
        self.protocol_type(CONNECT)
    }

    /// What the member says of itself, for types other than `consumer`.
    pub fn metadata(mut self, metadata: impl Into<Bytes>) -> Self {
        self.metadata = Some(metadata.into());
        self
    }

    /// What the application gives the strategy when this member leads, for types other than `consumer`.
    pub fn context(mut self, context: impl Into<Bytes>) -> Self {
        self.context = Some(context.into());
        self
    }

    /// Protocol type `consumer`, to lead and for nothing else: the member subscribes to no topic, and plans for the others
    /// when it leads. `rules` hold unless the coordinator brings its own.
    pub fn lead(mut self, leading: Leading, rules: Rules) -> Self {
        self.leading = Some(leading);
        self.config.rules = rules;
        self
    }

    /// Takes the lead with its first JoinGroup, as [`super::Member::take_over`] does later.
    pub fn take_over(mut self) -> Self {
        self.takes_over = true;
        self
    }

    /// What the member says of itself to strategies: `rack`, `weight`, anything.
    pub fn fact(mut self, name: impl Into<String>, value: impl Into<serde_json::Value>) -> Self {
        self.config.facts.insert(name.into(), value.into());
        self
    }

    /// The start of the member's id, and its name in the coordinator's logs.
    pub fn client_id(mut self, client_id: impl Into<String>) -> Self {
        self.client_id = client_id.into();
        self
    }

    /// Encryption and login, on every connection of the member.
    pub fn security(mut self, security: Security) -> Self {
        self.security = security;
        self
    }

    /// How long a peer may take to answer what it does not hold back for the group, and to let the member in, before its
    /// connection is given up and another one is looked for. 10 seconds unless it is said.
    pub fn request_timeout(mut self, timeout: Duration) -> Self {
        self.request_timeout = timeout;
        self
    }

    /// The Kafka cluster that has the topics, where the coordinator has none of them: racks, partitions and lags are asked
    /// for there. One `HOST:PORT` or several with commas, and how it is connected to.
    pub fn kafka(mut self, bootstrap: &str, security: Security) -> Self {
        self.kafka = Some((addresses(bootstrap), security));
        self
    }

    /// A name that lasts (`group.instance.id`, KIP-345): a process that comes back under it within its session takes its
    /// place again, and nobody rebalances. So [`Member::leave`] does not hand its work over; its session's end does.
    ///
    /// One that wants something else by then, other topics, another rack or other facts, gets another plan: on divvy always, on a
    /// Kafka cluster if a member of divvy's leads. Under another leader only a topic in its share that it does not read tells it
    /// that the plan is not for it: it cannot see that a topic which it reads now is nobody's. There [`Member::drain`] the old
    /// process before it ends, or start the new one when its session is over.
    pub fn instance_id(mut self, name: impl Into<String>) -> Self {
        self.instance_id = Some(name.into());
        self
    }

    /// How long the coordinator may hear nothing before it gives the member's work to others.
    pub fn session_timeout(mut self, timeout: Duration) -> Self {
        self.config.session_timeout = timeout;
        self
    }

    /// How long a rebalance may wait for this member to finish its work.
    pub fn rebalance_timeout(mut self, timeout: Duration) -> Self {
        self.config.rebalance_timeout = timeout;
        self
    }

    /// How often the member says that it is alive, and so how soon it hears of a rebalance.
    pub fn heartbeat_interval(mut self, interval: Duration) -> Self {
        self.config.heartbeat_interval = interval;
        self
    }

    /// How often a leader looks for new topics and partitions, and every member with a pattern for the topics that match it.
    pub fn topics_interval(mut self, interval: Duration) -> Self {
        self.config.topics_interval = interval;
        self
    }

    /// Where the member counts what happens to it. Without it, it counts for itself: [`Member::metrics`].
    pub fn metrics(mut self, metrics: Metrics) -> Self {
        self.metrics = metrics;
        self
    }

    /// Records each call of a strategy that this member makes as its group's leader in a file, for `divvy assignor replay` and
    /// `diff`. Members' subscriptions and facts stand in it, which may be secrets.
    pub fn captures(mut self, captures: &Captures) -> Self {
        self.captures = Some(captures.clone());
        self
    }

    /// How a changed module reaches the group where the coordinator is not divvy.
    pub fn rollout(mut self, rollout: Rollout) -> Self {
        self.config.rollout = rollout;
        self
    }

    /// Starts the member. It returns as soon as the modules are compiled that it would offer; the others of its folders follow
    /// while it is a member. The group is joined in the background, and
    /// [`Member::next`] tells how that goes, a coordinator that cannot be reached included. One that refuses the login or the
    /// certificate when it is asked first ends the member with [`super::Rebalance::Failed`].
    pub async fn join(mut self) -> Result<Member, JoinError> {
        self.check()?;
        let (inbox, inputs) = Inbox::new();
        let shelf = self.open_shelf(&inbox).await?;
        if self.takes_over {
            inbox.event(Event::TakeOver);
        }
        let (news, received) = mpsc::channel(UNREAD_NEWS);
        let instance = self.instance_id.filter(|name| !name.is_empty()).map(Text::from);
        let config = Config { is_static: instance.is_some(), ..self.config };
        let client_id = Text::from(self.client_id);
        let request_timeout = self.request_timeout;
        let dial = |security| Dial { client_id: client_id.clone(), security, request_timeout };
        let kafka = self.kafka.map(|(bootstrap, security)| Arc::new(Data::new(bootstrap, dial(security))));
        let runtime = Runtime {
            caller: Arc::new(Caller {
                group: config.group.clone(),
                instance,
                session_timeout: config.session_timeout,
                rebalance_timeout: config.rebalance_timeout,
                parked: config.rebalance_timeout + PARKED_EXTRA.min(request_timeout),
            }),
            finder: Arc::new(Finder {
                bootstrap: self.bootstrap,
                dial: dial(self.security),
                group: config.group.clone(),
                data: kafka,
                brokers: Mutex::default(),
            }),
            membership: Membership::new(config, clock::entropy(), clock::now()),
            shelf,
            inbox: inbox.clone(),
            news,
            coordinator: None,
            requests: Tasks::default(),
            others: Tasks::default(),
            metrics: self.metrics.clone(),
            captures: self.captures,
            without_share_since: Some(clock::now().mono),
        };
        Ok(Member { inbox, news: received, metrics: self.metrics, task: task(runtime.run(inputs)), ending: None })
    }

    async fn open_shelf(&mut self, inbox: &Inbox) -> Result<Option<Shelf>, JoinError> {
        let (modules, mut config) = (self.modules.take(), self.catalog.clone());
        // A lead names its strategies itself, and they need not be what members offer.
        if !matches!(self.config.purpose, Purpose::Lead(_)) {
            let protocol_type = self.config.purpose.protocol_type();
            config.first = Some(First { protocol_type, names: self.config.assignors.clone() });
        }
        config.pinned.clone_from(&self.config.assignors);
        if modules.is_none() && config.folders.is_empty() {
            return Ok(None);
        }
        let sandbox = self.sandbox.take();
        let changed = inbox.clone();
        let on_change = Box::new(move || {
            changed.put(Input::ModulesChanged);
        });
        let shelf = match modules {
            Some(modules) => Shelf::of(&modules, config, on_change),
            None => {
                let opened = blocking(move || Shelf::open(sandbox, config, on_change)).await;
                opened.unwrap_or_else(|| Err(JoinError::Sandbox("its thread panicked".to_owned())))?
            }
        };
        self.metrics.modules().add(shelf.catalog());
        // What the folders hold now is the first change.
        inbox.put(Input::ModulesChanged);
        Ok(Some(shelf))
    }
}

/// Addresses with commas between them.
fn addresses(text: &str) -> Vec<String> {
    text.split(',').map(str::trim).filter(|it| !it.is_empty()).map(str::to_owned).collect()
}
