//! SyncGroup, phase 2: the leader's plan comes in, is checked, becomes durable and is handed out.

use bytes::Bytes;

use crate::ids::{MemberId, Protocol};
use crate::time::Timestamp;
use crate::wire::ErrorCode;

use super::effects::{Reply, SyncReply};
use super::event::{Checked, Fault, LeaderResult, PlanOrigin, SyncRequest, Ticket, WorkId, WorkOutcome};
use super::history::GenerationOutcome;
use super::limits::MAX_MEMO_BYTES;
use super::places::Places;
use super::record::{PlanRecord, StandIn, State as MemberState};
use super::roster::Parked;
use super::settings::PlanCheck;
use super::state::{Stable, State, Submission, SubmittedPlan};
use super::suspend::{PASSED_OVER, cut};
use super::trigger::Trigger;
use super::{Fact, Group, Step};

impl Group {
    pub(super) fn sync(&mut self, ticket: Ticket, request: SyncRequest, step: &mut Step) {
        if let Err(error) = self.may_sync(&request) {
            let reply = self.sync_error(error, None);
            return self.reply(ticket, Reply::Sync(reply), step);
        }
        let id = request.member;
        self.supersede(&id, step);
        let Some(member) = self.roster.members.get_mut(&id) else { return };
        member.synced = true;
        match &self.state {
            State::AwaitingSync(_) => {
                self.roster.park(&id, Parked::Sync(ticket));
                if self.leader.as_ref() == Some(&id) {
                    self.leaders_result(request.result, step);
                }
                self.await_plan_stored(step.now.mono);
            }
            State::Stable(_) => {
                let reply = Reply::Sync(self.sync_reply(&id));
                self.reply(ticket, reply, step);
                self.settle();
            }
            State::Empty | State::Joining(_) => {}
        }
    }

    fn may_sync(&mut self, request: &SyncRequest) -> Result<(), ErrorCode> {
        self.validate(&request.member, request.instance.as_ref(), request.generation)?;
        let differs = |sent: Option<&str>, is: Option<&str>| sent.zip(is).is_some_and(|(sent, is)| sent != is);
        let name = |protocol: &Option<Protocol>| protocol.as_ref().map(|it| it.as_str().to_owned());
        let kind_differs =
            differs(request.protocol_type.as_ref().map(AsRef::as_ref), self.protocol_type.as_ref().map(AsRef::as_ref));
        if kind_differs || differs(name(&request.protocol).as_deref(), name(&self.protocol).as_deref()) {
            return Err(ErrorCode::InconsistentGroupProtocol);
        }
        match self.state {
            State::Joining(_) => Err(ErrorCode::RebalanceInProgress),
            State::Empty => Err(ErrorCode::UnknownMemberId),
            State::AwaitingSync(_) | State::Stable(_) => Ok(()),
        }
    }

    /// What the leader brings. The first word counts: a leader that repeats itself only takes over its own place.
    fn leaders_result(&mut self, result: LeaderResult, step: &mut Step) {
        let State::AwaitingSync(awaiting) = &self.state else { return };
        if awaiting.submission.is_some() {
            return;
        }
        match result {
            LeaderResult::Error(fault) => self.leader_failed(cut(fault), step),
            LeaderResult::Plan { states, origin } => {
                let states = states.into_iter().map(|(id, bytes)| (id, MemberState(bytes))).collect();
                self.submit(SubmittedPlan { states, origin, made: None }, step);
            }
        }
    }

    /// A divvy leader's plan is checked off the shard before it is handed out.
    fn submit(&mut self, plan: SubmittedPlan, step: &mut Step) {
        if plan.origin.is_none() {
            return self.submit_foreign(plan, step);
        }
        let Some(origin) = plan.origin.as_ref().filter(|_| self.settings.plan_check != PlanCheck::Off) else {
            return self.accept(plan, step);
        };
        if origin.settings_hash != self.settings.hash() {
            let message = "the plan was made with other group settings than the coordinator's".to_owned();
            let (protocol, digest) = (self.protocol.clone().unwrap_or_default(), origin.digest);
            return self.leader_failed(Fault { protocol, digest, kind: "settings".to_owned(), message }, step);
        }
        if origin.memo.as_ref().is_some_and(|memo| memo.len() > MAX_MEMO_BYTES) {
            return self.refuse(plan, format!("its memo is longer than {MAX_MEMO_BYTES} bytes"), step);
        }
        let Some(work) = self.start_check(&plan, step) else { return };
        if let State::AwaitingSync(awaiting) = &mut self.state {
            awaiting.submission = Some(Submission::Checking(work, Box::new(plan)));
        }
    }

    pub(super) fn work_done(&mut self, id: WorkId, outcome: WorkOutcome, step: &mut Step) {
        match outcome {
            WorkOutcome::PlanChecked(verdict) if self.questioned.as_ref().is_some_and(|it| it.work == id) => {
                self.question(verdict, step);
            }
            WorkOutcome::PlanChecked(verdict) => self.plan_checked(id, verdict, step),
            WorkOutcome::PlanMade(made) => self.plan_made(id, made, step),
            WorkOutcome::PlanReviewed(fingerprint) => self.plan_reviewed(id, fingerprint, step),
            WorkOutcome::PlansCompared(moved) => self.plans_compared(id, moved),
        }
    }

