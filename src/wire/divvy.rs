//! divvy's own fields: tagged fields that Kafka's messages carry between two divvies and that nobody else looks at.
//!
//! They stand in flexible versions only (KIP-482), above all numbers of Kafka's, and are sent only to a peer that
//! showed itself: the server by [`ApiVersionsTag`], a member by [`JoinRequestTag`], who looks by [`DescribeTag`]. Everything works without them.
//! Each is a MessagePack map from field names to values; a reader passes over names that it does not know and takes
//! the default for those that are missing, so that either side may be the newer one.
//!
//! | tag | message | struct | what it tells |
//! |---|---|---|---|
//! | 17408 | ApiVersions answer, from v3 | [`ApiVersionsTag`] | this is divvy |
//! | 17409 | JoinGroup request, from v6 | [`JoinRequestTag`] | the modules that the member can run |
//! | 17410 | JoinGroup answer, from v6 | [`JoinResponseTag`] | the operator's settings, suspended protocols, the leader's memo |
//! | 17411 | SyncGroup request, from v4 | [`SyncRequestTag`] | where the plan comes from, or why there is none |
//! | 17412 | SyncGroup answer, from v4 | [`SyncResponseTag`] | why there is no state; what stood in for a strategy that failed |
//! | 17413 | Heartbeat request, from v4 | [`HeartbeatRequestTag`] | the modules that the member can run now; how long the answer may wait |
//! | 17414 | DescribeGroups, both, from v5 | [`DescribeTag`] | how many copies the plans have |

use bytes::Bytes;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use super::limits::{DIVVY_DEPTH_MAX, DIVVY_TAG_MAX, MEMO_MAX, MODULES_MAX};
use super::problem::{DecodeError, Problem};
use super::tags::Tags;
use crate::ids::{Digest, GroupId, Mode, Protocol, TopicName};

/// In the answer to ApiVersions: the peer is divvy.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct ApiVersionsTag {
    /// The version of its software, for people.
    pub version: String,
}

/// In JoinGroup's request.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct JoinRequestTag {
    /// The modules that the member can run: the protocol each serves, and what it is.
    pub modules: Vec<(Protocol, Digest)>,
}

/// In JoinGroup's answer.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct JoinResponseTag {
    /// The operator's settings for the group, as JSON.
    pub settings: String,
    /// Their hash, which a plan names again.
    pub settings_hash: u64,
    /// The protocols that the vote passes over: until when, in milliseconds since 1970, and why.
    pub suspended: Vec<(Protocol, i64, String)>,
    /// What the last plan's strategy wanted to remember, for the leader.
    #[serde(with = "binary")]
    pub memo: Option<Bytes>,
}

/// In SyncGroup's request of a leader.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct SyncRequestTag {
    /// The module that made the plan; none for the host's own range.
    pub digest: Option<Digest>,
    /// The settings that it was made with.
    pub settings_hash: u64,
    /// The topics that it was made for, with their numbers of partitions.
    pub topics: Vec<(TopicName, u32)>,
    /// How many members each partition goes to.
    pub copies: u16,
    /// Whether every partition must have an owner.
    pub complete: bool,
    /// How members hand over under its protocol.
    pub mode: Mode,
    /// The wall clock that the module was told, in milliseconds since 1970: with it the coordinator can ask the module's own
    /// check what the module was asked. None if an application's own context went into the plan.
    pub asked_ms: Option<i64>,
    /// What the strategy wants to remember.
    #[serde(with = "binary")]
    pub memo: Option<Bytes>,
    /// What failed: the plan stands in for it, or there is none.
    pub fault: Option<FaultTag>,
    /// There is no plan: the leader's error (the proposal).
    pub failed: bool,
}

/// A strategy that failed.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct FaultTag {
    /// The protocol whose module failed.
    pub protocol: Protocol,
    /// The module that failed.
    pub digest: Option<Digest>,
    /// The kind, by name.
    pub kind: String,
    /// What happened, for people.
    pub message: String,
}

/// In SyncGroup's answer.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct SyncResponseTag {
    /// Why there is no state, for people.
    pub reason: String,
    /// What made the plan in place of a strategy that failed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stand_in: Option<StandInTag>,
}

/// What made a plan in place of a strategy that failed.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct StandInTag {
    /// What did, for people.
    pub by: String,
    /// What failed, and how.
    pub reason: String,
}

