//! What is true of a group after every step. Checked in debug builds, tests and simulation.

use super::Group;
use super::roster::Parked;
use super::state::State;

impl Group {
    /// Panics if the machine broke one of its own rules (never by what a peer sends).
    pub(super) fn check(&self) {
        if cfg!(debug_assertions)
            && let Err(broken) = self.broken_rule()
        {
            panic!("group {:?}: {broken}\n{self:#?}", self.id);
        }
    }

    fn broken_rule(&self) -> Result<(), &'static str> {
        let members = self.roster.members.values();
        let has_members = !self.roster.members.is_empty();
        let leader_is_member = self.leader.as_ref().is_some_and(|id| self.roster.members.contains_key(id));
        let is_led = self.is_led_now();
        let rules = [
            ("an empty group has no members", !(matches!(self.state, State::Empty) && has_members)),
            (
                "an active generation has members, a leader among them unless the coordinator leads, and a protocol",
                !matches!(self.state, State::Stable(_) | State::AwaitingSync(_))
                    || (has_members && (leader_is_member || is_led) && self.protocol.is_some()),
            ),
            (
                "a generation that the coordinator leads never waits for a member's plan",
                !(is_led && matches!(self.state, State::AwaitingSync(_))) || self.is_made_here(),
            ),
            ("each instance id names its member", self.roster.instances_fit()),
            ("whatever waits is found by its ticket", self.roster.tickets_fit()),
            ("everybody offers the protocol that is common", self.roster.common_fits()),
            (
                "a JoinGroup waits only in the join phase",
                matches!(self.state, State::Joining(_))
                    || members.clone().all(|member| !matches!(member.parked, Parked::Join(_))),
            ),
            (
                "a SyncGroup waits only for the leader's plan",
                matches!(self.state, State::AwaitingSync(_))
                    || members.clone().all(|member| !matches!(member.parked, Parked::Sync(_))),
            ),
            (
                "a heartbeat waits only while a generation goes on",
                matches!(self.state, State::AwaitingSync(_) | State::Stable(_))
                    || members.clone().all(|member| member.waiting.is_none()),
            ),
            ("each heartbeat that waits is found by its time", self.roster.waits_fit()),
            ("each id that was handed out is found by its times", self.roster.pending.times_fit()),
            ("no session ends before they are looked at", self.roster.sessions_fit()),
            (
                "in an active generation the plan is of that generation",
                !matches!(self.state, State::Stable(_))
                    || self.plan.as_ref().is_some_and(|plan| plan.generation == self.generation),
            ),
            (
                "a plan has at most one state for a member, in order of their ids",
                self.plan.as_ref().is_none_or(|plan| plan.states.is_sorted_by(|(a, _), (b, _)| a < b)),
            ),
            ("no generation is announced above the reservation", self.ledger.announced <= self.ledger.reserved),
            ("no more is durable than was handed out", self.ledger.stored <= self.ledger.emitted),
            (
                "an answer is held only for a record that is not durable, and found by its ticket",
                self.ledger.held.fits(self.ledger.stored),
            ),
            (
                "the group is woken before its next deadline",
                self.earliest_deadline().is_none_or(|at| self.wake.is_some_and(|wake| wake <= at)),
            ),
        ];
        rules.into_iter().find(|(_, holds)| !holds).map_or(Ok(()), |(rule, _)| Err(rule))
    }
}
