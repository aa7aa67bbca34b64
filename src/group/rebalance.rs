//! Phase 1 as a whole: how a rebalance begins, when the join phase ends, and what the new generation is.

use std::time::Duration;

use crate::ids::MemberId;
use crate::time::Timestamp;
use crate::wire::ErrorCode;

use super::effects::{JoinExtras, JoinReply, JoinedMember, Reply};
use super::history::GenerationOutcome;
use super::persist::reserve_ahead;
use super::places::Places;
use super::roster::{Member, Parked};
use super::state::{AwaitingSync, InitialDelay, Joining, State, Submission};
use super::trigger::Trigger;
use super::vote::Offers;
use super::{Fact, Group, Record, Step};

impl Group {
    /// Opens the join phase, unless it is open. What waited for the old generation's states is told to join again.
    pub(super) fn rebalance(&mut self, trigger: Trigger, step: &mut Step) {
        if matches!(self.state, State::Joining(_)) {
            return self.try_complete(step);
        }
        if self.puts_off(&trigger, step) {
            return;
        }
        let first = matches!(self.state, State::Empty);
        let phase = self.roster.rebalance_timeout();
        let delay = self.limits.initial_rebalance_delay;
        let deadline = step.now.mono + if first { delay } else { phase };
        let initial = first.then(|| InitialDelay { remaining: phase.saturating_sub(delay), newcomer: false });
        self.release_syncs(ErrorCode::RebalanceInProgress, None, step);
        if matches!(&self.state, State::AwaitingSync(it) if matches!(it.submission, Some(Submission::Storing(..)))) {
            self.history.withdrawn(self.generation);
        }
        self.history.began(step.now);
        step.fact(Fact::RebalanceBegan(trigger.clone()));
        self.last_trigger = Some(trigger.clone());
        self.set_state(State::Joining(Joining { deadline, initial, trigger }), step);
        self.release_beats(ErrorCode::RebalanceInProgress, step);
        self.wake_by(deadline);
        self.try_complete(step);
    }

    /// Ends the join phase if nothing is left to wait for. Every removal and every arrival asks this anew.
    pub(super) fn try_complete(&mut self, step: &mut Step) {
        let State::Joining(joining) = &self.state else { return };
        if self.roster.members.is_empty() {
            if self.roster.pending.is_empty() || joining.initial.is_none() {
                self.become_empty(step);
            }
            return;
        }
        if joining.initial.is_some() || !self.roster.all_joined() {
            return;
        }
        let now = step.now.mono;
        if self.hold_until > now && self.something_else_would_run(step.now.wall) {
            self.hold_until = now;
        }
        let held_by_id = self.roster.pending.held_until();
        let until = held_by_id.unwrap_or_default().max(self.hold_until);
        if until > now {
            return self.wake_by(until);
        }
        self.complete(step);
    }

    /// The join phase has lasted long enough: the first one may be extended for newcomers, any other ends without those
    /// who did not come.
    pub(super) fn join_deadline(&mut self, step: &mut Step) {
        let now = step.now.mono;
        let delay = self.limits.initial_rebalance_delay;
        let State::Joining(joining) = &mut self.state else { return };
        if let Some(initial) = &mut joining.initial
            && initial.newcomer
            && !initial.remaining.is_zero()
        {
            let next = delay.min(initial.remaining);
            initial.remaining = initial.remaining.saturating_sub(delay);
            initial.newcomer = false;
            joining.deadline = now + next;
            let deadline = joining.deadline;
            return self.wake_by(deadline);
        }
        if self.hold_until > now && !self.something_else_would_run(step.now.wall) {
            let until = self.hold_until;
            if let State::Joining(joining) = &mut self.state {
                joining.deadline = until;
            }
            return self.wake_by(until);
        }
        self.drop_absent(step);
        if self.roster.members.is_empty() {
            self.become_empty(step);
        } else if self.roster.members.values().any(Member::has_joined) {
            self.complete(step);
        } else {
            self.await_static_members(step);
        }
    }

    /// Those who did not come in time are out. Static members keep their place until their session ends (KIP-345), unless
    /// the group is too large.
    fn drop_absent(&mut self, step: &mut Step) {
        let absent = self.roster.members.iter().filter(|(_, member)| !member.has_joined());
        let (mut out, away): (Vec<MemberId>, Vec<MemberId>) = {
            let (keeping, out): (Vec<_>, Vec<_>) = absent.partition(|(_, member)| member.is_static());
            let ids = |of: Vec<(&MemberId, &Member)>| of.into_iter().map(|(id, _)| id.clone()).collect();
            (ids(out), ids(keeping))
        };
        let staying = self.roster.members.len() - out.len();
        out.extend(away.into_iter().take(staying.saturating_sub(self.limits.max_size)));
        for id in out {
            self.drop_member(&id, "did not join in time", ErrorCode::UnknownMemberId, step);
        }
    }

