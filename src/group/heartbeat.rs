//! Heartbeat: a sign of life, and with it what a divvy member could run by now.

use crate::ids::MemberId;
use crate::time::Timestamp;
use crate::wire::ErrorCode;

use super::effects::Reply;
use super::event::{HeartbeatRequest, Ticket};
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
        self.renew(&request.member, step.now.mono);
        if has_news && matches!(self.state, State::Stable(_)) {
            match self.better_at_hand(step.now.wall) {
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

    /// A sign of life: the member's session begins anew.
    pub(super) fn renew(&mut self, id: &MemberId, now: Timestamp) {
        let Some(member) = self.roster.members.get_mut(id) else { return };
        member.renew(now);
        let expires = member.expires;
        self.session_ends(expires);
    }
}
