//! What strategies promise, each promise under its name: [`Law::check`] holds a strategy against it, whoever runs the strategy.

mod cooperative;
mod plan;
mod round;

use std::fmt;

pub use plan::rack_mismatches;

use super::{NoPlan, TestGroup, TestPlan};

/// Makes plans: the author's function ([`TestGroup::try_plan`]), or a module in a sandbox ([`TestGroup::request`], then
/// [`TestGroup::read`]). It should not panic; that is for whoever runs the strategy to turn into a [`NoPlan`].
pub type Planner<'p> = dyn Fn(&TestGroup) -> Result<TestPlan, NoPlan> + 'p;

/// A promise of a strategy of shape `partitions`.
///
/// Sizes are numbers of partitions. "Moves" compares with what members say that they had; a partition of somebody who left, or
/// who does not read its topic any more, does not move.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Law {
    /// Every partition of a topic that somebody reads has as many owners as the plan has copies, or as it has readers if these
    /// are fewer. The host demands it unless the manifest says `complete: false` (DESIGN 6.5).
    Complete,
    /// No partition goes to one member twice. The host demands it (DESIGN 6.5).
    Disjoint,
    /// Nobody gets a partition of a topic that it does not subscribe to. The host demands it (DESIGN 6.5).
    Subscribed,
    /// No partition could go to another reader of its topic that has more than this number of partitions fewer than its owner
    /// (KIP-54 for 1). Where everybody reads the same: sizes differ by no more than this.
    Balanced(usize),
    /// Of every topic, no reader has more than one partition above another.
    BalancedByTopic,
    /// Topics with the same number of partitions and the same readers have each partition number with the same member.
    Copartitioned,
    /// Nothing moves that need not. A move was needless when its member got another partition instead that the new owner could
    /// have taken as well, or when taking the move back would leave the sizes as even as they are. So with equal subscriptions
    /// nothing is swapped, who joins is the only one to get something, and of all plans of such sizes none moves less.
    Sticky,
    /// A group that did what the plan says gets the same plan again.
    FixedPoint,
    /// The plan does not depend on what has no order in a request (settings, facts, columns), nor on calls before: the same group
    /// asked again gets the same plan. Members, topics and racks are always in the order of their names: when members join in
    /// another order no strategy can tell.
    OrderIndependent,
    /// Handed over step by step (KIP-429), the group is at rest after two rounds. Of what members of a cooperative group may rely
    /// on, the host sees to three things, whatever a strategy plans: nothing goes to one while another claims it (C1), what is
    /// missing from a round is what others hold (C2), and nobody owns what another has not given up (C4). Left to the strategy
    /// is that it ends: when what was withheld has been given up, the next plan gives it to whom it was meant for and takes
    /// nothing back (C3), and from there on it stays the same (C5). With several copies there may be one round more, since a new
    /// primary first becomes a copy.
    CooperativeSafe,
    /// Every partition of a topic that somebody reads has this number of different owners, or all readers if these are fewer.
    Copies(usize),
    /// Read near. With one copy, no partition is read from a rack without a replica of it although another reader in one of its
    /// racks has fewer partitions, or could swap one for it (KIP-881). With several, the owners of a partition stand in as many
    /// different racks as its readers do, as far as there are copies; who says no rack counts as in one of its own.
    Racks,
}

/// How a law was broken.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Broken {
    /// The law.
    pub law: Law,
    /// By which partition and which member, in a sentence.
    pub what: String,
    /// There was no plan to judge: the strategy refused, or failed.
    pub without_plan: bool,
}

impl Law {
    /// Every law; those with a number have their usual one.
    pub const ALL: [Law; 12] = [
        Law::Complete,
        Law::Disjoint,
        Law::Subscribed,
        Law::Balanced(1),
        Law::BalancedByTopic,
        Law::Copartitioned,
        Law::Sticky,
        Law::FixedPoint,
        Law::OrderIndependent,
        Law::CooperativeSafe,
        Law::Copies(2),
        Law::Racks,
    ];

    /// Its name, without its number.
    pub const fn name(self) -> &'static str {
        match self {
            Law::Complete => "complete",
            Law::Disjoint => "disjoint",
            Law::Subscribed => "subscribed",
            Law::Balanced(_) => "balanced",
            Law::BalancedByTopic => "balanced_by_topic",
            Law::Copartitioned => "copartitioned",
            Law::Sticky => "sticky",
            Law::FixedPoint => "fixed_point",
            Law::OrderIndependent => "order_independent",
            Law::CooperativeSafe => "cooperative_safe",
            Law::Copies(_) => "copies",
            Law::Racks => "racks",
        }
    }

    /// The law as it is written: `sticky`, `balanced(2)`; without its number a law has its usual one.
    pub fn parse(text: &str) -> Option<Law> {
        let (name, number) = match text.split_once('(') {
            Some((name, rest)) => (name, Some(rest.strip_suffix(')')?.trim().parse().ok()?)),
            None => (text, None),
        };
        let law = Law::ALL.into_iter().find(|law| law.name() == name.trim())?;
        match (law, number) {
            (law, None) => Some(law),
            (Law::Balanced(_), Some(most)) => Some(Law::Balanced(most)),
            (Law::Copies(_), Some(copies)) => Some(Law::Copies(copies)),
            (_, Some(_)) => None,
        }
    }

    /// Judges one plan of a group. Laws about several plans ([`Law::FixedPoint`], [`Law::OrderIndependent`],
    /// [`Law::CooperativeSafe`]) hold of one: ask [`Law::check`].
    pub fn judge(self, group: &TestGroup, plan: &TestPlan) -> Result<(), Broken> {
        let judged = match self {
            Law::Complete => plan::complete(group, plan),
            Law::Disjoint => plan::disjoint(plan),
            Law::Subscribed => plan::subscribed(group, plan),
            Law::Balanced(most) => plan::balanced(group, plan, most),
            Law::BalancedByTopic => plan::balanced_by_topic(group, plan),
            Law::Copartitioned => plan::copartitioned(group, plan),
            Law::Sticky => plan::sticky(group, plan),
            Law::Copies(copies) => plan::copies(group, plan, copies),
            Law::Racks => plan::racks(group, plan),
            Law::FixedPoint | Law::OrderIndependent | Law::CooperativeSafe => Ok(()),
        };
        judged.map_err(|what| self.broken(what))
    }

    /// Lets a group be planned, as often as the law needs, and judges the plans. Where there is no plan the law is broken, too.
    pub fn check(self, group: &TestGroup, planner: &Planner<'_>) -> Result<(), Broken> {
        let plan = |group: &TestGroup| {
            planner(group).map_err(|no_plan| Broken { law: self, what: no_plan.to_string(), without_plan: true })
        };
        match self {
            Law::FixedPoint => round::fixed_point(group, &plan)?,
            Law::OrderIndependent => round::order_independent(group, &plan)?,
            Law::CooperativeSafe => cooperative::settles(group, &plan)?,
            law => return law.judge(group, &plan(group)?),
        }
        .map_err(|what| self.broken(what))
    }

    fn broken(self, what: String) -> Broken {
        Broken { law: self, what, without_plan: false }
    }
}

/// A planner whose errors are the law's.
type Plan<'p> = dyn Fn(&TestGroup) -> Result<TestPlan, Broken> + 'p;

/// Whether a law holds of plans, if there are plans.
type Verdict = Result<Result<(), String>, Broken>;

impl fmt::Display for Law {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Law::Balanced(number) | Law::Copies(number) => write!(f, "{}({number})", self.name()),
            law => f.write_str(law.name()),
        }
    }
}

impl fmt::Display for Broken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.law, self.what)
    }
}
