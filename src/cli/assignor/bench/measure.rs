//! One strategy on one standard group, step by step.

use std::time::Duration;

use serde::Serialize;

use super::Dimensions;
use crate::assignor::case::Case;
use crate::assignor::manifest::Shape;
use crate::assignor::{Assignor, CallError, Export, Plan};
use crate::sandbox::{Metered, Module, SandboxError};

/// The steps, in order.
pub const STEPS: [&str; 3] = ["fresh", "one joins", "one leaves"];

/// What was measured.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Measured {
    /// Instructions of a call.
    pub fuel: Option<u64>,
    /// The median.
    pub ms: Option<f64>,
    /// The most memory that a call had.
    pub memory_bytes: Option<usize>,
    /// Partitions that move, or states that differ.
    pub moves: Option<usize>,
    /// The largest share above the smallest.
    pub balance: Option<usize>,
}

/// A strategy: a module, compiled to be called and to be counted, or one that the host has built in.
pub struct Subject<'m> {
    pub assignor: &'m dyn Assignor,
    module: Option<(&'m Module, Metered<'m>)>,
}

impl<'m> Subject<'m> {
    /// Compiles it once more.
    pub fn module(module: &'m Module) -> Result<Self, SandboxError> {
        Ok(Self { assignor: module, module: Some((module, Metered::new(module)?)) })
    }

    /// One whose cost is not measured: it runs outside of the sandbox.
    pub fn native(assignor: &'m dyn Assignor) -> Self {
        Self { assignor, module: None }
    }

    /// Measures every step; the error is why there is no plan.
    pub fn steps(&self, size: Dimensions, times: usize) -> Result<Steps, String> {
        match self.assignor.manifest().shape {
            Shape::Partitions => partitions(self, size, times),
            Shape::States => states(self, size, times),
        }
    }
}

/// Each step and what was measured.
type Steps = Vec<(&'static str, Measured)>;

fn partitions(
    subject: &Subject<'_>,
    Dimensions(members, topics, count): Dimensions,
    times: usize,
) -> Result<Steps, String> {
    let all = Case::standard(members + 1, topics, count);
    let fresh = all.without_last();
    let mut measured = Vec::new();
    let mut step = |name, case: &Case| {
        let shares = case.settled(subject.assignor)?;
        let cost = cost(subject, case, times).map_err(|error| error.with_code())?;
        let moves = (name != STEPS[0]).then(|| case.moves(&shares));
        measured.push((name, Measured { moves, balance: Some(case.spread(&shares)), ..cost }));
        Ok::<_, String>(shares)
    };
    let shares = step(STEPS[0], &fresh)?;
    let joined = fresh.after(&shares).with_last_of(&all);
    let shares = step(STEPS[1], &joined)?;
    step(STEPS[2], &joined.after(&shares).without_last())?;
    Ok(measured)
}

/// States have no owners: what changes is counted member by member.
fn states(subject: &Subject<'_>, Dimensions(members, ..): Dimensions, times: usize) -> Result<Steps, String> {
    let all = Case::standard(members + 1, 0, 0);
    let fresh = all.without_last();
    let mut measured = Vec::new();
    let mut before: Option<Plan> = None;
    for (name, case) in [(STEPS[0], &fresh), (STEPS[1], &all), (STEPS[2], &fresh)] {
        let plan = case.lead(subject.assignor).map_err(|error| error.with_code())?;
        let moves = before.as_ref().map(|before| changed(before, &plan));
        let cost = cost(subject, case, times).map_err(|error| error.with_code())?;
        measured.push((name, Measured { moves, ..cost }));
        before = Some(plan);
    }
    Ok(measured)
}

fn changed(before: &Plan, now: &Plan) -> usize {
    let same = |(id, state): &&(_, _)| now.states.iter().any(|(other, now)| other == id && now == state);
    let stays = |(id, _): &&(crate::ids::MemberId, _)| now.states.iter().any(|(other, _)| other == id);
    before.states.iter().filter(|had| stays(had) && !same(had)).count()
}

/// What one call of a group costs.
fn cost(subject: &Subject<'_>, case: &Case, times: usize) -> Result<Measured, CallError> {
    let Some((module, metered)) = &subject.module else { return Ok(Measured::default()) };
    case.with_call(module.manifest(), 0, |call| {
        let mut took: Vec<Duration> = Vec::with_capacity(times);
        let mut memory_bytes = 0;
        for _ in 0..times {
            module.call(Export::Assign, call.request(), call.budget())?;
            let last = module.last_call().unwrap_or_default();
            took.push(last.took);
            memory_bytes = memory_bytes.max(last.memory_peak);
        }
        took.sort_unstable();
        let ms = took.get(times / 2).map(|median| median.as_secs_f64() * 1e3);
        let fuel = metered.measure(Export::Assign, call.request(), call.budget().max_output).1.fuel;
        Ok(Measured { fuel, ms, memory_bytes: Some(memory_bytes), ..Measured::default() })
    })?
}
