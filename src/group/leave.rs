//! How members go: by LeaveGroup, by silence, by a connection that closed before the member knew its id.

use crate::ids::MemberId;
use crate::wire::ErrorCode;

use super::effects::{LeaveReply, Reply};
use super::event::{LeaveRequest, Leaver, Ticket};
use super::join::join_error;
use super::roster::Parked;
use super::trigger::Trigger;
use super::{Fact, Group, Step};

impl Group {
    /// Each entry has its own answer; the group rebalances once for all of them.
    pub(super) fn leave(&mut self, ticket: Ticket, request: LeaveRequest, step: &mut Step) {
        if self.keeps_generation() {
            let reply = Reply::Leave(LeaveReply { error: ErrorCode::None, members: Vec::new() });
            return Self::refuse_write(ticket, reply, step);
        }
        let mut left = None;
        let mut answers = Vec::with_capacity(request.members.len());
        for leaver in request.members {
            let error = match self.leaving(&leaver) {
                Ok(Some(id)) => {
                    self.drop_member(&id, "left", ErrorCode::UnknownMemberId, step);
                    left = Some(id);
                    ErrorCode::None
                }
                Ok(None) => ErrorCode::None,
                Err(error) => error,
            };
            answers.push((leaver.member, leaver.instance, error));
        }
        match left {
            Some(id) => self.rebalance(Trigger::MemberLeft(id), step),
            None => self.try_complete(step),
        }
        self.reply(ticket, Reply::Leave(LeaveReply { error: ErrorCode::None, members: answers }), step);
    }

    /// The member that an entry means; none if it was only an id that was given and not used. An administrator names a
    /// static member by its instance id alone.
    fn leaving(&mut self, leaver: &Leaver) -> Result<Option<MemberId>, ErrorCode> {
        let id = &leaver.member;
        if id.as_str().is_empty() {
            let holder = leaver.instance.as_ref().and_then(|instance| self.roster.holder(instance));
            return holder.cloned().map(Some).ok_or(ErrorCode::UnknownMemberId);
        }
        if self.roster.pending.remove(id).is_some() {
            return Ok(None);
        }
        self.recognise(id, leaver.instance.as_ref()).map(|()| Some(id.clone()))
    }

    /// Removes a member and answers what it had parked. The caller rebalances or re-tests the join phase.
    pub(super) fn drop_member(&mut self, id: &MemberId, why: &'static str, parked: ErrorCode, step: &mut Step) -> bool {
        let Some(member) = self.roster.remove(id) else { return false };
        step.fact(Fact::Removed { member: id.clone(), why });
        step.effects.replies.extend(member.waiting.map(|beat| beat.answer(parked)));
        match member.parked {
            Parked::Nothing => {}
            Parked::Join(ticket) => self.reply(ticket, join_error(parked, MemberId::default()), step),
            Parked::Sync(ticket) => {
                let reply = self.sync_error(parked, None);
                self.reply(ticket, Reply::Sync(reply), step);
            }
        }
        true
    }

    /// The connection of a request that waits is gone. A newcomer that was never told its id can never come back and is
    /// dropped at once; anybody else is judged by its session alone, which begins to count now.
    pub(super) fn closed(&mut self, ticket: Ticket, step: &mut Step) {
        if self.forget_held(ticket, step) {
            return;
        }
        let Some(id) = self.roster.waits_under(ticket).cloned() else { return };
        let Some(member) = self.roster.members.get(&id) else { return };
        if member.waiting.is_some_and(|beat| beat.ticket() == ticket) {
            self.roster.park_beat(&id, None);
            return;
        }
        self.roster.park(&id, Parked::Nothing);
        let Some(member) = self.roster.members.get_mut(&id) else { return };
        // What it took over from an earlier process is not lost with a connection: the next one asks for it by its instance id.
        if member.knows_id || member.replaces {
            member.is_new = false;
            return self.renew(&id, step.now.mono);
        }
        self.drop_member(&id, "disconnected before it knew its id", ErrorCode::UnknownMemberId, step);
        self.try_complete(step);
    }
}
