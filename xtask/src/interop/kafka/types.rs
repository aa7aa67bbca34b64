//! Groups whose work is not partitions of topics, on Kafka: workers of Connect's kind, and members of an application's own type
//! with bytes that only its strategy reads.

use std::collections::BTreeSet;

use anyhow::{Context, Result, bail};
use serde_json::Value;

use super::super::away::Away;
use super::super::cast::Cast;
use super::super::member::STEP;
use crate::divvy::{self, drop_module};
use crate::process::{Process, wait_until};
use crate::shell::root;

/// A worker, and what it has.
struct Worker {
    process: Process,
    work: BTreeSet<String>,
    generation: i64,
}

impl Worker {
    fn listen(&mut self) -> Result<()> {
        while let Some(line) = self.process.line_at_hand()? {
            let event: Value = serde_json::from_str(&line).with_context(|| format!("a worker said {line:?}"))?;
            if event["event"] == "has" {
                let work = event["work"].as_array().context("`has` names work")?;
                self.work = work.iter().filter_map(Value::as_str).map(str::to_owned).collect();
                self.generation = event["generation"].as_i64().unwrap_or_default();
            }
        }
        Ok(())
    }

    fn leave(&mut self) -> Result<()> {
        self.process.say("leave")?;
        let status = self.process.end(STEP)?;
        if status.success() { Ok(()) } else { bail!("a worker left with {status}:\n{}", self.process.log_tail()) }
    }
}

/// Connectors are shared evenly, and so are tasks: somebody may have one more of both.
fn each_works(counts: &[usize; 2]) -> bool {
    counts[0] > 0 && counts[0].abs_diff(counts[1]) <= 2
}

/// Connectors and tasks: shared step by step, a connector that comes later, the broker killed in between.
pub fn connect(cast: &mut Cast<'_>) -> Result<()> {
    let mut first = [join(cast, "connect", "first", "jdbc=3")?];
    has(&mut first, "jdbc=3", |_| true)?;
    let [first] = first;
    let mut both = [first, join(cast, "connect", "second", "jdbc=3")?];
    has(&mut both, "jdbc=3", each_works)?;
    println!("    two workers share a connector and its tasks: {:?} and {:?}", both[0].work, both[1].work);

    cast.restart(Away::Killed)?;
    tell(&mut both, "context jdbc=3 sink=2")?;
    has(&mut both, "jdbc=3 sink=2", each_works)?;
    println!("    the broker was killed, and a connector came: {:?} and {:?}", both[0].work, both[1].work);
    both.iter_mut().try_for_each(Worker::leave)
}

/// Raw bytes of the application's own, and the context that it gives to its strategy: each change is one rejoin.
pub fn own(cast: &mut Cast<'_>) -> Result<()> {
    let mut both = [join(cast, "jobs", "first", "a b c d")?, join(cast, "jobs", "second", "a b c d")?];
    let evenly = |[first, second]: &[usize; 2]| first == second;
    let generation = has(&mut both, "a b c d", evenly)?;
    println!("    two members of type jobs: {:?} and {:?}", both[0].work, both[1].work);

    tell(&mut both, "context a b c d e f")?;
    let after = has(&mut both, "a b c d e f", evenly)?;
    println!("    there are more jobs: {:?} and {:?}", both[0].work, both[1].work);
    both[0].process.say("metadata full")?;
    let last = has(&mut both, "a b c d e f", |[first, second]| *first == 0 && *second == 6)?;
    println!("    the first is full: {:?} and {:?}", both[0].work, both[1].work);
    if (after, last) != (generation + 1, generation + 2) {
        bail!("each change is one rejoin: generation {generation}, then {after}, then {last}");
    }
    both.iter_mut().try_for_each(Worker::leave)
}

fn join(cast: &Cast<'_>, kind: &str, name: &str, context: &str) -> Result<Worker> {
    let modules = divvy::modules_of(&cast.folder, name);
    let (file, module) = match kind {
        "connect" => (root().join("assignors/connect.wasm"), "connect"),
        _ => (cast.demo_module("dealt"), "dealt"),
    };
    drop_module(&file, &modules, module)?;
    Ok(Worker { process: cast.worker(kind, name, context, &modules)?, work: BTreeSet::new(), generation: -1 })
}

fn tell(workers: &mut [Worker], command: &str) -> Result<()> {
    workers.iter_mut().try_for_each(|worker| worker.process.say(command))
}

/// Waits until they have all of that, each piece once, shared as wished, in one generation: which.
fn has<const N: usize>(
    workers: &mut [Worker; N],
    context: &str,
    as_wished: impl Fn(&[usize; N]) -> bool,
) -> Result<i64> {
    let all = pieces(context);
    let shared = wait_until(&format!("{N} workers to share {all:?}"), STEP, || {
        workers.iter_mut().try_for_each(Worker::listen)?;
        let counts: [usize; N] = std::array::from_fn(|at| workers[at].work.len());
        let owned: BTreeSet<&String> = workers.iter().flat_map(|worker| &worker.work).collect();
        let is_whole = owned.into_iter().eq(&all) && counts.iter().sum::<usize>() == all.len();
        let generation = workers[0].generation;
        let agreed = workers.iter().all(|worker| worker.generation == generation);
        Ok((is_whole && agreed && as_wished(&counts)).then_some(generation))
    });
    shared.with_context(|| {
        let said =
            |worker: &Worker| format!("{:?} in {}\n{}", worker.work, worker.generation, worker.process.log_tail());
        workers.iter().map(said).collect::<Vec<_>>().join("\n")
    })
}

/// What there is to do: of a connector itself, -1, and its tasks; else words.
fn pieces(context: &str) -> BTreeSet<String> {
    let of = |word: &str| match word.split_once('=') {
        Some((name, tasks)) => (-1..tasks.parse().unwrap_or(0)).map(|task| format!("{name} {task}")).collect(),
        None => vec![word.to_owned()],
    };
    context.split_whitespace().flat_map(of).collect()
}
