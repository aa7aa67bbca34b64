//! Fetch: never a record. Whatever offset a client stands at is the partition's end, so that no client resets it.

use std::time::Duration;

use super::text;
use crate::server::limits::MAX_FETCH_WAIT;
use crate::server::topics::View;
use crate::wire::ErrorCode;
use crate::wire::messages::fetch::{FetchPartition, FetchTopic, FetchableTopicResponse, PartitionData};
use crate::wire::messages::{FetchRequest, FetchResponse};

/// The answer, and how long it is held back: as long as the client would wait for records. An error is told at once.
/// The session is always 0, which means that there is none: each fetch names all its partitions (KIP-227).
pub(crate) fn answer(request: &FetchRequest, version: i16, view: &View) -> (FetchResponse, Duration) {
    let responses: Vec<_> = request.topics.iter().map(|topic| of_topic(topic, version, view)).collect();
    let failed = responses.iter().flat_map(|topic| &topic.partitions).any(|partition| partition.error_code.is_error());
    let wait = Duration::from_millis(u64::try_from(request.max_wait_ms).unwrap_or(0)).min(MAX_FETCH_WAIT);
    let wait = if failed { Duration::ZERO } else { wait };
    (FetchResponse { responses, ..Default::default() }, wait)
}

fn of_topic(asked: &FetchTopic, version: i16, view: &View) -> FetchableTopicResponse {
    let (name, unknown) = if version >= 13 {
        (view.name_of(&asked.topic_id).map(|name| name.as_str()), ErrorCode::UnknownTopicId)
    } else {
        (Some(asked.topic.as_str()), ErrorCode::UnknownTopicOrPartition)
    };
    let partition = |it: &FetchPartition| {
        let exists = name.is_some_and(|name| view.table().has_partition(name, it.partition));
        of_partition(it, if exists { ErrorCode::None } else { unknown })
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
