//! `divvy join`: a member that prints what happens to it, and leaves in good order.

use std::collections::BTreeSet;
use std::iter;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context, Result};
use clap::Args;
use serde_json::{Value, json};

use super::SERVER;
use super::address::{assignor, host_ports, topic};
use super::failure::{Failure, Kind};
use super::logs;
use super::modules::Modules;
use super::output::{Output, plain};
use super::security::{self, SecurityArgs};
use super::signals::Stop;
use crate::client::{JoinError, Member, Rebalance};
use crate::peer::Security;
use crate::server::config::LogFormat;

pub(super) mod events;
mod metrics;
pub(super) mod missing;

/// The protocol type whose work is partitions of topics.
const CONSUMER: &str = "consumer";

/// Timeouts are 32-bit numbers on the wire.
const MAX_TIMEOUT_MS: u64 = i32::MAX as u64;

/// A member says that it is alive this often, or at least thrice within its session.
const HEARTBEAT_INTERVAL: Duration = Duration::from_secs(3);

/// Be a member of a group, and print what happens.
#[derive(Args, Debug)]
#[command(override_usage = "divvy join --group <GROUP> --topic <NAME> [--topic <NAME>]... [OPTIONS]
       divvy join --group <GROUP> --topic-pattern <REGEX> [OPTIONS]
       divvy join --group <GROUP> --protocol-type <TYPE> [OPTIONS]")]
pub struct Join {
    /// The coordinator, or any broker of a Kafka cluster
    #[arg(long, value_name = "HOST:PORT", default_value = SERVER, value_parser = host_ports)]
    server: String,
    /// The group
    #[arg(long, value_parser = clap::builder::NonEmptyStringValueParser::new())]
    group: String,
    /// A topic to share, for type consumer; may repeat, or name several with commas
    #[arg(long = "topic", value_name = "NAME", value_delimiter = ',', value_parser = topic)]
    #[arg(required_unless_present_any = ["protocol_type", "topic_pattern"], group = "work")]
    topics: Vec<String>,
    /// All topics whose whole name matches this regular expression, now and later, instead
    #[arg(long, value_name = "REGEX", conflicts_with = "topics", group = "work")]
    topic_pattern: Option<String>,
    /// What kind of group: consumer shares partitions, single-writer elects one active member [default: consumer]
    #[arg(long, value_name = "TYPE", requires_if(CONSUMER, "work"))]
    protocol_type: Option<String>,
    #[command(flatten)]
    modules: Modules,
    /// Where replaced modules are kept, so that the older version of a strategy survives a restart; not shared
    #[arg(long, value_name = "DIR")]
    module_cache: Option<PathBuf>,
    /// The assignors to offer, most wanted first: `rack-aware` or `rack-aware@1` [default: those made to be offered]
    #[arg(long = "assignor", value_name = "NAME", value_delimiter = ',', value_parser = assignor)]
    assignors: Vec<String>,
    /// What strategies may know of this member, such as `weight=2`
    #[arg(long = "fact", value_name = "KEY=VALUE", value_parser = fact)]
    facts: Vec<(String, Value)>,
    /// Where it stands: the fact `rack`
    #[arg(long)]
    rack: Option<String>,
    /// The name that it gives itself: its id begins with it
    #[arg(long, value_name = "NAME", default_value = "divvy")]
    client_id: String,
    /// A name that lasts: a member that comes back under it within its session takes its place again, and nobody
    /// rebalances
    #[arg(long, value_name = "NAME", value_parser = clap::builder::NonEmptyStringValueParser::new())]
    instance_id: Option<String>,
    /// How long it may be silent until its work goes to the others
    #[arg(long, value_name = "MS", default_value_t = 45_000, value_parser = clap::value_parser!(u64).range(1..=MAX_TIMEOUT_MS))]
    session_timeout_ms: u64,
    /// How long a rebalance may wait for it
    #[arg(long, value_name = "MS", default_value_t = 60_000, value_parser = clap::value_parser!(u64).range(1..=MAX_TIMEOUT_MS))]
    rebalance_timeout_ms: u64,
    /// The Kafka cluster that has the topics, when --server is a coordinator that does not
    #[arg(long, value_name = "HOST:PORT", value_parser = host_ports)]
    kafka: Option<String>,
    /// How that one is connected to: a file of settings for Kafka's own tools
    #[arg(long, value_name = "FILE", requires = "kafka")]
    kafka_config: Option<PathBuf>,
    #[command(flatten)]
    security: SecurityArgs,
    /// Where to show what the member counts, as /metrics
    #[arg(long, value_name = "ADDRESS:PORT")]
    metrics: Option<SocketAddr>,
    /// What is logged to stderr: error, warn, info, debug, trace
    #[arg(long = "log", value_name = "FILTER", env = "DIVVY_LOG", default_value = "warn")]
    log_filter: String,
}

