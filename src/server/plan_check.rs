//! A plan's verdict: what the group asks for, put into the words of the assignor floor.

use crate::assignor::{EncodedPlan, check_plan};
use crate::group::effects::PlanToCheck;

/// Fine, or the rule that the plan breaks.
pub(crate) fn verdict(plan: &PlanToCheck) -> Result<(), String> {
    check_plan(&EncodedPlan {
        protocol_type: &plan.protocol_type,
        members: &plan.members,
        states: &plan.states,
        topics: &plan.topics,
        copies: plan.copies,
        complete: plan.complete,
        mode: plan.mode,
    })
}
