//! `divvy join`: a member that prints what happens to it, and leaves in good order.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::Duration;

use anyhow::Result;
use clap::Args;

use super::address::topic;
use super::failure::{Failure, Kind};
use super::logs;
use super::member::{self, Identity, KafkaArgs, MAX_TIMEOUT_MS, Place, Topics, events, heartbeat};
use super::output::{Output, plain};
use super::security::SecurityArgs;
use super::signals::Stop;
use crate::client::{Ending, JoinError, Member, Rebalance};
use crate::peer::Security;

mod metrics;

/// The protocol type whose work is partitions of topics.
const CONSUMER: &str = "consumer";

/// Be a member of a group, and print what happens.
#[derive(Args, Debug)]
#[command(override_usage = "divvy join --group <GROUP> --topic <NAME> [--topic <NAME>]... [OPTIONS]
       divvy join --group <GROUP> --topic-pattern <REGEX> [OPTIONS]
       divvy join --group <GROUP> --protocol-type <TYPE> [OPTIONS]")]
pub struct Join {
    #[command(flatten)]
    place: Place,
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
    identity: Identity,
    /// How long it may be silent until its work goes to the others
    #[arg(long, value_name = "MS", default_value_t = 45_000, value_parser = clap::value_parser!(u64).range(1..=MAX_TIMEOUT_MS))]
    session_timeout_ms: u64,
    /// How long a rebalance may wait for it
    #[arg(long, value_name = "MS", default_value_t = 60_000, value_parser = clap::value_parser!(u64).range(1..=MAX_TIMEOUT_MS))]
    rebalance_timeout_ms: u64,
    #[command(flatten)]
    kafka: KafkaArgs,
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
    topics: Topics,
}

impl Join {
    /// Joins, and leaves when told to.
    pub fn run(mut self, output: &Output) -> Result<()> {
        self.identity.check()?;
        let peers = Peers { coordinator: self.security.read()?, topics: self.kafka.read()? };
        logs::start_as(output, &self.log_filter)?;
        let folder = self.identity.modules.folder()?;
        let _recording = self.identity.capture.open()?;
        member::run(self.live(folder, peers, output))
    }

    fn protocol_type(&self) -> &str {
        self.protocol_type.as_deref().unwrap_or(CONSUMER)
    }

    async fn live(self, folder: PathBuf, peers: Peers, output: &Output) -> Result<()> {
        let protocol_type = self.protocol_type().to_owned();
        let mut stop = Stop::listen()?;
        let listener = metrics::listen(self.metrics).await?;
        for said in self.identity.begins(&self.place, &folder, &protocol_type) {
            output.print(&said.event, || plain(&said.text))?;
        }
        metrics::tell(listener.as_ref(), output)?;
        let (instance, session) = (self.identity.instance_id.clone(), Duration::from_millis(self.session_timeout_ms));
        let ended = |ending: Option<Ending>| {
            let said = member::ended(instance.as_deref(), ending.as_ref(), session);
            output.print(&said.event, || plain(&said.text))
        };
        let Some(mut member) = member::unless(&mut stop, self.join(folder, peers)).await? else {
            return ended(Some(Ending::Outside));
        };
        let counted = member.metrics().clone();
        let done = tokio::select! {
            done = tell(&mut member, &mut stop, &protocol_type, output) => done,
            () = metrics::serve(listener, counted) => Ok(()),
        };
        let ending = member::leave(member, &mut stop).await;
        done?;
        ended(ending)
    }

    async fn join(self, folder: PathBuf, Peers { coordinator, topics }: Peers) -> Result<Member, JoinError> {
        let session = Duration::from_millis(self.session_timeout_ms);
        let mut builder = self
            .identity
            .builder(&self.place, folder)
            .security(coordinator)
            .session_timeout(session)
            .rebalance_timeout(Duration::from_millis(self.rebalance_timeout_ms))
            .heartbeat_interval(heartbeat(session));
        builder = match self.protocol_type() {
            CONSUMER => match &self.topic_pattern {
                Some(pattern) => builder.subscribe_pattern(pattern),
                None => builder.subscribe(&self.topics),
            },
            "single-writer" => builder.single_writer(),
            "connect" => builder.connect(format!("divvy://{}/", self.identity.client_id)),
            other => builder.protocol_type(other),
        };
        topics.of(builder).join().await
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
