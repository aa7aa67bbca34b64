//! How a share ends: given up in order, or lost at once.

use super::state::{Hold, State};
use super::{Membership, Notice};
use crate::ids::{Generation, MemberId};

/// Whether the coordinator still knows the member's id.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Id {
    /// Kept: the member joins again under it.
    Kept,
    /// Unknown there: it joins as a new member.
    Forgotten,
}

impl Membership {
    /// The group rebalances, or this member wants it to: the application finishes first, then the member joins again.
    pub(super) fn give_up(&mut self, reason: String) {
        match std::mem::replace(&mut self.state, State::Over) {
            State::Stable { joined, share, hold: Hold::Ours } if !share.is_nothing() => {
                self.tell(Notice::Revoke { generation: joined.generation, share: share.clone() });
                self.state = State::GivingUp { joined, share, reason };
            }
            giving_up @ State::GivingUp { .. } => self.state = giving_up,
            _ => self.state = State::Unjoined { join_at: self.now.mono, reason },
        }
    }

    /// The application has finished. Word of an earlier generation means nothing: that share was told as lost since.
    pub(super) fn given_up(&mut self, generation: Generation) {
        if let State::GivingUp { joined, reason, .. } = &self.state
            && joined.generation == generation
        {
            self.state = State::Unjoined { join_at: self.now.mono, reason: reason.clone() };
        }
    }

    /// The generation is over without a chance to finish: join again.
    pub(super) fn lose_generation(&mut self, reason: &str, id: Id) {
        self.lose_share(reason);
        if id == Id::Forgotten {
            self.member = MemberId::default();
        }
        let wait = self.join_backoff.hurry(&mut self.dice);
        self.wait_to_join(wait, reason.to_owned());
    }

    /// Whatever the member holds may be another's now.
    pub(super) fn lose_share(&mut self, reason: &str) {
        let share = match &self.state {
            State::Stable { share, hold: Hold::Ours, .. } | State::GivingUp { share, .. } if !share.is_nothing() => {
                share
            }
            _ => return,
        };
        let lost = Notice::Lost { share: share.clone(), reason: reason.to_owned() };
        self.tell(lost);
    }

    /// The coordinator was silent for a whole session: it may have given the share away. If it confirms the
    /// generation after all, the share is the member's again, without a rebalance.
    pub(super) fn doubt(&mut self) {
        let reason =
            format!("the coordinator has confirmed nothing for {} ms", self.config.session_timeout.as_millis());
        self.lose_share(&reason);
        match &mut self.state {
            State::Stable { hold, .. } => *hold = Hold::InDoubt,
            State::GivingUp { .. } => self.state = State::Unjoined { join_at: self.now.mono, reason },
            _ => {}
        }
    }
}
