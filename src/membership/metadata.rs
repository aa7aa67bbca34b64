//! What a member says of itself, and how it reads what it is told (DESIGN 6.3): facts and its last claim travel in the
//! user data of its subscription, the rack also in Kafka's own place for it.
//!
//! Under Kafka's sticky names the user data has Kafka's form, so that a leader made with any library keeps what the member
//! had; facts then stand in a note that only divvy reads (`embedded/note.rs`).

use std::time::Duration;

use bytes::Bytes;

use super::config::{Config, Purpose};
use super::leading;
use super::notice::Share;
use super::state::Partitions;
use crate::embedded::connect;
use crate::embedded::consumer::{Assignment, NotDecodable, Owned, Subscription, Tail, TopicPartitions};
use crate::embedded::note::{self, Note};
use crate::embedded::sticky::{COOPERATIVE_STICKY, STICKY, StickyData, encode_generation};
use crate::embedded::user_data::{Last, UserData, rack_of};
use crate::ids::{Generation, Mode, Protocol, TopicName};

/// A subscription that needs no more is written in this version, which every leader reads …
const PLAIN: i16 = 1;

/// … and one with a rack or a generation in the first version that has a place for both (KIP-792, KIP-881).
const FULL: i16 = 3;

/// What a member had last.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Claim {
    pub(super) generation: Generation,
    pub(super) partitions: Partitions,
}

/// What a member says of itself in JoinGroup.
#[derive(Clone, Copy, Debug)]
pub(super) struct Words<'a> {
    pub(super) config: &'a Config,
    /// What it had last, for stickiness.
    pub(super) claim: Option<&'a Claim>,
    /// What it has, if it hands over in steps.
    pub(super) held: Option<&'a Claim>,
    /// Whether it does.
    pub(super) mode: Mode,
    /// How often it asks for another plan than the one that it found: no two of these are the same bytes.
    pub(super) again: u32,
}

impl Words<'_> {
    /// The metadata that goes with a protocol; `x` is what its strategy adds.
    pub(super) fn metadata(&self, protocol: &Protocol, x: Option<&[u8]>) -> Bytes {
        match &self.config.purpose {
            Purpose::Topics(topics) | Purpose::Matching { topics, .. } => self.subscription(topics, protocol, x),
            Purpose::Lead(_) => leading::wants_nothing(),
            Purpose::Connect { worker, .. } => {
                let runs = self.held.map(|held| borrow_list(&held.partitions)).unwrap_or_default();
                worker.metadata(runs).into()
            }
            Purpose::States { .. } => self.config.state_metadata(),
        }
    }

    fn subscription(&self, topics: &[TopicName], protocol: &Protocol, x: Option<&[u8]>) -> Bytes {
        let rack = rack_of(&self.config.facts);
        let is_sticky = [STICKY, COOPERATIVE_STICKY].contains(&protocol.as_str());
        let note = is_sticky.then(|| Note::new(self.config.facts.clone(), x).again(self.again).encode());
        let user_data = match protocol.as_str() {
            COOPERATIVE_STICKY if self.mode == Mode::Cooperative => encode_generation(generation(self.held)),
            // An eager member owns nothing any more; what it had is in the long form, as other clients have it here.
            STICKY | COOPERATIVE_STICKY => {
                let owned = self.claim.map(|claim| borrow(&claim.partitions)).unwrap_or_default();
                StickyData { generation: generation(self.claim), owned }.encode()
            }
            _ => self.map(x),
        };
        let owned = self.held.map(|held| borrow(&held.partitions)).unwrap_or_default();
        let subscription = Subscription {
            version: if rack.is_some() || is_sticky || self.mode == Mode::Cooperative { FULL } else { PLAIN },
            topics: topics.iter().map(|it| it.as_str()).collect(),
            tail: Tail {
                user_data: Some(&user_data),
                owned,
                generation: match self.mode {
                    Mode::Cooperative => generation(self.held),
                    Mode::Eager => generation(self.claim.filter(|_| is_sticky)),
                },
                rack,
                note: note.as_deref().and_then(|note| note.strip_prefix(note::PREFIX)),
            },
        };
        Bytes::from(subscription.encode())
    }

    /// divvy's own user data. What a member still has stands in its subscription already.
    fn map(&self, x: Option<&[u8]>) -> Vec<u8> {
        let claim = self.claim.filter(|_| self.held.is_none_or(|held| held.partitions.is_empty()));
        let last = claim.map(|claim| Last { generation: claim.generation.0, owned: borrow(&claim.partitions) });
        UserData { facts: self.config.facts.clone(), last, x }.encode()
    }
}

fn generation(claim: Option<&Claim>) -> i32 {
    claim.map_or(Generation::NONE, |claim| claim.generation).0
}

fn borrow(partitions: &[(TopicName, Vec<i32>)]) -> Owned<'_> {
    borrow_list(partitions).into()
}

fn borrow_list(partitions: &[(TopicName, Vec<i32>)]) -> Vec<TopicPartitions<'_>> {
    partitions
        .iter()
        .map(|(topic, numbers)| TopicPartitions {
            topic: topic.as_str(),
            partitions: numbers.iter().copied().collect(),
        })
        .collect()
}

/// What a member's state says.
#[derive(Debug)]
pub(super) struct Told {
    pub(super) share: Share,
    /// When it is to join again, of itself.
    pub(super) join_again: Option<Duration>,
}

/// Reads a member's state; `held` is what it goes on with while it is told.
pub(super) fn told(purpose: &Purpose, state: Bytes, held: Option<&Claim>) -> Result<Told, NotDecodable> {
    let (share, join_again) = match purpose {
        Purpose::States { .. } => (Share::State(state), None),
        Purpose::Topics(_) | Purpose::Matching { .. } | Purpose::Lead(_) => {
            (Share::Partitions(partitions(&Assignment::decode_state(&state)?.topics)), None)
        }
        Purpose::Connect { .. } => {
            let told = connect::Assignment::decode(&state)?;
            let delay_ms = u64::try_from(told.delay_ms).ok().filter(|delay_ms| *delay_ms > 0);
            let held = held.map(|held| held.partitions.as_slice()).unwrap_or_default();
            (Share::Partitions(told.after(held)), delay_ms.map(Duration::from_millis))
        }
    };
    Ok(Told { share, join_again })
}

fn partitions(topics: &[TopicPartitions<'_>]) -> Partitions {
    topics.iter().map(|it| (TopicName::from(it.topic), it.partitions.iter().collect())).collect()
}

/// What the strategy told the member beside its partitions.
pub(super) fn user_data(purpose: &Purpose, state: &Bytes) -> Option<Bytes> {
    purpose.is_consumer().then_some(())?;
    Assignment::decode_state(state).ok()?.user_data.map(|data| state.slice_ref(data))
}
