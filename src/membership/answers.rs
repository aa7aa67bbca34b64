//! How each answer of the coordinator is taken (coordinator.md 2.2 to 2.5, clients.md 6). What an error costs is chosen
//! with care: 27 only a rejoin, 22 the generation, 25 the member id too, 15 and 16 nothing but the way to the coordinator.

use std::sync::Arc;
use std::time::Duration;

use super::event::{JoinAnswer, JoinExtras, Sent, SyncAnswer};
use super::limits::{
    FIRST_REST, GROUP_RECORD_BYTES, LONGEST_REST, MEMBER_RECORD_BYTES, TRAVEL_SHARE_OF_SESSION, WAIT_SHARE_OF_SESSION,
};
use super::listen::Ear;
use super::places::Places;
use super::share::Id;
use super::state::{Basis, Coordinator, Hold, Joined, State, Step, SyncStep};
use super::why::{Cause, Why};
use super::{Config, Membership, Notice, Peer, Role, Share, metadata};
use crate::assignor::{FaultKind, subscribed};
use crate::ids::{MemberId, Protocol};
use crate::text::CALL_AGAIN;
use crate::wire::ErrorCode;

impl Membership {
    pub(super) fn joined(&mut self, sent: &Sent, answer: JoinAnswer) {
        let (reason, removes_others) = match &self.state {
            State::Joining { ticket, removes_others, reason } if *ticket == sent.ticket => {
                (reason.clone(), *removes_others)
            }
            _ => return,
        };
        self.may_be_let_in = false;
        // Who is refused has removed nobody, and still wants to.
        self.removes_others |= removes_others && !matches!(answer.error, ErrorCode::None | ErrorCode::MemberIdRequired);
        match answer.error {
            ErrorCode::None => {
                // A static member's first JoinGroup under no id may be answered with the generation that is in force.
                self.may_replace = self.config.is_static && sent.member == MemberId::default();
                self.enter(answer, reason.cause);
            }
            ErrorCode::MemberIdRequired => {
                self.member = answer.member;
                self.state = State::Unjoined { join_at: self.now.mono, reason };
            }
            // The first group of a Kafka cluster: its broker names itself, and takes a while to become that.
            ErrorCode::NotCoordinator if self.member == MemberId::default() => self.lose_coordinator(
                "whoever was named as coordinator is not ready for the group yet, and is asked again",
            ),
            ErrorCode::CoordinatorNotAvailable | ErrorCode::NotCoordinator => {
                self.lose_coordinator(answer.error.text())
            }
            ErrorCode::InconsistentGroupProtocol => self.fail(self.nothing_in_common()),
            error => match self.fatal(error) {
                Some(reason) => self.fail_by(error, reason),
                None => {
                    if error == ErrorCode::UnknownMemberId {
                        self.lose_share("the coordinator no longer knows the member");
                        self.member = MemberId::default();
                    }
                    self.join_later(reason);
                }
            },
        }
    }

    fn join_later(&mut self, reason: Why) {
        let wait = self.join_backoff.fail(&mut self.dice);
        self.wait_to_join(wait, reason);
    }

    /// Nobody says that the member is alive while it waits, so it never waits for as long as its session.
    pub(super) fn wait_to_join(&mut self, wait: Duration, reason: Why) {
        let join_at = self.now.mono + wait.min(self.config.session_timeout / WAIT_SHARE_OF_SESSION);
        self.state = State::Unjoined { join_at, reason };
    }

