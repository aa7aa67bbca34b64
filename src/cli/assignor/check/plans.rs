//! Whether the groups that every member makes up get plans that a leader would serve.

use crate::assignor::FaultKind;
use crate::sandbox::limits::SMOKE_DEADLINE;
use crate::sandbox::{Module, smoke};

/// Has them planned as a member does before it serves, and as a leader does then; says what the largest took.
pub fn check(module: &Module) -> Result<String, String> {
    // What is wrong with a plan is a sentence of its own; anything else is the fault of one call, by its kind.
    let refused = smoke(module).map_err(|failed| in_its_time(failed.kind, failed.told))?;
    let last = module.last_call().unwrap_or_default();
    let (ms, kib) = (last.took.as_secs_f64() * 1e3, last.memory_peak >> 10);
    Ok(format!("the largest group took {ms:.1} ms and {kib} KiB{refused}"))
}

/// The bound of a made-up group is not that of a call in a live one, which its limits may raise.
fn in_its_time(kind: FaultKind, told: String) -> String {
    match kind {
        FaultKind::Deadline => {
            format!("{told}; a group of the trial has {} ms, whatever its limits say", SMOKE_DEADLINE.as_millis())
        }
        _ => told,
    }
}
