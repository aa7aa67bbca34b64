//! What is due: at the end of every event the member looks what it has to do now, and says when it wants to be asked
//! again. Timers are a question, so none can be stale.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::change::Said;
use super::config::SINGLE_WRITER;
use super::event::{JoinCall, Origin, PlanOrError, Sent, SyncCall};
use super::lead::{LeadJob, Led, ServedBy};
use super::limits::{LONGEST_PLAN, PLAN_SHARE_OF_REBALANCE};
use super::metadata::Words;
use super::state::{Accepted, Coordinator, Joined, State, Step, SyncStep};
use super::user_data::Asks;
use super::watch::Racks;
use super::{Action, Assigned, Config, Membership, Notice, Peer, metadata, modules};
use crate::ids::{MemberId, Mode, Protocol, ProtocolType};
use crate::time::Timestamp;
use crate::topics::TopicTable;

impl Membership {
    /// Does what is due.
    pub(super) fn turn(&mut self) {
        let now = self.now.mono;
        let is_due = |at: Option<Timestamp>| at.is_some_and(|at| at <= now);
        self.doubt_when_due();
        self.step_out();
        if is_due(self.out_at()) {
            self.go();
        }
        if matches!(self.state, State::Drained) {
            return;
        }
        match self.coordinator {
            Coordinator::NotFound { again_at } if again_at <= now => {
                self.coordinator = Coordinator::Sought;
                return self.out.push(Action::FindCoordinator);
            }
            Coordinator::NotFound { .. } | Coordinator::Sought => return,
            Coordinator::Known(_) => {}
        }
        if is_due(self.rejoin_at())
            && let Some((_, reason)) = self.rejoin.take()
        {
            self.rejoins = self.rejoins.saturating_add(1);
            self.give_up(reason);
        }
        if is_due(self.unsaid_at()) {
            self.tell_changes();
        }
        if is_due(self.join_at()) {
            match self.looks_first() {
                true => self.look_at_topics(),
                false => self.join(),
            }
        }
        if is_due(self.sync_at()) {
            self.sync();
        }
        if is_due(self.topics_at()) {
            self.look_at_topics();
        }
        if is_due(self.beat_at()) {
            self.beat();
        }
        if is_due(self.listen_at()) {
            self.listen();
        }
    }

    /// When [`super::Event::Tick`] has something to do, if nothing happens before.
    pub fn next_deadline(&self) -> Option<Timestamp> {
        let with_coordinator = match self.coordinator {
            _ if matches!(self.state, State::Drained | State::Over) => None,
            Coordinator::Sought => None,
            Coordinator::NotFound { again_at } => Some(again_at),
            Coordinator::Known(_) => {
                let own = [self.rejoin_at(), self.unsaid_at(), self.join_at(), self.sync_at(), self.topics_at()];
                own.into_iter().chain([self.beat_at(), self.listen_at()]).flatten().min()
            }
        };
        [self.doubt_at(), self.out_at(), with_coordinator].into_iter().flatten().min()
    }

    /// Time passes before anything else is taken in: a member that was frozen has lost its share first.
    pub(super) fn doubt_when_due(&mut self) {
        if self.doubt_at().is_some_and(|at| at <= self.now.mono) {
            self.doubt();
        }
    }

    fn doubt_at(&self) -> Option<Timestamp> {
        self.holds().then(|| self.may_be_out_at())
    }

    fn may_be_out_at(&self) -> Timestamp {
        let Config { session_timeout, rebalance_timeout, .. } = self.config;
        self.heart.may_be_out(session_timeout, rebalance_timeout)
    }

    pub(super) fn is_session_over(&self) -> bool {
        self.may_be_out_at() <= self.now.mono
    }

    fn rejoin_at(&self) -> Option<Timestamp> {
        let at = self.rejoin.as_ref().map(|(at, _)| *at);
        at.filter(|_| matches!(self.state, State::Stable { .. }))
    }

    fn join_at(&self) -> Option<Timestamp> {
        match self.state {
            // What the application still works on is given up first, and a look that is on its way is waited for.
            State::Unjoined { .. } if self.finishing || (self.looks_first() && self.watch.is_looking()) => None,
            State::Unjoined { join_at, .. } => Some(join_at),
            _ => None,
        }
    }

    fn sync_at(&self) -> Option<Timestamp> {
        match self.state {
            State::Syncing { sync: SyncStep::Due { at }, .. } => Some(at),
            _ => None,
        }
    }

