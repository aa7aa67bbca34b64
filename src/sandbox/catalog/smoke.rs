//! The calls that every module must survive before it serves. What `divvy assignor check` says of them is what a member
//! goes by: one that fails there is not offered, but for one that refuses every group in words of its own.

use divvy_guest::abi::host::{Expected, parse_reply};
use divvy_guest::abi::request::{Partitions, States};
use serde_json::json;

use crate::assignor::manifest::Shape;
use crate::assignor::{
    Assignor, BAD_CONFIG, Budget, CallError, Export, FaultKind, Manifest, SmokePlan, smoke_plans, smoke_requests,
    smoke_user_data,
};
use crate::sandbox::limits::{MAX_SMOKE_OUTPUT, SMOKE_DEADLINE};

/// How strategies built with divvy's SDK say that they cannot read what they are asked.
const BAD_REQUEST: &str = "bad_request";

/// Why a strategy does not serve.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Failed {
    /// The kind of its first fault.
    pub kind: FaultKind,
    /// What is wrong, for people.
    pub told: String,
    /// Whether it only refuses every group in words of its own. An author is told that no group would get a plan; where it serves, a
    /// real group may have what these lack.
    pub is_its_word: bool,
}

impl From<CallError> for Failed {
    fn from(error: CallError) -> Self {
        Self { kind: error.kind, told: error.to_string(), is_its_word: false }
    }
}

/// Calls the strategy with the groups that the host makes up, each export that it has, and holds its plans to the rules as a leader
/// would. That it refuses a group in words is its right (it may need a configuration), and what is to be said of that comes back;
/// that it does not answer, or not in the form of the ABI, or that no group at all would get a plan of it, is a fault.
pub fn smoke(strategy: &dyn Assignor) -> Result<String, Failed> {
    let budget = Budget { deadline: SMOKE_DEADLINE, max_output: MAX_SMOKE_OUTPUT };
    let malformed = |problem: &dyn std::fmt::Display| {
        CallError::new(FaultKind::InvalidReply, format!("its reply cannot be read: {problem}"))
    };
    user_data(strategy, budget)?;
    for request in smoke_requests(strategy.manifest()) {
        let reply = strategy.call(Export::Assign, &request, budget)?;
        if let Some(expected) = expected(strategy.manifest().shape, &request) {
            parse_reply(&reply, expected).map_err(|problem| malformed(&problem))?;
        }
    }
    judge(&smoke_plans(strategy), strategy.manifest())
}

/// What it says when a member joins. Its members join without its word where it fails, so it must only end.
fn user_data(strategy: &dyn Assignor, budget: Budget) -> Result<(), CallError> {
    let request = smoke_user_data(strategy.manifest(), &["topic-0"], &json!({}), None);
    strategy.call(Export::UserData, &request, budget).map(drop)
}

/// What the reply to a request must be like; none for a request that is not of that shape.
fn expected(shape: Shape, request: &[u8]) -> Option<Expected> {
    match shape {
        Shape::Partitions => {
            let request = Partitions::read(request).ok()?;
            let partitions = usize::try_from(request.partitions).ok()?;
            Some(Expected::Partitions { members: request.members.len(), partitions })
        }
        Shape::States => Some(Expected::States { members: States::read(request).ok()?.members.len() }),
    }
}

/// What is to be said of refusals, which are a strategy's right; or the first plan that no leader would serve.
fn judge(groups: &[SmokePlan], manifest: &Manifest) -> Result<String, Failed> {
    let mut refusals: Vec<&CallError> = Vec::new();
    for (number, group) in (1..).zip(groups) {
        match &group.plan {
            Ok(_) => {}
            Err(error) if error.kind == FaultKind::GuestError => refusals.push(error),
            Err(error) => {
                let (members, topics) = (group.members, group.topics);
                let mixed = if group.is_mixed { ", each member reads all but one" } else { "" };
                let why = remedied(error);
                let told = format!("group {number} (members: {members}, topics: {topics}{mixed}): {why}");
                return Err(Failed { kind: error.kind, told, is_its_word: false });
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
    Err(Failed { kind: FaultKind::GuestError, told: format!("{said}; {remedy}"), is_its_word: !is_misread })
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
        judge(&groups, native_range().manifest()).map_err(|failed| failed.told)
    }

    fn good() -> Result<Plan, CallError> {
        smoke_plans(native_range()).remove(2).plan
    }

    #[test]
    fn a_strategy_that_keeps_the_rules_has_nothing_said_of_it() {
        assert_eq!(smoke(native_range()).map_err(|failed| failed.told).as_deref(), Ok(""));
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
