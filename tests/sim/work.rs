//! What the server does beside its shards: it checks plans, and makes those of the groups that it leads itself.

use divvy::assignor::{EncodedPlan, LeaderInput, MemberInput, check_foreign_plan, check_plan, lead, native_range};
use divvy::group::effects::{Author, PlanToCheck, PlanToMake};
use divvy::group::event::{Checked, Fault, MadePlan, PlanOrigin};

use crate::actors::divvy_words::topics;

/// From what plans are made: it stays the same in a run.
pub const FINGERPRINT: u64 = 1;

/// A plan's verdict.
pub fn verdict(plan: &PlanToCheck) -> Result<Checked, String> {
    if plan.author == Author::Foreign {
        return check_foreign_plan(&plan.members, &plan.states, &topics()).map(|()| Checked::default());
    }
    let plan = EncodedPlan {
        protocol_type: &plan.protocol_type,
        members: &plan.members,
        states: &plan.states,
        topics: &plan.topics,
        copies: plan.copies,
        complete: plan.complete,
        mode: plan.mode,
    };
    check_plan(&plan).map(|()| Checked::default())
}

/// The coordinator's own plan, by the host's range; of every seventh generation none, as if its module had failed.
pub fn make(plan: &PlanToMake) -> Result<MadePlan, Fault> {
    let fault = |message: &str| Fault {
        protocol: plan.protocol.clone(),
        digest: None,
        kind: "busy".to_owned(),
        message: message.to_owned(),
    };
    if plan.generation.0 % 7 == 0 {
        return Err(fault("it is the seventh"));
    }
    let member = |it: &divvy::group::effects::JoinedMember| MemberInput {
        id: it.id.clone(),
        instance: it.instance.clone(),
        metadata: it.metadata.clone(),
    };
    let members: Vec<MemberInput> = plan.members.iter().map(member).collect();
    let made = lead(
        native_range(),
        &LeaderInput {
            group: &plan.group,
            generation: plan.generation,
            protocol: &plan.protocol,
            mode: plan.mode.unwrap_or_default(),
            protocol_type: &plan.protocol_type,
            members: &members,
            topics: &topics(),
            columns: &[],
            config: &serde_json::Value::Null,
            context: None,
            memo: plan.memo.as_deref(),
            now_ms: plan.now.0,
            budget_ms: plan.budget,
        },
    )
    .map_err(|error| fault(&error.message))?;
    Ok(MadePlan {
        served_by: None,
        captured: None,
        states: made.states,
        origin: Box::new(PlanOrigin {
            digest: None,
            settings_hash: plan.settings.hash(),
            topics: made.topics,
            copies: made.copies,
            mode: made.mode,
            asked_ms: None,
            complete: made.complete,
            memo: made.memo,
            fault: None,
        }),
        fingerprint: FINGERPRINT,
        call_again: None,
    })
}
