//! What a leader knows when it makes a plan.

use std::collections::BTreeMap;
use std::time::Duration;

use bytes::Bytes;
use serde::{Deserialize, Serialize};

use super::manifest::Mode;
use crate::ids::{Generation, GroupId, InstanceId, MemberId, Protocol, ProtocolType, TopicName};
use crate::topics::TopicTable;

/// One generation to be served.
#[derive(Clone, Debug)]
pub struct LeaderInput<'a> {
    /// The group.
    pub group: &'a GroupId,
    /// The generation that the plan is for.
    pub generation: Generation,
    /// The protocol that the group agreed on.
    pub protocol: &'a Protocol,
    /// How members hand over under that protocol.
    pub mode: Mode,
    /// What kind of group.
    pub protocol_type: &'a ProtocolType,
    /// Everybody, in any order. Of two with one id the first counts.
    pub members: &'a [MemberInput],
    /// All topics that the leader knows.
    pub topics: &'a TopicTable,
    /// Numbers for each partition, sent to a strategy whose manifest needs them.
    pub columns: &'a [Column],
    /// The strategy's configuration: null or a map.
    pub config: &'a serde_json::Value,
    /// For shape `states`: whatever the application hands to its strategy.
    pub context: Option<&'a [u8]>,
    /// What the last accepted plan's strategy wanted to remember.
    pub memo: Option<&'a [u8]>,
    /// The wall clock.
    pub now_ms: i64,
    /// How long the strategy may run.
    pub budget_ms: Duration,
}

/// A member, as its leader sees it.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct MemberInput {
    /// Its id.
    pub id: MemberId,
    /// Its lasting name, if it has one.
    #[serde(default)]
    pub instance: Option<InstanceId>,
    /// What it says of itself under the chosen protocol.
    #[serde(with = "super::capture::raw_bytes")]
    pub metadata: Bytes,
}

/// A number for each partition: its lag, its load.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Column {
    /// The name that manifests ask for.
    pub name: String,
    /// By topic.
    pub values: BTreeMap<TopicName, Vec<u64>>,
    /// What a partition counts as that nothing is known of.
    pub unknown: u64,
}
