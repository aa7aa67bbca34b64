//! Racks: clients say theirs where their library has a setting for it, for the others the operator does.
//!
//! Joined topics and copies are shown with the same five.

use std::collections::{BTreeMap, BTreeSet};

use anyhow::{Context, Result, bail, ensure};

use super::{Cast, Client, Lead, Seat, by_hand, evenly, leave_all, named, owned};
use crate::interop::bench::PARTITIONS;
use crate::interop::member::STEP;
use crate::interop::server::Coordinator;
use crate::process::wait_until;
use crate::shell::seconds;

/// The last by name: Kafka's own range gives it one of the small shares.
const LAST: &str = "zebra";

/// In the west: by its own word, and by the operator's.
const WEST: [&str; 2] = [LAST, "alpha"];

/// The facts that the operator tells; that the last one says something else itself counts more.
const FACTS: [&str; 4] = ["--fact", "alpha:rack=west", "--fact", "*:rack=east"];

/// Five of them: their shares of twelve cannot be equal.
const EAGER: [(&str, &str); 5] = [
    (LAST, "java"),
    ("alpha", "confluent-kafka"),
    ("beta", "franz-go"),
    ("gamma", "kafka-python"),
    ("delta", "aiokafka"),
];

/// The same for those who know cooperative-sticky.
const COOPERATIVE: [(&str, &str); 5] = [EAGER[0], EAGER[1], EAGER[2], EAGER[3], ("delta", "confluent-kafka")];

fn seats(strategy: &str) -> [(&'static str, &'static str); 5] {
    if strategy == "cooperative-sticky" { COOPERATIVE } else { EAGER }
}

/// Who must be on the machine.
pub fn clients(strategy: &str) -> Vec<&'static Client> {
    named(&seats(strategy).map(|(_, client)| client))
}

fn join_all(
    cast: &mut Cast<'_>,
    seats: &[(&'static str, &'static str)],
    strategy: &str,
    topics: &[&str],
) -> Result<()> {
    for &(name, client) in seats {
        let client = *named(&[client]).first().context("it is among the clients")?;
        let rack = (name == LAST).then_some("west");
        cast.join_in(&Seat { name, client, strategy, instance: None }, rack, topics)?;
    }
    Ok(())
}

/// Half of a topic is on a broker in the west, half on one in the east: everybody has what is near, as plain range would not
/// have it. Where nobody is near, those who have room take the rest.
pub fn first(cast: &mut Cast<'_>) -> Result<()> {
    let Coordinator::Kafka(broker, _) = &cast.server else { bail!("the brokers are Kafka's") };
    let mut east = broker.borrow().another("east")?;
    println!("    a second broker answered after {}", seconds(east.started_in));
    for strategy in ["range", "cooperative-sticky"] {
        (cast.group, cast.topic) = (format!("{}-{strategy}", cast.group), format!("{}-{strategy}", cast.topic));
        let places = (0..PARTITIONS).map(|number| if number < PARTITIONS / 2 { "1" } else { "2" });
        by_hand(cast, &["create", &cast.topic].into_iter().chain(places).collect::<Vec<_>>())?;
        by_racks(cast, strategy)?;
    }
    // In good order, so that no topic is made there any more.
    east.stop()
}

fn by_racks(cast: &mut Cast<'_>, strategy: &str) -> Result<()> {
    let facts = [&["--assignor", "rack-aware", "--alone"], &FACTS[..]].concat();
    let mut lead = Lead::start(cast, "lead", &facts)?;
    lead.event("leads")?;
    // Four have equal shares, so that nobody has to take what is far.
    join_all(cast, &seats(strategy)[..4], strategy, &[])?;
    let is_near = |name: &str, number: &i64| WEST.contains(&name) == (*number < PARTITIONS as i64 / 2);
    wait_until("everybody to have what is near", STEP, || {
        for member in &mut cast.members {
            member.listen()?;
        }
        let all: BTreeSet<i64> = cast.members.iter().flat_map(|member| member.owns.iter().copied()).collect();
        let near = cast.members.iter().all(|it| !it.owns.is_empty() && it.owns.iter().all(|at| is_near(&it.name, at)));
        Ok((near && all.len() == PARTITIONS).then_some(()))
    })
    .with_context(|| cast.who_owns_what())?;
    let plan =
        lead.planned(|plan| plan["members"].as_array().is_some_and(|all| all.len() == 4) && plan["unowned"] == 0)?;
    ensure!(plan["near"] == PARTITIONS, "all should be near: {plan}");
    println!("    {}", cast.who_owns_what());

    for name in WEST {
        cast.leave(name)?;
    }
    owned(cast, "even shares", evenly)?;
    let plan =
        lead.planned(|plan| plan["members"].as_array().is_some_and(|all| all.len() == 2) && plan["unowned"] == 0)?;
    ensure!(plan["near"] == PARTITIONS / 2, "only what is in the east is near: {plan}");
    println!("    without those in the west: {}", cast.who_owns_what());
    leave_all(cast)
}

