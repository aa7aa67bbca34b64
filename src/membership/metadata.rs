//! What a member says of itself, and how it reads what it is told (DESIGN 6.3): facts and its last claim travel in the
//! user data of its subscription, the rack also in Kafka's own place for it.

use bytes::Bytes;

use super::config::{Config, Purpose};
use super::notice::Share;
use crate::embedded::consumer::{Assignment, NotDecodable, Subscription, Tail, TopicPartitions};
use crate::embedded::user_data::{Last, UserData};
use crate::ids::{Generation, TopicName};

/// The fact that Kafka knows, too.
const RACK: &str = "rack";

/// A subscription without a rack is written in this version, which every leader reads …
const WITHOUT_RACK: i16 = 1;

/// … and one with a rack in the first version that has a place for it (KIP-881).
const WITH_RACK: i16 = 3;

/// What a member had last.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Claim {
    pub(super) generation: Generation,
    pub(super) partitions: Vec<(TopicName, Vec<i32>)>,
}

/// The metadata that goes with every protocol offered.
pub(super) fn of_member(config: &Config, claim: Option<&Claim>) -> Bytes {
    match &config.purpose {
        Purpose::Topics(topics) => subscription(config, topics, claim),
        Purpose::States { metadata, .. } => metadata.clone(),
    }
}

fn subscription(config: &Config, topics: &[TopicName], claim: Option<&Claim>) -> Bytes {
    let last = claim.map(|claim| Last { generation: claim.generation.0, owned: borrow(&claim.partitions).into() });
    let user_data = UserData { facts: config.facts.clone(), last, x: None }.encode();
    let rack = config.facts.get(RACK).and_then(|it| it.as_str()).filter(|it| !it.is_empty());
    let subscription = Subscription {
        version: if rack.is_some() { WITH_RACK } else { WITHOUT_RACK },
        topics: topics.iter().map(|it| it.as_str()).collect(),
        tail: Tail { user_data: Some(&user_data), rack, ..Tail::default() },
    };
    Bytes::from(subscription.encode())
}

fn borrow(partitions: &[(TopicName, Vec<i32>)]) -> Vec<TopicPartitions<'_>> {
    partitions
        .iter()
        .map(|(topic, numbers)| TopicPartitions {
            topic: topic.as_str(),
            partitions: numbers.iter().copied().collect(),
        })
        .collect()
}

/// A member's share as its state says it.
pub(super) fn share(purpose: &Purpose, state: Bytes) -> Result<Share, NotDecodable> {
    match purpose {
        Purpose::States { .. } => Ok(Share::State(state)),
        Purpose::Topics(_) => {
            let assignment = Assignment::decode_state(&state)?;
            let of = |it: &TopicPartitions<'_>| (TopicName::from(it.topic), it.partitions.iter().collect());
            Ok(Share::Partitions(assignment.topics.iter().map(of).collect()))
        }
    }
}
