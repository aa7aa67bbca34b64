//! Leaving: the coordinator is told, so that others get the work now, and told again if it did not hear it. A member that
//! drains goes on until it is out, one whose process ends only for a moment.

use super::event::{Leaving, Sent};
use super::limits::LEAVE_PATIENCE;
use super::state::{Coordinator, State, Then};
use super::{Action, Ending, Membership, Notice};
use crate::ids::MemberId;
use crate::time::Timestamp;
use crate::wire::ErrorCode;

impl Membership {
    /// The application ends its member. One with a lasting name is expected back, as Kafka's own clients have it: it says
    /// nothing, unless it was about to leave for good.
    pub(super) fn leave(&mut self) {
        let is_reached = matches!(self.coordinator, Coordinator::Known(_));
        let patience = self.now.mono + LEAVE_PATIENCE;
        let session_ends = self.heart.session_ends(self.config.session_timeout);
        let end = Then::End { at_the_latest: if is_reached { patience } else { patience.min(session_ends) } };
        if let State::Leaving { then, .. } = &mut self.state {
            *then = end;
            return;
        }
        if self.config.is_static || self.member == MemberId::default() {
            let ending = match self.has_place() {
                true => Ending::PlaceKept,
                false if self.may_be_let_in => Ending::Joining,
                false => Ending::Outside,
            };
            return self.over(Notice::Ended(ending));
        }
        self.held = None;
        self.finishing = false;
        self.state = State::Leaving { ticket: None, then: end };
    }

    /// Whether the coordinator knows the member, as far as that can be told. It counts no session while JoinGroup waits.
    fn has_place(&self) -> bool {
        let is_waited_for = matches!((&self.state, &self.coordinator), (State::Joining { .. }, Coordinator::Known(_)));
        let session_ends = self.heart.may_be_forgotten(self.config.session_timeout);
        self.member != MemberId::default() && (is_waited_for || session_ends > self.now.mono)
    }

    /// What becomes of the place of a member that fails. It does not leave: whatever the coordinator knows of it is kept until
    /// its session ends.
    pub(super) fn ends_by_failing(&self, reason: &str) -> Ending {
        match self.heart.has_begun() && self.has_place() {
            true => Ending::NotLeft { reason: reason.to_owned(), is_silent: false },
            false => Ending::Outside,
        }
    }

    /// When LeaveGroup can be sent, or the member is out all the same: it waits no longer for a coordinator that it cannot
    /// reach, and one that ends not for its answer either.
    pub(super) fn out_at(&self) -> Option<Timestamp> {
        match (&self.state, &self.coordinator) {
            (State::Leaving { ticket: None, .. }, Coordinator::Known(_)) => Some(Timestamp(0)),
            (State::Leaving { then: Then::End { at_the_latest }, .. }, _)
            | (State::Leaving { ticket: None, then: Then::Rest { at_the_latest } }, _) => Some(*at_the_latest),
            _ => None,
        }
    }

    /// That moment is there.
    pub(super) fn go(&mut self) {
        let sent = self.send();
        match (&mut self.state, &self.coordinator) {
            (State::Leaving { ticket: ticket @ None, then }, Coordinator::Known(_)) => {
                *ticket = Some(sent.ticket);
                let how = if matches!(then, Then::End { .. }) { Leaving::Ends } else { Leaving::Drains };
                self.out.push(Action::Leave(sent, how));
            }
            (State::Leaving { then: Then::End { .. }, .. }, _) => {
                let reason = self.trouble.clone().unwrap_or_else(|| "the coordinator does not answer".to_owned());
                self.over(Notice::Ended(Ending::NotLeft { reason, is_silent: true }));
            }
            _ => self.rest(),
        }
    }

    /// LeaveGroup was answered. A member that is not known there any more is out, too.
    pub(super) fn left(&mut self, sent: &Sent, error: ErrorCode) {
        let State::Leaving { ticket, then } = self.state else { return };
        if ticket != Some(sent.ticket) {
            return;
        }
        match (error, then) {
            (
                ErrorCode::CoordinatorLoadInProgress | ErrorCode::CoordinatorNotAvailable | ErrorCode::NotCoordinator,
                _,
            ) => self.lose_coordinator(error.text()),
            (ErrorCode::None, Then::End { .. }) => self.over(Notice::Ended(Ending::Left)),
            (ErrorCode::UnknownMemberId | ErrorCode::FencedInstanceId, Then::End { .. }) => {
                self.over(Notice::Ended(Ending::Outside));
            }
            (error, Then::End { .. }) => {
                self.over(Notice::Ended(Ending::NotLeft { reason: error.to_string(), is_silent: false }));
            }
            (ErrorCode::None | ErrorCode::UnknownMemberId | ErrorCode::FencedInstanceId, _) => self.rest(),
            (error, _) => {
                self.tell(Notice::LeaveRefused { reason: error.to_string() });
                self.rest();
            }
        }
    }
}
