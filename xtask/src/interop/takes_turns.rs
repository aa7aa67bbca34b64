//! Members of divvy's among Java's, librdkafka's, franz-go's and sarama's under Kafka's own sticky strategies, each leading
//! in turn: whoever plans keeps what the others had, and nothing is ever owned by two.

use std::collections::{BTreeMap, BTreeSet};

use anyhow::{Context, Result, bail};

use super::Case;
use super::bench::Bench;
use super::cast::{Cast, Settled};
use super::clients::{Client, DIVVY, Runtime, among};
use super::member::{Member, Seat};
use super::never_twice::never_twice;

/// Who is in the groups beside divvy. kafka-python and aiokafka read nobody else's history, and keep nothing.
const OTHERS: [&str; 4] = ["java", "confluent-kafka", "franz-go", "sarama"];

/// How often the group is formed: with each forming another member may be the first to lead.
const FORMINGS: usize = 2;

/// The cases: on divvy, which lets its own members lead as long as there are any, and on a coordinator that shows nothing
/// of divvy, which lets anybody lead.
pub fn cases() -> Vec<Case> {
    let kinds =
        [("sticky", "divvy"), ("sticky", "kafka"), ("cooperative-sticky", "divvy"), ("cooperative-sticky", "kafka")];
    let case = |(strategy, coordinator): (&'static str, &'static str)| {
        let needs = others(strategy).map(|client| client.runtime).chain([Runtime::Divvy]).collect();
        let run = move |bench: &Bench| {
            let name = format!("takes-turns-{strategy}-{coordinator}");
            let server = match coordinator {
                "kafka" => bench.server_of(&bench.programs.divvy, &name, "")?,
                _ => bench.server(&name, "")?,
            };
            Cast::play_on(bench, server, |cast| {
                (0..FORMINGS).try_for_each(|forming| take_turns(cast, strategy, forming))
            })
        };
        Case { name: format!("takes-turns/{strategy}-on-{coordinator}"), needs, run: Box::new(run) }
    };
    kinds.into_iter().map(case).collect()
}

/// Those of [`OTHERS`] that bring the strategy.
pub fn others(strategy: &'static str) -> impl DoubleEndedIterator<Item = &'static Client> {
    among(&OTHERS, strategy)
}

/// Every library joins, and leads, and leaves; each forming begins with another one.
pub fn take_turns(cast: &mut Cast<'_>, strategy: &'static str, forming: usize) -> Result<()> {
    let mut clients: Vec<&'static Client> = [&DIVVY].into_iter().chain(others(strategy)).chain([&DIVVY]).collect();
    if forming % 2 == 1 {
        clients.reverse();
    }
    let mut leader = String::new();
    for (place, client) in clients.into_iter().enumerate() {
        let before = owners(cast);
        let name = format!("{}-{forming}{place}", client.name);
        cast.join(&Seat { name: &name, client, strategy, instance: None })?;
        let settled = settle(cast, strategy)?;
        let after = owners(cast);
        let moved = moved(&before, &after, |owner| is_forgotten(owner, strategy, &settled.leader, &leader));
        println!("    {name} came, {} planned: {} moved", settled.leader, moved.len());
        let to_others: Vec<_> = moved.iter().filter(|it| after[it] != name).collect();
        if !to_others.is_empty() {
            bail!("{name} came, and {} moved {to_others:?} between others: {}", settled.leader, cast.who_owns_what());
        }
        leader = settled.leader;
    }
    while cast.members.len() > 1 {
        let leaver = leader;
        let before = owners(cast);
        let had = cast.member(&leaver)?.owns.clone();
        cast.leave(&leaver)?;
        let settled = settle(cast, strategy)?;
        let forgotten = |owner: &str| owner != leaver && is_forgotten(owner, strategy, &settled.leader, &leaver);
        let moved = moved(&before, &owners(cast), forgotten);
        println!("    {leaver} left, {} planned: {} moved", settled.leader, moved.len());
        if moved != had {
            bail!("{leaver} left {had:?}, and {} moved {moved:?}: {}", settled.leader, cast.who_owns_what());
        }
        leader = settled.leader;
    }
    let last = cast.members.first().context("one is left")?.name.clone();
    cast.leave(&last)?;
    never_twice(&std::mem::take(&mut cast.gone))
}

fn settle(cast: &mut Cast<'_>, strategy: &str) -> Result<Settled> {
    let settled = cast.settle()?;
    if settled.protocol != strategy {
        bail!("all have {strategy} in common, and the group runs {}", settled.protocol);
    }
    Ok(settled)
}

fn owners(cast: &Cast<'_>) -> BTreeMap<i64, String> {
    let of = |member: &Member| member.owns.iter().map(|it| (*it, member.name.clone())).collect::<Vec<_>>();
    cast.members.iter().flat_map(of).collect()
}

/// The partitions that another one has now, but for those of members of which that can be expected.
fn moved(
    before: &BTreeMap<i64, String>,
    after: &BTreeMap<i64, String>,
    is_forgotten: impl Fn(&str) -> bool,
) -> BTreeSet<i64> {
    let differs = |partition: &&i64| match before.get(partition) {
        None => true,
        Some(owner) => after.get(partition) != Some(owner) && !is_forgotten(owner),
    };
    after.keys().filter(differs).copied().collect()
}

/// Whether nobody can be expected to know what a member had.
///
/// Under `sticky` an eager member of franz-go's forgets it before it joins: only a leader that planned the generation before
/// can know it, and one of divvy's does. sarama's say what their last assignment told them in so many words, which leaders
/// made with other libraries do not. Under `cooperative-sticky` sarama's, unless told that their cluster is a newer one, say
/// what they own and not since when, and then a leader of franz-go's takes no notice.
fn is_forgotten(owner: &str, strategy: &str, leader: &str, leader_before: &str) -> bool {
    let is = |name: &str, client: &str| name.starts_with(client);
    let remembers = leader == leader_before && is(leader, DIVVY.name);
    let told = is(leader_before, DIVVY.name) || is(leader_before, "sarama");
    match strategy {
        "sticky" => (is(owner, "franz-go") && !remembers) || (is(owner, "sarama") && !told),
        _ => is(owner, "sarama") && is(leader, "franz-go"),
    }
}
