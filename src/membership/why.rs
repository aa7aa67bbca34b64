//! Why a member joins: a sentence for the coordinator's log (KIP-800), one of a few names for metrics.

/// What made a member join, or join again.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Cause {
    /// It starts, or resumes.
    Start,
    /// The group rebalances: another member, or the coordinator, wants it to.
    Group,
    /// It has given up what others are to have: the second step of a cooperative rebalance.
    Step,
    /// It leads, and its plan's topics, partitions or racks changed.
    Topics,
    /// Its application said something else: facts, metadata, the leader's context, the settings that it leads by, a wish for a
    /// new plan; or its pattern matches other topics.
    Word,
    /// Its modules changed.
    Modules,
    /// Its strategy asked to be called again.
    Strategy,
    /// It was put out of its generation.
    Lost,
    /// It got no share that it can read.
    NoPlan,
}

impl Cause {
    /// Its name in metrics and events.
    pub fn name(self) -> &'static str {
        match self {
            Cause::Start => "start",
            Cause::Group => "group",
            Cause::Step => "step",
            Cause::Topics => "topics",
            Cause::Word => "word",
            Cause::Modules => "modules",
            Cause::Strategy => "strategy",
            Cause::Lost => "lost",
            Cause::NoPlan => "no_plan",
        }
    }
}

/// A cause in words.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Why {
    pub(super) cause: Cause,
    pub(super) text: String,
}

impl Cause {
    /// In these words.
    pub(super) fn because(self, text: impl Into<String>) -> Why {
        Why { cause: self, text: text.into() }
    }
}
