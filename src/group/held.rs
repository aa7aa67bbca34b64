//! Answers that wait for the store. None waits for longer than `offsets.commit.timeout.ms`: then it goes out as a failure
//! that says "outcome unknown, find the coordinator again" (15). That gives nothing up: the records stay on their way, and
//! nobody was told that they are durable.

use std::collections::BTreeMap;
use std::time::Duration;

use crate::ids::MemberId;
use crate::time::Timestamp;
use crate::wire::ErrorCode;

use super::effects::Reply;
use super::event::{Seq, Ticket};
use super::limits::MAX_UNSTORED_RECORDS;
use super::persist::failed;
use super::roster::Parked;
use super::state::{State, Submission};
use super::{Group, Step};

/// What whoever waits for the store in vain is told.
const GIVEN_UP: ErrorCode = ErrorCode::CoordinatorNotAvailable;

/// Answers in the order in which they will go out: that of their records, which is that of their coming.
#[derive(Debug, Default)]
pub(super) struct Held {
    answers: BTreeMap<u64, HeldAnswer>,
    came: u64,
    /// The place of each ticket's.
    places: BTreeMap<Ticket, u64>,
    /// How many of them tell each member its place.
    joins: BTreeMap<MemberId, u32>,
}

/// One of them.
#[derive(Debug)]
struct HeldAnswer {
    /// The record that it waits for.
    seq: Seq,
    /// When it has waited for too long.
    until: Timestamp,
    /// What was left to the member that it tells its place when it was made: until then the group waits for that member.
    left: Option<Duration>,
    ticket: Ticket,
    reply: Reply,
}

impl Held {
    fn push(&mut self, answer: HeldAnswer) {
        self.came += 1;
        self.places.insert(answer.ticket, self.came);
        if let Some(id) = told_of_place(&answer.reply) {
            *self.joins.entry(id.clone()).or_default() += 1;
        }
        self.answers.insert(self.came, answer);
    }

    fn take(&mut self, place: u64) -> Option<HeldAnswer> {
        let taken = self.answers.remove(&place)?;
        self.places.remove(&taken.ticket);
        if let Some(id) = told_of_place(&taken.reply)
            && let Some(count) = self.joins.get_mut(id)
        {
            *count -= 1;
            if *count == 0 {
                self.joins.remove(id);
            }
        }
        if self.answers.is_empty() {
            // Mostly there is none, and the maps of most groups would keep their memory for the next ones.
            *self = Self { came: self.came, ..Self::default() };
        }
        Some(taken)
    }

    fn take_first_if(&mut self, is_due: impl Fn(&HeldAnswer) -> bool) -> Option<HeldAnswer> {
        let place = self.answers.first_key_value().filter(|(_, answer)| is_due(answer)).map(|(place, _)| *place);
        self.take(place?)
    }

    /// The first, if everything up to its record is durable.
    fn take_stored(&mut self, upto: Seq) -> Option<HeldAnswer> {
        self.take_first_if(|answer| answer.seq <= upto)
    }

    /// All.
    pub fn take_all(&mut self) -> impl Iterator<Item = (Ticket, Reply)> {
        std::mem::take(&mut self.answers).into_values().map(|answer| (answer.ticket, answer.reply))
    }

    pub fn is_empty(&self) -> bool {
        self.answers.is_empty()
    }

    /// Whether each is found by its ticket, and waits for something that is not durable.
    pub fn fits(&self, stored: Seq) -> bool {
        self.places.len() == self.answers.len()
            && self.answers.iter().all(|(at, it)| it.seq > stored && self.places.get(&it.ticket) == Some(at))
    }

    /// Whether anybody's place is among them.
    pub fn owes_joins(&self) -> bool {
        !self.joins.is_empty()
    }

    fn owes_join(&self, id: &MemberId) -> bool {
        self.joins.contains_key(id)
    }

    /// When the first has waited for too long.
    pub fn first_ends(&self) -> Option<Timestamp> {
        self.answers.first_key_value().map(|(_, answer)| answer.until)
    }
}

/// The member that an answer tells its place in a generation.
pub(super) fn told_of_place(reply: &Reply) -> Option<&MemberId> {
    match reply {
        Reply::Join(join) if !join.error.is_error() => Some(&join.member),
        _ => None,
    }
}

