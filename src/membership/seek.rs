//! The way to the coordinator, lost and found again. Id and generation are kept: nobody rebalances because a coordinator
//! restarted or a connection broke, and what was on its way is sent again.

use super::event::Sent;
use super::listen::Ear;
use super::state::{Coordinator, State, SyncStep};
use super::{Membership, Notice, Peer};

impl Membership {
    /// A request got no answer. Nothing is known of what it did; it is sent again when the coordinator is found.
    pub(super) fn unanswered(&mut self, sent: &Sent, reason: &str) {
        if self.unheard(sent) {
            return;
        }
        self.topics_unanswered(sent);
        let in_flight = match &self.state {
            State::Joining { ticket, .. } => *ticket == sent.ticket,
            State::Leaving { ticket, .. } => *ticket == Some(sent.ticket),
            State::Syncing { sync: SyncStep::Sent { ticket, .. }, .. } => *ticket == sent.ticket,
            _ => false,
        };
        if self.heart.land(sent.ticket) || in_flight {
            self.lose_coordinator(reason);
        }
    }

    /// The coordinator is to be found again; id and generation are kept.
    pub(super) fn lose_coordinator(&mut self, reason: &str) {
        let now = self.now.mono;
        match &mut self.state {
            State::Joining { reason, .. } => {
                let reason = reason.clone();
                self.state = State::Unjoined { join_at: now, reason };
            }
            State::Syncing { sync, .. } => *sync = SyncStep::Due { at: now },
            State::Leaving { ticket, .. } => *ticket = None,
            _ => {}
        }
        self.heart.reset(now);
        self.ear = Ear::default();
        self.watch.reset();
        self.trouble(reason);
        self.coordinator = Coordinator::NotFound { again_at: now + self.seek_backoff.fail(&mut self.dice) };
    }

    pub(super) fn found(&mut self, peer: Peer) {
        self.coordinator = Coordinator::Known(peer);
        self.was_let_in = true;
        if self.trouble.take().is_some() {
            self.tell(Notice::CoordinatorFound);
        }
        match peer {
            // What it was told in heartbeats a coordinator knows as long as it lives, and this may be another process.
            Peer::Divvy if self.state.joined().is_some() => self.heart.announce(self.offers.clone()),
            Peer::Divvy | Peer::Other => self.announce(),
        }
    }

    pub(super) fn not_found(&mut self, reason: String) {
        self.trouble(&reason);
        self.coordinator = Coordinator::NotFound { again_at: self.now.mono + self.seek_backoff.fail(&mut self.dice) };
    }

    /// A login, a certificate or a setting of TLS is wrong, and to repeat it changes nothing: a member that never got in says
    /// so and ends. Who was in before waits: passwords and certificates are changed while brokers run, one after the other.
    pub(super) fn refused_entry(&mut self, reason: String) {
        match self.was_let_in {
            true => self.not_found(reason),
            false => self.fail(reason),
        }
    }

    /// Tells each trouble once, however often the same is met again.
    fn trouble(&mut self, reason: &str) {
        if self.trouble.as_deref() != Some(reason) {
            self.trouble = Some(reason.to_owned());
            self.tell(Notice::CoordinatorLost { reason: reason.to_owned() });
        }
    }
}
