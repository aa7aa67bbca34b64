//! Static members (KIP-345): a process that comes back under its instance id takes its place again, and nobody notices.

use anyhow::{Result, bail};

use super::Case;
use super::bench::Bench;
use super::cast::{Away, Cast};
use super::clients::{CLIENTS, Client};
use super::member::Seat;

/// The cases.
pub fn cases() -> Vec<Case> {
    let clients = CLIENTS.iter().filter(|client| client.instances);
    clients
        .map(|client| Case {
            name: format!("static/{}", client.name),
            needs: vec![client.runtime],
            run: Box::new(move |bench| returns(bench, client)),
        })
        .collect()
}

fn returns(bench: &Bench, client: &'static Client) -> Result<()> {
    Cast::play(bench, &format!("static-{}", client.name), "", |cast| {
        // With `range` a leader that came back would make the same plan again: franz-go looks, and else asks for a
        // rebalance of its own accord.
        let seat = |name| Seat { name, client, strategy: "range", instance: Some(name) };
        cast.join(&seat("first"))?;
        cast.settle()?;
        cast.join(&seat("second"))?;
        let (before, _) = cast.rest()?;
        println!("    two static members: {}", cast.who_owns_what());

        // One of the two leads: both kinds of return are seen.
        for name in ["first", "second"] {
            come_back(cast, &seat(name), |cast, name| cast.leave(name))?;
            println!("    {name} left and came back: generation {} goes on", before.generation);
        }
        come_back(cast, &seat("second"), |cast, name| cast.kill(name))?;
        println!("    second was killed and came back: generation {} goes on", before.generation);
        come_back(cast, &seat("second"), |cast, name| {
            cast.kill(name)?;
            cast.restart(Away::Killed)
        })?;
        println!("    second and the coordinator were killed and came back: generation {} goes on", before.generation);
        cast.commit_each()?;

        cast.join(&Seat { instance: None, ..seat("dynamic") })?;
        let after = cast.settle()?;
        println!("    a dynamic member came: {}", cast.who_owns_what());
        if after.generation <= before.generation {
            bail!("a newcomer came, and generation {} is still {}", before.generation, after.generation);
        }
        Ok(())
    })
}

/// A process ends and another one takes its name: the same generation, the same partitions, and nobody else is told.
fn come_back(cast: &mut Cast<'_>, seat: &Seat<'_>, end: impl FnOnce(&mut Cast<'_>, &str) -> Result<()>) -> Result<()> {
    let before = cast.settle()?;
    let owned = cast.member(seat.name)?.owns.clone();
    end(cast, seat.name)?;
    let assignments = cast.assignments();
    cast.join(seat)?;
    let after = cast.settle()?;
    if (before.generation, &owned) != (after.generation, &cast.member(seat.name)?.owns) {
        bail!("{before:?}, {owned:?} became {after:?}, {:?}", cast.member(seat.name)?.owns);
    }
    let others = &cast.assignments()[..assignments.len()];
    if others != assignments {
        bail!("{} came back, and the others noticed: {assignments:?} became {others:?}", seat.name);
    }
    Ok(())
}
