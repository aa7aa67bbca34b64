//! A member that joins to lead and for nothing else (DESIGN 9): it subscribes to no topic, so that nobody gives it any, and
//! offers the names that the others offer, so that the group chooses as it would without it. Whichever name is chosen, one
//! strategy of divvy's serves under it.
//!
//! A broker of Kafka's lets the first member of an empty group lead, and whoever leads keeps the lead as long as it comes back
//! in time. So such a member takes the lead of a running group by removing all others, in front of its own JoinGroup on the
//! same connection: they find out with their next heartbeat, and join behind it.

use std::sync::Arc;

use bytes::Bytes;

use super::config::{CONSUMER, Purpose};
use super::lead::{LastPlan, Rules};
use super::limits::GATHER;
use super::negotiate::{Offer, Strategies};
use super::state::{Accepted, Coordinator, State};
use super::why::Cause;
use super::{Membership, Notice, Peer, Role};
use crate::assignor::{Assignor, MemberInput, NATIVE, ServedBy, Spoken, native_range};
use crate::embedded::consumer::{Subscription, Tail};
use crate::ids::{Digest, Generation, MemberId, Mode, Protocol};
use crate::topics::TopicTable;

/// The version that a subscription to nothing is written in: every leader reads it.
const NOTHING: i16 = 1;

/// How a member leads that owns nothing.
#[derive(Clone, PartialEq, Debug)]
pub struct Leading {
    /// The strategy: `rack-aware` for its newest version at hand, `rack-aware@1` for that one.
    pub assignor: String,
    /// The names under which it serves, most wanted first, each with how members hand over under it.
    pub names: Vec<(Protocol, Mode)>,
    /// What is said for members that cannot say it themselves.
    pub spoken: Spoken,
    /// The plan in force, if the process that led before is known to have made it: who comes back is told no plan.
    pub last_plan: Option<LastPlan>,
}

/// A plan of a member that leads for others, once the coordinator has it.
#[derive(Clone, PartialEq, Debug)]
pub struct Planned {
    /// The generation.
    pub generation: Generation,
    /// The name that the group chose.
    pub protocol: Protocol,
    /// The module that made the plan; none for the last plan and the host's own range.
    pub digest: Option<Digest>,
    /// What made it.
    pub served_by: ServedBy,
    /// Everybody, as they joined.
    pub members: Arc<Vec<MemberInput>>,
    /// The topics that it was made for.
    pub topics: Arc<TopicTable>,
    /// What everybody got.
    pub states: Arc<Vec<(MemberId, Bytes)>>,
    /// What everybody had by the plan before, if that is known.
    pub before: Option<LastPlan>,
}

impl Leading {
    /// The strategy, if it is at hand.
    pub fn strategy<'a>(&self, strategies: &'a Strategies) -> Option<&'a dyn Assignor> {
        let native = || (self.assignor == NATIVE).then(native_range);
        strategies.called(&self.assignor, CONSUMER).or_else(native)
    }

    /// How members hand over under that name.
    pub fn mode(&self, protocol: &Protocol) -> Option<Mode> {
        self.names.iter().find(|(name, _)| name == protocol).map(|(_, mode)| *mode)
    }

    /// Each name, with the strategy behind it; nothing while that is not at hand.
    pub(super) fn offers(&self, strategies: &Strategies) -> Vec<Offer> {
        let Some(strategy) = self.strategy(strategies) else { return Vec::new() };
        let digest = strategy.digest();
        self.names.iter().map(|(name, mode)| Offer { protocol: name.clone(), digest, mode: *mode }).collect()
    }
}

/// What such a member says of itself: that it wants nothing.
pub(super) fn wants_nothing() -> Bytes {
    Subscription { version: NOTHING, topics: Vec::new(), tail: Tail::default() }.encode().into()
}

impl Membership {
    /// How this member leads, if it joins for that alone.
    pub(super) fn leading(&self) -> Option<&Leading> {
        match &self.config.purpose {
            Purpose::Lead(leading) => Some(leading),
            _ => None,
        }
    }

    /// The strategy that serves a protocol here.
    pub(super) fn strategy(&self, protocol: &Protocol) -> Option<&dyn Assignor> {
        match self.leading() {
            Some(leading) => leading.strategy(&self.strategies),
            None => self.strategies.find(protocol),
        }
    }

    /// The application wants another strategy, other settings or other words for the members: a new plan, if that changes any.
    pub(super) fn lead_by(&mut self, leading: Leading, rules: Rules) {
        let Purpose::Lead(before) = &mut self.config.purpose else { return };
        let is_other =
            self.config.rules != rules || before.assignor != leading.assignor || before.spoken != leading.spoken;
        *before = leading;
        self.config.rules = rules;
        self.rules = match &self.coordinator {
            Coordinator::Known(Peer::Divvy) => self.with_own_settings(self.rules.clone()),
            _ => self.config.rules.clone(),
        };
        let (offers, offered) = (self.choose(&self.strategies).offers, &self.offers);
        if offers != *offered && !offers.is_empty() {
            self.offers = offers;
            self.tell(Notice::OffersChanged(self.offers.clone()));
        }
        if is_other {
            self.plan_anew("its settings changed".to_owned());
        }
    }

    /// Who joins to lead has settings of its own for its strategy; a divvy coordinator's count for all others.
    pub(super) fn with_own_settings(&self, mut rules: Rules) -> Rules {
        if self.leading().is_some() {
            rules.config.extend(self.config.rules.config.clone());
        }
        rules
    }

    /// The application wants a new plan, soon: several wishes at once are one rejoin. Whoever does not lead cannot make one.
    pub(super) fn plan_anew(&mut self, reason: String) {
        let leads = self.state.joined().is_some_and(|it| it.role == Role::Leader);
        let at = self.now.mono + GATHER;
        if leads && self.rejoin.as_ref().is_none_or(|(due, _)| *due > at) {
            self.rejoin = Some((at, Cause::Word.because(reason)));
        }
    }

    /// The application wants the lead of a running group: whatever this member was there is over with everybody else's place.
    pub(super) fn take_over(&mut self) {
        if self.leading().is_none() {
            return;
        }
        self.member = MemberId::default();
        self.removes_others = true;
        self.state = State::Unjoined { join_at: self.now.mono, reason: Cause::Start.because("it takes the lead") };
    }

    /// Says what plan is in force now.
    pub(super) fn tell_planned(
        &mut self,
        generation: Generation,
        protocol: &Protocol,
        plan: &Accepted,
        digest: Option<Digest>,
        states: LastPlan,
    ) {
        if self.leading().is_none() {
            return;
        }
        self.tell(Notice::Planned(Box::new(Planned {
            generation,
            protocol: protocol.clone(),
            digest,
            served_by: plan.served_by.clone(),
            members: Arc::clone(&plan.members),
            topics: Arc::clone(&plan.topics),
            states,
            before: self.last_plan.clone(),
        })));
    }
}
