//! What `divvy join` and `divvy run` have in common: who the member is, where it goes, how it begins; and how every member of
//! the command line is told of.

use std::collections::BTreeSet;
use std::iter;
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context, Result};
use clap::Args;
use clap::builder::NonEmptyStringValueParser;
use serde_json::{Value, json};
use tokio::runtime::Runtime;

use super::SERVER;
use super::address::{assignor, host_ports};
use super::capturing::CaptureArgs;
use super::failure::{Failure, Kind};
use super::modules::Modules;
use super::signals::Stop;
use crate::client::{Builder, Ending, JoinError, Member};

mod cluster;
mod ending;
pub mod events;
pub mod missing;

pub use cluster::{KafkaArgs, Topics};
pub use ending::ended;

/// Timeouts are 32-bit numbers on the wire.
pub const MAX_TIMEOUT_MS: u64 = i32::MAX as u64;

/// A member says that it is alive this often, or at least thrice within its session.
const HEARTBEAT_INTERVAL: Duration = Duration::from_secs(3);

/// Where it goes.
#[derive(Args, Debug)]
pub struct Place {
    /// The coordinator, or any broker of a Kafka cluster
    #[arg(long, value_name = "HOST:PORT", default_value = SERVER, value_parser = host_ports)]
    pub server: String,
    /// The group
    #[arg(long, value_parser = NonEmptyStringValueParser::new())]
    pub group: String,
}

/// What it offers, and what it says of itself.
#[derive(Args, Debug)]
pub struct Identity {
    #[command(flatten)]
    pub modules: Modules,
    #[command(flatten)]
    pub capture: CaptureArgs,
    /// Where replaced modules are kept, so that the older version of a strategy survives a restart, and compiled code; not
    /// shared
    #[arg(long, value_name = "DIR")]
    module_cache: Option<PathBuf>,
    /// The assignors to offer, most wanted first: `rack-aware` or `rack-aware@1` [default: those made to be offered]
    #[arg(long = "assignor", value_name = "NAME", value_delimiter = ',', value_parser = assignor)]
    assignors: Vec<String>,
    /// What strategies may know of this member, such as `weight=2`
    #[arg(long = "fact", value_name = "KEY=VALUE", value_parser = key_value)]
    facts: Vec<(String, Value)>,
    /// Where it stands: the fact `rack`
    #[arg(long)]
    rack: Option<String>,
    /// The name that it gives itself: its id begins with it
    #[arg(long, value_name = "NAME", default_value = "divvy")]
    pub client_id: String,
    /// A name that lasts: a member that comes back under it within its session takes its place again, and nobody
    /// rebalances
    #[arg(long, value_name = "NAME", value_parser = NonEmptyStringValueParser::new())]
    pub instance_id: Option<String>,
}

/// One thing to say: for scripts and for people.
pub struct Said {
    /// A line of JSON.
    pub event: Value,
    /// A sentence.
    pub text: String,
}

impl Identity {
    /// Each fact once: of two values one would be lost without a word.
    pub fn check(&self) -> Result<()> {
        let rack = self.rack.as_deref().map(|_| "rack");
        let mut seen = BTreeSet::new();
        match self.facts.iter().map(|(key, _)| key.as_str()).chain(rack).find(|key| !seen.insert(*key)) {
            None => Ok(()),
            Some("rack") if rack.is_some() => {
                Err(Failure::of(Kind::Usage, "--rack is the fact rack: leave --fact rack=… out, or --rack"))
            }
            Some(key) => Err(Failure::of(Kind::Usage, format!("--fact {key}=… is given twice: keep one of them"))),
        }
    }

    /// What is said at once: what begins, and what is not there for it.
    pub fn begins(&self, place: &Place, folder: &Path, protocol_type: &str) -> impl Iterator<Item = Said> {
        let joining = Said {
            event: json!({ "event": "joining", "group": place.group, "server": place.server }),
            text: format!("joining {} at {} …", place.group, place.server),
        };
        let folders: Vec<PathBuf> = iter::once(folder.to_owned()).chain(self.module_cache.clone()).collect();
        iter::once(joining).chain(missing::missing(&self.assignors, &folders, protocol_type))
    }

    /// The member, but for what it shares, its timeouts and how it is let in.
    pub fn builder(&self, place: &Place, folder: PathBuf) -> Builder {
        let mut builder = Member::builder(&place.server, &place.group).assignors(folder).client_id(&self.client_id);
        builder = self.capture.of(builder.trust(self.modules.trust()));
        if !self.assignors.is_empty() {
            builder = builder.assignor_names(&self.assignors);
        }
        if let Some(instance) = &self.instance_id {
            builder = builder.instance_id(instance);
        }
        if let Some(cache) = &self.module_cache {
            builder = builder.module_cache(cache);
        }
        let rack = self.rack.iter().map(|rack| ("rack".to_owned(), Value::String(rack.clone())));
        self.facts.iter().cloned().chain(rack).fold(builder, |builder, (name, value)| builder.fact(name, value))
    }
}

/// How often a member with this session says that it is alive.
pub fn heartbeat(session: Duration) -> Duration {
    HEARTBEAT_INTERVAL.min(session / 3)
}

/// What a member lives on.
pub fn runtime() -> Result<Runtime> {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build();
    runtime.context("the runtime cannot start")
}

/// Lives to its end. What is still compiled then is not waited for.
pub fn run(life: impl Future<Output = Result<()>>) -> Result<()> {
    let runtime = runtime()?;
    let done = runtime.block_on(life);
    runtime.shutdown_background();
    done
}

/// The member, unless it is to leave before its modules are compiled.
pub async fn unless(
    stop: &mut Stop,
    joining: impl Future<Output = Result<Member, JoinError>>,
) -> Result<Option<Member>> {
    tokio::select! {
        joined = joining => joined.map(Some).map_err(|error| not_joined(&error)),
        () = stop.wished() => Ok(None),
    }
}

/// Has the member leave; none if that was not waited for: whoever asks twice does not want to wait.
pub async fn leave(member: Member, stop: &mut Stop) -> Option<Ending> {
    tokio::select! {
        ending = member.leave() => Some(ending),
        () = stop.wished() => None,
    }
}

/// Why a member does not begin.
pub fn not_joined(error: &JoinError) -> anyhow::Error {
    let kind = match error {
        JoinError::NoFolder(_) => Kind::NotFound,
        JoinError::Sandbox(_) => Kind::Failed,
        JoinError::NoAddress
        | JoinError::NoGroup
        | JoinError::NoPurpose
        | JoinError::TwoSubscriptions
        | JoinError::Pattern { .. }
        | JoinError::SlowHeart { .. } => Kind::Usage,
    };
    Failure::of(kind, error.to_string())
}

/// `weight=2` is a number, `zone=a` a text: a value that is JSON counts as what it says.
pub fn key_value(text: &str) -> Result<(String, Value), String> {
    let (key, value) = text.split_once('=').filter(|(key, _)| !key.is_empty()).ok_or("write KEY=VALUE")?;
    let value = serde_json::from_str(value).unwrap_or_else(|_| Value::String(value.to_owned()));
    Ok((key.to_owned(), value))
}
