//! `divvy run`: a member whose work is done by child processes, in any language.

use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

use anyhow::Result;
use clap::Args;

use super::address::topic;
use super::clock;
use super::failure::{Failure, Kind};
use super::logs;
use super::member::{self, Identity, KafkaArgs, MAX_TIMEOUT_MS, Place, Topics, heartbeat};
use super::output::{Output, plain};
use super::security::SecurityArgs;
use super::signals::Stop;
use crate::client::{Builder, Ending};
use crate::peer::Security;

mod children;
mod find;
pub mod keeper;
mod limits;
mod lines;
mod live;
mod os;
mod printer;
mod process;
mod say;
mod work;

use children::{Children, Settings};
use limits::{BEYOND_GRACE, LONGEST_BEAT, MAX_CHILDREN, STARTS_AT_ONCE};
use live::{Life, Names};
use printer::Printer;
use process::{How, Processes};
use work::Division;

const HELP: &str = "\
A child is told by its environment what to do:
  DIVVY_PARTITIONS       clicks:0,1,5;queries:2    (DIVVY_PARTITIONS_JSON: {\"clicks\":[0,1,5],\"queries\":[2]})
  DIVVY_TOPIC, DIVVY_PARTITION                     with --each
  DIVVY_EPOCH            the fencing token, of strategies that give one and with --single-writer; on a Kafka broker it begins
                         with 1 again after nobody was in the group for some minutes: keep a standby running there
  DIVVY_PRIMARIES, DIVVY_PRIMARIES_JSON, DIVVY_PRIMARY (1 or 0, with --each)
                         whose first copy it has, of strategies that give several copies
  DIVVY_GROUP, DIVVY_MEMBER, DIVVY_GENERATION, DIVVY_PROTOCOL

It runs in a process group of its own, with stdin closed; what it writes is shown line by line behind its name. Before its
work goes to another member the group gets the drain signal; the work is handed over when the child and all that it
started have ended, or were killed after --grace-ms: on Linux also what left its group or session. Work that may already be another's is killed at once. When the share changes
the child is ended and started anew; with --each only those whose partition comes or goes, if the strategy hands over
step by step. A child that ends by itself, with whatever code, is started again: after half a second, twice as long
each time in a row up to 30 s, and at once anew after a minute of good work.

SIGTERM, SIGINT and SIGHUP drain the children and leave the group; a second one kills them. With --instance-id the member
does not leave: its place and its share are kept for --session-timeout-ms, for the process that comes back under that
name. To have others take over at once, run it without. When divvy is killed (-9)
or hangs, each child's keeper (keep-child among the system's processes) kills the child and all that it started. If the
keeper is killed, the child dies (on Linux), divvy kills its group, and starts it again. If both are killed, the child
dies, and processes that it started go on: in a container, or a service of systemd, they end with that.

Exit codes: as for all commands. 0 it was told to end, and has (its last line says
whether it has left the group); 1 the member is out of its group, or children failed
more often than --max-restarts; 4 there is no such command or folder, or the command
cannot be started.";

/// Run a command for each share of work.
#[derive(Args, Debug)]
#[command(after_help = HELP, override_usage = "divvy run --group <GROUP> --topic <NAME>... [--each] [OPTIONS] -- <COMMAND> [ARGS]...
       divvy run --group <GROUP> --single-writer [OPTIONS] -- <COMMAND> [ARGS]...")]
pub struct Run {
    #[command(flatten)]
    place: Place,
    /// A topic to share; may repeat, or name several with commas
    #[arg(long = "topic", value_name = "NAME", value_delimiter = ',', value_parser = topic)]
    #[arg(required_unless_present_any = ["single_writer", "topic_pattern"])]
    topics: Vec<String>,
    /// All topics whose whole name matches this regular expression, now and later, instead
    #[arg(long, value_name = "REGEX", conflicts_with = "topics")]
    topic_pattern: Option<String>,
    /// One child for each partition, instead of one for all
    #[arg(long)]
    each: bool,
    /// The child runs only while this member is the active one of its group; DIVVY_EPOCH is its fencing token
    #[arg(long, conflicts_with_all = ["topics", "topic_pattern", "each"])]
    single_writer: bool,
    #[command(flatten)]
    identity: Identity,
    /// How long it may be silent until its work goes to the others
    #[arg(long, value_name = "MS", default_value_t = 45_000, value_parser = clap::value_parser!(u64).range(100..=MAX_TIMEOUT_MS))]
    session_timeout_ms: u64,
    /// How long a rebalance may wait for it [default: 30 s longer than --grace-ms]
    #[arg(long, value_name = "MS", value_parser = clap::value_parser!(u64).range(1..=MAX_TIMEOUT_MS))]
    rebalance_timeout_ms: Option<u64>,
    /// The signal that asks a child to end: HUP, INT, QUIT, TERM, USR1 or USR2
    #[arg(long, value_name = "SIGNAL", default_value = "TERM", value_parser = signal)]
    drain_signal: i32,
    /// How long it may take to end; then it is killed
    #[arg(long, value_name = "MS", default_value_t = 30_000, value_parser = clap::value_parser!(u64).range(0..=MAX_TIMEOUT_MS / 2))]
    grace_ms: u64,
    /// A child is at work when it has printed a line with this in it, to stdout or stderr [default: when it is started]
    #[arg(long, value_name = "TEXT", value_parser = clap::builder::NonEmptyStringValueParser::new())]
    ready_line: Option<String>,
    /// How long it may take until then; one that takes longer is killed, and has failed
    #[arg(long, value_name = "MS", default_value_t = 60_000, requires = "ready_line")]
    ready_timeout_ms: u64,
    /// How often in a row a child may be started again; then the member leaves its group [default: for ever]
    #[arg(long, value_name = "NUMBER")]
    max_restarts: Option<u32>,
    /// How many children there may be with --each; with a larger share the member leaves its group
    #[arg(long, value_name = "NUMBER", default_value_t = MAX_CHILDREN)]
    max_children: usize,
    #[command(flatten)]
    kafka: KafkaArgs,
    #[command(flatten)]
    security: SecurityArgs,
    /// What is logged to stderr: error, warn, info, debug, trace
    #[arg(long = "log", value_name = "FILTER", env = "DIVVY_LOG", default_value = "warn")]
    log_filter: String,
    /// What to run
    #[arg(last = true, required = true, value_name = "COMMAND")]
    command: Vec<OsString>,
}

impl Run {
    /// Joins, runs children, and leaves when told to.
    pub fn run(mut self, output: &Output) -> Result<()> {
        self.identity.check()?;
        self.check_times()?;
        find::find(&self.command[0]).map_err(|why| Failure::of(Kind::NotFound, why))?;
        logs::start_as(output, &self.log_filter)?;
        let folder = self.identity.modules.folder()?;
        let _recording = self.identity.capture.open()?;
        let (security, topics) = (self.security.read()?, self.kafka.read()?);
        let printer = Printer::start(*output);
        let done = member::run(self.live(folder, (security, topics), printer.clone()));
        printer.finish();
        done
    }

    async fn live(self, folder: PathBuf, (security, topics): (Security, Topics), printer: Printer) -> Result<()> {
        let mut stop = Stop::listen()?;
        let session = Duration::from_millis(self.session_timeout_ms);
        for said in self.identity.begins(&self.place, &folder, self.protocol_type()) {
            printer.say(said.event, plain(&said.text));
        }
        let joining = topics.of(self.builder(folder).security(security)).join();
        let Some(member) = member::unless(&mut stop, joining).await? else {
            let said = member::ended(self.identity.instance_id.as_deref(), Some(&Ending::Outside), session);
            printer.say(said.event, plain(&said.text));
            return Ok(());
        };
        let life = Life {
            children: Children::new(self.settings(), clock::entropy()),
            names: Names {
                protocol_type: self.protocol_type().to_owned(),
                division: self.division(),
                instance: self.identity.instance_id.clone(),
                session,
                member: self.identity.instance_id.unwrap_or(self.identity.client_id),
                group: self.place.group,
            },
            processes: Processes::new(
                How {
                    beat: beat(session),
                    silence: silence(session),
                    command: self.command,
                    drain_signal: self.drain_signal,
                    ready_line: self.ready_line,
                },
                printer.clone(),
            ),
            printer,
            revoked: Vec::new(),
        };
        life.live(member, stop).await
    }

    fn protocol_type(&self) -> &'static str {
        if self.single_writer { "single-writer" } else { "consumer" }
    }

    fn division(&self) -> Division {
        match (self.single_writer, self.each) {
            (true, _) => Division::Writer,
            (false, true) => Division::Each,
            (false, false) => Division::Whole,
        }
    }

    fn settings(&self) -> Settings {
        Settings {
            grace: Duration::from_millis(self.grace_ms),
            ready_within: self.ready_line.as_ref().map(|_| Duration::from_millis(self.ready_timeout_ms)),
            max_restarts: self.max_restarts,
            max_children: self.max_children,
            starts_at_once: STARTS_AT_ONCE,
        }
    }

    fn rebalance_timeout(&self) -> Duration {
        let beyond = Duration::from_millis(self.grace_ms) + BEYOND_GRACE;
        self.rebalance_timeout_ms.map_or(beyond, Duration::from_millis)
    }

    /// A group that does not wait for the children would give their work away while they finish it.
    fn check_times(&self) -> Result<()> {
        match self.rebalance_timeout_ms.filter(|timeout| *timeout <= self.grace_ms) {
            None => Ok(()),
            Some(timeout) => Err(Failure::of(
                Kind::Usage,
                format!(
                    "--rebalance-timeout-ms {timeout} is over before --grace-ms {}: the group would not wait for the \
                     children to end; raise it, or lower the other",
                    self.grace_ms
                ),
            )),
        }
    }

    fn builder(&self, folder: PathBuf) -> Builder {
        let session = Duration::from_millis(self.session_timeout_ms);
        let builder = self
            .identity
            .builder(&self.place, folder)
            .session_timeout(session)
            .rebalance_timeout(self.rebalance_timeout())
            .heartbeat_interval(heartbeat(session));
        match (self.single_writer, &self.topic_pattern) {
            (true, _) => builder.single_writer(),
            (false, Some(pattern)) => builder.subscribe_pattern(pattern),
            (false, None) => builder.subscribe(&self.topics),
        }
    }
}

/// How often keepers hear that this process lives.
fn beat(session: Duration) -> Duration {
    LONGEST_BEAT.min(session / 10)
}

/// A process that hangs hears nothing of what it lost. So its children end before its session can: that began with a
/// heartbeat, at most an interval before the last beat.
fn silence(session: Duration) -> Duration {
    session - heartbeat(session) - 2 * beat(session)
}

fn signal(name: &str) -> Result<i32, String> {
    os::signal(name).ok_or_else(|| format!("write one of {}", os::signal_names()))
}
