//! Kafka Connect's workers: connectors and their tasks, eager or incremental (KIP-415), under the names that Connect's workers offer.

pub mod catalog;
pub mod check;
mod incremental;
mod memo;
pub mod wire;

use divvy_guest::prelude::*;

use catalog::Catalog;
use incremental::Round;
use memo::{Memo, hash};
use wire::{Assignment, Metadata};

assignor! {
    name: "connect",
    protocol_type: "connect",
    shape: states,
    mode: cooperative,
    offer: by_name,
    config_schema: r#"{"type":"object","additionalProperties":false,"properties":{"connectors":{"type":"object","additionalProperties":{"type":"integer","minimum":0},"description":"The number of tasks of each connector, unless the application gives a context."},"max_delay_ms":{"type":"integer","minimum":0,"maximum":2147483647,"default":300000,"description":"How long the work of a worker that is gone waits for it (scheduled.rebalance.max.delay.ms)."},"rebalance":{"enum":["incremental","eager"],"default":"incremental","description":"Under this strategy's own name; under Connect's names these decide."}}}"#,
    description: "Shares connectors and tasks among Kafka Connect's workers, eager or incremental (KIP-415).",
    license: "Apache-2.0",
    assign: assign,
    check: check::check,
}

/// Kafka Connect's names, by the version of its embedded protocol.
const NAMES: [&str; 3] = ["default", "compatible", "sessioned"];

const MAX_DELAY_MS: u64 = i32::MAX as u64;

/// Nothing is wrong; or the plan was made from an older configuration than workers have read.
const FINE: i16 = 0;
const CONFIG_MISMATCH: i16 = 1;

/// Version 0 shares everything anew, the others change as little as they can.
pub fn assign(group: &StateGroup<'_>, states: &mut States) -> Result<(), Refusal> {
    let config = group.config();
    config.only(&["connectors", "max_delay_ms", "rebalance"])?;
    let version = match NAMES.iter().position(|name| *name == group.protocol()) {
        Some(version) => version as i16,
        None => i16::from(config.choice("rebalance", &["eager", "incremental"])? != Some(0)),
    };
    let max_delay_ms = config.whole("max_delay_ms", 0, MAX_DELAY_MS)?.unwrap_or(300_000) as i64;
    let (workers, garbled) = read_workers(group);
    let catalog = Catalog::of(group)?;

    let mut memo = group.memo().and_then(|memo| Memo::read(memo).ok()).unwrap_or_default();
    if memo.generation >= group.generation() {
        memo = Memo::default();
    }
    let offset = workers.iter().map(|worker| worker.metadata.offset).max().unwrap_or(-1);
    let leader = leader(&workers, &memo, offset);
    let mut told: Vec<Assignment<'_>> = workers.iter().map(|_| head(version, leader, offset)).collect();
    if catalog.offset.is_some_and(|known| known < offset) {
        // As Connect's leader does that has not caught up: nothing changes until somebody knows better.
        told.iter_mut().for_each(|told| told.error = CONFIG_MISMATCH);
        states.note(Level::Warn, "workers have read more of the configuration than the leader's context says");
    } else {
        told.iter_mut().for_each(|told| told.offset = catalog.offset.unwrap_or(offset));
        match version {
            0 => eager(&catalog, &mut told),
            _ => {
                let running = running(&workers, &catalog);
                let hashes: Vec<u64> = workers.iter().map(|worker| worker.hash).collect();
                let round = Round {
                    catalog: &catalog,
                    running: &running,
                    workers: &hashes,
                    now_ms: group.now_ms(),
                    max_delay_ms,
                };
                incremental(&round, &workers, &mut memo, &mut told);
            }
        }
    }
    if memo.delay_ms > 0 {
        states.call_again_ms(memo.delay_ms as u64);
    }
    memo.generation = group.generation();
    memo.leader = leader.map_or(0, |leader| leader.hash);
    states.remember(memo.write());
    for (worker, told) in workers.iter().zip(told) {
        states.give(worker.member, told.write());
    }
    for (member, wanted) in garbled {
        // Version 1 is read by all that are not eager.
        states.give(member, head(version.min(1), leader, offset).write());
        states.note(Level::Warn, &garbled_note(member.id(), wanted));
    }
    Ok(())
}

/// A worker and what it says.
struct Worker<'g> {
    member: StateMember<'g>,
    /// It is known by this: a static one has a new member id after a restart.
    hash: u64,
    metadata: Metadata<'g>,
}

