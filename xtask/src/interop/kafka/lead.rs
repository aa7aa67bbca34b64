//! `divvy lead` on a real Kafka broker: unmodified clients are assigned by a module, under whatever name they offer, and go on
//! when it is gone. What they say that they own proves whose plan it is: the strategy gives one of them twice as much.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::process::Command;

use anyhow::{Context, Result, bail};
use serde_json::Value;

use super::super::Case;
use super::super::bench::PARTITIONS;
use super::super::cast::Cast;
use super::super::clients::{self, Client};
use super::super::member::{STEP, Seat};
use super::super::never_twice::never_twice;
use super::on_kafka;
use crate::divvy;
use crate::process::Process;
use crate::process::wait_until;
use crate::shell::root;

mod broker_assigns;
mod dry_run;
mod lost;
mod near;
mod too_large;

/// The client that bears twice as much as each other one.
const BIG: &str = "big";

/// The shortest session that Kafka's brokers take unless told otherwise.
const SHORT_SESSION_MS: &str = "6000";

/// The cases.
pub fn cases() -> Vec<Case> {
    let eager = ["java", "confluent-kafka", "franz-go", "kafka-python", "aiokafka"];
    let cooperative = ["java", "confluent-kafka", "franz-go", "kafka-python"];
    let mut cases = vec![
        on_kafka("lead/range", named(&eager).into_iter(), move |cast| {
            from_first_to_last(cast, &named(&eager), "range")
        }),
        on_kafka("lead/cooperative-sticky", named(&cooperative).into_iter(), move |cast| {
            come_and_go(cast, &named(&cooperative))
        }),
        on_kafka("lead/kafkajs", named(&["kafkajs"]).into_iter(), two_of_kafkajs),
        on_kafka("lead/standby", named(&["confluent-kafka"]).into_iter(), standby),
    ];
    let three = ["java", "confluent-kafka", "franz-go"];
    let of_three = |name: &str, strategy, story: ThreesStory| {
        on_kafka(&format!("lead/{name}/{strategy}"), named(&three).into_iter(), move |cast| {
            story(cast, &named(&three), strategy)
        })
    };
    let of_five = |name: &str, strategy, story: FivesStory| {
        let clients = near::clients(strategy).into_iter();
        on_kafka(&format!("lead/{name}/{strategy}"), clients, move |cast| story(cast, strategy))
    };
    for strategy in ["range", "cooperative-sticky"] {
        cases.push(of_three("plan-only", strategy, dry_run::shows));
        cases.push(of_three("lost", strategy, lost::and_taken_again));
        cases.push(of_five("redundant", strategy, near::two_copies));
    }
    for strategy in ["roundrobin", "cooperative-sticky"] {
        cases.push(of_five("copartition", strategy, near::together));
    }
    let go_on = ["confluent-kafka", "franz-go"];
    let racks = ["range", "cooperative-sticky"].into_iter().flat_map(near::clients);
    cases.push(on_kafka("lead/rack-aware", racks, near::first));
    cases.push(on_kafka("lead/broker-assigns", [].into_iter(), broker_assigns::is_told));
    cases.push(on_kafka("lead/too-large", named(&go_on).into_iter(), move |cast| {
        too_large::is_told(cast, &named(&go_on), "range")
    }));
    cases
}

/// A story of several clients under a name.
type ThreesStory = fn(&mut Cast<'_>, &[&'static Client], &'static str) -> Result<()>;

/// A story that knows who is in it.
type FivesStory = fn(&mut Cast<'_>, &'static str) -> Result<()>;

fn named(names: &[&str]) -> Vec<&'static Client> {
    names.iter().map(|name| clients::named(name).unwrap_or_else(|error| panic!("{error}"))).collect()
}

/// A running `divvy lead`, or one that has ended.
struct Lead(Process);

impl Lead {
    fn start(cast: &Cast<'_>, name: &str, words: &[&str]) -> Result<Self> {
        let mut command = Command::new(cast.program());
        let folder = modules(cast, words)?;
        command.args(["lead", "--brokers", &cast.server.address(), "--group", &cast.group, "--json", "--assignors"]);
        command.arg(folder).args(words);
        Ok(Self(Process::start(name, &command, &cast.folder.join(format!("{name}.log")))?))
    }

