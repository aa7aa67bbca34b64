//! `divvy lead --plan-only`: joins nothing, and shows what the strategy would decide for the group as it is now, against what
//! its members have.

use std::collections::HashMap;
use std::path::Path;
use std::time::Duration;

use anyhow::Result;
use divvy_guest::abi::names as columns;
use serde_json::{Value, json};

use super::events;
use super::look::{Cluster, patiently};
use crate::assignor::{Assignor, Spoken, refusal_of_config, subscribed};
use crate::cli::clock;
use crate::cli::comparison;
use crate::cli::failure::{Failure, Kind};
use crate::cli::member::missing::{is_named_after, some_of};
use crate::cli::member::not_joined;
use crate::cli::output::{Output, Tone, counted, plain};
use crate::client::Modules;
use crate::ids::{Digest, GroupId};
use crate::lead::whatif::WhatIf;
use crate::lead::{Comparison, Described, compare, names};
use crate::membership::Strategies;
use crate::membership::leading::Leading;
use crate::sandbox::{ModuleStatus, Trust};
use crate::topics::TopicTable;

/// What one plan may take here: nobody waits for it.
const BUDGET: Duration = Duration::from_secs(60);

/// What is asked.
pub struct DryRun<'a> {
    /// Where.
    pub cluster: &'a Cluster,
    /// Of which group.
    pub group: &'a str,
    /// The strategy.
    pub assignor: &'a str,
    /// Where its module is.
    pub folder: &'a Path,
    /// Its configuration.
    pub config: &'a Value,
    /// What is said for members.
    pub spoken: &'a Spoken,
}

/// What came of it.
pub struct Decided {
    /// The group as it is.
    pub group: Described,
    /// The strategy's name, version and digest.
    pub strategy: (String, Option<Digest>),
    /// What would change.
    pub comparison: Comparison,
    /// What the strategy has to say.
    pub warnings: Vec<String>,
    /// Whether the strategy reads what is not asked here.
    pub lacks_lag: bool,
    /// The patterns of `--fact` that fit nobody.
    pub facts_of_nobody: Vec<String>,
}

impl DryRun<'_> {
    /// Looks, asks the strategy, compares. Blocks.
    pub fn decide(&self, trust: Trust) -> Result<Decided> {
        // Only of a group at rest the broker tells what its members said; a rebalance mostly takes less than this waits.
        let group = patiently(|| self.cluster.group(self.group), |group| group.is_stable() || group.is_empty())?;
        if group.is_empty() {
            let remedy = "start its clients first, or see what is there with `divvy groups list --server`";
            return Err(Failure::of(Kind::NotFound, format!("nobody is in group {}: {remedy}", self.group)));
        }
        if !group.is_stable() {
            let text = format!("group {} is rebalancing: its broker tells no subscriptions; try again", self.group);
            return Err(Failure::of(Kind::Failed, text));
        }
        // Under which name makes no difference to what they come to in the end.
        names::can_be_led(&group)
            .map_err(|why| Failure::of(Kind::Failed, format!("group {} cannot be led: {why}", self.group)))?;
        let topics = self.cluster.topics(&subscribed(&group.inputs()))?;
        let strategies = modules(self.folder, &[self.assignor], trust)?.strategies();
        let leading = self.leading();
        if let Some(refused) =
            leading.strategy(&strategies).and_then(|it| settings_refused(it, self.assignor, self.config))
        {
            return Err(refused);
        }
        self.ask(group, &topics, &strategies)
    }

    fn leading(&self) -> Leading {
        let (assignor, spoken) = (self.assignor.to_owned(), self.spoken.clone());
        Leading { assignor, names: Vec::new(), spoken, last_plan: None }
    }

    /// The same for a group that is looked at already.
    pub fn ask(&self, group: Described, topics: &TopicTable, strategies: &Strategies) -> Result<Decided> {
        let leading = self.leading();
        let strategy = leading.strategy(strategies).ok_or_else(|| no_module(self.assignor, self.folder))?;
        let question = WhatIf {
            id: &GroupId::from(self.group),
            group: &group,
            protocol: &group.protocol,
            topics,
            columns: &[],
            config: self.config,
            spoken: self.spoken,
            now_ms: clock::wall_ms(),
            budget: BUDGET,
        };
        let plan = question.ask(strategy).map_err(|error| Failure::of_strategy(self.assignor, error))?;
        let inputs = group.inputs();
        let members = names_of(&group).into_iter().zip(&inputs);
        Ok(Decided {
            strategy: (strategy.manifest().protocol().to_string(), strategy.digest()),
            comparison: compare(members, (&group.states(), &plan.states), self.spoken, topics),
            warnings: plan.warnings().map(str::to_owned).collect(),
            lacks_lag: reads_lag(strategy),
            facts_of_nobody: self.spoken.unmatched(&inputs).into_iter().map(str::to_owned).collect(),
            group,
        })
    }
}

/// Whether a strategy reads how far the group is behind.
pub fn reads_lag(strategy: &dyn Assignor) -> bool {
    strategy.manifest().needs.iter().any(|need| need == columns::LAG)
}

/// These strategies of a folder, each with a version or without: compiled once, for all that this process does. Blocks
/// meanwhile.
pub fn modules(folder: &Path, names: &[&str], trust: Trust) -> Result<Modules> {
    Modules::open_only([folder], names.iter().copied().map(str::to_owned).collect(), trust)
        .map_err(|error| not_joined(&error))
}