    fn plan_checked(&mut self, id: WorkId, verdict: Result<Checked, String>, step: &mut Step) {
        let State::AwaitingSync(awaiting) = &mut self.state else { return };
        let plan = match awaiting.submission.take() {
            Some(Submission::Checking(waiting, plan)) if waiting == id => *plan,
            other => {
                awaiting.submission = other;
                return;
            }
        };
        match verdict {
            Ok(checked) => {
                awaiting.outdated = checked.outdated;
                if plan.origin.is_some() {
                    step.fact(Fact::PlanChecked { generation: self.generation, by: checked.by });
                }
                self.accept(plan, step);
            }
            Err(reason) => self.refuse(plan, reason, step),
        }
    }

    /// A plan that breaks a rule: reported, and refused if the operator wants that.
    fn refuse(&mut self, plan: SubmittedPlan, reason: String, step: &mut Step) {
        let leader = self.leader.clone().unwrap_or_default();
        let (generation, is_divvy) = (self.generation, plan.origin.is_some());
        let origin = plan.origin.clone().unwrap_or_default();
        if is_divvy && self.settings.plan_check == PlanCheck::Warn {
            step.fact(Fact::PlanQuestioned { generation, leader, reason });
            let memo = origin.memo.filter(|memo| memo.len() <= MAX_MEMO_BYTES);
            return self.accept(SubmittedPlan { origin: Some(PlanOrigin { memo, ..origin }), ..plan }, step);
        }
        step.fact(Fact::PlanRefused { generation, leader, reason: reason.clone() });
        let protocol = self.protocol.clone().unwrap_or_default();
        let kind = "invalid_assignment".to_owned();
        self.leader_failed(cut(Fault { protocol, digest: origin.digest, kind, message: reason }), step);
    }

    /// The proposal: the generation is invalid and the error goes to the others. The module is passed over for a while,
    /// another leader is drawn, and the next try is held back.
    pub(super) fn leader_failed(&mut self, fault: Fault, step: &mut Step) {
        let leader = self.leader.clone().unwrap_or_default();
        let protocol = fault.protocol.clone();
        let reason = format!("{protocol} failed at {leader}: {}: {}", fault.kind, fault.message);
        step.fact(Fact::ModuleFailed { leader: leader.clone(), fault: fault.clone(), served: false });
        let to_blame = self.suspend(&fault, step);
        self.failed_module = to_blame.then_some((fault.protocol, fault.digest));
        self.failed_leader = Some(leader);
        self.failures_in_row = self.failures_in_row.saturating_add(1);
        self.hold_until = step.now.mono + self.retry_hold();
        self.history.ended(GenerationOutcome::Failed(reason.clone()));
        self.release_syncs(ErrorCode::RebalanceInProgress, Some(&reason), step);
        self.rebalance(Trigger::PlanFailed(protocol), step);
    }

    /// The plan is fine: it is stored, and handed out when it is durable.
    pub(super) fn accept(&mut self, plan: SubmittedPlan, step: &mut Step) {
        let is_foreign = plan.origin.is_none();
        let copies = plan.origin.as_ref().map_or(1, |origin| origin.copies);
        let origin = plan.origin.unwrap_or_default();
        let fault = origin.fault.map(cut);
        let made = plan.made.map(|made| (Some(made.fingerprint), made.call_again, made.served_by, made.chosen));
        let (fingerprint, call_again, served_by, chosen) = made.unwrap_or_default();
        let stand_in = fault.as_ref().map(|fault| StandIn {
            by: served_by.unwrap_or_else(|| "its leader's fall-back".to_owned()),
            reason: self.told_of(fault),
        });
        // What a strategy remembers outlives the plans that others make in its place.
        let stands_in = is_foreign || fault.is_some();
        let remembered = self.plan.as_ref().and_then(|plan| plan.memo.clone()).filter(|_| stands_in);
        // The roster's own ids: the plan's are parts of a request.
        let known = |(id, state)| Some((self.roster.members.get_key_value(&id)?.0.clone(), state));
        let mut states: Vec<(MemberId, MemberState)> = plan.states.into_iter().filter_map(known).collect();
        // In order of the ids, to be found by them; of two states for one member the first counts.
        states.sort_by(|(a, _), (b, _)| a.cmp(b));
        states.dedup_by(|(later, _), (first, _)| later == first);
        self.compare_plans(&states, step);
        let last = self.plan.take();
        self.remember_owners(last, &states);
        self.places = Places::of(&self.roster);
        self.plan = Some(PlanRecord {
            generation: self.generation,
            digest: origin.digest,
            states,
            memo: origin.memo.map(MemberState).or(remembered),
            fingerprint,
            call_again,
            chosen: chosen.filter(|_| stand_in.is_some()).map(Box::new),
            stand_in,
            copies,
        });
        match fault {
            Some(fault) => {
                let leader = self.leader.clone().unwrap_or_default();
                if fault.kind != PASSED_OVER {
                    step.fact(Fact::ModuleFailed { leader, fault: fault.clone(), served: true });
                }
                self.suspend(&fault, step);
            }
            None if is_foreign => {}
            None => self.rehabilitate(origin.digest, step),
        }
        self.since = step.now.wall;
        self.remember_plan(step.now);
        self.emit_generation(step);
        self.emit_history(step);
        let upto = self.ledger.emitted;
        if let State::AwaitingSync(awaiting) = &mut self.state {
            awaiting.submission = Some(Submission::Storing(upto, step.now.mono));
        }
        self.await_plan_stored(step.now.mono);
    }