/// Whom it talks to, and how.
struct Peers {
    coordinator: Security,
    /// Where the topics are, if not there.
    kafka: Option<(String, Security)>,
}

impl Join {
    /// Joins, and leaves when told to.
    pub fn run(self, output: &Output) -> Result<()> {
        check_facts(&self.facts, self.rack.as_deref())?;
        let peers = Peers { coordinator: self.security.read()?, kafka: self.kafka()? };
        let format = if output.is_json() { LogFormat::Json } else { LogFormat::Text };
        logs::start(&self.log_filter, format)?;
        let folder = self.modules.folder()?;
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build();
        runtime.context("the runtime cannot start")?.block_on(self.live(folder, peers, output))
    }

    fn protocol_type(&self) -> &str {
        self.protocol_type.as_deref().unwrap_or(CONSUMER)
    }

    fn kafka(&self) -> Result<Option<(String, Security)>> {
        let Some(address) = &self.kafka else { return Ok(None) };
        let security = self.kafka_config.as_deref().map(security::from_file).transpose()?.unwrap_or_default();
        let security = security.read().map_err(|error| Failure::of(Kind::Usage, error.to_string()))?;
        Ok(Some((address.clone(), security)))
    }

    async fn live(self, folder: PathBuf, peers: Peers, output: &Output) -> Result<()> {
        let protocol_type = self.protocol_type().to_owned();
        let mut stop = Stop::listen()?;
        let listener = metrics::listen(self.metrics).await?;
        self.begin(&folder, output)?;
        metrics::tell(listener.as_ref(), output)?;
        let mut member =
            self.join(folder, peers).await.map_err(|error| Failure::of(kind(&error), error.to_string()))?;
        let counted = member.metrics().clone();
        let done = tokio::select! {
            done = tell(&mut member, &mut stop, &protocol_type, output) => done,
            () = metrics::serve(listener, counted) => Ok(()),
        };
        tokio::select! {
            () = member.leave() => {}
            // Whoever asks twice does not want to wait.
            () = stop.wished() => {}
        }
        done?;
        output.print(&json!({ "event": "left" }), || "left".to_owned())
    }

    /// Says at once what begins, and what is not there for it.
    fn begin(&self, folder: &Path, output: &Output) -> Result<()> {
        let joining = json!({ "event": "joining", "group": self.group, "server": self.server });
        output.print(&joining, || plain(&format!("joining {} at {} …", self.group, self.server)))?;
        let folders: Vec<PathBuf> = iter::once(folder.to_owned()).chain(self.module_cache.clone()).collect();
        let missing = missing::missing(&self.assignors, &folders, self.protocol_type());
        missing.iter().try_for_each(|it| output.print(&it.event, || plain(&it.text)))
    }

