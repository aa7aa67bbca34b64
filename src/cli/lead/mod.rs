//! `divvy lead`: a member that owns nothing and leads, so that unmodified clients of a Kafka cluster are assigned by a module.

use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::Result;
use clap::Args;
use serde_json::json;

use super::address::{assignor, host_ports};
use super::capturing::CaptureArgs;
use super::failure::{Failure, Kind};
use super::logs;
use super::member::{self, MAX_TIMEOUT_MS};
use super::modules::Modules;
use super::output::{Output, plain};
use super::security::SecurityArgs;
use crate::lead::names::Stated;
use crate::lead::{Described, Wishes};

mod events;
mod live;
pub(super) mod look;
mod module;
mod plan_only;
pub(super) mod settings;
mod waits;

use look::Cluster;
use plan_only::DryRun;
use settings::Settings;

/// The lasting name of every lead of a group, unless told otherwise: whoever comes next takes the place of the one before.
const INSTANCE: &str = "divvy-lead";

const EXIT_CODES: &str = "\
Exit codes:
  0  ended when told to; or the dry run was shown
  1  failed: the group cannot be led, or this lead is out of it for good
  2  usage: nothing was tried; also --take-over without --yes, after saying what would happen
  3  unreachable: with --plan-only, or without --yes: no broker answers, or it cannot do so at the moment. A lead that runs
     says so and tries again
  4  not found: no such module or folder; with --plan-only also a group without members";

/// What `divvy lead` alone prints.
const GUIDE: &str = "\
divvy lead assigns for the unmodified clients of a group on a Kafka cluster, by a strategy that is a *.wasm file.
It joins the group, owns nothing, and as the group's leader makes the plan.

First look what the strategy would decide; this joins nothing:

  divvy lead --brokers localhost:9092 --group indexers --assignor rack-aware --plan-only

Then lead. Who joins an empty group first leads it, so start the clients when this has said that it leads:

  divvy lead --brokers localhost:9092 --group indexers --assignor rack-aware

Or take the lead of the running group; every member rejoins once (it says first what that costs):

  divvy lead --brokers localhost:9092 --group indexers --assignor rack-aware --take-over --yes

At a coordinator of divvy's own `lead = \"coordinator\"` in divvy.toml does this without a process more.

Start it twice, on two machines, each with active-standby.wasm beside the strategy, which elects: one leads, the other
takes its place when it is gone, and nobody rebalances.
`divvy lead --help` has the rest.";

/// Lead a group of unmodified clients on a Kafka cluster, by a module
#[derive(Args, Debug)]
#[command(after_help = EXIT_CODES)]
pub struct Lead {
    /// Any broker of the cluster; several with commas. Topics and racks are asked for there too, as its clients see them:
    /// there is no --kafka here
    #[arg(long, value_name = "HOST:PORT", value_parser = host_ports)]
    brokers: Option<String>,
    /// The group
    #[arg(long, value_parser = clap::builder::NonEmptyStringValueParser::new())]
    group: Option<String>,
    /// The strategy: NAME for its newest version at hand, NAME@VERSION for that one
    #[arg(long, value_name = "NAME", value_parser = assignor)]
    assignor: Option<String>,
    /// A name under which it serves, as the clients offer it; may repeat. A name that is none of Kafka's needs =eager or
    /// =cooperative [default: every name that Kafka's clients bring, the group's present one first]
    #[arg(long = "as", value_name = "NAME", value_parser = Stated::parse)]
    names: Vec<Stated>,
    #[command(flatten)]
    modules: Modules,
    #[command(flatten)]
    capture: CaptureArgs,
    #[command(flatten)]
    settings: Settings,
    #[command(flatten)]
    security: SecurityArgs,
    /// Join nothing: show what the strategy would decide against what the members have now
    #[arg(long, conflicts_with_all = ["take_over", "retake", "alone", "hand_back"])]
    plan_only: bool,
    /// With --plan-only: draw it
    #[arg(long, value_name = "FILE.svg", requires = "plan_only")]
    picture: Option<PathBuf>,
    /// Take the lead of a running group: every member is removed once and joins again behind this one. (At a coordinator of
    /// divvy's own only if it does not lead already, as it does where no other member brings a module)
    #[arg(long)]
    take_over: bool,
    /// Do so without asking
    #[arg(long, requires = "take_over")]
    yes: bool,
    /// Take the lead again whenever it was lost, as --take-over does
    #[arg(long)]
    retake: bool,
    /// Stand for no election with other leads of the group, for which active-standby.wasm is needed among the --assignors: a
    /// second one would put this one out
    #[arg(long)]
    alone: bool,
    /// At the end leave the group at once, so that its clients go on by their own strategy, instead of keeping the place
    /// for a successor until the session ends
    #[arg(long)]
    hand_back: bool,
    /// The lasting name that all leads of the group share
    #[arg(long, value_name = "NAME", default_value = INSTANCE, value_parser = clap::builder::NonEmptyStringValueParser::new())]
    instance_id: String,
    /// How long this may be silent until the group goes on without it: at least as long as a restart or a successor takes
    #[arg(long, value_name = "MS", default_value_t = 45_000, value_parser = clap::value_parser!(u64).range(1_000..=MAX_TIMEOUT_MS))]
    session_timeout_ms: u64,
    /// What is logged to stderr: error, warn, info, debug, trace
    #[arg(long = "log", value_name = "FILTER", env = "DIVVY_LOG", default_value = "warn")]
    log_filter: String,
}