    /// The plan is durable: the generation is active.
    pub(super) fn hand_out(&mut self, step: &mut Step) {
        let State::AwaitingSync(awaiting) = &self.state else { return };
        let (sync_deadline, outdated) = (Some(awaiting.deadline), awaiting.outdated.clone());
        self.failed_leader = None;
        self.failures_in_row = 0;
        self.ownership.handed_out();
        let since = self.since;
        self.set_state(State::Stable(Stable { sync_deadline }), step);
        // The moment that was stored with the plan.
        self.since = since;
        if let Some(protocol) = self.protocol.clone() {
            let digest = self.plan.as_ref().and_then(|plan| plan.digest);
            step.fact(Fact::PlanAccepted { generation: self.generation, protocol, digest });
        }
        let ids: Vec<MemberId> = self.roster.members.keys().cloned().collect();
        for id in ids {
            if let Some(ticket) = self.unpark_sync(&id, step.now.mono) {
                let reply = Reply::Sync(self.sync_reply(&id));
                self.reply(ticket, reply, step);
            }
        }
        self.settle();
        let outdated = outdated.and_then(|topic| self.topics_changed(topic));
        self.arm_led();
        self.wake_if_over_size();
        if let Some(trigger) = outdated.or_else(|| self.better_at_hand()) {
            self.rebalance(trigger, step);
        }
    }

    /// Once all have asked for their states, nobody is waited for any more.
    pub(super) fn settle(&mut self) {
        if let State::Stable(stable) = &mut self.state
            && stable.sync_deadline.is_some()
            && self.roster.members.values().all(|member| member.synced)
        {
            stable.sync_deadline = None;
        }
    }

    /// Takes a member's parked SyncGroup, if there is one; its session counts again.
    pub(super) fn unpark_sync(&mut self, id: &MemberId, now: Timestamp) -> Option<Ticket> {
        let Parked::Sync(ticket) = self.roster.members.get(id)?.parked else { return None };
        self.roster.park(id, Parked::Nothing);
        self.renew(id, now);
        Some(ticket)
    }

    /// Answers every parked SyncGroup with an error.
    pub(super) fn release_syncs(&mut self, error: ErrorCode, reason: Option<&str>, step: &mut Step) {
        let ids: Vec<MemberId> = self.roster.members.keys().cloned().collect();
        for id in ids {
            let Some(ticket) = self.unpark_sync(&id, step.now.mono) else { continue };
            let is_divvy = self.roster.members.get(&id).is_some_and(|member| member.modules.is_some());
            let told = reason.filter(|_| is_divvy).map(str::to_owned);
            let reply = self.sync_error(error, told);
            self.reply(ticket, Reply::Sync(reply), step);
        }
    }

    /// A member's state in the plan in force. Type `consumer` never gets zero bytes: they kill clients.
    fn sync_reply(&self, id: &MemberId) -> SyncReply {
        let state = self.plan.as_ref().and_then(|plan| plan.state(id)).unwrap_or_default();
        let is_consumer = self.protocol_type.as_ref().is_some_and(|kind| *kind == "consumer");
        SyncReply {
            error: ErrorCode::None,
            protocol_type: self.protocol_type.clone(),
            protocol: self.protocol.clone(),
            state: if state.is_empty() && is_consumer { Bytes::from_static(&EMPTY_ASSIGNMENT) } else { state },
            reason: None,
            stand_in: self.stand_in_told(id),
        }
    }

    /// Members of divvy's own are told that something stood in for their strategy: only its leader saw it fail.
    fn stand_in_told(&self, id: &MemberId) -> Option<StandIn> {
        let is_divvy = self.roster.members.get(id).is_some_and(|member| member.modules.is_some());
        let plan = self.plan.as_ref().filter(|plan| is_divvy && plan.generation == self.generation)?;
        plan.stand_in.clone()
    }

    pub(super) fn sync_error(&self, error: ErrorCode, reason: Option<String>) -> SyncReply {
        SyncReply { error, protocol_type: None, protocol: None, state: Bytes::new(), reason, stand_in: None }
    }
}

/// An encoded assignment (version 0) of no topics, without user data.
const EMPTY_ASSIGNMENT: [u8; 10] = [0, 0, 0, 0, 0, 0, 0xff, 0xff, 0xff, 0xff];
