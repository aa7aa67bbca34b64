//! `divvy simulate`: what a group's life would cost under one strategy or another, before any of them goes anywhere.

use std::path::PathBuf;

use anyhow::Result;
use clap::Args;
use serde_json::json;

use super::SERVER;
use super::address::host_ports;
use super::failure::{Failure, Kind};
use super::files;
use super::lead::settings::Settings;
use super::modules::Modules;
use super::output::{Output, plain};
use super::security::SecurityArgs;
use crate::whatif::limits::{MAX_EFFORT, MAX_MEMBERS, MAX_MODULES, MAX_PARTITIONS, MAX_STEPS, MAX_TOPICS};
use crate::whatif::{Start, Step, page, random_life, script, simulate};

mod begin;
mod progress;
mod refused;
mod shown;
mod spoken;
mod subjects;
mod times;

use begin::Topic;
use progress::Progress;
use spoken::Spokesman;
use subjects::Named;
use times::TimesArgs;

/// So many steps has a random life unless told otherwise.
const STEPS: usize = 20;

const EXIT_CODES: &str = "\
Exit codes:
  0  played
  1  failed: a module is refused (and no --fallback is named), the page cannot be written, or the group is none that can
     be played
  2  usage: a mistake in the script (with its line) or in the flags, or a life that is too large; nothing was played
  3  unreachable: with --from-group, nobody answers
  4  not found: no such module, script or group";

/// What `divvy simulate` alone prints.
const GUIDE: &str = "\
divvy simulate plays the life of a group against one or several strategies and says what it costs under each:
what moves, how even it is, how long partitions have no owner, what the calls use. Nothing is started for it.

  divvy simulate range sticky cooperative-sticky --members 6 --topics clicks=24,queries=12 --random 1 --html life.html
      twenty random steps, the same ones for each strategy; life.html has the charts

  divvy simulate sticky my-strategy.wasm --script life.txt
      a life that you write: `leave w3`, `rolling-restart`, `lose-rack eu-1a`, one step a line

  divvy simulate sticky --from-group indexers --script life.txt
      the same from what a running group has at this moment; the group is only looked at

`divvy simulate --help` has the words of scripts and the times of the model.";

/// Play a group's life against strategies, before any of them goes anywhere.
///
/// A strategy is a file (*.wasm), a NAME or NAME@VERSION in the folder of modules, or `native`: the range that is built in.
/// Each is played through the same life by the path that every leader takes, with its claims, checks, hand-over in steps and
/// fall-back.
#[derive(Args, Debug)]
#[command(after_help = EXIT_CODES, after_long_help = long_help())]
pub struct Simulate {
    /// The strategies
    #[arg(value_name = "MODULE")]
    modules: Vec<String>,
    /// What happens, one step a line
    #[arg(long, value_name = "FILE", conflicts_with_all = ["random", "steps"])]
    script: Option<PathBuf>,
    /// Something happens at random; the same seed is the same life
    #[arg(long, value_name = "SEED")]
    random: Option<u64>,
    /// How many steps of it [default: 20]
    #[arg(long, value_name = "N", requires = "random", value_parser = clap::value_parser!(u64).range(1..=MAX_STEPS as u64))]
    steps: Option<u64>,
    /// So many members at the beginning: m1, m2, …
    #[arg(long, value_name = "N", requires = "topics", value_parser = clap::value_parser!(u64).range(1..=MAX_MEMBERS as u64))]
    members: Option<u64>,
    /// Topics with their numbers of partitions
    #[arg(long, value_name = "T=P", value_delimiter = ',', value_parser = Topic::parse, requires = "members")]
    topics: Vec<Topic>,
    /// Members, and replicas of partitions, are in these racks in turn
    #[arg(long, value_name = "RACK", value_delimiter = ',', requires = "members")]
    racks: Vec<String>,
    /// In so many racks each partition has a replica
    #[arg(long, value_name = "N", requires = "racks", default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..=16))]
    replicas: u16,
    /// The members have lasting names (`group.instance.id`)
    #[arg(long = "static", requires = "members")]
    is_static: bool,
    /// Begin with what the members of this running group read, say and have; of type consumer
    #[arg(long, value_name = "GROUP", conflicts_with = "members", value_parser = clap::builder::NonEmptyStringValueParser::new())]
    from_group: Option<String>,
    /// Its coordinator, or any broker of its cluster
    #[arg(long, value_name = "HOST:PORT", default_value = SERVER, value_parser = host_ports)]
    server: String,
    /// The folder of *.wasm files [default: $DIVVY_ASSIGNORS, ./assignors, PROGRAM/../share/divvy/assignors]
    #[arg(long = "assignors", value_name = "DIR")]
    folder: Option<PathBuf>,
    /// What makes the plan when a strategy fails, as `fallback` of a group's settings names it: a module, or `native`. A
    /// module that is refused is played, too, then
    #[arg(long, value_name = "MODULE", value_parser = clap::builder::NonEmptyStringValueParser::new())]
    fallback: Option<String>,
    #[command(flatten)]
    settings: Settings,
    /// Write one page with charts, which needs nothing else
    #[arg(long, value_name = "FILE.html")]
    html: Option<PathBuf>,
    /// Leave out what calls took in milliseconds and memory, so that the same life is the same answer to the byte
    #[arg(long)]
    without_times: bool,
    #[command(flatten)]
    times: TimesArgs,
    #[command(flatten)]
    security: SecurityArgs,
}