    fn topics_at(&self) -> Option<Timestamp> {
        match self.state {
            State::Leaving { .. } | State::Drained | State::Over => None,
            _ => self.watch.due(),
        }
    }

    fn beat_at(&self) -> Option<Timestamp> {
        self.state.joined().and_then(|_| self.heart.due())
    }

    fn join(&mut self) {
        let State::Unjoined { reason, .. } = &self.state else { return };
        let reason = reason.clone();
        let protocol_type = self.config.purpose.protocol_type();
        if self.offers.is_empty() {
            return self.fail(self.no_module(&protocol_type));
        }
        let sent = self.send();
        let mode = self.bring_held();
        let words = Words {
            config: &self.config,
            claim: self.claim.as_ref(),
            held: self.held.as_ref(),
            mode,
            again: self.again,
        };
        let offers = self.offers.iter().map(|it| (it.clone(), words.metadata(&it.protocol, None))).collect();
        let asks = self.asks(mode);
        self.may_be_let_in = self.config.is_static;
        self.tell_matching();
        self.offered.clone_from(&self.offers);
        self.said = Some(Said::of(&self.config));
        (self.rejoin, self.unsaid) = (None, None);
        let removes_others = std::mem::take(&mut self.removes_others);
        let call = JoinCall { protocol_type, offers, removes_others, asks, reason: reason.text.clone() };
        self.state = State::Joining { ticket: sent.ticket, removes_others, reason };
        self.out.push(Action::Join(sent, call));
    }

    /// Why a member that has nothing to offer does not join.
    fn no_module(&self, protocol_type: &ProtocolType) -> String {
        if let Some(leading) = self.leading() {
            let assignor = &leading.assignor;
            return format!(
                "there is no module {assignor} for type {protocol_type} at hand: put its *.wasm file into the folder of assignors"
            );
        }
        let remedy = match *protocol_type == SINGLE_WRITER {
            true => {
                "put active-standby.wasm, which is one of divvy's assignors, into the folder of assignors (the strategy that is \
                 called single-writer is for topics)"
            }
            false => "put one into the folder of assignors, and name it if its manifest says `offer = by-name`",
        };
        format!("no module for protocol type {protocol_type} is at hand: {remedy}")
    }

    /// What strategies are asked before the member joins: those of consumers that have a word of their own to add.
    fn asks(&self, mode: Mode) -> Option<Arc<Asks>> {
        (self.config.purpose.is_consumer() && self.leading().is_none()).then_some(())?;
        self.strategies.iter().next()?;
        Some(Arc::new(Asks {
            config: self.config.clone(),
            strategies: self.strategies.clone(),
            configs: self.rules.config.clone(),
            claim: self.claim.clone(),
            held: self.held.clone(),
            mode,
            again: self.again,
            last_state: self.last_state.clone(),
            now_ms: self.now.wall.0,
        }))
    }

    /// The topics are known: the strategy can run.
    pub(super) fn start_strategy(&mut self, topics: Arc<TopicTable>) {
        let sent = self.send();
        let State::Planning { joined, members, step } = &mut self.state else { return };
        let Coordinator::Known(peer) = self.coordinator else {
            // Asked for again when the coordinator is found: what it understands decides how a plan may fail.
            return;
        };
        *step = Step::Strategy { ticket: sent.ticket };
        joined.basis.topics = Some(Arc::clone(&topics));
        let context = self.config.purpose.context().cloned();
        joined.basis.context = Some(context.clone());
        let job = LeadJob {
            group: self.config.group.clone(),
            generation: joined.generation,
            protocol: joined.protocol.clone(),
            protocol_type: self.config.purpose.protocol_type(),
            members: Arc::clone(members),
            topics,
            columns: Vec::new(),
            strategies: self.strategies.clone(),
            rules: self.rules.clone(),
            leading: self.leading().cloned(),
            context,
            memo: self.memo.clone(),
            last_plan: self.last_plan.clone(),
            peer,
            now_ms: self.now.wall.0,
            budget: (self.config.rebalance_timeout / PLAN_SHARE_OF_REBALANCE).min(LONGEST_PLAN),
        };
        self.out.push(Action::Lead(sent, Box::new(job)));
    }

