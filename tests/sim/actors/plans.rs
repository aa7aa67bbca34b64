//! The plans of model clients' leaders, and the bytes that they are made of and into.

use std::collections::BTreeMap;

use bytes::Bytes;
use divvy::embedded::consumer::{Assignment, Subscription, Tail, TopicPartitions};
use divvy::group::effects::JoinedMember;
use divvy::ids::{Generation, MemberId};

use super::TOPICS;

/// A partition.
pub type Place = (&'static str, i32);

/// Every partition there is.
fn places() -> impl Iterator<Item = Place> {
    TOPICS.iter().flat_map(|(topic, partitions)| (0..*partitions as i32).map(|partition| (*topic, partition)))
}

/// What a client says of itself: it reads all topics, or the first.
pub fn subscription(owned: &[Place], generation: Generation, reads_little: bool) -> Bytes {
    let topics = TOPICS.iter().map(|(topic, _)| *topic).take(if reads_little { 1 } else { TOPICS.len() }).collect();
    let tail = Tail { owned: by_topic(owned).into(), generation: generation.0, ..Tail::default() };
    Subscription { version: 2, topics, tail }.encode().into()
}

fn by_topic(owned: &[Place]) -> Vec<TopicPartitions<'static>> {
    let of = |topic: &'static str| TopicPartitions {
        topic,
        partitions: owned.iter().filter(|(it, _)| *it == topic).map(|(_, partition)| *partition).collect(),
    };
    TOPICS.iter().map(|(topic, _)| of(topic)).filter(|it| !it.partitions.is_empty()).collect()
}

/// What a client was given; none if it cannot be read.
pub fn owned(state: &[u8]) -> Option<Vec<Place>> {
    let assignment = Assignment::decode_state(state).ok()?;
    let mut owned = Vec::new();
    for topic in &assignment.topics {
        let (name, _) = TOPICS.iter().find(|(name, _)| *name == topic.topic)?;
        owned.extend(topic.partitions.iter().map(|partition| (*name, partition)));
    }
    Some(owned)
}

/// Everything in turn to those who read it, nothing remembered.
pub fn eager(members: &[JoinedMember]) -> Vec<(MemberId, Bytes)> {
    let mut shares: Vec<Vec<Place>> = vec![Vec::new(); members.len()];
    let said: Vec<_> = members.iter().map(|member| Subscription::decode(&member.metadata).ok()).collect();
    for (number, place) in places().enumerate() {
        let reads = |it: &usize| said[*it].as_ref().is_none_or(|said| said.topics.contains(&place.0));
        let readers: Vec<usize> = (0..members.len()).filter(reads).collect();
        if !readers.is_empty() {
            shares[readers[number % readers.len()]].push(place);
        }
    }
    members.iter().zip(shares).map(|(member, share)| (member.id.clone(), encode(&share))).collect()
}

/// As `cooperative-sticky` does: the same for all that fits, and what has to move is withheld until its owner gave it up.
pub fn cooperative(members: &[JoinedMember]) -> Vec<(MemberId, Bytes)> {
    let claims = claims(members);
    let most = places().count().div_ceil(members.len());
    let mut shares: Vec<Vec<Place>> = vec![Vec::new(); members.len()];
    let mut free = Vec::new();
    for place in places() {
        match claims.get(&place) {
            Some(owner) if shares[*owner].len() < most => shares[*owner].push(place),
            _ => free.push(place),
        }
    }
    for place in free {
        // Still in somebody's hands: it is given to nobody this time.
        if claims.contains_key(&place) {
            continue;
        }
        if let Some(share) = shares.iter_mut().min_by_key(|share| share.len()) {
            share.push(place);
        }
    }
    members.iter().zip(shares).map(|(member, share)| (member.id.clone(), encode(&share))).collect()
}

/// Who owns what, as the members say: the highest generation counts, and of two with one generation the first.
fn claims(members: &[JoinedMember]) -> BTreeMap<Place, usize> {
    let mut newest: BTreeMap<Place, (i32, usize)> = BTreeMap::new();
    for (number, member) in members.iter().enumerate() {
        let Ok(said) = Subscription::decode(&member.metadata) else { continue };
        let generation = said.tail.generation;
        for place in places() {
            let claimed =
                said.tail.owned.iter().any(|it| it.topic == place.0 && it.partitions.iter().any(|p| p == place.1));
            if claimed && newest.get(&place).is_none_or(|(before, _)| *before < generation) {
                newest.insert(place, (generation, number));
            }
        }
    }
    newest.into_iter().map(|(place, (_, owner))| (place, owner)).collect()
}

fn encode(share: &[Place]) -> Bytes {
    Assignment { topics: by_topic(share), user_data: None }.encode().into()
}
