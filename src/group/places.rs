//! Whose the states of the last plan are by now. A process that comes back under its instance id has the place of the one
//! before it (KIP-345), and another member id; where the group plans anew for it, the last plan still names the old one.

use std::collections::BTreeMap;

use crate::ids::{InstanceId, MemberId};

use super::Group;
use super::record::State;
use super::roster::Roster;

/// The instance ids of the static members that the last plan names.
#[derive(Debug, Default)]
pub(super) struct Places(BTreeMap<MemberId, InstanceId>);

impl Places {
    /// Of a plan for everybody who is in the group.
    pub(super) fn of(roster: &Roster) -> Self {
        let of_static = |(id, instance): (&MemberId, Option<&InstanceId>)| Some((id.clone(), instance?.clone()));
        Self(roster.members.iter().map(|(id, member)| (id, member.instance.as_ref())).filter_map(of_static).collect())
    }

    /// The plan names another id for the same place.
    pub(super) fn rename(&mut self, old: &MemberId, new: &MemberId) {
        if let Some(instance) = self.0.remove(old) {
            self.0.insert(new.clone(), instance);
        }
    }

    /// The id that a member of the plan has now: its own, unless another process has come back to its place.
    pub(super) fn present<'a>(&self, planned: &'a MemberId, roster: &'a Roster) -> &'a MemberId {
        self.0.get(planned).and_then(|instance| roster.holder(instance)).unwrap_or(planned)
    }
}

impl Group {
    /// The states of the last plan, each with the id of whoever has its place now.
    pub(super) fn last_states(&self) -> impl Iterator<Item = (&MemberId, &State)> {
        let states = self.plan.iter().flat_map(|plan| &plan.states);
        states.map(|(id, state)| (self.places.present(id, &self.roster), state))
    }
}
