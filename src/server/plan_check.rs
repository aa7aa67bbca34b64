//! A plan's verdict: what the group asks for, put into the words of the assignor floor.

use super::limits::MODULE_CHECK_TIME;
use crate::assignor::{
    Assignor, EncodedPlan, LeaderInput, MemberInput, check_by_module, check_foreign_plan, check_plan, outdated_topic,
};
use crate::group::effects::{Author, PlanToCheck};
use crate::group::event::{Checked, CheckedBy};
use crate::ids::GroupId;
use crate::topics::TopicTable;

/// Fine, or the rule that the plan breaks. `table` has the topics as they are now, `module` is the one that made the plan,
/// if it is at hand.
pub(crate) fn verdict(
    group: &GroupId,
    plan: &PlanToCheck,
    table: &TopicTable,
    module: Option<&dyn Assignor>,
) -> Result<Checked, String> {
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
    let has_word = module.map_or(Ok(false), |module| ask(module, group, plan, table))?;
    let by = if has_word { CheckedBy::Module } else { CheckedBy::NativeRules };
    Ok(Checked { by, outdated: outdated_topic(&encoded, table) })
}

/// The module's own check is asked what the module was asked.
fn ask(module: &dyn Assignor, group: &GroupId, plan: &PlanToCheck, table: &TopicTable) -> Result<bool, String> {
    let Some(asked) = plan.asked.as_deref() else { return Ok(false) };
    let members = plan.members.iter().zip(&asked.instances).map(|((id, metadata), instance)| MemberInput {
        id: id.clone(),
        instance: instance.clone(),
        metadata: metadata.clone(),
    });
    let config = asked.settings.config.get(&module.manifest().name).unwrap_or(&serde_json::Value::Null);
    let input = LeaderInput {
        group,
        generation: asked.generation,
        protocol: &plan.protocol,
        mode: plan.mode,
        protocol_type: &plan.protocol_type,
        members: &members.collect::<Vec<_>>(),
        topics: table,
        columns: &[],
        config,
        context: None,
        memo: asked.memo.as_deref(),
        now_ms: asked.now_ms,
        budget_ms: MODULE_CHECK_TIME,
    };
    check_by_module(module, &input, &plan.states)
}
