//! What a lead is told, what it wants done, and what it says.

use std::time::Duration;

use crate::ids::{Mode, Protocol};
use crate::lead::Described;
use crate::membership::lead::LastPlan;

/// What happened.
#[derive(Clone, PartialEq, Debug)]
pub enum Event {
    /// It is the one to lead.
    Elected,
    /// Another one is; nobody while that is empty.
    StoodDown(String),
    /// The coordinator described the group, or why not.
    Looked(Result<Described, String>),
    /// It is in a generation of the group.
    Joined(Joined),
    /// Whether a plan made now would be another one than the one in force; or why nobody knows.
    Reviewed(Result<bool, String>),
    /// It is out of the group.
    Out(String),
    /// Time has passed.
    Tick,
}

/// A generation.
#[derive(Clone, PartialEq, Debug)]
pub struct Joined {
    /// Its number.
    pub generation: i32,
    /// The name that the group chose.
    pub protocol: Protocol,
    /// Whether this one leads it.
    pub leads: bool,
    /// Who leads it; empty if nobody does, as in a group whose broker assigns.
    pub leader: String,
    /// Whether this one made its plan; who takes its own place again has not.
    pub planned: bool,
}

/// What to do.
#[derive(Clone, PartialEq, Debug)]
pub enum Action {
    /// Ask the coordinator to describe the group: answered by [`Event::Looked`].
    Look,
    /// Join the group.
    Join(Join),
    /// Remove everybody else and join in front of them.
    TakeOver,
    /// Compare the plan in force with what would be decided now: answered by [`Event::Reviewed`].
    Review,
    /// Join again for a new plan.
    PlanAnew(&'static str),
    /// Be no member any more, without a word: another one has the place.
    Abandon,
    /// Tell people.
    Say(Saying),
    /// End, and say why.
    Stop(String),
}

/// How to join.
#[derive(Clone, PartialEq, Debug)]
pub struct Join {
    /// What to offer.
    pub names: Vec<(Protocol, Mode)>,
    /// The plan in force, if this one's predecessor may have made it.
    pub last_plan: Option<LastPlan>,
    /// Whether to remove everybody who is there.
    pub take_over: bool,
}

/// News.
#[derive(Clone, PartialEq, Debug)]
pub enum Saying {
    /// It waits until the active one is gone.
    Standby {
        /// Who is active; nobody while it is empty.
        active: String,
    },
    /// It is elected.
    Active,
    /// It joins.
    Joins {
        /// What it offers.
        names: Vec<Protocol>,
        /// How many are in the group.
        members: usize,
        /// Whether it is there already, under the same lasting name.
        comes_back: bool,
        /// Whether everybody else is removed first.
        takes_over: bool,
    },
    /// It leads.
    Leads {
        /// The generation.
        generation: i32,
        /// The name that the group chose.
        protocol: Protocol,
        /// Whether the plan of the process before goes on.
        kept: bool,
    },
    /// It does not lead.
    Follows {
        /// Who does.
        leader: String,
        /// The name that the group chose.
        protocol: Protocol,
    },
    /// It led, and another one does now.
    LostLead {
        /// Who.
        leader: String,
        /// Whether it takes the lead again, and when.
        retakes_in: Option<Duration>,
    },
    /// Nobody leads: a client came by the protocol in which the broker assigns (KIP-848), and the group is one of those now.
    NoLeader {
        /// Whether it led before.
        led: bool,
    },
    /// It takes the lead of the running group.
    TakesOver {
        /// Which try this is.
        attempt: u32,
        /// Whether the coordinator draws the leader.
        draws: bool,
    },
    /// It could not take the lead: others were quicker each time.
    GaveUp {
        /// Who leads.
        leader: String,
        /// Whether it tries again, and when.
        retakes_in: Option<Duration>,
        /// Whether the coordinator drew the other one each time.
        drawn: bool,
    },
    /// The plan in force is what would be decided now.
    Confirmed,
    /// Nobody knows whether it is.
    Unreviewed {
        /// Why.
        reason: String,
    },
    /// The group cannot be looked at.
    CannotLook {
        /// Why.
        reason: String,
        /// When it is tried again.
        again_in: Duration,
    },
    /// It is out of the group.
    Out {
        /// Why.
        reason: String,
        /// When it looks again.
        again_in: Duration,
    },
}