    /// Nobody came, and all who are left are static: they have until their sessions end.
    fn await_static_members(&mut self, step: &mut Step) {
        let next = step.now.mono + self.roster.rebalance_timeout();
        if let State::Joining(joining) = &mut self.state {
            joining.deadline = next;
            // Whoever comes now is not kept waiting for more.
            joining.initial = None;
        }
        self.wake_by(next);
    }

    /// A new generation: its protocol, its leader, and an answer to everybody.
    fn complete(&mut self, step: &mut Step) {
        let State::Joining(joining) = &self.state else { return };
        let trigger = joining.trigger.clone();
        if !matches!(trigger, Trigger::Suspended(_)) {
            self.judged_at = step.now.wall;
        }
        let protocol = self.vote(Offers::AsJoined, None, self.judged_at);
        self.leader = self.choose_leader(protocol.as_ref(), step);
        self.begin_generation(step);
        self.protocol = protocol;
        self.roster.note_common(self.protocol.as_ref());
        step.fact(Fact::GenerationBegan {
            generation: self.generation,
            protocol: self.protocol.clone(),
            leader: self.leader.clone(),
            members: self.roster.members.len(),
            trigger,
        });
        self.remember_generation(GenerationOutcome::Awaited, step.now);
        self.report_differing_digests(step);
        let now = step.now.mono;
        let deadline = now + self.roster.rebalance_timeout();
        self.set_state(State::AwaitingSync(AwaitingSync { deadline, submission: None, outdated: None }), step);
        self.wake_by(deadline);
        let ids: Vec<MemberId> = self.roster.members.keys().cloned().collect();
        for id in ids {
            let parked = self.roster.park(&id, Parked::Nothing);
            let Some(member) = self.roster.members.get_mut(&id) else { continue };
            let Parked::Join(ticket) = parked else {
                // A static member that is away: it cannot ask for a state that it was not told of, and only its session says
                // how long its place is kept.
                member.synced = true;
                continue;
            };
            member.is_new = false;
            member.knows_id = true;
            member.synced = false;
            member.renew(now);
            let expires = member.expires;
            self.session_ends(expires);
            let reply = self.join_reply(&id);
            self.reply(ticket, Reply::Join(reply), step);
        }
        self.lead_generation(step);
    }

    /// Nobody is left. The group keeps its offsets, its suspensions and what its strategy remembers.
    fn become_empty(&mut self, step: &mut Step) {
        self.begin_generation(step);
        self.protocol = None;
        self.leader = None;
        self.failed_leader = None;
        self.failures_in_row = 0;
        (self.hold_until, self.failed_module) = (Timestamp::default(), None);
        self.set_state(State::Empty, step);
        self.remember_generation(GenerationOutcome::Empty, step.now);
        self.compare_plans(&[], step);
        self.places = Places::default();
        if let Some(plan) = &mut self.plan {
            plan.states.clear();
            plan.generation = self.generation;
            let plan = plan.clone();
            self.emit(Record::Plan(plan), step);
        }
        let header = self.header();
        self.emit(Record::Header(header), step);
        self.emit_history(step);
    }

    /// Counts on. A generation above the stored reservation is announced only behind a new reservation.
    fn begin_generation(&mut self, step: &mut Step) {
        let next = self.ledger.announced.next();
        if next > self.ledger.reserved {
            self.reserve(reserve_ahead(next), step);
        }
        self.ledger.announced = next;
        self.generation = next;
    }

    /// The answer to a member's JoinGroup in the present generation; the leader's carries everybody.
    pub(super) fn join_reply(&self, id: &MemberId) -> JoinReply {
        let leads = self.leader.as_ref() == Some(id);
        let is_divvy = self.roster.members.get(id).is_some_and(|member| member.modules.is_some());
        let everybody = self.roster.members.iter().map(|(id, member)| JoinedMember {
            id: id.clone(),
            instance: member.instance.clone(),
            metadata: self.protocol.as_ref().map(|protocol| member.metadata(protocol)).unwrap_or_default(),
        });
        let extras = || JoinExtras {
            settings: self.settings.clone(),
            suspended: self.suspended(self.judged_at),
            memo: self.plan.as_ref().filter(|_| leads).and_then(|plan| plan.memo.clone()).map(|memo| memo.0),
        };
        JoinReply {
            error: ErrorCode::None,
            generation: self.generation,
            protocol_type: self.protocol_type.clone(),
            protocol: self.protocol.clone(),
            leader: self.leader.clone().unwrap_or_default(),
            member: id.clone(),
            skip_assignment: false,
            members: if leads { everybody.collect() } else { Vec::new() },
            divvy: is_divvy.then(|| Box::new(extras())),
        }
    }

    /// How long the next join phase is held after leaders' errors: 1 s, 2 s, 4 s …, at most a third of the shortest
    /// rebalance timeout, so that a broken strategy can never cause a storm.
    pub(super) fn retry_hold(&self) -> Duration {
        let doublings = self.failures_in_row.saturating_sub(1).min(16);
        let shortest = self.roster.members.values().map(|member| member.rebalance_timeout).min().unwrap_or_default();
        (super::limits::FIRST_RETRY_HOLD * 2u32.pow(doublings)).min(shortest / 3)
    }
}
