//! A static member that comes back with other wishes. Its coordinator gives it its place, and with that a plan for what the
//! process before it wanted (KIP-345); Kafka's plans anew only when something else happens. So the member looks whether its
//! first state is for what it wants. If not, it begins none of that work and joins once more: as the leader that is a
//! rebalance by itself, and a follower's metadata is another one then, since it says what it had.
//!
//! What a plan was made for says a divvy leader's stamp (`embedded/wants.rs`). Without one, only a topic that the member does
//! not read tells: that it got nothing of one that it reads may be as it should be, since it does not see what the others have.
//! A divvy coordinator sees it before anybody is answered (`group/instances.rs`).

use std::collections::HashMap;

use bytes::Bytes;

use super::config::{CONSUMER, Purpose};
use super::lead::LeadJob;
use super::metadata::Words;
use super::state::Joined;
use super::why::Cause;
use super::{Membership, Peer, Share};
use crate::assignor::MemberInput;
use crate::embedded::wants;
use crate::ids::{MemberId, Mode, Protocol};

impl Membership {
    /// A state without its leader's stamp, which is nobody else's to see, and what that says.
    pub(super) fn unstamped(&self, state: Bytes) -> (Bytes, Option<u64>) {
        if self.config.purpose.is_consumer() { wants::unstamped(&state) } else { (state, None) }
    }

    /// Whether this share was planned for an earlier process that wanted something else. That is asked of the first one.
    pub(super) fn is_for_another(&mut self, joined: &Joined, share: &Share, planned_for: Option<u64>) -> bool {
        let is_first = std::mem::take(&mut self.may_replace);
        let (Purpose::Topics(topics) | Purpose::Matching { topics, .. }) = &self.config.purpose else { return false };
        // The leader that made the plan knows what it wants.
        if !is_first || joined.basis.plan.is_some() {
            return false;
        }
        let Share::Partitions(partitions) = share else { return false };
        let is_not_read = partitions.iter().any(|(topic, _)| !topics.contains(topic));
        is_not_read || planned_for.is_some_and(|number| self.wants(&joined.protocol) != Some(number))
    }

    fn wants(&self, protocol: &Protocol) -> Option<u64> {
        let words = Words { config: &self.config, claim: None, held: None, mode: Mode::Eager, again: 0 };
        wants::wants(&words.metadata(protocol, None))
    }

    /// Nothing of the share was begun.
    pub(super) fn ask_for_another_plan(&mut self) {
        self.again = self.again.saturating_add(1);
        self.join_soon(Cause::Word.because("the plan is for what an earlier process of its instance id wanted"));
    }
}

impl LeadJob {
    /// The plan's states, each stamped that needs it: a divvy coordinator sees for itself who wants something else.
    pub(super) fn stamped(&self, states: Vec<(MemberId, Bytes)>) -> Vec<(MemberId, Bytes)> {
        if self.peer == Peer::Divvy || self.protocol_type != CONSUMER {
            return states;
        }
        let is_reader = |member: &&MemberInput| member.instance.is_some() && wants::is_divvys(&member.metadata);
        let numbers: HashMap<_, _> = self
            .members
            .iter()
            .filter(is_reader)
            .filter_map(|member| Some((&member.id, wants::wants(&member.metadata)?)))
            .collect();
        if numbers.is_empty() {
            return states;
        }
        let stamp = |(id, state)| match numbers.get(&id) {
            Some(number) => {
                let stamped = wants::stamped(&state, *number);
                (id, stamped)
            }
            None => (id, state),
        };
        states.into_iter().map(stamp).collect()
    }
}
