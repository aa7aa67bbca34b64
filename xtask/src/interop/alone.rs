//! Each client among its own kind: join, share, commit, a coordinator that stops or dies in the middle, leave.

use anyhow::Result;

use super::Case;
use super::away::Away;
use super::bench::Bench;
use super::cast::Cast;
use super::clients::Client;
use super::member::Seat;

/// Another topic of the coordinator's, on two racks: to clients these are brokers, all of them at one address.
const RACKS: &str = "[[topic]]\nname = \"elsewhere\"\npartitions = 2\nracks = [[\"a\"], [\"b\"]]\n";

/// Clients that keep their connections by host and port.
const BY_ADDRESS: [&str; 1] = ["kafkajs"];

/// The cases.
pub fn cases() -> Vec<Case> {
    let case = |kind: &'static str, config: &'static str, client: &'static Client| {
        let name = format!("{kind}/{}", client.name);
        Case { name, needs: vec![client.runtime], run: Box::new(move |bench| alone(bench, kind, config, client)) }
    };
    let clients = || super::clients::CLIENTS.iter();
    let with_racks = clients().filter(|client| BY_ADDRESS.contains(&client.name));
    clients().map(|client| case("alone", "", client)).chain(with_racks.map(|it| case("racks", RACKS, it))).collect()
}

fn alone(bench: &Bench, kind: &str, config: &str, client: &'static Client) -> Result<()> {
    Cast::play(bench, &format!("{kind}-{}", client.name), config, |cast| three_come_and_go(cast, client, "default"))
}

/// Three members come one after the other and leave again; the coordinator dies under two, and stops under three.
pub fn three_come_and_go(cast: &mut Cast<'_>, client: &'static Client, strategy: &str) -> Result<()> {
    let seat = |name| Seat { name, client, strategy, instance: None };
    cast.join(&seat("first"))?;
    cast.settle()?;
    cast.commit_each()?;
    println!("    the first member owns everything");

    cast.join(&seat("second"))?;
    cast.settle()?;
    println!("    a second came: {}", cast.who_owns_what());
    cast.interrupted(Away::Killed)?;

    cast.join(&seat("third"))?;
    cast.settle()?;
    cast.commit_each()?;
    println!("    a third came: {}", cast.who_owns_what());
    cast.interrupted(Away::Stopped)?;

    cast.leave("first")?;
    let settled = cast.settle()?;
    println!("    the first left: {}, by {}", cast.who_owns_what(), settled.protocol);
    if client.commits {
        cast.fetch("third")?;
    }
    cast.leave("second")?;
    cast.settle()?;
    cast.leave("third")
}