/// The workers, and apart from them those of which nothing can be read, with what was expected: one of these stops nobody else.
fn read_workers<'g>(group: &'g StateGroup<'_>) -> (Vec<Worker<'g>>, Vec<(StateMember<'g>, wire::Malformed)>) {
    let (mut workers, mut garbled) = (Vec::new(), Vec::new());
    for member in group.members() {
        match Metadata::read(member.metadata()) {
            Ok(metadata) => {
                workers.push(Worker { member, hash: hash(member.instance_id().unwrap_or(member.id())), metadata });
            }
            Err(wanted) => garbled.push((member, wanted)),
        }
    }
    (workers, garbled)
}

fn garbled_note(id: &str, wanted: wire::Malformed) -> String {
    let mut text = String::from("what worker ");
    text.push_str(id);
    text.push_str(" says of itself cannot be read, so it gets no work: expected ");
    text.push_str(wanted);
    text
}

/// Who tells the others about the configuration: who did so before, else the first that has read all of it.
fn leader<'w, 'g>(workers: &'w [Worker<'g>], memo: &Memo, offset: i64) -> Option<&'w Worker<'g>> {
    let before = workers.iter().find(|worker| worker.hash == memo.leader);
    before.or_else(|| workers.iter().find(|worker| worker.metadata.offset == offset))
}

fn head<'g>(version: i16, leader: Option<&Worker<'g>>, offset: i64) -> Assignment<'g> {
    let leader_url = leader.map_or("", |leader| leader.metadata.url);
    let leader = leader.map_or("", |leader| leader.member.id());
    Assignment { version, error: FINE, leader, leader_url, offset, ..Assignment::default() }
}

/// The numbers of what each worker runs, ascending.
fn running(workers: &[Worker<'_>], catalog: &Catalog<'_>) -> Vec<Vec<u32>> {
    let of = |worker: &Worker<'_>| {
        let pieces = worker.metadata.runs.iter();
        let pieces = pieces.flat_map(|(name, tasks)| tasks.iter().map(move |&task| (*name, task)));
        let mut running: Vec<u32> = pieces.filter_map(|(name, task)| catalog.number(name, task)).collect();
        running.sort_unstable();
        running.dedup();
        running
    };
    workers.iter().map(of).collect()
}

/// One cursor over the workers: first all connectors, then all tasks, so that neither crowds on a few workers.
fn eager<'a>(catalog: &Catalog<'a>, told: &mut [Assignment<'a>]) {
    if told.is_empty() {
        return;
    }
    let mut numbers = vec![Vec::new(); told.len()];
    let connectors = catalog.connectors().iter().map(|&(_, _, first)| first);
    let tasks = catalog.connectors().iter().flat_map(|&(_, tasks, first)| first + 1..first + 1 + tasks);
    let workers = (0..told.len()).cycle();
    connectors.chain(tasks).zip(workers).for_each(|(piece, worker): (u32, usize)| numbers[worker].push(piece));
    for (told, mut numbers) in told.iter_mut().zip(numbers) {
        numbers.sort_unstable();
        told.work = catalog.work(&numbers);
    }
}

fn incremental<'a>(round: &Round<'_, 'a>, workers: &[Worker<'a>], memo: &mut Memo, told: &mut [Assignment<'a>]) {
    let changes = round.decide(memo);
    for (at, (told, worker)) in told.iter_mut().zip(workers).enumerate() {
        told.work = round.catalog.work(&changes.added[at]);
        told.revoked = round.catalog.work(&changes.revoked[at]);
        told.delay_ms = memo.delay_ms as i32;
        // What is not configured any more has no number.
        let is_gone = |name: &str, task: i32| round.catalog.number(name, task).is_none();
        let mut gone: DetMap<&str, Vec<i32>> = DetMap::new();
        for (name, tasks) in &worker.metadata.runs {
            for &task in tasks.iter().filter(|&&task| is_gone(name, task)) {
                gone.entry(name).or_default().push(task);
            }
        }
        if !gone.is_empty() {
            for (name, tasks) in std::mem::take(&mut told.revoked) {
                gone.entry(name).or_default().extend(tasks);
            }
            told.revoked = gone.into_iter().collect();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::garbled_note;

    #[test]
    fn the_note_names_the_worker_and_what_is_wrong_with_it() {
        let note = garbled_note("w1", "a url");
        assert_eq!(note, "what worker w1 says of itself cannot be read, so it gets no work: expected a url");
    }
}