/// What every way of leading needs to know.
struct Task {
    cluster: Cluster,
    group: String,
    assignor: String,
    folder: PathBuf,
}

impl Lead {
    /// Teaches, shows or leads.
    pub fn run(mut self, output: &Output) -> Result<()> {
        if self.brokers.is_none() && self.group.is_none() && self.assignor.is_none() {
            return output.print(&json!({ "guide": GUIDE }), || GUIDE.to_owned());
        }
        let task = self.task()?;
        let config = self.settings.config()?;
        if self.plan_only {
            let spoken = self.settings.spoken();
            let Task { cluster, group, assignor, folder } = &task;
            let decided = DryRun { cluster, group, assignor, folder, config: &config, spoken: &spoken }
                .decide(self.modules.trust())?;
            return plan_only::show(&decided, group, self.picture.as_deref(), output);
        }
        if self.take_over && !self.yes {
            return Err(Failure::of(Kind::Usage, take_over_text(&task.group, task.cluster.group(&task.group)?)));
        }
        logs::start_as(output, &self.log_filter)?;
        let _recording = self.capture.open()?;
        let runtime = member::runtime()?;
        let ended = runtime.block_on(live::lead(task, self, config, output));
        // A question that nobody answers blocks its thread, and is nobody's any more.
        runtime.shutdown_background();
        ended
    }

    fn task(&self) -> Result<Task> {
        let needed = |value: &Option<String>, flag: &str| {
            let text = || format!("{flag} is missing: `divvy lead` alone shows how it is called");
            value.clone().ok_or_else(|| Failure::of(Kind::Usage, text()))
        };
        Ok(Task {
            cluster: Cluster {
                brokers: needed(&self.brokers, "--brokers HOST:PORT")?,
                security: self.security.read()?,
                flag: "--brokers",
            },
            group: needed(&self.group, "--group GROUP")?,
            assignor: needed(&self.assignor, "--assignor NAME")?,
            folder: self.modules.folder()?,
        })
    }

    fn wishes(&self, elected: bool) -> Wishes {
        Wishes {
            instance: self.instance_id.clone(),
            stated: self.names.clone(),
            take_over: self.take_over,
            retake: self.retake,
            elected,
        }
    }

    fn session(&self) -> Duration {
        Duration::from_millis(self.session_timeout_ms)
    }
}

/// What taking over costs, before it is done.
fn take_over_text(group: &str, described: Described) -> String {
    if described.is_empty() {
        return format!(
            "nobody is in group {group}: there is nothing to take over; leave --take-over out, or say --yes"
        );
    }
    let names: Vec<String> = described.members.iter().map(|member| plain(member.name())).collect();
    let under = match described.protocol.as_str() {
        "" => String::new(),
        name => format!(" under {}", plain(name)),
    };
    let first = match described.draws {
        false => String::new(),
        true => format!(
            "the coordinator of group {group} is divvy's: there this joins first and removes nobody, since who brings a module \
             leads before those that bring none; and with {} nobody else has to lead. Only if another member with a module \
             leads, ",
            events::LEAD_BY_COORDINATOR
        ),
    };
    format!(
        "{first}this would remove all {} members of group {group} ({}) and join it in front of them{under}. They find out with their \
         next heartbeat, drop what they have as lost, without the chance to commit (what they did since their last commit is \
         done again), and join again: one rebalance, if their heartbeats are no further apart than the broker's \
         `group.initial.rebalance.delay.ms` (both are 3 s unless somebody changed them), else a second one for those that come \
         late. Nothing was done: say --yes to do it",
        described.members.len(),
        shortened(&names),
    )
}

/// The first names, and how many more there are.
fn shortened(names: &[String]) -> String {
    const SHOWN: usize = 8;
    match names.len() {
        0..=SHOWN => names.join(", "),
        more => format!("{}, and {} more", names[..SHOWN].join(", "), more - SHOWN),
    }
}

/// The folder in words.
fn shown(folder: &Path) -> String {
    plain(&folder.display().to_string())
}
