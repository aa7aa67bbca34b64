//! Who wins: the protocol that the group takes, the member that leads, and whether something better is at hand.

use std::cmp::Reverse;
use std::collections::HashMap;

use crate::ids::{Digest, MemberId, Protocol};
use crate::time::WallTime;

use super::led::COORDINATOR;
use super::roster::Member;
use super::settings::LeaderSelection;
use super::state::State;
use super::trigger::Trigger;
use super::{Fact, Group, Step};

/// Which offers of the members count.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Offers {
    /// Those that they joined with: only these carry metadata.
    AsJoined,
    /// Those that they would join with now.
    AsAnnounced,
}

impl Offers {
    fn of(self, member: &Member) -> Vec<&Protocol> {
        match self {
            Offers::AsJoined => member.protocols.iter().map(|offered| &offered.name).collect(),
            Offers::AsAnnounced => member.present_offers(),
        }
    }
}

impl Group {
    /// The protocol that all members support and most prefer. The operator's order outranks the members' votes;
    /// suspended protocols win only when nothing else is common. Ties go to `favourite`, then to the leader's preference.
    pub(super) fn vote(&self, offers: Offers, favourite: Option<&Protocol>, now: WallTime) -> Option<Protocol> {
        let ballots: Vec<Vec<&Protocol>> = self.roster.members.values().map(|member| offers.of(member)).collect();
        let common = on_every(&ballots);
        let healthy: Vec<&Protocol> = common.iter().copied().filter(|name| !self.is_suspended(name, now)).collect();
        let candidates = if self.is_led() {
            self.served_first(common, healthy)
        } else if healthy.is_empty() {
            common
        } else {
            healthy
        };
        let means = |wish: &String| wished(wish, &candidates).or_else(|| self.wished_by_alias(wish, &candidates));
        if let Some(wanted) = self.settings.assignors.iter().find_map(means) {
            return Some(wanted.clone());
        }
        let mut votes: HashMap<&Protocol, usize> = candidates.iter().map(|name| (*name, 0)).collect();
        for ballot in &ballots {
            let first_choice = ballot.iter().find(|offer| votes.contains_key(*offer));
            if let Some(count) = first_choice.and_then(|name| votes.get_mut(name)) {
                *count += 1;
            }
        }
        let leaders_ballot = self.tie_breaker().map(|member| offers.of(member)).unwrap_or_default();
        let place = |name: &&Protocol| leaders_ballot.iter().position(|offer| offer == name);
        let best = candidates
            .iter()
            .copied()
            .max_by_key(|name| (votes[name], favourite == Some(*name), Reverse(place(name).unwrap_or(usize::MAX))));
        best.cloned()
    }

    /// Whose preference decides a tie: the present leader, else who came first.
    fn tie_breaker(&self) -> Option<&Member> {
        let id = self.leader.as_ref().filter(|id| self.roster.members.contains_key(*id)).or(self.roster.eldest())?;
        self.roster.members.get(id)
    }

    /// The present leader stays while it rejoins, its last plan was accepted and it can run the protocol's module (or
    /// nobody can). Otherwise one is drawn (the proposal: at random) among those that can, else among all.
    pub(super) fn choose_leader(&self, protocol: Option<&Protocol>, step: &Step) -> Option<MemberId> {
        if self.is_led() {
            return Some(MemberId::from(COORDINATOR));
        }
        // Whoever is away cannot lead.
        let is_here = |member: &Member| !matches!(self.state, State::Joining(_)) || member.has_joined();
        let healthy = |member: &Member| {
            let module = protocol.and_then(|protocol| member.module(protocol));
            module.is_some_and(|digest| !self.is_digest_suspended(protocol, digest, self.judged_at))
        };
        let runs = |member: &Member| protocol.is_some_and(|protocol| member.module(protocol).is_some());
        let members = || self.roster.members.iter().filter(|(_, member)| is_here(member));
        let mut able: Vec<&MemberId> = members().filter(|(_, m)| healthy(m)).map(|(id, _)| id).collect();
        if able.is_empty() {
            able = members().filter(|(_, m)| runs(m)).map(|(id, _)| id).collect();
        }
        if able.is_empty() {
            able = members().map(|(id, _)| id).collect();
        }
        let keeps = self.settings.leader_selection == LeaderSelection::Keep;
        let present = self.leader.as_ref().filter(|id| able.contains(id) && self.failed_leader.as_ref() != Some(id));
        if let (true, Some(present)) = (keeps, present) {
            return Some(present.clone());
        }
        if able.len() > 1 {
            able.retain(|id| self.failed_leader.as_ref() != Some(id));
        }
        let draw = step.entropy.rotate_left(17) % u64::try_from(able.len().max(1)).unwrap_or(1);
        able.get(usize::try_from(draw).unwrap_or(0)).map(|id| (*id).clone())
    }

