//! Heartbeats that wait: a divvy member asks on a connection of its own to be told the moment that something happens, so
//! that a hand-over need not wait for its next heartbeat. At most one of a member waits, and only while a generation goes
//! on: a rebalance ends the wait with 27, a removal with 25, its time with 0. It is a sign of life when it arrives and
//! when it is answered. As every heartbeat's, its answer rests on nothing that has to be durable.

use std::time::Duration;

use crate::ids::MemberId;
use crate::time::Timestamp;
use crate::wire::ErrorCode;

use super::effects::Reply;
use super::event::Ticket;
use super::limits::{HEARTBEAT_WAITS_PER_SESSION, LONGEST_HEARTBEAT_WAIT};
use super::{Group, Step};

/// A heartbeat that waits for its answer.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct WaitingBeat {
    ticket: Ticket,
    pub until: Timestamp,
}

impl Group {
    /// Lets a member's heartbeat wait. One of it that waits already has its answer now: nothing has happened.
    pub(super) fn hold_beat(&mut self, id: &MemberId, ticket: Ticket, wait: Duration, step: &mut Step) {
        let Some(member) = self.roster.members.get(id) else { return };
        let most = (member.session_timeout / HEARTBEAT_WAITS_PER_SESSION).min(LONGEST_HEARTBEAT_WAIT);
        let until = step.now.mono + wait.min(most);
        let before = self.roster.park_beat(id, Some(WaitingBeat { ticket, until }));
        step.effects.replies.extend(before.map(|beat| beat.answer(ErrorCode::None)));
        self.wake_by(until);
    }

    /// Answers every heartbeat that waits.
    pub(super) fn release_beats(&mut self, error: ErrorCode, step: &mut Step) {
        self.release_beats_due(Timestamp(u64::MAX), error, step);
    }

    /// Answers those whose time is over.
    pub(super) fn end_waits(&mut self, step: &mut Step) {
        self.release_beats_due(step.now.mono, ErrorCode::None, step);
    }

    fn release_beats_due(&mut self, by: Timestamp, error: ErrorCode, step: &mut Step) {
        while self.roster.waits.first().is_some_and(|(until, _)| *until <= by) {
            let Some((_, id)) = self.roster.waits.pop_first() else { return };
            self.renew(&id, step.now.mono);
            step.effects.replies.extend(self.roster.park_beat(&id, None).map(|beat| beat.answer(error)));
        }
    }

    /// When the first of them has its answer at the latest.
    pub(super) fn waits_end(&self) -> Option<Timestamp> {
        self.roster.waits.first().map(|(until, _)| *until)
    }
}

impl WaitingBeat {
    /// Under which it is answered.
    pub fn ticket(self) -> Ticket {
        self.ticket
    }

    /// Its answer.
    pub fn answer(self, error: ErrorCode) -> (Ticket, Reply) {
        (self.ticket, Reply::Heartbeat(error))
    }
}
