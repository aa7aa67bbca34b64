//! Bound by its codec: everything comes and goes as MessagePack maps with names, read into owned texts and lists and written from
//! them, a number for each partition; between the two is a plain round robin.

use std::collections::BTreeMap;

use divvy_guest::prelude::*;
use serde::{Deserialize, Serialize};

assignor! { name: "codec", shape: states, description: "Measures a codec.", license: "Apache-2.0", assign: assign }

/// A topic, as the application's context has it.
#[derive(Serialize, Deserialize)]
pub(crate) struct Topic {
    pub(crate) name: String,
    pub(crate) partitions: u32,
}

/// What a member sends.
#[derive(Serialize, Deserialize)]
pub(crate) struct Subscription {
    pub(crate) client: String,
    pub(crate) topics: Vec<String>,
}

/// What a member gets of a topic.
#[derive(Serialize, Deserialize)]
pub(crate) struct Part {
    pub(crate) topic: String,
    pub(crate) partitions: Vec<u32>,
}

/// Deals the partitions of all topics out to those who named them.
pub(crate) fn assign(group: &StateGroup<'_>, states: &mut States) -> Result<(), Refusal> {
    let unread = |_| Refusal::new("codec", "this is not what the benchmark writes");
    let topics: Vec<Topic> = rmp_serde::from_slice(group.context().unwrap_or_default()).map_err(unread)?;
    let mut readers: BTreeMap<String, Vec<usize>> = BTreeMap::new();
    for member in group.members_in_kafkas_order() {
        let subscription: Subscription = rmp_serde::from_slice(member.metadata()).map_err(unread)?;
        for topic in subscription.topics {
            readers.entry(topic).or_default().push(member.index());
        }
    }
    let mut plan: Vec<Vec<Part>> = group.members().map(|_| Vec::new()).collect();
    let mut next = 0;
    for topic in topics {
        let Some(readers) = readers.get(&topic.name) else { continue };
        for partition in 0..topic.partitions {
            let parts = &mut plan[readers[next % readers.len()]];
            next += 1;
            match parts.last_mut().filter(|part| part.topic == topic.name) {
                Some(part) => part.partitions.push(partition),
                None => parts.push(Part { topic: topic.name.clone(), partitions: vec![partition] }),
            }
        }
    }
    for (member, parts) in group.members().zip(&plan) {
        let state =
            rmp_serde::to_vec_named(parts).map_err(|_| Refusal::new("codec", "a plan that cannot be written"))?;
        states.give(member, state);
    }
    Ok(())
}
