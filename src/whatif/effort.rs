//! How much a life is to play, judged before it begins: a sentence instead of hours of silence.

use super::cast::Cast;
use super::life::{Happening, Start, Step};
use super::limits::MAX_EFFORT;

/// A step is mostly one rebalance of two rounds, a restarted member two of them: it goes and it comes.
const ROUNDS: u64 = 2;

/// Whether the life can be played with so many strategies; else what is too much of it, and what to do.
pub(super) fn check(start: &Start, steps: &[Step], strategies: usize) -> Result<(), String> {
    let mut cast = Cast::new(start)?;
    let (mut effort, mut plans) = (places(&cast).saturating_mul(ROUNDS), ROUNDS);
    for step in steps {
        let mut restarts = 0;
        for happening in &step.happenings {
            cast.apply(happening)?;
            if matches!(happening, Happening::RollingRestart(_)) {
                restarts += cast.present().count() as u64;
            }
        }
        let of_step = ROUNDS.saturating_mul(1 + 2 * restarts);
        plans += of_step;
        effort = effort.saturating_add(places(&cast).saturating_mul(of_step));
    }
    match effort.saturating_mul(strategies as u64) {
        0..=MAX_EFFORT => Ok(()),
        more => Err(format!(
            "this life has about {plans} generations, with {strategies} strategies {} million places of members and \
             partitions to plan: at most {} million are played; take fewer steps, members, partitions or strategies \
             (a rolling restart is two rebalances for each member)",
            more / MILLION,
            MAX_EFFORT / MILLION
        )),
    }
}

const MILLION: u64 = 1_000_000;

/// What one plan is about.
fn places(cast: &Cast) -> u64 {
    let partitions: u64 = cast.topics.values().map(|topic| u64::from(topic.partitions)).sum();
    partitions + cast.present().count() as u64
}
