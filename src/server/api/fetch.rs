//! Fetch: never a record. Whatever offset a client stands at is the partition's end, so that no client resets it.

use std::time::Duration;

use super::text;
use crate::server::directory::Directory;
use crate::server::limits::MAX_FETCH_WAIT;
use crate::wire::ErrorCode;
use crate::wire::messages::fetch::{FetchPartition, FetchTopic, FetchableTopicResponse, PartitionData};
use crate::wire::messages::{FetchRequest, FetchResponse};

/// The answer, and how long it is held back: as long as the client would wait for records. An error is told at once.
/// The session is always 0, which means that there is none: each fetch names all its partitions (KIP-227).
pub(crate) fn answer(request: &FetchRequest, version: i16, topics: &Directory) -> (FetchResponse, Duration) {
    let responses: Vec<_> = request.topics.iter().map(|topic| of_topic(topic, version, topics)).collect();
    let failed = responses.iter().flat_map(|topic| &topic.partitions).any(|partition| partition.error_code.is_error());
    let wait = Duration::from_millis(u64::try_from(request.max_wait_ms).unwrap_or(0)).min(MAX_FETCH_WAIT);
    let wait = if failed { Duration::ZERO } else { wait };
    (FetchResponse { responses, ..Default::default() }, wait)
}

fn of_topic(asked: &FetchTopic, version: i16, topics: &Directory) -> FetchableTopicResponse {
    let view = topics.view();
    let by_id = (version >= 13).then(|| view.name_of(&asked.topic_id));
    let partition = |it: &FetchPartition| {
        let error = match by_id {
            Some(None) => Some(ErrorCode::UnknownTopicId),
            Some(Some(name)) => topics.missing(name.as_str(), it.partition),
            None => topics.missing(&asked.topic, it.partition),
        };
        of_partition(it, error.unwrap_or(ErrorCode::None))
    };
    FetchableTopicResponse {
        topic: text(asked.topic.as_str()),
        topic_id: asked.topic_id,
        partitions: asked.partitions.iter().map(partition).collect(),
    }
}

fn of_partition(asked: &FetchPartition, error_code: ErrorCode) -> PartitionData {
    let end = if error_code.is_error() { -1 } else { asked.fetch_offset.max(0) };
    PartitionData {
        partition_index: asked.partition,
        error_code,
        high_watermark: end,
        last_stable_offset: end,
        log_start_offset: if error_code.is_error() { -1 } else { 0 },
        ..Default::default()
    }
}
