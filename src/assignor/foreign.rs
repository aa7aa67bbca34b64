//! What a coordinator looks for in the plan of a leader that is not divvy's: what no member survives. Bytes that cannot be
//! read, topics that a member does not subscribe to, a partition twice for one member, and numbers that no partition has.
//! Whether the plan is whole or fair is its strategy's own matter.
//!
//! The cost is linear in the bytes: lists that ascend, as clients write them, are looked at once.

use std::collections::HashMap;

use bytes::Bytes;

use super::verify::Spot;
use crate::embedded::consumer::{Assignment, SplitSubscription, TopicPartitions};
use crate::ids::MemberId;
use crate::topics::TopicTable;

#[cfg(test)]
mod tests;

/// Judges the states of a `consumer` group. `table` has the topics that the coordinator knows: of others it cannot say
/// how many partitions there are.
pub fn check_foreign_plan(
    members: &[(MemberId, Bytes)],
    states: &[(MemberId, Bytes)],
    table: &TopicTable,
) -> Result<(), String> {
    let metadata: HashMap<&MemberId, &Bytes> = members.iter().map(|(id, bytes)| (id, bytes)).collect();
    let mut lists = Lists::default();
    for (id, state) in states {
        // A state for somebody who is not a member is handed to nobody.
        let Some(metadata) = metadata.get(id) else { continue };
        let assignment = Assignment::decode_state(state)
            .map_err(|fault| format!("the state of member {:?} is {fault}", id.as_str()))?;
        let subscribed = lists.of(metadata);
        for given in &assignment.topics {
            if subscribed.is_some_and(|topics| topics.binary_search(&given.topic).is_err()) {
                let (topic, id) = (given.topic, id.as_str());
                return Err(format!("topic {topic:?} goes to {id:?}, which does not subscribe to it"));
            }
            check_numbers(id, given, table.get(given.topic).map(|topic| topic.partitions))?;
        }
        if let Some(spot) = twice(&assignment) {
            return Err(format!("{spot} goes to {:?} twice", id.as_str()));
        }
    }
    Ok(())
}

fn check_numbers(id: &MemberId, given: &TopicPartitions<'_>, all: Option<u32>) -> Result<(), String> {
    let exists = |number: i32| u32::try_from(number).is_ok_and(|number| all.is_none_or(|all| number < all));
    let Some(odd) = given.partitions.iter().find(|number| !exists(*number)) else { return Ok(()) };
    let spot = Spot { topic: given.topic, partition: odd };
    Err(match all {
        Some(all) => format!("{spot} goes to {:?}, but the topic has {all} partitions", id.as_str()),
        None => format!("{spot} goes to {:?}, but no partition has that number", id.as_str()),
    })
}

/// A partition that is named twice.
fn twice<'a>(assignment: &Assignment<'a>) -> Option<Spot<'a>> {
    let ascends = |of: &TopicPartitions<'_>| of.partitions.iter().is_sorted_by(|a, b| a < b);
    if assignment.topics.is_sorted_by(|a, b| a.topic < b.topic) && assignment.topics.iter().all(ascends) {
        return None;
    }
    let of = |of: &TopicPartitions<'a>| {
        let topic = of.topic;
        of.partitions.iter().map(move |partition| (topic, partition)).collect::<Vec<_>>()
    };
    let mut all: Vec<(&str, i32)> = assignment.topics.iter().flat_map(of).collect();
    all.sort_unstable();
    let pair = all.windows(2).find(|pair| pair[0] == pair[1])?;
    Some(Spot { topic: pair[0].0, partition: pair[0].1 })
}

/// What members subscribe to. Those that want the same mostly say so in the same bytes: each list is read once.
#[derive(Default)]
struct Lists<'a> {
    by_bytes: HashMap<&'a [u8], Vec<&'a str>>,
    last: &'a [u8],
}

impl<'a> Lists<'a> {
    /// The topics of a subscription, sorted; none if it cannot be read, which is its own client's fault.
    fn of(&mut self, metadata: &'a [u8]) -> Option<&[&'a str]> {
        if self.last.is_empty() || SplitSubscription::with_topics(metadata, self.last).is_none() {
            let split = SplitSubscription::new(metadata).ok()?;
            let bytes = split.encoded_topics();
            if !self.by_bytes.contains_key(bytes) {
                let mut topics = split.topics().ok()?;
                topics.sort_unstable();
                self.by_bytes.insert(bytes, topics);
            }
            self.last = bytes;
        }
        self.by_bytes.get(self.last).map(Vec::as_slice)
    }
}
