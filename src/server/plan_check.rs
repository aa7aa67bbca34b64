//! A plan's verdict: what the group asks for, put into the words of the assignor floor.

use crate::assignor::{EncodedPlan, check_plan};
use crate::group::effects::PlanToCheck;

/// Fine, or the rule that the plan breaks.
pub(crate) fn verdict(plan: &PlanToCheck) -> Result<(), String> {
    todo!()
}