/// In Heartbeat's request, when the modules changed or the answer may wait.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct HeartbeatRequestTag {
    /// The modules that the member can run now, most wanted first; none if it has no news.
    pub modules: Option<Vec<(Protocol, Digest)>>,
    /// For so long, in milliseconds, the coordinator may keep the answer back until something happens: 27 when a rebalance
    /// begins, 25 when the member is removed, 0 when the time is over. The coordinator waits for less if it wants to (for at
    /// most half the session). Answers keep their order, so such a heartbeat is sent on a connection of its own; the
    /// member's other heartbeats go on, and a later one that waits takes its place.
    pub wait_ms: Option<u32>,
}

/// In DescribeGroups' request, empty, and then in its answer.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct DescribeTag {
    /// How many members a partition goes to under a group's plan, where that is more than one.
    pub copies: Vec<(GroupId, u16)>,
}

macro_rules! tags {
    ($($tag:literal $name:ident $(, bounded by $bound:expr)?;)*) => {$(
        impl $name {
            /// Its number.
            pub const TAG: u32 = $tag;

            /// Sets it among the tagged fields of a message.
            pub fn put(&self, tags: &mut Tags) {
                put(Self::TAG, self, tags);
            }

            /// Reads it from the tagged fields of a message, if it is there.
            pub fn take(tags: &Tags) -> Result<Option<Self>, DecodeError> {
                let found = take::<Self>(Self::TAG, tags).map_err(|problem| problem.of(stringify!($name)))?;
                $(if let Some(problem) = found.as_ref().and_then($bound) {
                    return Err(DecodeError::at(0, problem).of(stringify!($name)));
                })?
                Ok(found)
            }
        }
    )*};
}

tags! {
    17408 ApiVersionsTag;
    17409 JoinRequestTag, bounded by |it: &Self| too_many(it.modules.len());
    17410 JoinResponseTag, bounded by |it: &Self| too_long(it.memo.as_ref());
    17411 SyncRequestTag, bounded by |it: &Self| too_long(it.memo.as_ref());
    17412 SyncResponseTag;
    17413 HeartbeatRequestTag, bounded by |it: &Self| too_many(it.modules.as_ref().map_or(0, Vec::len));
    17414 DescribeTag;
}

fn too_many(modules: usize) -> Option<Problem> {
    (modules > MODULES_MAX).then_some(Problem::Count { count: modules, most: MODULES_MAX })
}

fn too_long(memo: Option<&Bytes>) -> Option<Problem> {
    memo.filter(|memo| memo.len() > MEMO_MAX).map(|memo| Problem::TooLong(memo.len()))
}

fn put<T: Serialize>(tag: u32, value: &T, tags: &mut Tags) {
    let bytes = rmp_serde::to_vec_named(value).expect("plain data with text keys has a MessagePack form");
    tags.set(tag, bytes.into());
}

fn take<T: DeserializeOwned>(tag: u32, tags: &Tags) -> Result<Option<T>, DecodeError> {
    let Some(bytes) = tags.get(tag) else { return Ok(None) };
    if bytes.len() > DIVVY_TAG_MAX {
        return Err(DecodeError::at(0, Problem::TooLong(bytes.len())));
    }
    let mut from = rmp_serde::Deserializer::from_read_ref(&bytes[..]);
    from.set_max_depth(DIVVY_DEPTH_MAX);
    match T::deserialize(&mut from) {
        Ok(value) => Ok(Some(value)),
        Err(error) => Err(DecodeError::at(0, Problem::Divvy(error.to_string()))),
    }
}

/// A memo travels as a byte string, not as a list of numbers.
mod binary {
    use std::fmt;

    use bytes::Bytes;
    use serde::de::{Deserializer, Error, Visitor};
    use serde::ser::Serializer;

    pub fn serialize<S: Serializer>(memo: &Option<Bytes>, to: S) -> Result<S::Ok, S::Error> {
        match memo {
            Some(bytes) => to.serialize_bytes(bytes),
            None => to.serialize_none(),
        }
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Option<Bytes>, D::Error> {
        from.deserialize_any(Memo)
    }

    struct Memo;

    impl Visitor<'_> for Memo {
        type Value = Option<Bytes>;
        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("a byte string or nothing")
        }
        fn visit_bytes<E: Error>(self, bytes: &[u8]) -> Result<Self::Value, E> {
            Ok(Some(Bytes::copy_from_slice(bytes)))
        }
        fn visit_unit<E: Error>(self) -> Result<Self::Value, E> {
            Ok(None)
        }
    }
}
