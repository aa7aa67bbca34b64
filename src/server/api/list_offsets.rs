//! ListOffsets: divvy holds no records. A partition begins at 0 and ends at the highest offset that any group has
//! committed, so that tools show how far a group is behind the foremost, and can reset it to anything in between.

use std::collections::HashMap;

use super::text;
use crate::ids::TopicName;
use crate::server::Handle;
use crate::server::ends::TopicEnds;
use crate::server::limits::LARGE_ANSWER_PARTITIONS;
use crate::wire::messages::list_offsets::{
    ListOffsetsPartition, ListOffsetsPartitionResponse, ListOffsetsTopic, ListOffsetsTopicResponse,
};
use crate::wire::messages::{ListOffsetsRequest, ListOffsetsResponse};

/// "The offset after the last record" and "the first one", as the request says them.
const LATEST: i64 = -1;
const EARLIEST: i64 = -2;

/// "The first one on this broker's own disk" (KIP-405): without tiers the same as the first.
const EARLIEST_LOCAL: i64 = -4;

/// The answer.
pub(crate) async fn answer(request: ListOffsetsRequest, handle: Handle) -> ListOffsetsResponse {
    let mut ends = HashMap::new();
    for topic in &request.topics {
        let is_asked = |it: &ListOffsetsPartition| {
            it.timestamp == LATEST && handle.topics().missing(&topic.name, it.partition_index).is_none()
        };
        let name = TopicName::from(topic.name.as_str());
        if topic.partitions.iter().any(is_asked) && !ends.contains_key(&name) {
            let of_topic = handle.recent_ends().of(&name, &handle).await;
            ends.insert(name, of_topic);
        }
    }
    let is_large = request.topics.iter().map(|topic| topic.partitions.len()).sum::<usize>() > LARGE_ANSWER_PARTITIONS;
    let server = handle.clone();
    let tell = move || {
        let topic = |topic: &ListOffsetsTopic| of_topic(topic, ends.get(topic.name.as_str()), &server);
        ListOffsetsResponse { topics: request.topics.iter().map(topic).collect(), ..Default::default() }
    };
    if is_large { handle.aside(tell).await.unwrap_or_default() } else { tell() }
}

fn of_topic(topic: &ListOffsetsTopic, ends: Option<&TopicEnds>, handle: &Handle) -> ListOffsetsTopicResponse {
    let partition = |asked: &ListOffsetsPartition| {
        let partition_index = asked.partition_index;
        if let Some(error_code) = handle.topics().missing(&topic.name, partition_index) {
            return ListOffsetsPartitionResponse { partition_index, error_code, ..Default::default() };
        }
        let offset = match asked.timestamp {
            LATEST => ends.and_then(|ends| ends.get(&partition_index)).copied().unwrap_or(0).max(0),
            EARLIEST | EARLIEST_LOCAL => 0,
            // No record is that young, or that old, or in another tier.
            _ => return ListOffsetsPartitionResponse { partition_index, ..Default::default() },
        };
        ListOffsetsPartitionResponse { partition_index, offset, leader_epoch: 0, ..Default::default() }
    };
    ListOffsetsTopicResponse {
        name: text(topic.name.as_str()),
        partitions: topic.partitions.iter().map(partition).collect(),
    }
}
