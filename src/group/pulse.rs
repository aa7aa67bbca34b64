//! A plain heartbeat by borrowed names: what nearly all requests of a coordinator are, so it allocates nothing.
//!
//! It is answered as [`super::Event::Heartbeat`] is, and changes the group as that does (`tests/laws/restore.rs`). That it
//! can do without [`super::Effects`] is in its nature: it stores nothing, wakes nobody and tells nothing.

use crate::ids::Generation;
use crate::time::Timestamp;
use crate::wire::ErrorCode;

use super::Group;
use super::state::State;

impl Group {
    /// The answer to a heartbeat that brings neither an instance id nor anything of divvy's; the member's session begins
    /// anew. None, and nothing is changed, when sessions would have to be looked at earlier for it, or when it says of a
    /// member that was read from the store that it can run what it joined with: then it has to come as an event.
    pub fn pulse(&mut self, member: &str, generation: Generation, now: Timestamp) -> Option<ErrorCode> {
        let sessions_end = self.roster.sessions_end();
        let Some(member) = self.roster.members.get_mut(member) else { return Some(ErrorCode::UnknownMemberId) };
        if member.unheard || sessions_end.is_none_or(|at| at > now + member.session_timeout) {
            return None;
        }
        member.used_id = true;
        if generation != self.generation {
            return Some(ErrorCode::IllegalGeneration);
        }
        member.renew(now);
        Some(match self.state {
            State::Joining(_) => ErrorCode::RebalanceInProgress,
            State::AwaitingSync(_) | State::Stable(_) => ErrorCode::None,
            State::Empty => ErrorCode::UnknownMemberId,
        })
    }
}
