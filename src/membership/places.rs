//! Whose the states of the last plan are by now. A static member that was started anew has another id and the place of the
//! process before it (KIP-345), and its leader need not hear of it before the next rebalance.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use super::Membership;
use super::lead::LastPlan;
use crate::assignor::MemberInput;
use crate::ids::{InstanceId, MemberId};

/// The static members of a plan.
#[derive(Debug, Default)]
pub(super) struct Places(BTreeMap<MemberId, InstanceId>);

impl Places {
    pub(super) fn of(members: &[MemberInput]) -> Self {
        Self(members.iter().filter_map(|it| Some((it.id.clone(), it.instance.clone()?))).collect())
    }

    /// The plan with the ids that these members have, if one of its places has another id by now.
    fn renamed(&self, plan: &LastPlan, members: &[MemberInput]) -> Option<LastPlan> {
        let now: HashMap<&InstanceId, &MemberId> =
            members.iter().filter_map(|it| Some((it.instance.as_ref()?, &it.id))).collect();
        let present = |id| self.0.get(id).and_then(|instance| now.get(instance).copied()).unwrap_or(id);
        let is_other = plan.iter().any(|(id, _)| present(id) != id);
        is_other.then(|| Arc::new(plan.iter().map(|(id, state)| (present(id).clone(), state.clone())).collect()))
    }
}

impl Membership {
    /// These are the group's members now: the last plan is theirs.
    pub(super) fn find_places(&mut self, members: &[MemberInput]) {
        if let Some(renamed) = self.last_plan.as_ref().and_then(|plan| self.places.renamed(plan, members)) {
            self.last_plan = Some(renamed);
            self.places = Places::of(members);
        }
    }
}
