//! Each client among its own kind: join, share, commit, a coordinator that stops or dies in the middle, leave.

use anyhow::{Result, bail};

use super::Case;
use super::bench::Bench;
use super::cast::{Away, Cast};
use super::clients::Client;
use super::member::Seat;

/// The cases.
pub fn cases() -> Vec<Case> {
    let clients = super::clients::CLIENTS.iter();
    clients
        .map(|client| Case {
            name: format!("alone/{}", client.name),
            needs: vec![client.runtime],
            run: Box::new(move |bench| alone(bench, client)),
        })
        .collect()
}

fn alone(bench: &Bench, client: &'static Client) -> Result<()> {
    Cast::play(bench, client.name, "", |cast| {
        let seat = |name| Seat { name, client, strategy: "default", instance: None };
        cast.join(&seat("first"))?;
        cast.settle()?;
        cast.commit_each()?;
        println!("    the first member owns everything, and reads back what it committed");

        cast.join(&seat("second"))?;
        cast.settle()?;
        println!("    a second came: {}", cast.who_owns_what());
        interrupted(cast, Away::Killed)?;

        cast.join(&seat("third"))?;
        cast.settle()?;
        cast.commit_each()?;
        println!("    a third came: {}", cast.who_owns_what());
        interrupted(cast, Away::Stopped)?;

        cast.leave("first")?;
        let settled = cast.settle()?;
        println!("    the first left: {}, by {}", cast.who_owns_what(), settled.protocol);
        if client.commits {
            cast.fetch("third")?;
        }
        cast.leave("second")?;
        cast.settle()?;
        cast.leave("third")
    })
}

/// The coordinator goes away and comes back: nothing is lost, and those whose library waits notice no rebalance.
pub fn interrupted(cast: &mut Cast<'_>, how: Away) -> Result<()> {
    let before = cast.settle()?;
    let assignments = cast.assignments();
    cast.restart_and_meet(how)?;
    let wait = cast.members.iter().all(|member| member.client.waits);
    if wait {
        cast.undisturbed(&before, &assignments)?;
        println!("    the coordinator was {how:?}: generation {} goes on", before.generation);
    } else {
        let after = cast.settle()?;
        if after.generation < before.generation {
            bail!("generation {} came after {}", after.generation, before.generation);
        }
        println!("    the coordinator was {how:?}: the group settled again");
    }
    Ok(())
}
