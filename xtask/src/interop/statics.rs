//! Static members (KIP-345): a process that comes back under its instance id takes its place again, and nobody notices.

use anyhow::{Result, bail};

use super::Case;
use super::away::Away;
use super::bench::Bench;
use super::cast::Cast;
use super::clients::{CLIENTS, Client, Runtime, named};
use super::member::Seat;

/// The cases.
pub fn cases() -> Vec<Case> {
    let alone = able().map(|client| Case {
        name: format!("static/{}", client.name),
        needs: vec![client.runtime],
        run: Box::new(move |bench| returns(bench, client)),
    });
    let mixed = Case {
        name: "static/mixed".to_owned(),
        needs: able().map(|client| client.runtime).collect(),
        run: Box::new(mixed),
    };
    let fenced = Case { name: "static/fenced".to_owned(), needs: vec![Runtime::Java], run: Box::new(fenced) };
    alone.chain([mixed, fenced]).collect()
}

/// The clients that can be static members.
fn able() -> impl Iterator<Item = &'static Client> {
    CLIENTS.iter().filter(|client| client.instances)
}

fn returns(bench: &Bench, client: &'static Client) -> Result<()> {
    Cast::play(bench, &format!("static-{}", client.name), "", |cast| both_come_back(cast, client))
}

/// Two static members: each leaves and comes back, one is killed, also together with the coordinator; a dynamic one comes.
pub fn both_come_back(cast: &mut Cast<'_>, client: &'static Client) -> Result<()> {
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
    println!("    second and the coordinator were killed and came back");
    cast.commit_each()?;

    cast.join(&Seat { instance: None, ..seat("dynamic") })?;
    let after = cast.settle()?;
    println!("    a dynamic member came: {}", cast.who_owns_what());
    if after.generation <= before.generation {
        bail!("a newcomer came, and generation {} is still {}", before.generation, after.generation);
    }
    Ok(())
}

/// Static members of one half of the libraries among dynamic ones of the other, then the other way round. Without
/// kafka-python: as a leader of static and dynamic members in turn, 3.0.12 gives nothing to most of them.
fn mixed(bench: &Bench) -> Result<()> {
    for half in [0, 1] {
        Cast::play(bench, &format!("static-mixed-{half}"), "", |cast| {
            let mut seats = Vec::new();
            for (place, client) in able().filter(|client| client.name != "kafka-python").enumerate() {
                let instance = (place % 2 == half).then_some(client.name);
                let seat = Seat { name: client.name, client, strategy: "range", instance };
                cast.join(&seat)?;
                seats.push(seat);
            }
            let (before, _) = cast.rest()?;
            for seat in seats.iter().filter(|seat| seat.instance.is_some()) {
                come_back(cast, seat, |cast, name| cast.kill(name))?;
                println!("    {} was killed and came back: generation {} goes on", seat.name, before.generation);
            }
            Ok(())
        })?;
    }
    Ok(())
}

/// A second process takes a name whose owner still runs: it takes the place, and the first one is told, and ends.
fn fenced(bench: &Bench) -> Result<()> {
    Cast::play(bench, "static-fenced", "", |cast| {
        let client = named("java")?;
        let seat = |name, instance| Seat { name, client, strategy: "range", instance: Some(instance) };
        cast.join(&seat("bystander", "bystander"))?;
        cast.join(&seat("original", "twin"))?;
        let (before, assignments) = cast.rest()?;
        let mut original = cast.part("original")?;
        cast.join(&seat("copy", "twin"))?;
        let after = cast.settle()?;
        if after.generation != before.generation || cast.assignments()[0] != assignments[0] {
            bail!("a copy came, and {before:?} became {after:?}");
        }
        original.fails_with("FencedInstanceIdException")?;
        println!("    a copy took the place of its original, which was fenced");
        cast.commit_each()
    })
}

/// A process ends and another one takes its name: the same generation, the same partitions, and nobody else is told. If
/// the coordinator was away meanwhile, a library that asks for a rebalance then gets it, whoever is static.
fn come_back(cast: &mut Cast<'_>, seat: &Seat<'_>, end: impl FnOnce(&mut Cast<'_>, &str) -> Result<()>) -> Result<()> {
    let before = cast.settle()?;
    let owned = cast.member(seat.name)?.owns.clone();
    cast.away = None;
    end(cast, seat.name)?;
    let assignments = cast.assignments();
    let asked = cast.away.and_then(|_| cast.who_asks(&before)).is_some();
    cast.join(seat)?;
    let after = cast.settle()?;
    if asked {
        return Ok(());
    }
    if (before.generation, &owned) != (after.generation, &cast.member(seat.name)?.owns) {
        bail!("{before:?}, {owned:?} became {after:?}, {:?}", cast.member(seat.name)?.owns);
    }
    let others = &cast.assignments()[..assignments.len()];
    if others != assignments {
        bail!("{} came back, and the others noticed: {assignments:?} became {others:?}", seat.name);
    }
    Ok(())
}
