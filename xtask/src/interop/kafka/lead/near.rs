//! Racks: clients say theirs where their library has a setting for it, for the others the operator does. All that the one
//! broker has is in the west.

use std::collections::{BTreeMap, BTreeSet};

use anyhow::{Context, Result, ensure};

use super::{Cast, Client, Lead, Seat, evenly, leave_all, named, owned};
use crate::interop::bench::PARTITIONS;
use crate::interop::member::STEP;
use crate::process::wait_until;

/// The last by name: Kafka's own range gives it one of the small shares.
const LAST: &str = "zebra";

/// Who stands where the broker does by its own word, and who by the operator's.
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

fn join_five(cast: &mut Cast<'_>, strategy: &str, topics: &[&str]) -> Result<()> {
    for (name, client) in seats(strategy) {
        let client = *named(&[client]).first().context("it is among the clients")?;
        let rack = (name == LAST).then_some("west");
        cast.join_in(&Seat { name, client, strategy, instance: None }, rack, topics)?;
    }
    Ok(())
}

/// Those near the broker are filled first; without any of them it makes no difference where the others stand.
pub fn first(cast: &mut Cast<'_>, strategy: &str) -> Result<()> {
    let facts = [&["--assignor", "rack-aware", "--alone"], &FACTS[..]].concat();
    let mut lead = Lead::start(cast, "lead", &facts)?;
    lead.event("leads")?;
    join_five(cast, strategy, &[])?;
    owned(cast, "more for those near the broker", |counts| {
        let share = PARTITIONS / counts.len();
        counts.iter().all(|(name, count)| *count == share + usize::from(WEST.contains(name)))
    })?;
    let plan = lead.planned(|plan| plan["members"].as_array().is_some_and(|all| all.len() == 5))?;
    ensure!(plan["near"] == 6, "three partitions of each should be near: {plan}");
    println!("    {}", cast.who_owns_what());

    for name in WEST {
        cast.leave(name)?;
    }
    owned(cast, "even shares", evenly)?;
    let plan = lead.planned(|plan| plan["members"].as_array().is_some_and(|all| all.len() == 3))?;
    ensure!(plan["near"] == 0, "nothing should be near: {plan}");
    println!("    without those in the west: {}", cast.who_owns_what());
    leave_all(cast)
}

/// Two copies of every partition, one on each side.
pub fn two_copies(cast: &mut Cast<'_>, strategy: &str) -> Result<()> {
    let words = [&["--assignor", "redundant", "--set", "copies=2", "--alone"], &FACTS[..]].concat();
    let mut lead = Lead::start(cast, "lead", &words)?;
    lead.event("leads")?;
    join_five(cast, strategy, &[])?;
    let apart = wait_until("every partition to be owned on both sides", STEP, || {
        let mut owners = BTreeMap::<i64, Vec<bool>>::new();
        for member in &mut cast.members {
            member.listen()?;
            let west = WEST.contains(&member.name.as_str());
            member.owns.iter().for_each(|number| owners.entry(*number).or_default().push(west));
        }
        let is_apart = |sides: &Vec<bool>| sides.len() == 2 && sides[0] != sides[1];
        Ok((owners.len() == PARTITIONS && owners.values().all(is_apart)).then_some(()))
    });
    apart.with_context(|| cast.who_owns_what())?;
    println!("    {}", cast.who_owns_what());
    leave_all(cast)
}

/// Two topics that their own strategy tears apart are joined once the lead is taken: partition N of both has one owner.
pub fn together(cast: &mut Cast<'_>, strategy: &str) -> Result<()> {
    let views = format!("{}-views", cast.topic);
    cast.make_topic(&views, PARTITIONS)?;
    join_five(cast, strategy, &[&views])?;
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
        let group = cast.server.describe(&cast.group)?;
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
