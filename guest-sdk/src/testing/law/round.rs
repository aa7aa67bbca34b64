//! Laws of a plan and the one that is made after it, or beside it.

use super::{Plan, Verdict};
use crate::testing::{TestGroup, TestPlan};

/// How many other orders are tried: with 2 settings or facts, 7 of 8 groups see the other order.
const ORDERS: u64 = 3;

pub(super) fn fixed_point(group: &TestGroup, plan: &Plan<'_>) -> Verdict {
    let first = plan(group)?;
    let second = plan(&group.after(&first))?;
    Ok(same(&first, &second)
        .map_err(|what| format!("when everybody does what the plan says, the next one differs: {what}")))
}

pub(super) fn order_independent(group: &TestGroup, plan: &Plan<'_>) -> Verdict {
    let first = plan(group)?;
    if let Err(what) = same(&first, &plan(group)?) {
        return Ok(Err(format!("asked twice, it decides twice: {what}")));
    }
    for seed in 1..=ORDERS {
        if let Err(what) = same(&first, &plan(&group.clone().shuffled(seed))?) {
            return Ok(Err(format!("the same group in another order gets another plan: {what}")));
        }
    }
    Ok(Ok(()))
}

/// Whether two plans give everything to the same owners; if not, what they do not.
pub(super) fn same(first: &TestPlan, second: &TestPlan) -> Result<(), String> {
    let all = first.owners.keys().chain(second.owners.keys());
    for (topic, partition) in all {
        let (before, after) = (first.owners_of(topic, *partition), second.owners_of(topic, *partition));
        if before != after {
            return Err(format!("{topic}-{partition} goes to {}, then to {}", listed(before), listed(after)));
        }
    }
    Ok(())
}

fn listed(owners: &[String]) -> String {
    if owners.is_empty() { "nobody".to_owned() } else { owners.join(", ") }
}
