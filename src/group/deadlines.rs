//! Time. There are no timers that could be stale: a tick looks at what is due now, and [`Group::next_deadline`] says
//! when to look again.

use std::time::Duration;

use crate::ids::MemberId;
use crate::time::Timestamp;
use crate::wire::ErrorCode;

use super::roster::Member;
use super::state::{Stable, State};
use super::trigger::Trigger;
use super::{Group, Step};

impl Group {
    pub(super) fn tick(&mut self, step: &mut Step) {
        self.begin_owed(step);
        self.end_waits(step);
        self.give_up_on_store(step);
        self.expire_pending_ids(step);
        self.look_at_sessions(step);
        self.phase_deadline(step);
        self.led_deadlines(step);
        self.wake = self.earliest_deadline();
    }

    /// Moves every session's end: the coordinator itself was late, and its lateness is not the members' silence.
    pub fn forgive(&mut self, lateness: Duration) {
        self.roster.members.values_mut().for_each(|member| member.expires = member.expires + lateness);
    }

    fn expire_pending_ids(&mut self, step: &mut Step) {
        self.roster.pending.expire(step.now.mono);
    }

    /// Sessions are looked at when the first may have ended, not at each of the many ticks of other things.
    fn look_at_sessions(&mut self, step: &mut Step) {
        if self.roster.sessions_end().is_some_and(|at| at <= step.now.mono) {
            self.expire_sessions(step);
            self.roster.find_sessions_end();
        }
    }

    fn expire_sessions(&mut self, step: &mut Step) {
        let now = step.now.mono;
        let silent = self.roster.members.iter().filter(|(_, member)| member.can_expire() && member.expires <= now);
        let silent: Vec<MemberId> = silent.map(|(id, _)| id.clone()).collect();
        if silent.is_empty() {
            return;
        }
        if self.keeps_generation() {
            return self.keep_silent(&silent, now);
        }
        let (owed, silent): (Vec<_>, Vec<_>) = silent.into_iter().partition(|id| self.store_owes_answer(id));
        owed.iter().for_each(|id| self.renew(id, now));
        for id in &silent {
            self.drop_member(id, "session expired", ErrorCode::UnknownMemberId, step);
        }
        if let Some(id) = silent.into_iter().next() {
            self.rebalance(Trigger::SessionExpired(id), step);
        }
    }

    /// The end of a phase, or the end of a hold within it.
    fn phase_deadline(&mut self, step: &mut Step) {
        let now = step.now.mono;
        let is_up_to_store = self.is_up_to_store();
        match &self.state {
            State::Empty => {}
            State::Joining(joining) if joining.deadline <= now && !is_up_to_store => self.join_deadline(step),
            State::Joining(_) => self.try_complete(step),
            State::Stable(_) if self.is_over_size() => self.rebalance(Trigger::OverSize, step),
            State::AwaitingSync(_) | State::Stable(_) if is_up_to_store => {}
            State::AwaitingSync(awaiting) if awaiting.deadline <= now => self.sync_deadline(step),
            State::Stable(stable) if stable.sync_deadline.is_some_and(|at| at <= now) => self.sync_deadline(step),
            State::AwaitingSync(_) | State::Stable(_) => {}
        }
    }

    /// Members that were told their generation and never asked for their state are removed, heartbeats or not
    /// (KAFKA-12890).
    fn sync_deadline(&mut self, step: &mut Step) {
        if self.keeps_generation() {
            return self.keep_unsynced(self.roster.rebalance_timeout(), step.now.mono);
        }
        let late = self.roster.members.iter().filter(|(id, member)| !member.synced && !self.store_owes_answer(id));
        let late: Vec<MemberId> = late.map(|(id, _)| id.clone()).collect();
        for id in &late {
            self.drop_member(id, "did not sync in time", ErrorCode::UnknownMemberId, step);
        }
        match late.into_iter().next() {
            Some(id) => self.rebalance(Trigger::SyncExpired(id), step),
            None => self.settle(),
        }
    }

