//! `divvy lead --plan-only`: joins nothing, and shows what the strategy would decide for the group as it is now, against what
//! its members have.

use std::collections::HashMap;
use std::path::Path;
use std::time::Duration;

use anyhow::Result;
use divvy_guest::abi::names as columns;
use serde_json::{Value, json};

use super::look::{Cluster, patiently};
use crate::assignor::{Assignor, Spoken, subscribed};
use crate::cli::clock;
use crate::cli::failure::{Failure, Kind};
use crate::cli::member::not_joined;
use crate::cli::output::{Output, Tone, partitions, plain, table};
use crate::client::Modules;
use crate::ids::{Digest, GroupId};
use crate::lead::compare::Partition;
use crate::lead::whatif::WhatIf;
use crate::lead::{Comparison, Described, Row, compare, names, picture};
use crate::membership::Strategies;
use crate::membership::leading::Leading;
use crate::sandbox::Trust;
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
        self.ask(group, &topics, &modules(self.folder, trust)?.strategies())
    }

    /// The same for a group that is looked at already.
    pub fn ask(&self, group: Described, topics: &TopicTable, strategies: &Strategies) -> Result<Decided> {
        let leading = Leading {
            assignor: self.assignor.to_owned(),
            names: Vec::new(),
            spoken: self.spoken.clone(),
            last_plan: None,
        };
        let strategy = leading.strategy(strategies).ok_or_else(|| no_module(self.assignor, self.folder, strategies))?;
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
            group,
        })
    }
}

/// Whether a strategy reads how far the group is behind.
pub fn reads_lag(strategy: &dyn Assignor) -> bool {
    strategy.manifest().needs.iter().any(|need| need == columns::LAG)
}

/// The modules of a folder: compiled once, for all that this process does. Blocks meanwhile.
pub fn modules(folder: &Path, trust: Trust) -> Result<Modules> {
    Modules::open_trusted([folder], trust).map_err(|error| not_joined(&error))
}

/// That the strategy is not there, and what is.
pub fn no_module(assignor: &str, folder: &Path, strategies: &Strategies) -> anyhow::Error {
    let fits = strategies.iter().filter(|it| it.manifest().protocol_type == "consumer");
    let mut there: Vec<String> = fits.map(|it| it.manifest().protocol().to_string()).collect();
    there.sort_unstable();
    let there = if there.is_empty() { "no module".to_owned() } else { there.join(", ") };
    let text = format!("there is no assignor {assignor} for type consumer in {} (there is {there})", folder.display());
    Failure::of(Kind::NotFound, text)
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
        std::fs::write(path, picture::svg(&decided.comparison, &title)).map_err(|error| {
            let shown = path.display();
            Failure::of(Kind::Failed, format!("the picture {shown} cannot be written ({error}): check the folder"))
        })?;
    }
    output.print(&document(decided, group, drawn), || text(decided, group, drawn, output))
}

fn document(decided: &Decided, group: &str, drawn: Option<&Path>) -> Value {
    let Comparison { rows, partitions, moved, new, unowned } = &decided.comparison;
    let (before, after) = decided.comparison.spread();
    let spread = |(least, most): (usize, usize)| json!({ "least": least, "most": most });
    let near = decided.comparison.near().map(|(before, after)| json!({ "before": before, "after": after }));
    let member = |row: &Row| {
        json!({
            "member": row.name,
            "rack": row.rack,
            "before": by_topic(row.before.iter()),
            "after": by_topic(row.after.iter()),
            "gets": by_topic(row.gets()),
            "gives": by_topic(row.gives()),
            "near": row.near.map(|(before, after)| json!({ "before": before, "after": after })),
        })
    };
    json!({
        "group": group,
        "protocol": decided.group.protocol,
        "assignor": decided.strategy.0,
        "digest": decided.strategy.1.map(|digest| digest.to_string()),
        "partitions": partitions,
        "moved": moved,
        "new": new,
        "unowned": { "before": unowned.0, "after": unowned.1 },
        "balance": { "before": spread(before), "after": spread(after) },
        "near": near,
        "members": rows.iter().map(member).collect::<Vec<_>>(),
        "warnings": decided.warnings,
        "picture": drawn,
    })
}

fn by_topic<'a>(all: impl Iterator<Item = &'a Partition>) -> Value {
    let mut topics = serde_json::Map::new();
    for (topic, number) in all {
        let list = topics.entry(topic.to_string()).or_insert_with(|| json!([]));
        if let Value::Array(list) = list {
            list.push(json!(number));
        }
    }
    Value::Object(topics)
}

fn text(decided: &Decided, group: &str, drawn: Option<&Path>, output: &Output) -> String {
    let plan = &decided.comparison;
    let module = decided.strategy.1.map(|digest| format!(" (module {})", digest.short())).unwrap_or_default();
    let mut parts = vec![plain(&format!(
        "{group}: {}, {} members; what {}{module} would decide now",
        decided.group.protocol,
        plan.rows.len(),
        decided.strategy.0
    ))];
    let rows = plan.rows.iter().map(row);
    parts.push(table(&["MEMBER", "RACK", "HAS", "WOULD HAVE", "NEAR", "GETS", "GIVES UP"], rows));
    parts.push(summary(plan));
    if plan.changes_nothing() {
        parts.push("nothing would move".to_owned());
    }
    if decided.lacks_lag {
        let text =
            "it reads how far the group is behind, which a dry run does not ask: every lag counts as unknown here";
        parts.push(output.tone(Tone::Bad, text));
    }
    parts.extend(decided.warnings.iter().map(|it| output.tone(Tone::Bad, &plain(&format!("it warns: {it}")))));
    parts.extend(drawn.map(|path| plain(&format!("drawn in {}", path.display()))));
    parts.join("\n")
}

fn row(row: &Row) -> Vec<String> {
    let near = |(before, after): (usize, usize)| format!("{before} → {after}");
    vec![
        row.name.clone(),
        row.rack.clone().unwrap_or_else(|| "-".to_owned()),
        row.before.len().to_string(),
        row.after.len().to_string(),
        row.near.map_or_else(|| "-".to_owned(), near),
        listed(row.gets()),
        listed(row.gives()),
    ]
}

fn listed<'a>(all: impl Iterator<Item = &'a Partition>) -> String {
    let mut topics: Vec<(&str, Vec<i32>)> = Vec::new();
    for (topic, number) in all {
        match topics.last_mut() {
            Some((last, list)) if *last == topic.as_str() => list.push(*number),
            _ => topics.push((topic.as_str(), vec![*number])),
        }
    }
    match topics.is_empty() {
        true => "-".to_owned(),
        false => partitions(topics.iter().map(|(topic, list)| (*topic, list.as_slice()))),
    }
}

/// `of 12 partitions 3 move, 0 are new, …`
pub fn summary(plan: &Comparison) -> String {
    let ((least, most), (least_after, most_after)) = plan.spread();
    let mut text = format!("of {} partitions {} move", plan.partitions, plan.moved);
    if plan.new > 0 {
        text.push_str(&format!(", {} find an owner", plan.new));
    }
    if plan.unowned.1 > 0 {
        text.push_str(&format!(", {} stay without one", plan.unowned.1));
    }
    text.push_str(&format!("; a member has {least} to {most}, and would have {least_after} to {most_after}"));
    if let Some((before, after)) = plan.near() {
        text.push_str(&format!("; {before} are near their member, and {after} would be"));
    }
    text
}