/// The words of scripts, the keys of `--set`, and the codes.
fn long_help() -> String {
    format!(
        "Scripts\n\n{}\n\ntests/examples/life.txt is one. Settings that --set and --config name go to every strategy; those of \
         one alone are named with it: `--set weighted.fact=cores`, or a table of its name in the file.\n\nFor strategies of type \
         connect topics are connectors and their partitions tasks; of type single-writer topics do not count.\n\nAt most \
         {MAX_MEMBERS} members, {MAX_PARTITIONS} partitions of {MAX_TOPICS} topics, {MAX_STEPS} steps and {MAX_MODULES} strategies are \
         played, and of all together {MAX_EFFORT}: the members and partitions of each generation, in all generations of all \
         strategies.\n\n{EXIT_CODES}",
        script::GRAMMAR
    )
}

impl Simulate {
    /// Teaches, or plays and shows.
    pub fn run(self, output: &Output) -> Result<()> {
        if self.modules.is_empty() && self.script.is_none() && self.random.is_none() {
            return output.print(&json!({ "guide": GUIDE }), || GUIDE.to_owned());
        }
        let (start, steps) = self.life()?;
        let named = Named { modules: &self.modules, fallback: self.fallback.as_deref() };
        let subjects = subjects::read(&named, &Modules::at(self.folder.clone()), &self.settings, self.without_times)?;
        let usage = |why| Failure::of(Kind::Usage, why);
        let progress = Progress::new(steps.len());
        let tell = |name: &str, step: usize, generation: usize| progress.tell(name, step, generation);
        let played = simulate(&start, &steps, self.times.times(), &subjects, &tell);
        progress.over();
        let mut report = played.map_err(usage)?;
        (report.seed, report.from_group) = (self.random, self.from_group.clone());
        if let Some(path) = &self.html {
            let title = match &self.from_group {
                Some(group) => format!("What would become of group {group}"),
                None => "A group's life under each strategy".to_owned(),
            };
            files::write("the page", path, page::html(&report, &title).as_bytes())?;
        }
        output.print(&report, || {
            let page = self.html.as_ref().map(|path| plain(&format!("drawn in {}", path.display())));
            [Some(shown::text(&report, output)), page].into_iter().flatten().collect::<Vec<_>>().join("\n\n")
        })
    }

    /// Who is there, and what happens.
    fn life(&self) -> Result<(Start, Vec<Step>)> {
        let mut names: Vec<&str> = self.topics.iter().map(|topic| topic.name.as_str()).collect();
        names.sort_unstable();
        if let Some(twice) = names.windows(2).find(|two| two[0] == two[1]) {
            let why = format!("--topics names {} twice: strike one of them", twice[0]);
            return Err(Failure::of(Kind::Usage, why));
        }
        let mut said = Spokesman::new(self.settings.facts());
        let mut start = match &self.from_group {
            Some(group) => Some(begin::from_group(group, &self.server, self.security.read()?, &mut said)?),
            None => self.members.map(|count| {
                begin::made_up(count as usize, &self.topics, &self.racks, usize::from(self.replicas), self.is_static)
            }),
        };
        start.iter_mut().for_each(|start| said.speak_for(&mut start.members));
        let usage = |why: String| Failure::of(Kind::Usage, why);
        if let Some(path) = &self.script {
            let text = String::from_utf8(files::script(path)?)
                .map_err(|_| usage(format!("{} is no text: save it as UTF-8", path.display())))?;
            let (mut start, mut steps) = script::read(&text, start).map_err(|error| {
                let line = if error.line == 0 { String::new() } else { format!(":{}", error.line) };
                usage(format!("{}{line}: {}", path.display(), error.message))
            })?;
            said.speak_for(&mut start.members);
            said.speak_in(&mut steps);
            return said.all_were_heard().map(|()| (start, steps)).map_err(usage);
        }
        let Some(seed) = self.random else {
            return Err(usage("nothing happens: name a life with --script FILE or --random SEED".to_owned()));
        };
        let start = start.ok_or_else(|| {
            usage("nobody is there: name --members N and --topics T=P, or --from-group GROUP".to_owned())
        })?;
        let steps = self.steps.map_or(STEPS, |steps| steps as usize);
        let mut steps = random_life(&start, seed, steps).map_err(usage)?;
        said.speak_in(&mut steps);
        said.all_were_heard().map(|()| (start, steps)).map_err(usage)
    }
}
