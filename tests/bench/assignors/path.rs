//! One leader's work, taken apart: reading what the members say and writing the request, the call, the verdict, writing the plan.

use std::time::{Duration, Instant};

use divvy::assignor::{Assignor, Call, CallError, Export};

use crate::world::Group;

/// Medians of the parts of the path.
#[derive(Clone, Copy, Default)]
pub struct Parts {
    /// Decode, claims, request.
    pub prepare: Duration,
    /// The module, its instance included.
    pub call: Duration,
    /// The verdict, and what is withheld.
    pub judge: Duration,
    /// The members' states.
    pub encode: Duration,
    /// The whole; the median of sums, not the sum of medians.
    pub whole: Duration,
}

/// Measures at least once, at most so often, and for no longer than this if it was done three times.
pub fn measure(group: &Group, assignor: &dyn Assignor, repeats: usize, most: Duration) -> Result<Parts, CallError> {
    let input = group.input();
    let mut times = [const { Vec::new() }; 5];
    let start = Instant::now();
    for round in 0..repeats {
        if round >= 3 && start.elapsed() > most {
            break;
        }
        let start = Instant::now();
        let call = Call::prepare(assignor.manifest(), &input)?;
        let prepared = Instant::now();
        let reply = assignor.call(Export::Assign, call.request(), call.budget())?;
        let called = Instant::now();
        let verdict = call.judge(&reply)?;
        let judged = Instant::now();
        let plan = call.plan(&verdict);
        let end = Instant::now();
        drop(plan);
        let parts = [prepared - start, called - prepared, judged - called, end - judged, end - start];
        times.iter_mut().zip(parts).for_each(|(times, part)| times.push(part));
    }
    let [prepare, call, judge, encode, whole] = times.map(median);
    Ok(Parts { prepare, call, judge, encode, whole })
}

/// The median call of each; they take turns, so that a busy machine is unfair to both.
pub fn compare(group: &Group, both: [&dyn Assignor; 2], rounds: usize) -> Result<[Duration; 2], CallError> {
    let input = group.input();
    let call = Call::prepare(both[0].manifest(), &input)?;
    let mut times = [Vec::new(), Vec::new()];
    for _ in 0..rounds {
        for (assignor, times) in both.into_iter().zip(&mut times) {
            let start = Instant::now();
            let reply = assignor.call(Export::Assign, call.request(), call.budget())?;
            times.push(start.elapsed());
            drop(reply);
        }
    }
    Ok(times.map(median))
}

/// The middle one.
pub fn median(mut times: Vec<Duration>) -> Duration {
    times.sort_unstable();
    times.get(times.len() / 2).copied().unwrap_or_default()
}