    async fn join(self, folder: PathBuf, Peers { coordinator, kafka }: Peers) -> Result<Member, JoinError> {
        let mut builder = Member::builder(&self.server, &self.group)
            .assignors(folder)
            .client_id(&self.client_id)
            .security(coordinator);
        builder = match self.protocol_type() {
            CONSUMER => match &self.topic_pattern {
                Some(pattern) => builder.subscribe_pattern(pattern),
                None => builder.subscribe(&self.topics),
            },
            "single-writer" => builder.single_writer(),
            "connect" => builder.connect(format!("divvy://{}/", self.client_id)),
            other => builder.protocol_type(other),
        };
        if let Some((kafka, security)) = kafka {
            builder = builder.kafka(&kafka, security);
        }
        if !self.assignors.is_empty() {
            builder = builder.assignor_names(self.assignors);
        }
        let session = Duration::from_millis(self.session_timeout_ms);
        builder = builder
            .session_timeout(session)
            .rebalance_timeout(Duration::from_millis(self.rebalance_timeout_ms))
            .heartbeat_interval(HEARTBEAT_INTERVAL.min(session / 3));
        if let Some(instance) = self.instance_id {
            builder = builder.instance_id(instance);
        }
        if let Some(cache) = self.module_cache {
            builder = builder.module_cache(cache);
        }
        let rack = self.rack.map(|rack| ("rack".to_owned(), Value::String(rack)));
        for (name, value) in self.facts.into_iter().chain(rack) {
            builder = builder.fact(name, value);
        }
        builder.join().await
    }
}

/// Prints what happens until the member is to leave. It is also to leave when nobody reads that any more: a member that
/// holds work and tells nobody is in everybody's way.
async fn tell(member: &mut Member, stop: &mut Stop, protocol_type: &str, output: &Output) -> Result<()> {
    let mut out = None;
    loop {
        let event = tokio::select! {
            event = member.next() => event,
            () = stop.wished() => return Ok(()),
        };
        let Some(event) = event else {
            let reason = out.unwrap_or_else(|| "it was ended".to_owned());
            return Err(Failure::of(Kind::Failed, format!("the member is out of the group: {reason}")));
        };
        output.print(&events::json(&event, protocol_type), || plain(&events::text(&event, protocol_type)))?;
        if let Rebalance::Failed { reason } = &event {
            out = Some(reason.clone());
        }
        // An event that asked to give work up is answered by being dropped here: printing is all the work there is.
    }
}

pub(super) fn kind(error: &JoinError) -> Kind {
    match error {
        JoinError::NoFolder(_) => Kind::NotFound,
        JoinError::Sandbox(_) => Kind::Failed,
        JoinError::NoAddress
        | JoinError::NoGroup
        | JoinError::NoPurpose
        | JoinError::TwoSubscriptions
        | JoinError::Pattern { .. }
        | JoinError::SlowHeart { .. } => Kind::Usage,
    }
}

/// Each fact once: of two values one would be lost without a word.
pub(super) fn check_facts(facts: &[(String, Value)], rack: Option<&str>) -> Result<()> {
    let mut seen = BTreeSet::new();
    match facts.iter().map(|(key, _)| key.as_str()).chain(rack.map(|_| "rack")).find(|key| !seen.insert(*key)) {
        None => Ok(()),
        Some("rack") if rack.is_some() => {
            Err(Failure::of(Kind::Usage, "--rack is the fact rack: leave --fact rack=… out, or --rack"))
        }
        Some(key) => Err(Failure::of(Kind::Usage, format!("--fact {key}=… is given twice: keep one of them"))),
    }
}

/// `weight=2` is a number, `zone=a` a text: a value that is JSON counts as what it says.
pub(super) fn fact(text: &str) -> Result<(String, Value), String> {
    let (key, value) = text.split_once('=').filter(|(key, _)| !key.is_empty()).ok_or("write KEY=VALUE")?;
    let value = serde_json::from_str(value).unwrap_or_else(|_| Value::String(value.to_owned()));
    Ok((key.to_owned(), value))
}
