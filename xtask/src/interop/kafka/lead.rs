//! `divvy lead` on a real Kafka broker: unmodified clients are assigned by a module, under whatever name they offer, and go on
//! when it is gone. What they say that they own proves whose plan it is: the strategy gives one of them twice as much.

use std::collections::BTreeMap;
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
use crate::process::{Process, wait_until};
use crate::shell::root;

/// The client that bears twice as much as each other one.
const BIG: &str = "big";

/// The shortest session that Kafka's brokers take unless told otherwise.
const SHORT_SESSION_MS: &str = "6000";

/// The cases.
pub fn cases() -> Vec<Case> {
    let eager = ["java", "confluent-kafka", "franz-go", "kafka-python", "aiokafka"];
    let cooperative = ["java", "confluent-kafka", "franz-go", "kafka-python"];
    vec![
        on_kafka("lead/range", named(&eager).into_iter(), move |cast| {
            from_first_to_last(cast, &named(&eager), "range")
        }),
        on_kafka("lead/cooperative-sticky", named(&cooperative).into_iter(), move |cast| {
            come_and_go(cast, &named(&cooperative))
        }),
        on_kafka("lead/kafkajs", named(&["kafkajs"]).into_iter(), two_of_kafkajs),
        on_kafka("lead/redundant", named(&eager).into_iter(), move |cast| two_copies(cast, &named(&eager))),
        on_kafka("lead/standby", named(&["confluent-kafka"]).into_iter(), standby),
    ]
}

fn named(names: &[&str]) -> Vec<&'static Client> {
    names.iter().map(|name| clients::named(name).unwrap_or_else(|error| panic!("{error}"))).collect()
}

/// A running `divvy lead`, or one that has ended.
struct Lead(Process);

impl Lead {
    fn start(cast: &Cast<'_>, name: &str, words: &[&str]) -> Result<Self> {
        let mut command = Command::new(cast.program());
        let folder = root().join("assignors");
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
    let mut lead = Lead::weighted(cast, "first", &short)?;
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

/// Every partition goes to two clients, which know nothing of that.
fn two_copies(cast: &mut Cast<'_>, clients: &[&'static Client]) -> Result<()> {
    let mut lead = Lead::start(cast, "lead", &["--assignor", "redundant", "--set", "copies=2", "--alone"])?;
    lead.event("leads")?;
    join_all(cast, clients, "range")?;
    wait_until("every partition to be owned by two", STEP, || {
        let mut owners = BTreeMap::<i64, usize>::new();
        for member in &mut cast.members {
            member.listen()?;
            member.owns.iter().for_each(|number| *owners.entry(*number).or_default() += 1);
        }
        Ok((owners.len() == PARTITIONS && owners.values().all(|count| *count == 2)).then_some(()))
    })
    .with_context(|| cast.who_owns_what())?;
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