/// That the strategy takes no such settings: whoever wrote them has to change them, whatever is asked of it.
pub fn settings_refused(strategy: &dyn Assignor, assignor: &str, config: &Value) -> Option<anyhow::Error> {
    let refused = refusal_of_config(strategy, config)?;
    Some(Failure::of(Kind::Usage, format!("{assignor} takes no such settings: {}", refused.message)))
}

/// That the strategy is not there, and what is.
pub fn no_module(assignor: &str, folder: &Path) -> anyhow::Error {
    // Only now it matters what else is there, which takes a while to compile.
    let modules = match Modules::open([folder]) {
        Ok(modules) => modules,
        Err(error) => return not_joined(&error),
    };
    let is_it = |it: &&ModuleStatus| it.name.as_deref().is_some_and(|name| is_version_of(assignor, name, it.version));
    let is_called = |it: &&ModuleStatus| it.name.is_none() && is_named_after(&it.path, assignor);
    let files = modules.status();
    let refused = || files.iter().filter(|it| it.last_error.is_some());
    if let Some(file) = refused().find(is_it).or_else(|| refused().find(is_called)) {
        let why = file.last_error.as_deref().unwrap_or_default();
        let text = format!("{} is there and does not serve: {}", crate::text::path(&file.path), plain(why));
        return Failure::of(Kind::NotFound, text);
    }
    let all = modules.strategies();
    let fits = all.iter().filter(|it| it.manifest().protocol_type == "consumer");
    let there = some_of(fits.map(|it| it.manifest().protocol().to_string()).collect());
    let text = format!("there is no assignor {assignor} for type consumer in {} (there is {there})", folder.display());
    Failure::of(Kind::NotFound, text)
}

/// Whether a strategy of that name and version is meant.
fn is_version_of(wanted: &str, name: &str, version: Option<u32>) -> bool {
    match wanted.split_once('@') {
        None => wanted == name,
        Some((wanted, number)) => wanted == name && number.parse().ok() == version,
    }
}

/// The names that people know the members by, as long as each is one member's own.
fn names_of(group: &Described) -> Vec<String> {
    let mut counts = HashMap::new();
    group.members.iter().for_each(|member| *counts.entry(member.name()).or_insert(0_usize) += 1);
    let each = group.members.iter().map(|member| match counts[member.name()] {
        1 => member.name(),
        _ => member.id.as_str(),
    });
    each.map(str::to_owned).collect()
}

/// Prints it, and draws it where that is wanted.
pub fn show(decided: &Decided, group: &str, drawn: Option<&Path>, output: &Output) -> Result<()> {
    if let Some(path) = drawn {
        let title = format!("{group}: what {} would decide", decided.strategy.0);
        comparison::draw(&decided.comparison, &title, path)?;
    }
    output.print(&document(decided, group, drawn), || text(decided, group, drawn, output))
}

fn document(decided: &Decided, group: &str, drawn: Option<&Path>) -> Value {
    let mut document = comparison::document(&decided.comparison);
    if let Value::Object(document) = &mut document {
        let digest = decided.strategy.1.map(|digest| digest.to_string());
        document.insert("group".to_owned(), json!(group));
        document.insert("protocol".to_owned(), json!(decided.group.protocol));
        document.insert("assignor".to_owned(), json!(decided.strategy.0));
        document.insert("digest".to_owned(), json!(digest));
        document.insert("warnings".to_owned(), json!(decided.warnings));
        document.insert("facts_of_nobody".to_owned(), json!(decided.facts_of_nobody));
        document.insert("picture".to_owned(), json!(drawn.map(crate::text::path)));
    }
    document
}

fn text(decided: &Decided, group: &str, drawn: Option<&Path>, output: &Output) -> String {
    let plan = &decided.comparison;
    let module = decided.strategy.1.map(|digest| format!(" (module {})", digest.short())).unwrap_or_default();
    let mut parts = vec![plain(&format!(
        "{group}: {}, {}; what {}{module} would decide now",
        decided.group.protocol,
        counted(plan.rows.len(), "member"),
        decided.strategy.0
    ))];
    parts.push(comparison::members(plan, ["HAS", "WOULD HAVE"]));
    if plan.sizes.len() > 1 {
        parts.push(comparison::topics(plan));
    }
    parts.push(comparison::summary(plan));
    if plan.changes_nothing() {
        parts.push("nothing would move".to_owned());
    }
    if decided.lacks_lag {
        let text =
            "it reads how far the group is behind, which a dry run does not ask: every lag counts as unknown here";
        parts.push(output.tone(Tone::Bad, text));
    }
    if !decided.facts_of_nobody.is_empty() {
        let patterns: Vec<&str> = decided.facts_of_nobody.iter().map(String::as_str).collect();
        let said = events::facts_of_nobody(&patterns, &names_of(&decided.group));
        parts.push(output.tone(Tone::Bad, &plain(&said.text)));
    }
    parts.extend(decided.warnings.iter().map(|it| output.tone(Tone::Bad, &plain(&format!("it warns: {it}")))));
    parts.extend(drawn.map(|path| plain(&format!("drawn in {}", path.display()))));
    parts.join("\n")
}
