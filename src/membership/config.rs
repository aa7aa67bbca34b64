//! What a member is told by its application: who it is, what it wants, and its timeouts.

use std::collections::BTreeMap;
use std::time::Duration;

use bytes::Bytes;

use super::lead::{LastPlan, Rules};
use super::leading::Leading;
use super::limits;
use super::pattern::TopicPattern;
use crate::embedded::connect;
use crate::embedded::single_writer::Candidate;
use crate::ids::{GroupId, ProtocolType, TopicName};

/// The name of the protocol type whose work is partitions of topics.
pub const CONSUMER: &str = "consumer";

/// The name of the protocol type of Kafka Connect's workers.
pub const CONNECT: &str = "connect";

/// The name of the protocol type with one active member.
pub const SINGLE_WRITER: &str = "single-writer";

/// What a member joins for.
#[derive(Clone, PartialEq, Debug)]
pub enum Purpose {
    /// Type `consumer`: a share of the partitions of these topics.
    Topics(Vec<TopicName>),
    /// Type `consumer`: nothing of its own, only to lead (DESIGN 9).
    Lead(Leading),
    /// Type `consumer`: a share of the partitions of all topics whose names match.
    Matching {
        /// What the names have to match.
        pattern: TopicPattern,
        /// The topics that did when the member last looked, in order.
        topics: Vec<TopicName>,
    },
    /// Type `connect`: a share of the connectors and tasks that the context or the group's settings name, handed over step by
    /// step as Kafka Connect's workers do it (KIP-415).
    Connect {
        /// Where the worker answers, and how far it has read the configuration.
        worker: connect::Worker,
        /// The connectors, for the strategy.
        context: Option<Bytes>,
    },
    /// Any other type: a state that the group's assignor computes from the members' metadata.
    States {
        /// What kind of group.
        protocol_type: ProtocolType,
        /// What the member says of itself, the same under every protocol; none: for type `single-writer` its facts, for others
        /// nothing.
        metadata: Option<Bytes>,
        /// What the application gives the assignor when this member leads.
        context: Option<Bytes>,
    },
}

impl Purpose {
    /// The protocol type that goes into JoinGroup.
    pub fn protocol_type(&self) -> ProtocolType {
        match self {
            Purpose::Topics(_) | Purpose::Matching { .. } | Purpose::Lead(_) => ProtocolType::from(CONSUMER),
            Purpose::Connect { .. } => ProtocolType::from(CONNECT),
            Purpose::States { protocol_type, .. } => protocol_type.clone(),
        }
    }

    /// The topics subscribed; none for types whose work is not partitions.
    pub fn topics(&self) -> &[TopicName] {
        match self {
            Purpose::Topics(topics) | Purpose::Matching { topics, .. } => topics,
            Purpose::Lead(_) | Purpose::Connect { .. } | Purpose::States { .. } => &[],
        }
    }

    /// The plan that is in force before this member has made one.
    pub(super) fn last_plan(&self) -> Option<LastPlan> {
        match self {
            Purpose::Lead(leading) => leading.last_plan.clone(),
            _ => None,
        }
    }

    /// What the application gives the assignor when this member leads.
    pub fn context(&self) -> Option<&Bytes> {
        match self {
            Purpose::Topics(_) | Purpose::Matching { .. } | Purpose::Lead(_) => None,
            Purpose::Connect { context, .. } | Purpose::States { context, .. } => context.as_ref(),
        }
    }

    pub(super) fn is_consumer(&self) -> bool {
        matches!(self, Purpose::Topics(_) | Purpose::Matching { .. } | Purpose::Lead(_))
    }
}

/// How a changed module reaches a group whose coordinator is not divvy (a divvy coordinator does it by itself).
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Rollout {
    /// It is offered at the next rebalance, whoever causes it.
    #[default]
    NextRebalance,
    /// The member rejoins at a random moment within this time, unless a rebalance comes first.
    Eager {
        /// The time over which the members of a fleet spread.
        within: Duration,
    },
}

/// What an application decides for its member.
#[derive(Clone, PartialEq, Debug)]
pub struct Config {
    /// The group.
    pub group: GroupId,
    /// What the member joins for.
    pub purpose: Purpose,
    /// What it says of itself to strategies: `rack`, `weight`, anything.
    pub facts: BTreeMap<String, serde_json::Value>,
    /// The assignors to offer, most wanted first (`rack-aware` or `rack-aware@1`); empty: those with `offer = default`.
    pub assignors: Vec<String>,
    /// The member's own settings for its group; a divvy coordinator's take their place.
    pub rules: Rules,
    /// Whether it has a name that lasts (`group.instance.id`): a process that ends is expected back.
    pub is_static: bool,
    /// How a changed module is offered where the coordinator is not divvy.
    pub rollout: Rollout,
    /// How long the coordinator may hear nothing before it gives the member up.
    pub session_timeout: Duration,
    /// How long a rebalance may wait for this member.
    pub rebalance_timeout: Duration,
    /// How often the member says that it is alive.
    pub heartbeat_interval: Duration,
    /// How often a leader looks whether its plan's topics are still what they were, and every member with a pattern which
    /// topics match it.
    pub topics_interval: Duration,
}

impl Config {
    /// What a member says of itself under a type that is neither `consumer` nor `connect`.
    pub(super) fn state_metadata(&self) -> Bytes {
        match &self.purpose {
            Purpose::States { metadata: Some(metadata), .. } => metadata.clone(),
            Purpose::States { protocol_type, metadata: None, .. } if *protocol_type == SINGLE_WRITER => {
                Candidate { facts: self.facts.clone() }.encode().into()
            }
            _ => Bytes::new(),
        }
    }

    /// A member of that group with the customary timeouts.
    pub fn new(group: GroupId, purpose: Purpose) -> Self {
        Self {
            group,
            purpose,
            facts: BTreeMap::new(),
            assignors: Vec::new(),
            rules: Rules::default(),
            is_static: false,
            rollout: Rollout::default(),
            session_timeout: limits::SESSION_TIMEOUT,
            rebalance_timeout: limits::REBALANCE_TIMEOUT,
            heartbeat_interval: limits::HEARTBEAT_INTERVAL,
            topics_interval: limits::TOPICS_INTERVAL,
        }
    }
}
