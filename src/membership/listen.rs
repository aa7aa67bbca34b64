//! Listening: a heartbeat that a divvy coordinator may hold until something happens, so that the member rejoins at once
//! and a hand-over needs no heartbeat interval. It goes over a connection of its own, beside the ordinary heartbeats: they
//! keep the session, and all goes on without it.

use super::event::Sent;
use super::limits::{LISTENS_PER_SESSION, LONGEST_LISTEN};
use super::state::{Coordinator, State};
use super::{Action, Membership, Peer};
use crate::time::Timestamp;
use crate::wire::ErrorCode;

/// What was asked last, and when to ask again.
#[derive(Debug, Default)]
pub(super) struct Ear {
    flying: Option<u64>,
    due: Timestamp,
}

impl Ear {
    /// Whether that was the question on its way.
    fn land(&mut self, ticket: u64) -> bool {
        self.flying.take_if(|flying| *flying == ticket).is_some()
    }
}

impl Membership {
    /// Only a member with a share has something to hear; only divvy has something to say.
    pub(super) fn listen_at(&self) -> Option<Timestamp> {
        let listens =
            matches!((&self.state, &self.coordinator), (State::Stable { .. }, Coordinator::Known(Peer::Divvy)));
        (listens && self.ear.flying.is_none()).then_some(self.ear.due)
    }

    pub(super) fn listen(&mut self) {
        let sent = self.send();
        let wait = (self.config.session_timeout / LISTENS_PER_SESSION).min(LONGEST_LISTEN);
        // A coordinator that answers at once, since it is reading its store or knows no waiting, is not asked in a loop.
        self.ear = Ear { flying: Some(sent.ticket), due: self.now.mono + wait.min(self.config.heartbeat_interval) };
        self.out.push(Action::Listen(sent, wait));
    }

    /// Word from the coordinator. What only passes is left to the next heartbeat.
    pub(super) fn heard(&mut self, sent: &Sent, error: ErrorCode) {
        if !self.ear.land(sent.ticket) || !self.is_present(sent) {
            return;
        }
        match error {
            ErrorCode::None => {}
            ErrorCode::RebalanceInProgress => self.called_back(),
            error => self.beat_refused(error),
        }
    }

    /// Nobody answered: the ordinary heartbeats will tell whether the coordinator is gone. Says whether it was asked here.
    pub(super) fn unheard(&mut self, sent: &Sent) -> bool {
        let ours = self.ear.land(sent.ticket);
        if ours {
            self.ear.due = self.now.mono + self.dice.around(self.config.heartbeat_interval);
        }
        ours
    }
}
