//! While the store is known to refuse what is written (a full disk), no generation is given up for one that could not be
//! stored: members keep their work and their heartbeats, newcomers are told to come back, and what would have been a reason
//! to rebalance is one when the store takes writes again.

use std::time::Duration;

use crate::ids::MemberId;
use crate::time::Timestamp;
use crate::wire::ErrorCode;

use super::event::{JoinRequest, Ticket};
use super::join::{join_error, leaders_cause};
use super::state::{Stable, State};
use super::trigger::Trigger;
use super::{Fact, Group, Step};

/// What the store's refusal means for a group.
#[derive(Debug, Default)]
pub(super) struct Refusing {
    /// Whether the store refuses.
    refuses: bool,
    /// The rebalance that waits until it does not.
    owed: Option<Trigger>,
}

impl Group {
    /// The store refuses what is written, or takes it again.
    pub fn set_store_refuses(&mut self, refuses: bool) {
        self.refusing.refuses = refuses;
        if self.owes_rebalance() {
            self.wake_by(Timestamp::default());
        }
        self.wake_if_over_size();
    }

    /// The rebalance that waits for the store, for whoever forgets the group and reads it anew.
    pub fn owed(&self) -> Option<&Trigger> {
        self.refusing.owed.as_ref()
    }

    /// Lets one wait for the store. What was owed before is as good a reason.
    pub fn owe(&mut self, trigger: Trigger) {
        self.refusing.owed.get_or_insert(trigger);
        if self.owes_rebalance() {
            self.wake_by(Timestamp::default());
        }
    }

    pub(super) fn store_refuses(&self) -> bool {
        self.refusing.refuses
    }

    /// Whether there is a generation that is kept because the next one could not be stored.
    pub(super) fn keeps_generation(&self) -> bool {
        self.refusing.refuses && matches!(self.state, State::Stable(_))
    }

    /// Whether a rebalance that waited for the store may begin.
    pub(super) fn owes_rebalance(&self) -> bool {
        !self.refusing.refuses && self.refusing.owed.is_some() && matches!(self.state, State::Stable(_))
    }

    pub(super) fn begin_owed(&mut self, step: &mut Step) {
        if self.owes_rebalance()
            && let Some(trigger) = self.refusing.owed.take()
        {
            self.rebalance(trigger, step);
        }
    }

    /// Puts a rebalance off, if the generation is kept. One that begins is one for all that was put off before.
    pub(super) fn puts_off(&mut self, trigger: &Trigger, step: &mut Step) -> bool {
        if !self.keeps_generation() {
            self.refusing.owed = None;
            return false;
        }
        if self.refusing.owed.is_none() {
            step.fact(Fact::RebalancePutOff(trigger.clone()));
            self.refusing.owed = Some(trigger.clone());
        }
        true
    }

    /// A newcomer would be a rebalance, and so would a new process of a static member be something to store.
    pub(super) fn turn_away_newcomer(&mut self, ticket: Ticket, request: JoinRequest, step: &mut Step) {
        let (error, reason) = (ErrorCode::CoordinatorNotAvailable, "the store refuses writes".to_owned());
        step.fact(Fact::Refused { api: "JoinGroup", client_id: request.client_id, error, reason });
        Self::refuse_write(ticket, join_error(error, request.member), step);
    }

    /// A member joins again. If it says what it said before, it is told its place once more, and if it leads, its word counts
    /// later; otherwise it has to come back.
    pub(super) fn rejoin_kept(&mut self, ticket: Ticket, request: JoinRequest, step: &mut Step) {
        let id = request.member.clone();
        let same = self.roster.members.get(&id).is_some_and(|member| member.says_the_same(&request));
        if !same {
            self.renew(&id, step.now.mono);
            return self.turn_away_newcomer(ticket, request, step);
        }
        if self.leader.as_ref() == Some(&id) {
            self.puts_off(&leaders_cause(&request), step);
        }
        self.answer_again(ticket, &id, step);
    }

    /// Nobody is removed: their sessions begin anew, and whoever is gone is found out when the store takes writes.
    pub(super) fn keep_silent(&mut self, silent: &[MemberId], now: Timestamp) {
        silent.iter().for_each(|id| self.renew(id, now));
    }

    /// Those who never asked for their state have so much longer.
    pub(super) fn keep_unsynced(&mut self, longer: Duration, now: Timestamp) {
        if let State::Stable(Stable { sync_deadline: Some(deadline) }) = &mut self.state {
            *deadline = now + longer;
        }
    }
}