    /// The plan is made, by whatever served it.
    pub(super) fn led(&mut self, sent: &Sent, led: Led) {
        match &self.state {
            State::Planning { step: Step::Strategy { ticket }, .. } if *ticket == sent.ticket => {}
            _ => return,
        }
        let State::Planning { mut joined, members, .. } = std::mem::replace(&mut self.state, State::Over) else {
            return;
        };
        if let Some(fault) = &led.fault {
            self.tell(Notice::Fault { fault: fault.clone(), served_by: led.served_by.clone() });
        }
        let mut origin = Origin {
            digest: led.digest,
            settings_hash: self.rules.hash,
            topics: Vec::new(),
            copies: 1,
            complete: false,
            mode: Mode::default(),
            asked_ms: None,
            memo: None,
            fault: led.fault,
            verdict: PlanOrError::Error,
        };
        let mut states = Vec::new();
        if let Some(plan) = led.plan {
            origin.topics = plan.topics;
            origin.copies = plan.copies;
            origin.complete = plan.complete;
            origin.mode = plan.mode;
            origin.asked_ms = plan.asked_ms;
            origin.memo = plan.memo.clone();
            origin.verdict = PlanOrError::Plan;
            let topics = joined.basis.topics.clone().unwrap_or_default();
            let is_bare = self.is_bare(&led.served_by, &plan.states);
            let (memo, call_again, served_by) = (plan.memo, plan.call_again, led.served_by);
            joined.basis.plan = Some(Box::new(Accepted { memo, call_again, served_by, is_bare, members, topics }));
            states = plan.states;
        }
        self.bring(joined, states, Some(origin));
    }

    /// Whether states that nobody could make were put together from an older plan for other members.
    fn is_bare(&self, served_by: &ServedBy, states: &[(MemberId, bytes::Bytes)]) -> bool {
        if self.config.purpose.is_consumer() || !matches!(served_by, ServedBy::LastPlan | ServedBy::Nothing) {
            return false;
        }
        let last: BTreeSet<&MemberId> = self.last_plan.iter().flat_map(|it| it.iter()).map(|(id, _)| id).collect();
        last != states.iter().map(|(id, _)| id).collect()
    }

    /// Brings the plan, or asks for the member's part of it.
    pub(super) fn bring(&mut self, joined: Joined, states: Vec<(MemberId, bytes::Bytes)>, origin: Option<Origin>) {
        let call = SyncCall {
            protocol_type: self.config.purpose.protocol_type(),
            protocol: joined.protocol.clone(),
            states,
            origin,
        };
        self.state = State::Syncing { joined, call: Arc::new(call), sync: SyncStep::Due { at: self.now.mono } };
    }

    fn sync(&mut self) {
        let sent = self.send();
        let State::Syncing { call, sync, .. } = &mut self.state else { return };
        *sync = SyncStep::Sent { ticket: sent.ticket, at: self.now.mono };
        let call = Arc::clone(call);
        self.out.push(Action::Sync(sent, call));
    }

    fn beat(&mut self) {
        if self.heart.is_long_untold() && matches!(self.coordinator, Coordinator::Known(Peer::Divvy)) {
            self.heart.announce(self.offers.clone());
        }
        let sent = self.send();
        let news = self.heart.send(sent.ticket, self.now.mono, self.config.heartbeat_interval);
        self.out.push(Action::Heartbeat(sent, news.map(|offers| modules(&offers))));
    }

    /// Says what the member's share is.
    pub(super) fn tell_assigned(&mut self) {
        let State::Stable { joined, share, .. } = &self.state else { return };
        let digest = self.strategy(&joined.protocol).and_then(|it| it.digest());
        let assigned = Assigned {
            generation: joined.generation,
            protocol: joined.protocol.clone(),
            digest,
            served_by: joined.basis.plan.as_ref().map(|plan| plan.served_by.clone()),
            stand_in: joined.stand_in.clone(),
            leader: joined.leader.clone(),
            member: self.member.clone(),
            role: joined.role,
            cause: joined.cause,
            share: share.clone(),
            user_data: self.last_state.as_ref().and_then(|state| metadata::user_data(&self.config.purpose, state)),
        };
        self.tell(Notice::Assigned(assigned));
    }

    pub(super) fn racks_matter(&self, protocol: &Protocol) -> Racks {
        let reads = |it: &dyn crate::assignor::Assignor| it.manifest().needs_racks();
        if self.strategy(protocol).is_some_and(reads) { Racks::Matter } else { Racks::Ignored }
    }
}
