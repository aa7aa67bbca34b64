//! Draining: the application finishes all it has, commits, and the member leaves its group, but not its process: it can
//! join again. A rebalance that is under way is no reason to wait, unless the member hands over in steps: then what it brought
//! into the rebalance is finished first.

use super::listen::Ear;
use super::state::{Hold, Joined, Keeps, State, Then};
use super::why::Cause;
use super::{Membership, Notice, Share};
use crate::ids::MemberId;

/// Whether the member is to be in its group.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Wish {
    In,
    Out,
}

impl Membership {
    /// From now on the member is on its way out, until it is to resume.
    pub(super) fn drain(&mut self) {
        self.wish = Wish::Out;
    }

    /// The member is to be in its group. One that still waits for its application or for LeaveGroup goes through with that
    /// first.
    pub(super) fn resume(&mut self) {
        self.wish = Wish::In;
        if matches!(self.state, State::Drained) {
            self.rejoin_group();
        }
    }

    fn rejoin_group(&mut self) {
        self.state = State::Unjoined { join_at: self.now.mono, reason: Cause::Start.because("it resumes") };
        self.watch_own();
    }

    /// One step further out, if that is where the member is to go.
    pub(super) fn step_out(&mut self) {
        if self.wish == Wish::In {
            return;
        }
        if self.held.as_ref().is_some_and(|held| held.partitions.iter().all(|(_, numbers)| numbers.is_empty())) {
            self.held = None;
        }
        if self.held.is_some() {
            return self.finish_held();
        }
        match &self.state {
            State::Stable { share, hold: Hold::Ours, .. } if !share.is_nothing() => {
                let State::Stable { joined, share, .. } = std::mem::replace(&mut self.state, State::Over) else {
                    return;
                };
                self.revoke(joined, share, None, Cause::Start.because("it drains"));
            }
            // Its answer brings the id to leave with.
            State::Joining { .. } if self.member == MemberId::default() => {}
            State::Unjoined { .. }
            | State::Joining { .. }
            | State::Planning { .. }
            | State::Syncing { .. }
            | State::Stable { .. } => self.depart(),
            State::GivingUp { .. } | State::Leaving { .. } | State::Drained | State::Over => {}
        }
    }

    /// Asks for what the application goes on with between two generations, once.
    fn finish_held(&mut self) {
        if let Some(held) = self.held.as_ref().filter(|_| !self.finishing) {
            let (generation, share) = (held.generation, Share::Partitions(held.partitions.clone()));
            self.finishing = true;
            self.tell(Notice::Revoke { generation, share });
        }
    }

    /// What a member that drains does with what it kept while it gave up the rest.
    pub(super) fn give_up_rest(&mut self, joined: Joined, keeps: Keeps) {
        let share = Share::Partitions(keeps.held);
        match share.is_nothing() {
            true => self.state = State::Stable { joined, share, hold: Hold::Ours },
            false => self.revoke(joined, share, None, Cause::Start.because("it drains")),
        }
    }

    /// Nothing is left to finish: the coordinator is told, so that others get the work now.
    fn depart(&mut self) {
        self.rejoin = None;
        self.unsaid = None;
        if self.member == MemberId::default() {
            return self.rest();
        }
        let at_the_latest = self.heart.session_ends(self.config.session_timeout);
        self.state = State::Leaving { ticket: None, then: Then::Rest { at_the_latest } };
    }

    /// The member is out of its group.
    pub(super) fn rest(&mut self) {
        self.member = MemberId::default();
        self.forget_plan();
        self.brought.clear();
        self.said = None;
        self.ear = Ear::default();
        self.watch.stop();
        self.state = State::Drained;
        match self.wish {
            Wish::Out => self.tell(Notice::Drained),
            // It changed its mind while it left.
            Wish::In => self.rejoin_group(),
        }
    }
}
