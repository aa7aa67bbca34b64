//! What a leader knew, as it is kept: a [`LeaderInput`] that owns what it says.

use std::time::Duration;

use bytes::Bytes;
use serde::{Deserialize, Serialize};

use crate::assignor::{Column, LeaderInput, MemberInput};
use crate::ids::{Generation, GroupId, Mode, Protocol, ProtocolType};
use crate::topics::TopicTable;

/// A [`LeaderInput`] of its own.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Asked {
    /// The group.
    pub group: GroupId,
    /// The generation that the plan was for.
    pub generation: Generation,
    /// The protocol that the group agreed on.
    pub protocol: Protocol,
    /// How members hand over under it.
    pub mode: Mode,
    /// What kind of group.
    pub protocol_type: ProtocolType,
    /// Everybody, with what was remembered or said for them.
    pub members: Vec<MemberInput>,
    /// The topics, with their racks.
    pub topics: TopicTable,
    /// Numbers for each partition.
    #[serde(default)]
    pub columns: Vec<Column>,
    /// The strategy's configuration.
    #[serde(default)]
    pub config: serde_json::Value,
    /// The application's context.
    #[serde(default, with = "super::maybe_bytes")]
    pub context: Option<Bytes>,
    /// What the strategy had wanted to remember.
    #[serde(default, with = "super::maybe_bytes")]
    pub memo: Option<Bytes>,
    /// The wall clock.
    pub now_ms: i64,
    /// How long it might run, in milliseconds.
    pub budget_ms: u64,
}

impl Asked {
    /// The same again.
    pub fn input(&self) -> LeaderInput<'_> {
        LeaderInput {
            group: &self.group,
            generation: self.generation,
            protocol: &self.protocol,
            mode: self.mode,
            protocol_type: &self.protocol_type,
            members: &self.members,
            topics: &self.topics,
            columns: &self.columns,
            config: &self.config,
            context: self.context.as_deref(),
            memo: self.memo.as_deref(),
            now_ms: self.now_ms,
            budget_ms: Duration::from_millis(self.budget_ms),
        }
    }
}

impl From<&LeaderInput<'_>> for Asked {
    fn from(input: &LeaderInput<'_>) -> Self {
        Self {
            group: input.group.clone(),
            generation: input.generation,
            protocol: input.protocol.clone(),
            mode: input.mode,
            protocol_type: input.protocol_type.clone(),
            members: input.members.to_vec(),
            topics: input.topics.clone(),
            columns: input.columns.to_vec(),
            config: input.config.clone(),
            context: input.context.map(Bytes::copy_from_slice),
            memo: input.memo.map(Bytes::copy_from_slice),
            now_ms: input.now_ms,
            budget_ms: u64::try_from(input.budget_ms.as_millis()).unwrap_or(u64::MAX),
        }
    }
}
