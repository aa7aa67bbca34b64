//! Whether the groups that every member makes up get plans that a leader would serve.

use crate::assignor::manifest::Shape;
use crate::assignor::{BAD_CONFIG, CallError, FaultKind, Manifest, SmokePlan, smoke_plans};
use crate::sandbox::limits::SMOKE_DEADLINE;
use crate::sandbox::{Module, smoke};

/// How strategies built with divvy's SDK say that they cannot read what they are asked.
const BAD_REQUEST: &str = "bad_request";

/// Has them planned as a member does before it serves, and as a leader does then; says what the largest took.
pub fn check(module: &Module) -> Result<String, String> {
    smoke(module).map_err(|error| in_its_time(&error))?;
    let last = module.last_call().unwrap_or_default();
    let refused = judge(&smoke_plans(module), module.manifest())?;
    let (ms, kib) = (last.took.as_secs_f64() * 1e3, last.memory_peak >> 10);
    Ok(format!("the largest group took {ms:.1} ms and {kib} KiB{refused}"))
}

/// The bound of a made-up group is not that of a call in a live one, which its limits may raise.
fn in_its_time(error: &CallError) -> String {
    let bound = match error.kind == FaultKind::Deadline {
        true => format!("; a group of the trial has {} ms, whatever its limits say", SMOKE_DEADLINE.as_millis()),
        false => String::new(),
    };
    format!("{error}{bound}")
}

/// What is to be said of refusals, which are a strategy's right; or the first plan that no leader would serve.
fn judge(groups: &[SmokePlan], manifest: &Manifest) -> Result<String, String> {
    let mut refusals: Vec<&CallError> = Vec::new();
    for (number, group) in (1..).zip(groups) {
        match &group.plan {
            Ok(_) => {}
            Err(error) if error.kind == FaultKind::GuestError => refusals.push(error),
            Err(error) => {
                let (members, topics) = (group.members, group.topics);
                let mixed = if group.is_mixed { ", each member reads all but one" } else { "" };
                let why = remedied(error);
                return Err(format!("group {number} (members: {members}, topics: {topics}{mixed}): {why}"));
            }
        }
    }
    let Some(first) = refusals.first() else { return Ok(String::new()) };
    let has_code = |code: &str| refusals.iter().all(|error| error.code.as_deref() == Some(code));
    let (count, all) = (refusals.len(), groups.len());
    let code = first.code.as_ref().map(|code| format!("{code}: ")).unwrap_or_default();
    let said = format!("it refuses {count} of {all} groups ({code}{})", first.message);
    if count < all {
        return Ok(format!("; {said}"));
    }
    let is_misread = has_code(BAD_REQUEST);
    let is_known = matches!(manifest.protocol_type.as_str(), "consumer" | "single-writer");
    // Members of another type say nothing in these groups, and a strategy may well need what they say.
    if has_code(BAD_CONFIG) || (!is_known && !is_misread) {
        return Ok(format!("; {said}: it needs more than these groups have, so try it on cases, with --vectors"));
    }
    let remedy = match (manifest.shape, is_misread) {
        (Shape::Partitions, true) => r#"its manifest says "shape": "partitions": is it of shape "states"?"#,
        (Shape::States, true) => r#"its manifest says "shape": "states": is it of shape "partitions"?"#,
        (_, false) => "no group would get a plan of it",
    };
    Err(format!("{said}; {remedy}"))
}

/// A leader would pass it over; an author can put it right, or say that it is meant.
fn remedied(error: &CallError) -> String {
    let remedy = match error.kind == FaultKind::InvalidAssignment && error.message.contains("goes to nobody") {
        true => r#"; where that is meant, the manifest says "complete": false"#,
        false => "",
    };
    format!("{error}{remedy}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::assignor::{Plan, native_range};

    fn refusal(code: &str) -> Result<Plan, CallError> {
        let code = Some(code.to_owned());
        Err(CallError { kind: FaultKind::GuestError, code, message: "no".to_owned() })
    }

    fn judged(plans: Vec<Result<Plan, CallError>>) -> Result<String, String> {
        let groups: Vec<_> =
            plans.into_iter().map(|plan| SmokePlan { members: 3, topics: 2, is_mixed: false, plan }).collect();
        judge(&groups, native_range().manifest())
    }

    fn good() -> Result<Plan, CallError> {
        smoke_plans(native_range()).remove(2).plan
    }

    #[test]
    fn a_strategy_that_keeps_the_rules_has_nothing_said_of_it() {
        assert_eq!(judge(&smoke_plans(native_range()), native_range().manifest()).as_deref(), Ok(""));
    }

    #[test]
    fn a_plan_that_no_leader_would_serve_is_a_failure() {
        let text = r#"partition 4 of "clicks" goes to nobody, although 2 members subscribe to it"#;
        let broken = Err(CallError::new(FaultKind::InvalidAssignment, text));
        let why = judged(vec![good(), broken]).unwrap_err();
        let begin = format!("group 2 (members: 3, topics: 2): invalid_assignment: {text}; where that is meant");
        assert!(why.starts_with(&begin), "{why}");
    }

    #[test]
    fn refusals_are_counted_and_a_strategy_that_refuses_everything_fails() {
        assert_eq!(judged(vec![good(), refusal("few")]).unwrap(), "; it refuses 1 of 2 groups (few: no)");
        let all = judged(vec![refusal("few"), refusal("many")]).unwrap_err();
        assert_eq!(all, "it refuses 2 of 2 groups (few: no); no group would get a plan of it");
        let shape = judged(vec![refusal(BAD_REQUEST)]).unwrap_err();
        assert!(shape.ends_with(r#"is it of shape "states"?"#), "{shape}");
        let config = judged(vec![refusal(BAD_CONFIG)]).unwrap();
        assert!(
            config.ends_with("it needs more than these groups have, so try it on cases, with --vectors"),
            "{config}"
        );
    }
}