    /// Until when the phase waits for members that have not done their part; none if it does not, or not for one alone.
    pub(super) fn waits_for_members_until(&self) -> Option<Timestamp> {
        match &self.state {
            State::Joining(joining) => joining.initial.is_none().then_some(joining.deadline),
            State::AwaitingSync(awaiting) => Some(awaiting.deadline),
            State::Stable(stable) => stable.sync_deadline,
            State::Empty => None,
        }
    }

    /// Whether a member has its part of the phase to do yet.
    pub(super) fn is_awaited(&self, id: &MemberId) -> bool {
        let joins = matches!(self.state, State::Joining(_));
        self.roster.members.get(id).is_some_and(|it| if joins { !it.has_joined() } else { !it.synced })
    }

    /// Whether the phase waits only for members that the store keeps from knowing their places: their time runs when it has
    /// told them. One that is missed in a join phase is reason enough, as all are answered together.
    fn is_up_to_store(&self) -> bool {
        if !self.ledger.held.owes_joins() || self.waits_for_members_until().is_none() {
            return false;
        }
        let mut missed = self.roster.members.iter().filter(|(id, it)| self.is_awaited(id) && !self.is_away(it));
        match self.state {
            State::Joining(_) => missed.any(|(id, _)| self.store_owes_answer(id)),
            _ => missed.all(|(id, _)| self.store_owes_answer(id)),
        }
    }

    /// Whether nobody waits for that member to join: its place is kept (KIP-345).
    fn is_away(&self, member: &Member) -> bool {
        matches!(self.state, State::Joining(_)) && member.is_static()
    }

    /// The phase waits until then at least.
    pub(super) fn wait_for_members_until(&mut self, at: Timestamp) {
        let deadline = match &mut self.state {
            State::Joining(joining) if joining.initial.is_none() => &mut joining.deadline,
            State::AwaitingSync(awaiting) => &mut awaiting.deadline,
            State::Stable(Stable { sync_deadline: Some(deadline) }) => deadline,
            State::Empty | State::Joining(_) | State::Stable(_) => return,
        };
        *deadline = at.max(*deadline);
        let deadline = *deadline;
        self.wake_by(deadline);
    }

    /// The next moment at which a tick may do something: exact but for sessions, which may have been renewed since.
    pub(super) fn earliest_deadline(&self) -> Option<Timestamp> {
        let sessions = self.roster.sessions_end().into_iter();
        let ids = self.roster.pending.next_expiry();
        sessions
            .chain(ids)
            .chain(self.phase_ends())
            .chain(self.waits_end())
            .chain(self.led_ends())
            .chain(self.store_waits_end())
            .chain(self.owes_rebalance().then(Timestamp::default))
            .min()
    }

    fn phase_ends(&self) -> Option<Timestamp> {
        match &self.state {
            State::Empty => None,
            State::Stable(_) if self.is_over_size() => Some(Timestamp::default()),
            _ if self.is_up_to_store() => None,
            State::Joining(joining) => {
                let holds = self.roster.pending.held_until();
                let released = holds.unwrap_or_default().max(self.hold_until);
                let completes = joining.initial.is_none() && self.roster.all_joined();
                Some(if completes { joining.deadline.min(released) } else { joining.deadline })
            }
            State::AwaitingSync(awaiting) => self.unsynced().then_some(awaiting.deadline),
            State::Stable(stable) => stable.sync_deadline,
        }
    }

    /// A group with more members than it may have by now is looked at with the next tick.
    pub(super) fn wake_if_over_size(&mut self) {
        if matches!(self.state, State::Stable(_)) && self.is_over_size() {
            self.wake_by(Timestamp::default());
        }
    }

    /// Whether the group was read with more members than it may have by now: it sheds some in a rebalance (KAFKA-7641).
    pub(super) fn is_over_size(&self) -> bool {
        self.roster.members.len() > self.limits.max_size && !self.store_refuses()
    }

    fn unsynced(&self) -> bool {
        self.roster.members.values().any(|member| !member.synced)
    }
}