    /// The member is in a generation.
    fn enter(&mut self, answer: JoinAnswer, cause: Cause) {
        self.seek_backoff.succeed();
        self.member = answer.member;
        let Config { heartbeat_interval, session_timeout, .. } = self.config;
        let travel = heartbeat_interval.min(session_timeout / TRAVEL_SHARE_OF_SESSION);
        self.heart.begin(self.now.mono, heartbeat_interval, travel);
        self.ear = Ear::default();
        let role = if answer.leader == self.member { Role::Leader } else { Role::Follower };
        let joined = Joined {
            generation: answer.generation,
            protocol: answer.protocol,
            leader: answer.leader,
            role,
            cause,
            basis: Basis { subscribed: subscribed(&answer.members), ..Basis::default() },
            stand_in: None,
        };
        let memo = answer.extras.as_ref().and_then(|it| it.memo.clone());
        match role {
            Role::Follower => {
                self.forget_plan();
                self.watch_followed();
                self.bring(joined, Vec::new(), None);
            }
            Role::Leader => {
                if matches!(self.coordinator, Coordinator::Known(Peer::Divvy)) {
                    self.memo = memo;
                }
                self.find_places(&answer.members);
                let subscribed = joined.basis.subscribed.clone();
                if answer.skip_assignment {
                    // The plan of the process whose place it took goes on; from now on its topics are this one's to watch.
                    self.watch.lead(subscribed, self.now.mono);
                    self.bring(joined, Vec::new(), None);
                    return self.learn(answer.extras);
                }
                let members = std::sync::Arc::new(answer.members);
                self.state = State::Planning { joined, members, step: Step::Topics };
                match self.config.purpose.is_consumer() {
                    true => self.watch.lead(subscribed, self.now.mono),
                    false => self.start_strategy(Default::default()),
                }
            }
        }
        self.learn(answer.extras);
    }

    /// What a divvy coordinator told beside the answer.
    fn learn(&mut self, extras: Option<JoinExtras>) {
        let Some(extras) = extras else { return self.announce() };
        // A retry that fails at another leader is no news: it says the same with another file's name.
        let protocols = |list: &[(Protocol, String)]| list.iter().map(|(it, _)| it.clone()).collect::<Vec<_>>();
        if protocols(&extras.suspended) != protocols(&self.suspended) {
            self.suspended.clone_from(&extras.suspended);
            if !extras.suspended.is_empty() {
                self.tell(Notice::Suspended(extras.suspended));
            }
        }
        self.rules = self.with_own_settings(extras.rules);
        self.review_offers();
    }

    pub(super) fn synced(&mut self, sent: &Sent, answer: SyncAnswer) {
        match &self.state {
            State::Syncing { sync: SyncStep::Sent { ticket, .. }, .. } if *ticket == sent.ticket => {}
            _ => return,
        }
        match answer.error {
            ErrorCode::None => self.settle(answer),
            ErrorCode::CoordinatorNotAvailable | ErrorCode::NotCoordinator => {
                self.lose_coordinator(answer.error.text())
            }
            ErrorCode::CoordinatorLoadInProgress => {
                let at = self.now.mono + self.join_backoff.fail(&mut self.dice);
                if let State::Syncing { sync, .. } = &mut self.state {
                    *sync = SyncStep::Due { at };
                }
            }
            ErrorCode::UnknownMemberId => {
                self.lose_generation("the coordinator no longer knows the member", Id::Forgotten)
            }
            error => match self.fatal(error) {
                Some(reason) => self.fail_by(error, reason),
                None => {
                    let reason = answer.reason.unwrap_or_else(|| self.sync_refused(error));
                    self.tell(Notice::NoPlan { reason: reason.clone() });
                    if error != ErrorCode::RebalanceInProgress {
                        self.lose_share(&reason);
                    }
                    self.join_soon(Cause::NoPlan.because(reason));
                }
            },
        }
    }

