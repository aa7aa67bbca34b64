//! Every library that brings a strategy, in one group of that strategy, each of them leading it for a while.

use anyhow::{Result, bail};

use super::Case;
use super::away::Away;
use super::bench::Bench;
use super::cast::Cast;
use super::clients::{CLIENTS, Client};
use super::member::Seat;

/// A group of every client that brings its strategy, but for those that cannot be together in one.
struct Group {
    name: &'static str,
    strategy: &'static str,
    without: &'static [&'static str],
}

/// As a `sticky` leader, sarama 1.61.1 gives up at members whose user data it cannot decode, and never sends a plan:
/// kafka-python 3.0.12 puts a version before it, aiokafka 0.14.0 sends zero bytes when it has none. Any coordinator
/// hands out the same bytes, so they are tried apart.
const GROUPS: [Group; 5] = [
    Group { name: "range", strategy: "range", without: &[] },
    Group { name: "roundrobin", strategy: "roundrobin", without: &[] },
    Group { name: "sticky", strategy: "sticky", without: &["sarama"] },
    Group { name: "sticky-sarama", strategy: "sticky", without: &["kafka-python", "aiokafka"] },
    Group { name: "cooperative-sticky", strategy: "cooperative-sticky", without: &[] },
];

/// The cases.
pub fn cases() -> Vec<Case> {
    let case = |group: &'static Group| {
        let (name, needs) = (format!("mixed/{}", group.name), group.clients().map(|client| client.runtime).collect());
        Case { name, needs, run: Box::new(move |bench| mixed(bench, group)) }
    };
    GROUPS.iter().map(case).collect()
}

impl Group {
    fn clients(&self) -> impl Iterator<Item = &'static Client> {
        CLIENTS
            .iter()
            .filter(|client| client.strategies.contains(&self.strategy) && !self.without.contains(&client.name))
    }
}

fn mixed(bench: &Bench, group: &Group) -> Result<()> {
    let clients: Vec<&'static Client> = group.clients().collect();
    Cast::play(bench, &format!("mixed-{}", group.name), "", |cast| together(cast, &clients, group.strategy))
}

/// All of them in one group, whose coordinator dies twice, once in the middle of a rebalance; then each of them leads.
pub fn together(cast: &mut Cast<'_>, clients: &[&'static Client], strategy: &str) -> Result<()> {
    for client in clients {
        cast.join(&Seat { name: client.name, client, strategy, instance: None })?;
    }
    let settled = cast.settle()?;
    if settled.protocol != strategy {
        bail!("{} members have {strategy} in common, and the group runs {}", cast.members.len(), settled.protocol);
    }
    println!("    {} members: {}", cast.members.len(), cast.who_owns_what());
    cast.interrupted(Away::Killed)?;

    if let Some(client) = clients.first() {
        cast.join(&Seat { name: "latecomer", client, strategy, instance: None })?;
    }
    cast.rebalancing()?;
    cast.restart(Away::Killed)?;
    let settled = cast.settle()?;
    println!("    a latecomer came, and the coordinator was killed in the rebalance: settled in {settled:?}");

    let leaders = each_leads(cast)?;
    println!("    each led in turn: {}", leaders.join(", "));
    Ok(())
}

/// The leader leaves until nobody is left: so each leads once, and plans for the others.
fn each_leads(cast: &mut Cast<'_>) -> Result<Vec<String>> {
    let half = cast.members.len() / 2;
    let mut leaders = Vec::new();
    while !cast.members.is_empty() {
        if cast.members.len() == half {
            cast.interrupted(Away::Stopped)?;
        }
        let leader = cast.settle()?.leader;
        cast.leave(&leader)?;
        leaders.push(leader);
    }
    Ok(leaders)
}