impl Group {
    /// Holds an answer until all is durable that was handed to the store so far, or until its time is over.
    pub(super) fn hold_back(&mut self, ticket: Ticket, reply: Reply, now: Timestamp) {
        let until = now + self.limits.offsets_commit_timeout;
        let left = told_of_place(&reply).and(self.waits_for_members_until()).map(|at| at - now);
        self.ledger.held.push(HeldAnswer { seq: self.ledger.emitted, until, left, ticket, reply });
        self.wake_by(until);
    }

    /// Sends what is durable by now.
    pub(super) fn send_stored(&mut self, step: &mut Step) {
        while let Some(answer) = self.ledger.held.take_stored(self.ledger.stored) {
            self.let_time_run(&answer, step.now.mono);
            step.effects.replies.push((answer.ticket, answer.reply));
        }
    }

    /// No time of a member's runs while its answer waits for the store: it has from here on what it had then.
    fn let_time_run(&mut self, answer: &HeldAnswer, now: Timestamp) {
        let Some(id) = told_of_place(&answer.reply) else { return };
        self.renew(id, now);
        if self.is_awaited(id) {
            self.wait_for_members_until(now + answer.left.unwrap_or_else(|| self.roster.rebalance_timeout()));
        }
    }

    /// Whether a member's answer to JoinGroup waits for the store. No client says that it is alive while it waits for
    /// that, so until it has it the store's lateness would count as its silence.
    pub(super) fn store_owes_answer(&self, id: &MemberId) -> bool {
        self.ledger.held.owes_join(id)
    }

    /// The connection that a held answer would go to is gone. Says whether there was one. A member whose answer to
    /// JoinGroup it was is judged by its session from here on.
    pub(super) fn forget_held(&mut self, ticket: Ticket, step: &Step) -> bool {
        let Some(place) = self.ledger.held.places.get(&ticket).copied() else { return false };
        if let Some(dropped) = self.ledger.held.take(place) {
            self.let_time_run(&dropped, step.now.mono);
        }
        true
    }

    /// Answers those whose time is over, and those whose plan is not durable in time: that is handed out later, to those
    /// who ask again.
    pub(super) fn give_up_on_store(&mut self, step: &mut Step) {
        let now = step.now.mono;
        while let Some(answer) = self.ledger.held.take_first_if(|answer| answer.until <= now) {
            self.let_time_run(&answer, now);
            step.effects.replies.push((answer.ticket, failed(answer.reply, GIVEN_UP)));
        }
        if self.plan_stored_by().is_some_and(|until| until <= now) {
            let ids: Vec<MemberId> = self.roster.members.keys().cloned().collect();
            for id in ids {
                if let Some(ticket) = self.unpark_sync(&id, now) {
                    step.effects.replies.push((ticket, Reply::Sync(self.sync_error(GIVEN_UP, None))));
                }
            }
        }
    }

    /// Somebody waits for a plan: if that is on its way to the store, for so long at most.
    pub(super) fn await_plan_stored(&mut self, now: Timestamp) {
        let late = now + self.limits.offsets_commit_timeout;
        if let State::AwaitingSync(awaiting) = &mut self.state
            && let Some(Submission::Storing(_, until)) = &mut awaiting.submission
        {
            if *until <= now {
                *until = late;
            }
            let until = *until;
            self.wake_by(until);
        }
    }

    /// Until when the plan that is on its way to the store has to be durable, as somebody waits for it.
    fn plan_stored_by(&self) -> Option<Timestamp> {
        let State::AwaitingSync(awaiting) = &self.state else { return None };
        let Some(Submission::Storing(_, until)) = awaiting.submission else { return None };
        let waits = self.roster.members.values().any(|member| matches!(member.parked, Parked::Sync(_)));
        waits.then_some(until)
    }

    /// When somebody has waited too long for the store.
    pub(super) fn store_waits_end(&self) -> Option<Timestamp> {
        self.ledger.held.first_ends().into_iter().chain(self.plan_stored_by()).min()
    }

    /// Whether so much waits for the store that nothing more is taken on.
    pub(super) fn is_store_behind(&self) -> bool {
        self.ledger.emitted.0 - self.ledger.stored.0 >= MAX_UNSTORED_RECORDS
    }

    /// Refuses a write that nothing was done for; so its answer waits for nothing.
    pub(super) fn refuse_write(ticket: Ticket, reply: Reply, step: &mut Step) {
        step.effects.replies.push((ticket, failed(reply, GIVEN_UP)));
    }
}
