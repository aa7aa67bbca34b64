//! Whether the groups that every member makes up get plans that a leader would serve.

use std::time::Duration;

use crate::assignor::FaultKind;
use crate::sandbox::limits::SMOKE_DEADLINE;
use crate::sandbox::{Module, smoke};

/// Has them planned as a member does before it serves, and as a leader does then; says what the largest took.
pub fn check(module: &Module) -> Result<String, String> {
    let (has, asked) = (module.call_time(), module.manifest().limits.ms);
    // What is wrong with a plan is a sentence of its own; anything else is the fault of one call, by its kind.
    let refused = smoke(module).map_err(|failed| in_its_time(failed.kind, failed.told, has, asked))?;
    let last = module.last_call().unwrap_or_default();
    let (ms, kib) = (last.took.as_secs_f64() * 1e3, last.memory_peak >> 10);
    Ok(format!("the largest group took {ms:.1} ms and {kib} KiB{refused}"))
}

/// The bound of a made-up group is not that of a call in a live one, which its limits may raise. A shorter time that its manifest asks
/// for, or that the operator allows, holds here too.
fn in_its_time(kind: FaultKind, told: String, has: Duration, asked: Option<u32>) -> String {
    let why = match kind {
        FaultKind::Deadline if has >= SMOKE_DEADLINE => {
            format!("a group of the trial has {} ms, even where its limits say more", SMOKE_DEADLINE.as_millis())
        }
        FaultKind::Deadline if asked.is_some() => "its manifest asks for no more".to_owned(),
        FaultKind::Deadline => "module.max_call_ms allows no more".to_owned(),
        _ => return told,
    };
    format!("{told}; {why}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_time_of_a_trial_is_what_the_call_had() {
        let told = |ms, asked| in_its_time(FaultKind::Deadline, "late".to_owned(), Duration::from_millis(ms), asked);
        assert_eq!(told(20, None), "late; module.max_call_ms allows no more");
        assert_eq!(told(20, Some(20)), "late; its manifest asks for no more");
        for (ms, asked) in [(1000, None), (10_000, Some(10_000))] {
            assert_eq!(told(ms, asked), "late; a group of the trial has 1000 ms, even where its limits say more");
        }
        assert_eq!(in_its_time(FaultKind::Trap, "no".to_owned(), Duration::ZERO, None), "no");
    }
}
