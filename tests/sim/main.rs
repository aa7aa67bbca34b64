//! The simulator: the real coordinator with real and modelled members, over a bad network and a bad disk, in virtual time
//! on one thread. One seed decides everything that happens, so a run that breaks an invariant can be seen again.
//!
//! `DIVVY_SIM_SECONDS=60` also runs fresh seeds for so long; `DIVVY_SEED=7` runs just that one and shows its film.

mod actors;
mod calls;
mod deeds;
mod dice;
mod disk;
mod film;
mod invariants;
mod network;
mod returns;
mod scenario;
mod server;
mod what;
mod work;
mod world;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::{Duration, Instant};

use film::Film;
use world::World;

/// The seeds that every test run tries.
const FIXED: std::ops::Range<u64> = 0..300;

/// Seeds that once found something: one a line, with what it was.
const KEPT: &str = include_str!("seeds.txt");

/// Runs a seed; an error tells what is broken, with the film of the last generations.
fn try_seed(seed: u64) -> Result<u64, String> {
    let mut world = World::new(seed, Film::default());
    match run(&mut world) {
        Ok(steps) => Ok(steps),
        // The same again, with the camera on.
        Err(_) => {
            let mut world = World::new(seed, Film::recording());
            let broken = run(&mut world).err().unwrap_or_else(|| "the second run of the seed found nothing".to_owned());
            let (film, repeat) = (world.film().show(), world.repeat());
            Err(format!("seed {seed} breaks {broken}\n\nthe last generations:\n{film}\nagain: {repeat}\n"))
        }
    }
}

/// A rule of the machine itself that is broken is a panic, and also has a film.
fn run(world: &mut World) -> Result<u64, String> {
    catch_unwind(AssertUnwindSafe(|| world.run())).unwrap_or_else(|panic| {
        let text = panic.downcast_ref::<String>().map(String::as_str).or(panic.downcast_ref::<&str>().copied());
        Err(format!("a rule of the machine: {}", text.unwrap_or("a panic").lines().next().unwrap_or_default()))
    })
}

fn try_all(seeds: impl Iterator<Item = u64>) {
    for seed in seeds {
        if let Err(broken) = try_seed(seed) {
            panic!("{broken}");
        }
    }
}

#[test]
fn fixed_seeds_break_nothing() {
    try_all(FIXED);
}

#[test]
fn kept_seeds_break_nothing_any_more() {
    let lines = KEPT.lines().filter(|line| !line.trim().is_empty() && !line.starts_with('#'));
    try_all(lines.map(|line| {
        let seed = line.split_whitespace().next().unwrap_or_default();
        seed.parse().unwrap_or_else(|_| panic!("seeds.txt: {line:?} begins with no number"))
    }));
}

#[test]
fn one_seed_is_one_run() {
    let film = || {
        let mut world = World::new(7, Film::recording());
        let steps = run(&mut world).unwrap_or_else(|broken| panic!("{broken}"));
        (steps, world.film().whole())
    };
    assert_eq!(film(), film());
}

#[test]
fn a_seed_of_ones_own() {
    let Ok(seed) = std::env::var("DIVVY_SEED") else { return };
    let seed = seed.parse().expect("DIVVY_SEED is a number");
    let mut world = World::new(seed, Film::recording());
    let outcome = run(&mut world);
    println!("{}", world.film().whole());
    outcome.unwrap_or_else(|broken| panic!("seed {seed} breaks {broken}"));
}

/// Only where somebody gives it the time: what it finds cannot depend on how fast a machine is, but whether it does.
#[test]
#[allow(clippy::disallowed_methods, reason = "how long to look for new seeds is a matter of real time")]
fn fresh_seeds_break_nothing() {
    let Some(seconds) = std::env::var("DIVVY_SIM_SECONDS").ok().and_then(|it| it.parse().ok()) else { return };
    let base = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).map_or(0, |it| it.as_secs()) << 20;
    println!("fresh seeds from {base} on");
    let began = Instant::now();
    let fresh = (base..).take_while(|_| began.elapsed() < Duration::from_secs(seconds));
    let mut runs = 0;
    try_all(fresh.inspect(|_| runs += 1));
    println!("{runs} fresh seeds");
}
