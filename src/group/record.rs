//! What is stored of a group. A record stands for the last of its kind: storing it again replaces it, so the
//! store may keep only the newest of each key, and [`super::Group::restore`] takes them in any order.

use bytes::Bytes;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

use super::event::{CommittedOffset, ModuleOffer, OfferedProtocol};
use super::history::GenerationRecord;
use crate::ids::{Digest, Generation, InstanceId, MemberId, Protocol, ProtocolType, TopicName};
use crate::time::WallTime;

/// One change to store.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub enum Record {
    /// Who is in the group, as of its last accepted plan (or as of its last member's leaving).
    Header(Header),
    /// The last accepted plan.
    Plan(PlanRecord),
    /// No generation above this one has been announced.
    Reserved(Generation),
    /// One of the last generations, as it went.
    Generation(GenerationRecord),
    /// The protocols that the vote passes over.
    Suspensions(Vec<Suspension>),
    /// An offset was committed.
    Offset(OffsetRecord),
    /// A committed offset is forgotten.
    OffsetRemoved(TopicName, i32),
    /// The group is gone, with everything of it.
    Removed,
}

/// Which record replaces which.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum RecordKey {
    /// [`Record::Header`].
    Header,
    /// [`Record::Plan`].
    Plan,
    /// [`Record::Reserved`].
    Reserved,
    /// [`Record::Suspensions`].
    Suspensions,
    /// [`Record::Generation`]: there are a few places, and each generation takes that of an old one.
    Generation(u8),
    /// [`Record::Offset`] and [`Record::OffsetRemoved`].
    Offset(TopicName, i32),
    /// [`Record::Removed`]: stands for every key of the group.
    All,
}

impl Record {
    /// The key under which it is stored.
    pub fn key(&self) -> RecordKey {
        match self {
            Record::Header(_) => RecordKey::Header,
            Record::Plan(_) => RecordKey::Plan,
            Record::Reserved(_) => RecordKey::Reserved,
            Record::Suspensions(_) => RecordKey::Suspensions,
            Record::Generation(it) => RecordKey::Generation(it.slot()),
            Record::Offset(it) => RecordKey::Offset(it.offset.topic.clone(), it.offset.partition),
            Record::OffsetRemoved(topic, partition) => RecordKey::Offset(topic.clone(), *partition),
            Record::Removed => RecordKey::All,
        }
    }
}

/// The group without its states.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Header {
    /// The group's type; none before anybody joined.
    pub protocol_type: Option<ProtocolType>,
    /// The protocol of the generation.
    pub protocol: Option<Protocol>,
    /// The generation.
    pub generation: Generation,
    /// Its leader.
    pub leader: Option<MemberId>,
    /// Its members.
    pub members: Vec<MemberRecord>,
    /// When the group came into its present state.
    pub since: WallTime,
}

/// A member, with every protocol that it offers: a restored follower that joins again unchanged costs no rebalance. What
/// is long is shared with the live member: each generation stores everybody.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct MemberRecord {
    /// Its id.
    pub id: MemberId,
    /// Its lasting name, if it has one.
    pub instance: Option<InstanceId>,
    /// The name its client gives itself.
    pub client_id: Arc<str>,
    /// Where it connects from.
    pub client_host: Arc<str>,
    /// How long it may be silent.
    pub session_timeout_ms: u32,
    /// How long a rebalance may wait for it.
    pub rebalance_timeout_ms: u32,
    /// What it offers, most wanted first.
    pub protocols: Arc<[OfferedProtocol]>,
    /// The modules that it can run; none for a member that is not divvy's.
    pub modules: Option<Vec<ModuleOffer>>,
}

/// An accepted plan.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct PlanRecord {
    /// The generation it was made for.
    pub generation: Generation,
    /// The module that made it, when a divvy leader said.
    pub digest: Option<Digest>,
    /// Each member's state, one for a member, in order of their ids.
    pub states: Vec<(MemberId, State)>,
    /// What the strategy wants to remember.
    pub memo: Option<State>,
    /// From what the coordinator made it; none for a member's plan.
    #[serde(default)]
    pub fingerprint: Option<u64>,
    /// When the strategy that the coordinator runs wants to be called again.
    #[serde(default)]
    pub call_again: Option<WallTime>,
    /// What made it in place of the protocol's own module; none if that one made it.
    #[serde(default)]
    pub stand_in: Option<StandIn>,
    /// How many members each partition may go to; of a leader that does not say, one.
    #[serde(default = "one")]
    pub copies: u16,
    /// The coordinator's own module that was to make it, where something stands in for it.
    #[serde(default)]
    pub chosen: Option<Box<Digest>>,
}

fn one() -> u16 {
    1
}

/// What made a plan in place of a module that failed.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct StandIn {
    /// What did, for people: `its own range`.
    pub by: String,
    /// What failed, and how.
    pub reason: String,
}

impl PlanRecord {
    /// Gives one member's state to its successor.
    pub(super) fn rename(&mut self, old: &MemberId, new: &MemberId) {
        let Ok(at) = self.states.binary_search_by(|(of, _)| of.cmp(old)) else { return };
        let (_, state) = self.states.remove(at);
        let to = self.states.partition_point(|(of, _)| of < new);
        self.states.insert(to, (new.clone(), state));
    }

    /// The state of a member, if the plan has one for it.
    pub(super) fn state(&self, id: &MemberId) -> Option<Bytes> {
        let at = self.states.binary_search_by(|(of, _)| of.cmp(id)).ok()?;
        self.states.get(at).map(|(_, state)| state.0.clone())
    }
}

/// Opaque bytes that are stored as bytes.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub struct State(#[serde(with = "raw")] pub Bytes);

/// A module that the vote passes over for a while, because it failed.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Suspension {
    /// The protocol.
    pub protocol: Protocol,
    /// The module that failed; another digest under the same name is not suspended.
    pub digest: Option<Digest>,
    /// Until when.
    pub until: WallTime,
    /// How often it failed: each failure doubles the time.
    pub failures: u32,
    /// The failure, for people: kind and message.
    pub reason: String,
}

/// A committed offset with the moment it was committed.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct OffsetRecord {
    /// What was committed.
    pub offset: CommittedOffset,
    /// When.
    pub at: WallTime,
    /// When it is forgotten, if the client said (OffsetCommit v2 to v4).
    pub expires: Option<WallTime>,
}

/// `Bytes` as a byte string (serde's default for `Bytes` would need another feature of the crate).
pub(super) mod raw {
    use bytes::Bytes;
    use serde::de::{Error, SeqAccess, Visitor};
    use serde::{Deserializer, Serializer};

    pub fn serialize<S: Serializer>(bytes: &Bytes, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_bytes(bytes)
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Bytes, D::Error> {
        struct Raw;
        impl<'de> Visitor<'de> for Raw {
            type Value = Bytes;
            fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str("bytes")
            }
            fn visit_bytes<E: Error>(self, bytes: &[u8]) -> Result<Bytes, E> {
                Ok(Bytes::copy_from_slice(bytes))
            }
            fn visit_byte_buf<E: Error>(self, bytes: Vec<u8>) -> Result<Bytes, E> {
                Ok(Bytes::from(bytes))
            }
            fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Bytes, A::Error> {
                let mut out = Vec::new();
                while let Some(byte) = seq.next_element()? {
                    out.push(byte);
                }
                Ok(Bytes::from(out))
            }
        }
        from.deserialize_byte_buf(Raw)
    }
}