    /// With the strategy of most cases.
    fn weighted(cast: &Cast<'_>, name: &str, words: &[&str]) -> Result<Self> {
        Self::start(cast, name, &[&["--assignor", "weighted", "--fact", "big:weight=2"], words].concat())
    }

    /// The next event of that name.
    fn event(&mut self, name: &str) -> Result<Value> {
        loop {
            let line = self.0.line(STEP).with_context(|| format!("divvy lead was to say {name:?}"))?;
            let event: Value = serde_json::from_str(&line).with_context(|| format!("divvy lead said {line:?}"))?;
            if event["event"] == name {
                return Ok(event);
            }
        }
    }

    /// The next plan that is as wished.
    fn planned(&mut self, wished: impl Fn(&Value) -> bool) -> Result<Value> {
        loop {
            let plan = self.event("planned")?;
            if wished(&plan) {
                return Ok(plan);
            }
        }
    }
}

/// A folder with what leads and what elects, and nothing else: a lead that compiles every module comes later than it must.
fn modules(cast: &Cast<'_>, words: &[&str]) -> Result<PathBuf> {
    let folder = cast.folder.join("modules");
    let assignor = words.iter().position(|word| *word == "--assignor").and_then(|at| words.get(at + 1));
    for module in assignor.into_iter().chain(&["active-standby"]) {
        divvy::drop_module(&root().join(format!("assignors/{module}.wasm")), &folder, module)?;
    }
    Ok(folder)
}

/// What an operator does to the cluster.
fn by_hand(cast: &Cast<'_>, words: &[&str]) -> Result<()> {
    let output = cast.script("tests/interop/lead/by_hand.py").args(words).output().context("python does not start")?;
    match output.status.success() {
        true => Ok(()),
        false => bail!("{words:?} failed: {}", String::from_utf8_lossy(&output.stderr).trim()),
    }
}

/// Waits until what the members say that they own is as wished.
fn owned(cast: &mut Cast<'_>, what: &str, wished: impl Fn(&BTreeMap<&str, usize>) -> bool) -> Result<()> {
    let found = wait_until(what, STEP, || {
        for member in &mut cast.members {
            member.listen()?;
        }
        let counts = cast.members.iter().map(|member| (member.name.as_str(), member.owns.len())).collect();
        let all: Vec<i64> = cast.members.iter().flat_map(|member| member.owns.iter().copied()).collect();
        let once = all.len() == PARTITIONS && (0..PARTITIONS as i64).all(|number| all.contains(&number));
        Ok((once && wished(&counts)).then_some(()))
    });
    found.with_context(|| cast.who_owns_what())
}

/// The big one has twice as many as each other.
fn by_weight(counts: &BTreeMap<&str, usize>) -> bool {
    let share = PARTITIONS / (counts.len() + 1);
    counts.iter().all(|(name, count)| *count == if *name == BIG { 2 * share } else { share })
}

fn evenly(counts: &BTreeMap<&str, usize>) -> bool {
    let most = counts.values().max().copied().unwrap_or_default();
    counts.values().all(|count| most - count <= 1)
}

fn join_all(cast: &mut Cast<'_>, clients: &[&'static Client], strategy: &str) -> Result<()> {
    for (place, client) in clients.iter().enumerate() {
        let name = if place == 0 { BIG } else { client.name };
        cast.join(&Seat { name, client, strategy, instance: None })?;
    }
    Ok(())
}