    /// The member has its state: this is its share until the next rebalance.
    fn settle(&mut self, answer: SyncAnswer) {
        let State::Syncing { mut joined, call, sync } = std::mem::replace(&mut self.state, State::Over) else { return };
        joined.stand_in = answer.stand_in;
        let (answer_state, planned_for) = self.unstamped(answer.state);
        let told = match metadata::told(&self.config.purpose, answer_state.clone(), self.held.as_ref()) {
            Ok(told) => told,
            Err(error) => {
                let reason = format!("the leader {} gave a state that is not decodable: {error}", joined.leader);
                self.tell(Notice::NoPlan { reason: reason.clone() });
                return self.join_later(Cause::NoPlan.because(reason));
            }
        };
        if let Share::Partitions(partitions) = &told.share {
            self.claim = Some(metadata::Claim { generation: joined.generation, partitions: partitions.clone() });
        }
        self.last_state = Some(answer_state);
        if let Some(plan) = joined.basis.plan.as_deref() {
            let states = Arc::new(call.states.clone());
            // What made the plan, not what serves by now: a file may have been replaced meanwhile.
            let digest = call.origin.as_ref().and_then(|it| it.digest);
            self.tell_planned(joined.generation, &joined.protocol, plan, digest, Arc::clone(&states));
            // A plan that leaves work to nobody is no fall-back of the next one, and is not waited with.
            if !plan.is_bare {
                self.places = Places::of(&plan.members);
                self.remember_plan(states, plan.memo.clone());
            }
            // Each call is a rebalance: a strategy that asks every time must not keep its group from working.
            let rest = FIRST_REST.saturating_mul(1 << self.rejoins.min(31)).min(LONGEST_REST);
            let fault = call.origin.as_ref().and_then(|it| it.fault.as_ref());
            let was_busy = fault.is_some_and(|it| it.kind == FaultKind::Busy);
            let (wait, why) = match plan.is_bare {
                true => (Some(rest), "its strategy failed, and somebody's work is nobody's"),
                false if was_busy => (Some(rest), "its strategy could not be called for want of a place"),
                false => (plan.call_again, CALL_AGAIN),
            };
            self.rejoin = wait.map(|wait| (self.now.mono + wait.max(rest), Cause::Strategy.because(why)));
        }
        if let Some(wait) = told.join_again {
            let reason = Cause::Strategy.because("its state says when to join again");
            self.rejoin = self.rejoin.take().or(Some((self.now.mono + wait.max(FIRST_REST), reason)));
        }
        self.join_backoff.succeed();
        if let SyncStep::Sent { at, .. } = sync {
            self.heart.was_steady(at);
        }
        if self.is_for_another(&joined, &told.share, planned_for) {
            return self.ask_for_another_plan();
        }
        match self.is_session_over() {
            false => self.hand_over(joined, told.share),
            true => self.settle_in_doubt(joined, told.share),
        }
        self.announce();
    }

    /// The answer lay here for a whole session before the member took it: others may have its share by now. It is the
    /// member's when the coordinator confirms that.
    fn settle_in_doubt(&mut self, joined: Joined, share: Share) {
        self.lose_share("the member did nothing for a whole session");
        self.state = State::Stable { joined, share, hold: Hold::InDoubt };
        self.heart.reset(self.now.mono);
    }

    /// A heartbeat was answered. Only an answer about the present generation and id means anything: one that was sent
    /// before the last rejoin speaks of a member that no longer exists (B12, coordinator.md 5, item 40).
    pub(super) fn beaten(&mut self, sent: &Sent, error: ErrorCode) {
        let is_newest = self.heart.land(sent.ticket);
        if !self.is_present(sent) {
            return;
        }
        if is_newest && matches!(error, ErrorCode::None | ErrorCode::RebalanceInProgress) {
            self.confirm(sent);
        }
        match error {
            // It says nothing of the newest, whose sending is what would be confirmed.
            ErrorCode::None if !is_newest => {}
            ErrorCode::None => {
                // While states are awaited the phase goes on, however alive the member is: who does not sync in time is out.
                if !matches!(self.state, State::Planning { .. } | State::Syncing { .. }) {
                    self.heart.met_no_rebalance();
                }
                self.ask_again();
            }
            ErrorCode::RebalanceInProgress => self.called_back(),
            error => self.beat_refused(error),
        }
    }

    /// A commit was refused. One of an earlier generation says nothing about this one.
    pub(super) fn commit_refused(&mut self, sent: &Sent, error: ErrorCode) {
        match error {
            _ if !self.is_present(sent) => {}
            ErrorCode::RebalanceInProgress => self.called_back(),
            ErrorCode::IllegalGeneration | ErrorCode::UnknownMemberId | ErrorCode::FencedInstanceId => {
                self.beat_refused(error);
            }
            _ => {}
        }
    }

    /// Whether a request was sent by what the member is now.
    pub(super) fn is_present(&self, sent: &Sent) -> bool {
        self.state.joined().is_some_and(|it| it.generation == sent.generation) && self.member == sent.member
    }

    /// The group rebalances.
    pub(super) fn called_back(&mut self) {
        self.rejoins = 0;
        self.give_up(Cause::Group.because("the group rebalances"));
    }

