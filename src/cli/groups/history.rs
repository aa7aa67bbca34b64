//! `divvy groups history GROUP`.

use std::time::{Duration, UNIX_EPOCH};

use anyhow::{Context, Result};
use clap::Args;
use serde::{Deserialize, Serialize};

use crate::cli::address::host_port;
use crate::cli::failure::{Failure, Kind};
use crate::cli::output::{Output, plain, table};
use crate::cli::{ADMIN, admin};

/// The last generations of a group, oldest first: what began each, who led it with which module, how long it took.
///
/// MOVED counts the partitions that went from one place to another: a static member keeps its place, and what a group takes up or
/// gives up, since it is the first or the last to read it, has not moved.
#[derive(Args, Debug)]
pub struct History {
    /// The group
    group: String,
    /// The coordinator's admin port: Kafka's protocol knows no history [default: 127.0.0.1:9640]
    #[arg(long, value_name = "HOST:PORT", value_parser = host_port)]
    admin: Option<String>,
}

/// What the admin port tells.
#[derive(Serialize, Deserialize)]
struct Told {
    id: String,
    generations: Vec<Generation>,
}

#[derive(Serialize, Deserialize)]
struct Generation {
    generation: i32,
    trigger: String,
    began_ms: i64,
    join_ms: u64,
    plan_ms: Option<u64>,
    protocol: Option<String>,
    digest: Option<String>,
    leader: Option<String>,
    members: u32,
    outcome: String,
    reason: Option<String>,
    /// Partitions that went from one place to another; a static member keeps its place.
    #[serde(default)]
    moved: Option<u32>,
    /// What made the plan in place of a module that failed.
    #[serde(default)]
    made_by: Option<String>,
    /// How the files begin to which the coordinator recorded its calls.
    #[serde(default)]
    captured: Option<String>,
}

impl History {
    /// Prints it.
    pub fn run(self, output: &Output) -> Result<()> {
        let address = self.admin.as_deref().unwrap_or(ADMIN);
        let told = admin::get(address, &format!("/groups/{}/history", admin::quote(&self.group))).map_err(|error| {
            let remedy = "name the coordinator's admin port with --admin";
            Failure::of(Kind::Unreachable, format!("no answer from {address} ({error:#}): {remedy}"))
        })?;
        let missing = || {
            let remedy = "`divvy groups list` shows those that are there";
            Failure::of(Kind::NotFound, format!("there is no group {:?} at {address}: {remedy}", self.group))
        };
        let told: Told = serde_json::from_value(told.ok_or_else(missing)?)
            .with_context(|| format!("{address} tells its history in other words"))?;
        output.print(&told, || text(&told))
    }
}

fn text(told: &Told) -> String {
    if told.generations.is_empty() {
        return plain(&format!("{} had no generation yet", told.id));
    }
    let head = [
        "GENERATION",
        "BEGAN (UTC)",
        "TRIGGER",
        "PROTOCOL (MODULE)",
        "LEADER",
        "MEMBERS",
        "MOVED",
        "JOIN",
        "PLAN",
        "OUTCOME",
    ];
    let is_captured = told.generations.iter().any(|it| it.captured.is_some());
    let head = head.into_iter().chain(is_captured.then_some("CAPTURE")).collect::<Vec<_>>();
    let row = |it| {
        let captured = |it: &Generation| it.captured.as_ref().map(|name| format!("{name}.capture")).unwrap_or_default();
        row(it).into_iter().chain(is_captured.then(|| captured(it))).collect()
    };
    table(&head, told.generations.iter().map(row))
}

fn row(it: &Generation) -> Vec<String> {
    let began = UNIX_EPOCH + Duration::from_millis(u64::try_from(it.began_ms).unwrap_or(0));
    let protocol = it.protocol.as_ref().map(|protocol| match &it.digest {
        Some(digest) => format!("{protocol} ({})", digest.get(..12).unwrap_or(digest)),
        None => protocol.clone(),
    });
    let outcome = match (&it.made_by, &it.reason) {
        (Some(by), Some(reason)) => format!("{}, made by {by}, because {reason}", it.outcome),
        (_, Some(reason)) => format!("{}: {reason}", it.outcome),
        (_, None) => it.outcome.clone(),
    };
    vec![
        it.generation.to_string(),
        humantime::format_rfc3339_seconds(began).to_string(),
        it.trigger.clone(),
        protocol.unwrap_or_default(),
        it.leader.clone().unwrap_or_default(),
        it.members.to_string(),
        it.moved.map(|moved| moved.to_string()).unwrap_or_default(),
        format!("{} ms", it.join_ms),
        it.plan_ms.map(|ms| format!("{ms} ms")).unwrap_or_default(),
        outcome,
    ]
}