/// Leads from the beginning, comes back, is lost, and takes the lead again when told to.
fn from_first_to_last(cast: &mut Cast<'_>, clients: &[&'static Client], strategy: &str) -> Result<()> {
    let short = ["--alone", "--session-timeout-ms", SHORT_SESSION_MS];
    // Whoever comes back has time to do so, however busy the machine is; the broker goes on with the first one's session.
    let mut lead = Lead::weighted(cast, "first", &["--alone", "--session-timeout-ms", "10000"])?;
    lead.event("leads")?;
    join_all(cast, clients, strategy)?;
    owned(cast, "shares by weight", by_weight)?;
    println!("    led from the beginning: {}", cast.who_owns_what());

    let before = cast.assignments();
    lead.0.kill()?;
    let mut lead = Lead::weighted(cast, "back", &short)?;
    let leads = lead.event("leads")?;
    lead.event("plan_confirmed")?;
    owned(cast, "the same shares", by_weight)?;
    if leads["kept"] != true || cast.assignments() != before {
        bail!("who came back should have changed nothing: {leads}, {before:?} became {:?}", cast.assignments());
    }
    println!("    killed and back: generation {} goes on", leads["generation"]);

    lead.0.kill()?;
    owned(cast, "the clients' own shares", evenly)?;
    println!("    killed for good: {}", cast.who_owns_what());

    let mut lead = Lead::weighted(cast, "late", &short)?;
    let follows = lead.event("follows")?;
    if !lead.0.interrupt(STEP)?.success() {
        bail!("a lead that follows should end in good order");
    }
    println!("    back too late, it follows {}", follows["leader"]);
    owned(cast, "the clients' own shares", evenly)?;

    let mut lead = Lead::weighted(cast, "taker", &[&short[..], &["--take-over", "--yes"]].concat())?;
    let leads = lead.event("leads")?;
    owned(cast, "shares by weight again", by_weight)?;
    println!("    took over in generation {}: {}", leads["generation"], cast.who_owns_what());
    leave_all(cast)
}

/// Under a cooperative name one after the other comes and goes, and nothing is ever owned twice.
fn come_and_go(cast: &mut Cast<'_>, clients: &[&'static Client]) -> Result<()> {
    let mut lead = Lead::weighted(cast, "lead", &["--alone"])?;
    lead.event("leads")?;
    for (place, client) in clients.iter().enumerate() {
        let name = if place == 0 { BIG } else { client.name };
        cast.join(&Seat { name, client, strategy: "cooperative-sticky", instance: None })?;
        owned(cast, "every partition to be owned once", |counts| {
            let all_work = counts.values().all(|count| *count > 0);
            all_work && (!PARTITIONS.is_multiple_of(counts.len() + 1) || by_weight(counts))
        })?;
        println!("    {name} came: {}", cast.who_owns_what());
    }
    let last = cast.members.last().context("somebody is in")?.name.clone();
    cast.leave(&last)?;
    owned(cast, "shares by weight", by_weight)?;
    println!("    {last} left: {}", cast.who_owns_what());
    leave_all(cast)?;
    never_twice(&cast.gone)
}

/// kafkajs has one name, which is nobody else's.
fn two_of_kafkajs(cast: &mut Cast<'_>) -> Result<()> {
    let client = *named(&["kafkajs"]).first().context("kafkajs is among the clients")?;
    let mut lead = Lead::weighted(cast, "lead", &["--alone"])?;
    lead.event("leads")?;
    for name in [BIG, "small"] {
        cast.join(&Seat { name, client, strategy: "default", instance: None })?;
    }
    owned(cast, "shares by weight", by_weight)?;
    println!("    {}", cast.who_owns_what());
    leave_all(cast)
}

/// Two leads: the second takes the place of the first, and no client notices.
fn standby(cast: &mut Cast<'_>) -> Result<()> {
    let client = *named(&["confluent-kafka"]).first().context("librdkafka is among the clients")?;
    let mut first = Lead::weighted(cast, "first", &[])?;
    first.event("leads")?;
    for name in [BIG, "small"] {
        cast.join(&Seat { name, client, strategy: "range", instance: None })?;
    }
    owned(cast, "shares by weight", by_weight)?;
    let before = cast.assignments();
    let mut second = Lead::weighted(cast, "second", &[])?;
    second.event("standby")?;
    first.0.kill()?;
    let leads = second.event("leads")?;
    second.event("plan_confirmed")?;
    owned(cast, "the same shares", by_weight)?;
    if leads["kept"] != true || cast.assignments() != before {
        bail!("a standby should have changed nothing: {leads}, {before:?} became {:?}", cast.assignments());
    }
    println!("    the active one was killed: generation {} goes on", leads["generation"]);
    leave_all(cast)
}

fn leave_all(cast: &mut Cast<'_>) -> Result<()> {
    cast.leave_all()
}
