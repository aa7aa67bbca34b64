//! Heartbeat: a sign of life, and with it what a divvy member could run by now. That is not stored: a heartbeat rests on
//! nothing durable. Members say it again on every new connection, and until each has, nothing is rolled out on the strength
//! of what they joined with.

use std::collections::BTreeMap;

use crate::ids::MemberId;
use crate::time::Timestamp;
use crate::wire::ErrorCode;

use super::effects::Reply;
use super::event::{HeartbeatRequest, ModuleOffer, Ticket};
use super::state::State;
use super::{Group, Step};

impl Group {
    /// Answered at once unless it wants to wait, whatever the store does: it rests on nothing that has to be durable.
    pub(super) fn heartbeat(&mut self, ticket: Ticket, request: HeartbeatRequest, step: &mut Step) {
        let waits = request.wait.map(|wait| (request.member.clone(), wait));
        let error = match self.validate(&request.member, request.instance.as_ref(), request.generation) {
            Ok(()) => self.alive(request, step),
            Err(error) => error,
        };
        match waits {
            Some((id, wait)) if error == ErrorCode::None => self.hold_beat(&id, ticket, wait, step),
            _ => step.effects.replies.push((ticket, Reply::Heartbeat(error))),
        }
    }

    fn alive(&mut self, request: HeartbeatRequest, step: &mut Step) -> ErrorCode {
        let Some(member) = self.roster.members.get_mut(&request.member) else { return ErrorCode::UnknownMemberId };
        let news = request
            .modules
            .filter(|modules| member.modules.is_some() && member.present_modules() != modules.as_slice());
        let has_news = news.is_some();
        if has_news {
            member.announced = news;
        }
        // One that waits goes over a connection of its own, and may overtake the one that tells.
        let is_first = request.wait.is_none() && std::mem::take(&mut member.unheard);
        self.renew(&request.member, step.now.mono);
        let all_known = is_first && !self.awaits_word();
        if (has_news || all_known) && matches!(self.state, State::Stable(_)) {
            match self.better_at_hand() {
                Some(trigger) => self.rebalance(trigger, step),
                None => self.report_differing_digests(step),
            }
        }
        match self.state {
            State::Joining(_) => ErrorCode::RebalanceInProgress,
            State::AwaitingSync(_) | State::Stable(_) => ErrorCode::None,
            State::Empty => ErrorCode::UnknownMemberId,
        }
    }

    /// Whether a member that was read from the store has not said yet what it can run.
    pub(super) fn awaits_word(&self) -> bool {
        self.roster.members.values().any(|member| member.unheard)
    }

    /// What the members last said that they can run, for whoever forgets the group and reads it anew.
    pub fn said(&self) -> BTreeMap<MemberId, Vec<ModuleOffer>> {
        let divvys = self.roster.members.iter().filter(|(_, member)| member.modules.is_some());
        divvys.map(|(id, member)| (id.clone(), member.present_modules().to_vec())).collect()
    }

    /// Tells a group that was read anew what its members said before: they keep their connections, and do not say it again.
    pub fn recall(&mut self, mut said: BTreeMap<MemberId, Vec<ModuleOffer>>) {
        for (id, member) in &mut self.roster.members {
            let said = said.remove(id).filter(|said| member.modules.as_ref().is_some_and(|joined| joined != said));
            member.announced = said.or(member.announced.take());
        }
    }

    /// A sign of life: the member's session begins anew.
    pub(super) fn renew(&mut self, id: &MemberId, now: Timestamp) {
        let Some(member) = self.roster.members.get_mut(id) else { return };
        member.renew(now);
        let expires = member.expires;
        self.session_ends(expires);
    }
}
