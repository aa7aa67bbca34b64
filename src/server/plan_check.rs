//! A plan's verdict: what the group asks for, put into the words of the assignor floor.

use crate::assignor::{EncodedPlan, check_foreign_plan, check_plan, outdated_topic};
use crate::group::effects::{Author, PlanToCheck};
use crate::group::event::{Checked, CheckedBy};
use crate::topics::TopicTable;

/// Fine, or the rule that the plan breaks. `table` has the topics as they are now.
pub(crate) fn verdict(plan: &PlanToCheck, table: &TopicTable) -> Result<Checked, String> {
    if plan.author == Author::Foreign {
        return check_foreign_plan(&plan.members, &plan.states, table).map(|()| Checked::default());
    }
    let encoded = EncodedPlan {
        protocol_type: &plan.protocol_type,
        members: &plan.members,
        states: &plan.states,
        topics: &plan.topics,
        copies: plan.copies,
        complete: plan.complete,
        mode: plan.mode,
    };
    check_plan(&encoded)?;
    Ok(Checked { by: CheckedBy::NativeRules, outdated: outdated_topic(&encoded, table) })
}
