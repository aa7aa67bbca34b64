//! What a member tells its application: what it has to do, what it has to give up, and what people want to know.

use bytes::Bytes;

use super::lead::{Fault, ServedBy};
use super::leading::Planned;
use super::negotiate::Offer;
use super::why::Cause;
use crate::ids::{Digest, Generation, MemberId, Protocol, TopicName};

/// A member's share.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Share {
    /// Partitions, by topic, in order. For type `connect` tasks, by connector; -1 is the connector itself.
    Partitions(Vec<(TopicName, Vec<i32>)>),
    /// A state, as the assignor made it.
    State(Bytes),
}

impl Share {
    /// Whether there is nothing to give up.
    pub fn is_nothing(&self) -> bool {
        match self {
            Share::Partitions(topics) => topics.iter().all(|(_, partitions)| partitions.is_empty()),
            Share::State(state) => state.is_empty(),
        }
    }
}

/// Whether this member led the generation.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Role {
    /// It did.
    Leader,
    /// Another one did.
    Follower,
}

/// A member's share of a generation.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Assigned {
    /// The generation.
    pub generation: Generation,
    /// The protocol chosen.
    pub protocol: Protocol,
    /// This member's own module of that protocol; none for the host's own range or a protocol without a module.
    pub digest: Option<Digest>,
    /// What made the plan, where this member led and made it now.
    pub served_by: Option<ServedBy>,
    /// What made the plan in place of a strategy that failed, where the coordinator says so: divvy's does, to everybody.
    pub stand_in: Option<StandIn>,
    /// Who led.
    pub leader: MemberId,
    /// This member.
    pub member: MemberId,
    /// Whether those are one.
    pub role: Role,
    /// Why the member joined it.
    pub cause: Cause,
    /// What it got.
    pub share: Share,
    /// What its strategy told it beside its partitions (the user data of a Kafka assignment).
    pub user_data: Option<Bytes>,
}

impl Assigned {
    /// Whether something else made the plan than the strategy that the group chose, as far as this member was told.
    pub fn is_stood_in_for(&self) -> bool {
        self.stand_in.is_some() || self.served_by.as_ref().is_some_and(|by| *by != ServedBy::Chosen)
    }
}

/// What made a plan in place of a strategy that failed, in words.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct StandIn {
    /// What did, as its leader sees it: `its own range`.
    pub by: String,
    /// What failed, and how.
    pub reason: String,
}

/// News for the application.
#[derive(Clone, PartialEq, Debug)]
pub enum Notice {
    /// This is the member's work now.
    Assigned(Assigned),
    /// Finish this work and say so; the group waits, at most for the rebalance timeout.
    Revoke {
        /// The generation that it came from: named when it is given up.
        generation: Generation,
        /// What has to be finished.
        share: Share,
    },
    /// This work may already be another's: stop at once.
    Lost {
        /// What was lost.
        share: Share,
        /// Why.
        reason: String,
    },
    /// The member is out for good.
    Failed {
        /// Why, and what to do about it.
        reason: String,
        /// What becomes of its place.
        ending: Ending,
    },
    /// The member offers something else than before, most wanted first.
    OffersChanged(Vec<Offer>),
    /// These would be offered next, if a member could offer more; none any more when it is empty.
    OffersLeftOut(Vec<Protocol>),
    /// A strategy failed while this member led.
    Fault {
        /// What failed.
        fault: Fault,
        /// What served the generation instead.
        served_by: ServedBy,
    },
    /// The plan of a member that leads for others is in force.
    Planned(Box<Planned>),
    /// Topics that the group subscribes to do not exist; the member waits for them.
    TopicsMissing(Vec<TopicName>),
    /// Again and again nobody says which topics there are; the member goes on asking.
    TopicsUnknown {
        /// Why.
        reason: String,
    },
    /// The vote passes these protocols over.
    Suspended(Vec<(Protocol, String)>),
    /// The coordinator gave no state; the member joins again.
    NoPlan {
        /// Why.
        reason: String,
    },
    /// The coordinator cannot be reached; the member keeps its work and looks for it.
    CoordinatorLost {
        /// Why.
        reason: String,
    },
    /// The coordinator is found again.
    CoordinatorFound,
    /// The pattern matches these topics now.
    Matching(Vec<TopicName>),
    /// The coordinator did not let the member leave: its work goes to others when its session ends.
    LeaveRefused {
        /// Why.
        reason: String,
    },
    /// Everything is handed over and the member is out of its group, until it is told to resume.
    Drained,
    /// The member has ended, as it was told to.
    Ended(Ending),
}

/// What became of a member's place in its group when its application ended it, or when it failed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Ending {
    /// It has left: others get its work now.
    Left,
    /// It has no place: it had not joined yet, or was out already. Of one with a lasting name an earlier process may have left a
    /// place behind, which is none of this one's.
    Outside,
    /// It has a lasting name, and is expected back: place and share are kept until its session ends.
    PlaceKept,
    /// It has a lasting name, and its JoinGroup was not answered: if the coordinator has let it in, its place is kept until its
    /// session ends.
    Joining,
    /// It could not leave: others get its work when its session ends.
    NotLeft {
        /// Why.
        reason: String,
        /// Whether the coordinator did not answer: one that was down counts a session anew when it is back.
        is_silent: bool,
    },
}