    /// The coordinator does not take the member for what it is, or is not the coordinator any more.
    pub(super) fn beat_refused(&mut self, error: ErrorCode) {
        match error {
            ErrorCode::IllegalGeneration => self.lose_generation("the group went on without the member", Id::Kept),
            ErrorCode::UnknownMemberId => {
                self.lose_generation("the coordinator no longer knows the member", Id::Forgotten)
            }
            ErrorCode::CoordinatorNotAvailable | ErrorCode::NotCoordinator => self.lose_coordinator(error.text()),
            error => {
                if let Some(reason) = self.fatal(error) {
                    self.fail_by(error, reason);
                }
            }
        }
    }

    fn confirm(&mut self, sent: &Sent) {
        self.seek_backoff.succeed();
        if let Some(told) = self.heart.confirm(sent.ticket) {
            self.offered = told;
            self.announce();
        }
    }

    /// Why a member cannot go on with this error, and what to do about it; nothing for errors that pass.
    fn fatal(&self, error: ErrorCode) -> Option<String> {
        let group = &self.config.group;
        let remedy = match error {
            ErrorCode::InvalidSessionTimeout => format!(
                "the coordinator refuses a session timeout of {} ms: choose one within its `group.min.session.timeout.ms` \
                 and `group.max.session.timeout.ms`",
                self.config.session_timeout.as_millis()
            ),
            ErrorCode::GroupAuthorizationFailed => {
                format!("this client is not allowed to use group {group}: ask for READ on it")
            }
            ErrorCode::InvalidGroupId => {
                format!("the coordinator refuses the group id {:?}: give one that is not empty", group.as_str())
            }
            ErrorCode::GroupMaxSizeReached => {
                format!(
                    "group {group} has as many members as it may: raise `group.max.size` on the coordinator, or stop a member"
                )
            }
            ErrorCode::FencedInstanceId if self.leading().is_some() => {
                format!(
                    "another lead of group {group} has taken the place that all of its leads share: so that one leads and the \
                     others stand by, give each of them active-standby.wasm among its --assignors, and no --alone"
                )
            }
            ErrorCode::FencedInstanceId => {
                format!("another process of group {group} has this instance id: give each process its own")
            }
            ErrorCode::UnsupportedVersion => {
                "the coordinator does not serve this version of its protocol: it is older than Kafka 0.11".to_owned()
            }
            _ => return None,
        };
        Some(format!("{remedy} (error {})", error.code()))
    }

    /// Why a broker may refuse a plan without a word. Kafka's keeps a whole group in one record, and says no more than that
    /// something went wrong when that is too long.
    fn sync_refused(&self, error: ErrorCode) -> String {
        let State::Syncing { joined, call, .. } = &self.state else { return error.text().to_owned() };
        let Some(plan) = joined.basis.plan.as_deref().filter(|_| error == ErrorCode::UnknownServerError) else {
            return error.text().to_owned();
        };
        let states: usize = call.states.iter().map(|(_, state)| state.len()).sum();
        let metadata: usize = plan.members.iter().map(|member| member.metadata.len()).sum();
        // Beside that the record has each member's id, its client's name, which its id begins with, and where it is.
        let names: usize = plan.members.iter().map(|member| 2 * member.id.as_str().len() + MEMBER_RECORD_BYTES).sum();
        format!(
            "the broker refuses the plan without saying why (error {}); a group is one record there, of about {} bytes now \
             ({} members, {metadata} bytes of metadata, {states} bytes of plan): if that is more than its `message.max.bytes`, \
             raise it, or `max.message.bytes` of the topic __consumer_offsets; no leader could serve this group until then",
            error.code(),
            states + metadata + names + GROUP_RECORD_BYTES,
            plan.members.len(),
        )
    }

    fn nothing_in_common(&self) -> String {
        let offers: Vec<&str> = self.offered.iter().map(|it| it.protocol.as_str()).collect();
        if self.leading().is_some() {
            return format!(
                "the clients of group {} have none of the names in common under which this lead offers itself ({}): look at what \
                 they offer (`partition.assignment.strategy`) and say it with --as NAME=eager or --as NAME=cooperative (error 23)",
                self.config.group,
                offers.join(", "),
            );
        }
        format!(
            "group {} has no protocol in common with this member, which offers {} for protocol type {}: give it a module \
             that the others offer, or one of another type its own group (`divvy groups describe {}` shows what they offer) (error 23)",
            self.config.group,
            offers.join(", "),
            self.config.purpose.protocol_type(),
            self.config.group
        )
    }
}
