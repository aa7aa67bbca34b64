//! What begins a rebalance: every generation names its cause.

use std::fmt;

use crate::ids::{MemberId, Protocol, TopicName};

/// Why a rebalance began: every generation names one.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Trigger {
    /// Somebody joined.
    MemberJoined(MemberId),
    /// A member joined again with other metadata.
    MetadataChanged(MemberId),
    /// The leader joined again, as it does when topics change.
    LeaderRejoined(MemberId),
    /// A process took the place of an earlier one of the same instance id, and the generation could not go on as it was.
    Replaced(MemberId),
    /// The group was read with more members than `group.max.size` allows by now.
    OverSize,
    /// Somebody left.
    MemberLeft(MemberId),
    /// Somebody fell silent.
    SessionExpired(MemberId),
    /// Somebody never asked for its state.
    SyncExpired(MemberId),
    /// All divvy members can run something better now.
    RolledOut(Protocol),
    /// A member can no longer run the chosen protocol.
    Withdrawn(Protocol),
    /// The chosen protocol was suspended and another is common to all.
    Suspended(Protocol),
    /// The leader had no plan, or its plan was refused.
    PlanFailed(Protocol),
    /// The plan was made for other topics than there are.
    TopicsChanged(TopicName),
    /// What the coordinator's plan was made from has changed.
    GroundChanged(GroundChange),
    /// The operator has other settings for the group.
    SettingsChanged,
    /// The strategy, which the coordinator or a member of divvy's runs, wanted to be called again.
    CallAgain,
    /// The module that should have made the plan in force could not be called, and may be by now.
    AskedAgain(Protocol),
}

/// What has changed under a plan of the coordinator's own.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum GroundChange {
    /// Another module serves the protocol.
    Module(Protocol),
    /// No module serves the protocol any more.
    Gone(Protocol),
    /// The topics that the members subscribe to: which there are, their partitions, or their racks.
    Topics,
}

impl Trigger {
    /// Its kind, for metrics: a bounded set of labels.
    pub fn kind(&self) -> &'static str {
        match self {
            Trigger::MemberJoined(_) => "member_joined",
            Trigger::MetadataChanged(_) => "metadata_changed",
            Trigger::LeaderRejoined(_) => "leader_rejoined",
            Trigger::Replaced(_) => "replaced",
            Trigger::OverSize => "over_size",
            Trigger::MemberLeft(_) => "member_left",
            Trigger::SessionExpired(_) => "session_expired",
            Trigger::SyncExpired(_) => "sync_expired",
            Trigger::RolledOut(_) => "rolled_out",
            Trigger::Withdrawn(_) => "withdrawn",
            Trigger::Suspended(_) => "suspended",
            Trigger::PlanFailed(_) => "plan_failed",
            Trigger::TopicsChanged(_) => "topics_changed",
            Trigger::GroundChanged(GroundChange::Module(_) | GroundChange::Gone(_)) => "module_changed",
            Trigger::GroundChanged(GroundChange::Topics) => "topics_changed",
            Trigger::SettingsChanged => "settings_changed",
            Trigger::CallAgain => "call_again",
            Trigger::AskedAgain(_) => "asked_again",
        }
    }
}

impl fmt::Display for Trigger {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Trigger::MemberJoined(id) => write!(f, "{id} joined"),
            Trigger::MetadataChanged(id) => write!(f, "{id} joined again with other metadata"),
            Trigger::LeaderRejoined(id) => write!(f, "the leader {id} joined again"),
            Trigger::Replaced(id) => write!(f, "{id} took the place of an earlier process of its instance id"),
            Trigger::OverSize => f.write_str("the group has more members than group.max.size allows"),
            Trigger::MemberLeft(id) => write!(f, "{id} left"),
            Trigger::SessionExpired(id) => write!(f, "{id} was silent for too long"),
            Trigger::SyncExpired(id) => write!(f, "{id} never asked for its state"),
            Trigger::RolledOut(protocol) => write!(f, "{protocol} is rolled out: all members can run it"),
            Trigger::Withdrawn(protocol) => write!(f, "{protocol} is taken away: not all members can run it any more"),
            Trigger::Suspended(protocol) => write!(f, "{protocol} failed and is suspended"),
            Trigger::PlanFailed(protocol) => write!(f, "the leader had no valid plan under {protocol}"),
            Trigger::TopicsChanged(topic) => write!(f, "topic {topic} is not what the plan was made for"),
            Trigger::GroundChanged(GroundChange::Module(protocol)) => {
                write!(f, "the coordinator has another module for {protocol}")
            }
            Trigger::GroundChanged(GroundChange::Gone(protocol)) => {
                write!(f, "the coordinator's module for {protocol} is gone")
            }
            Trigger::GroundChanged(GroundChange::Topics) => f.write_str("subscribed topics or their racks changed"),
            Trigger::SettingsChanged => f.write_str("the group's settings changed"),
            Trigger::CallAgain => f.write_str("the strategy wanted to be called again"),
            Trigger::AskedAgain(protocol) => {
                write!(f, "the module for {protocol} could not be called for want of a place, and is asked again")
            }
        }
    }
}