    /// Whether a rebalance now would bring something better than the generation in force: a protocol that all can run
    /// by now and most prefer, another one than a suspended one, or the new module that everybody has under the same
    /// name. Asked when a member announces other modules and when a generation becomes stable, so that a roll-out costs
    /// one rebalance and a mixed fleet none.
    ///
    /// What was passed over when the generation was voted for still is, also when its suspension has ended since: on what the
    /// group has, it would fail again, and whatever is something else for it is a rebalance of its own.
    pub(super) fn better_at_hand(&self) -> Option<Trigger> {
        let (present, at) = (self.protocol.as_ref()?, self.judged_at);
        let winner = self.vote(Offers::AsAnnounced, Some(present), at)?;
        let still_common = || self.roster.members.values().all(|member| member.present_offers().contains(&present));
        if winner != *present && !still_common() {
            return Some(Trigger::Withdrawn(present.clone()));
        }
        // What they joined with may be gone by now, or not be all.
        if self.awaits_word() {
            return None;
        }
        if winner != *present {
            return match (self.is_suspended(present, at), self.is_suspended(&winner, at)) {
                // Nothing has not failed: another one that has is no better.
                (true, true) => None,
                (true, false) => Some(Trigger::Suspended(present.clone())),
                (false, _) => Some(Trigger::RolledOut(winner)),
            };
        }
        if self.is_led() {
            return self.better_module_at_hand(present);
        }
        if self.leader_fails_where_another_would_not(present) {
            return Some(Trigger::Suspended(present.clone()));
        }
        let made_by = self.plan.as_ref().filter(|plan| plan.generation == self.generation)?.digest?;
        let digests = self.digests(present);
        let replaced = digests.len() == 1 && digests[0] != made_by && self.is_announced(present);
        replaced.then_some(Trigger::RolledOut(winner))
    }

    /// Whether the leader's own module of that name is passed over while another member has one that is not.
    fn leader_fails_where_another_would_not(&self, protocol: &Protocol) -> bool {
        let suspended = |member: &Member| {
            member.module(protocol).map(|digest| self.is_digest_suspended(Some(protocol), digest, self.judged_at))
        };
        let leader = self.leader.as_ref().and_then(|id| self.roster.members.get(id));
        leader.and_then(suspended) == Some(true) && self.roster.members.values().any(|it| suspended(it) == Some(false))
    }

    /// Whether the next generation would be another module's work than the one that the leader failed with: then there is
    /// nothing to hold back.
    pub(super) fn something_else_would_run(&self, now: WallTime) -> bool {
        let Some((protocol, digest)) = &self.failed_module else { return false };
        let Some(winner) = self.vote(Offers::AsJoined, None, now) else { return false };
        if winner != *protocol {
            return !self.is_suspended(&winner, now);
        }
        let others = self.digests(&winner).into_iter().filter(|other| Some(*other) != *digest);
        others.into_iter().any(|other| !self.is_digest_suspended(Some(&winner), other, now))
    }

    /// Whether a member that has a module for the protocol has announced its modules since it joined. Without that the
    /// generation in force was made by what all had.
    fn is_announced(&self, protocol: &Protocol) -> bool {
        let mut having = self.roster.members.values().filter(|member| member.module(protocol).is_some());
        having.any(|member| member.announced.is_some())
    }

    /// The different modules that members have under one name.
    pub(super) fn digests(&self, protocol: &Protocol) -> Vec<Digest> {
        if self.is_led() {
            return self.own_digests(protocol);
        }
        let mut digests: Vec<Digest> =
            self.roster.members.values().filter_map(|member| member.module(protocol)).collect();
        digests.sort_unstable();
        digests.dedup();
        digests
    }

    /// The same name and version should be the same module everywhere; the leader's one runs.
    pub(super) fn report_differing_digests(&self, step: &mut Step) {
        let Some(protocol) = self.protocol.as_ref().filter(|_| !self.is_led()) else { return };
        let digests = self.digests(protocol);
        if digests.len() > 1 {
            step.fact(Fact::DigestsDiffer { protocol: protocol.clone(), digests });
        }
    }
}

/// The protocols that stand on every ballot, in the order of the first.
fn on_every<'a>(ballots: &[Vec<&'a Protocol>]) -> Vec<&'a Protocol> {
    let mut support: HashMap<&Protocol, usize> = HashMap::new();
    for (counted, ballot) in ballots.iter().enumerate() {
        for name in ballot {
            let ballots_with_it = support.entry(name).or_default();
            // A name that a ballot repeats counts once.
            *ballots_with_it += usize::from(*ballots_with_it == counted);
        }
    }
    let first = ballots.first().into_iter().flatten().copied();
    first.filter(|name| support.get(name).is_some_and(|count| *count == ballots.len())).collect()
}

/// The candidate that an operator's wish means: the protocol of that name, or the newest version of that strategy.
fn wished<'a>(wish: &str, candidates: &[&'a Protocol]) -> Option<&'a Protocol> {
    let version = |name: &Protocol| name.as_str().strip_prefix(wish)?.strip_prefix('@')?.parse::<u64>().ok();
    let exact = candidates.iter().copied().find(|name| **name == *wish);
    exact.or_else(|| candidates.iter().copied().filter(|name| version(name).is_some()).max_by_key(|name| version(name)))
}