/// Two copies of every partition, one on each side.
pub fn two_copies(cast: &mut Cast<'_>, strategy: &str) -> Result<()> {
    let words = [&["--assignor", "redundant", "--set", "copies=2", "--alone"], &FACTS[..]].concat();
    let mut lead = Lead::start(cast, "lead", &words)?;
    lead.event("leads")?;
    join_all(cast, &seats(strategy), strategy, &[])?;
    let apart = wait_until("every partition to be owned on both sides", STEP, || {
        let mut owners = BTreeMap::<i64, Vec<bool>>::new();
        for member in &mut cast.members {
            member.listen()?;
            let west = WEST.contains(&member.name.as_str());
            member.owns.iter().for_each(|number| owners.entry(*number).or_default().push(west));
        }
        let is_apart = |sides: &Vec<bool>| sides.len() == 2 && sides[0] != sides[1];
        let all_work = cast.members.iter().all(|member| !member.owns.is_empty());
        Ok((all_work && owners.len() == PARTITIONS && owners.values().all(is_apart)).then_some(()))
    });
    apart.with_context(|| cast.who_owns_what())?;
    println!("    {}", cast.who_owns_what());
    leave_all(cast)
}

/// Two topics that their own strategy tears apart are joined once the lead is taken: partition N of both has one owner.
pub fn together(cast: &mut Cast<'_>, strategy: &str) -> Result<()> {
    let views = format!("{}-views", cast.topic);
    cast.make_topic(&views, PARTITIONS)?;
    // Under cooperative-sticky kafka-python claims what it has lost, and gives it up only when it joins for another reason: the
    // lead waits a minute for that, which is too long for here.
    let slow = |client: &str| strategy == "cooperative-sticky" && client == "kafka-python";
    let seats: Vec<_> = seats(strategy).into_iter().filter(|(_, client)| !slow(client)).collect();
    join_all(cast, &seats, strategy, &[&views])?;
    shared(cast, &views, "both topics to be shared", |_| true)?;

    let join = format!("join=[[\"{}\",\"{views}\"]]", cast.topic);
    let words = ["--assignor", "copartition", "--set", &join, "--alone", "--take-over", "--yes"];
    let mut lead = Lead::start(cast, "lead", &words)?;
    lead.event("leads")?;
    shared(cast, &views, "both topics to be together", |has| has.iter().all(|[orders, views]| orders == views))?;
    println!("    {} of both topics", cast.who_owns_what());
    cast.leave(LAST)?;
    shared(cast, &views, "them to stay together", |has| has.iter().all(|[orders, views]| orders == views))?;
    println!("    {LAST} left: {}", cast.who_owns_what());
    leave_all(cast)
}

/// Waits until the coordinator has given all of both topics to those who are here, as wished, and they say so.
fn shared(cast: &mut Cast<'_>, views: &str, what: &str, wished: impl Fn(&[[BTreeSet<i64>; 2]]) -> bool) -> Result<()> {
    let mut told = String::new();
    let done = wait_until(what, STEP, || {
        for member in &mut cast.members {
            member.listen()?;
        }
        // A group that nobody has joined yet is not there.
        let group = cast.server.describe(&cast.group).unwrap_or_default();
        told = group["members"].to_string();
        let given = |name: &str, topic: &str| -> BTreeSet<i64> {
            let members = group["members"].as_array().map(Vec::as_slice).unwrap_or_default();
            let state = members.iter().find(|it| it["client_id"] == name).and_then(|it| it["state"][topic].as_array());
            state.into_iter().flatten().filter_map(serde_json::Value::as_i64).collect()
        };
        let has: Vec<_> =
            cast.members.iter().map(|it| [&cast.topic, views].map(|topic| given(&it.name, topic))).collect();
        let all = |topic: usize| has.iter().map(|topics| topics[topic].len()).sum::<usize>() == PARTITIONS;
        let say_so = cast.members.iter().zip(&has).all(|(member, [orders, _])| member.owns == *orders);
        Ok((group["state"] == "Stable" && all(0) && all(1) && say_so && wished(&has)).then_some(()))
    });
    done.with_context(|| format!("{}; the coordinator says {told}", cast.who_owns_what()))
}
