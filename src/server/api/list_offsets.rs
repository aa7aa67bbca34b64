//! ListOffsets: divvy holds no records, so a partition's end is its begin.

use super::text;
use crate::server::directory::Directory;
use crate::wire::messages::list_offsets::{
    ListOffsetsPartition, ListOffsetsPartitionResponse, ListOffsetsTopic, ListOffsetsTopicResponse,
};
use crate::wire::messages::{ListOffsetsRequest, ListOffsetsResponse};

/// "The last offset" and "the first offset", as the request says them; every other value is a time or newer than us.
const LATEST: i64 = -1;
const EARLIEST: i64 = -2;

/// The answer.
pub(crate) fn answer(request: &ListOffsetsRequest, topics: &Directory) -> ListOffsetsResponse {
    let topic = |it: &ListOffsetsTopic| ListOffsetsTopicResponse {
        name: text(it.name.as_str()),
        partitions: it.partitions.iter().map(|partition| of_partition(it, partition, topics)).collect(),
    };
    ListOffsetsResponse { topics: request.topics.iter().map(topic).collect(), ..Default::default() }
}

fn of_partition(
    topic: &ListOffsetsTopic,
    asked: &ListOffsetsPartition,
    topics: &Directory,
) -> ListOffsetsPartitionResponse {
    let partition_index = asked.partition_index;
    if let Some(error_code) = topics.missing(&topic.name, partition_index) {
        return ListOffsetsPartitionResponse { partition_index, error_code, ..Default::default() };
    }
    match asked.timestamp {
        LATEST | EARLIEST => {
            ListOffsetsPartitionResponse { partition_index, offset: 0, leader_epoch: 0, ..Default::default() }
        }
        // No record is that young.
        _ => ListOffsetsPartitionResponse { partition_index, ..Default::default() },
    }
}
