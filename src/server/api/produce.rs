//! Produce: advertised, since librdkafka fetches only from a broker that has it, and refused.

use super::text;
use crate::wire::messages::produce::{
    PartitionProduceData, PartitionProduceResponse, TopicProduceData, TopicProduceResponse,
};
use crate::wire::messages::{ProduceRequest, ProduceResponse};
use crate::wire::{ErrorCode, Text};

/// Why, for the client's log.
pub(crate) const REASON: &str = "divvy coordinates groups and keeps no records: produce to a Kafka cluster";

/// The refusal, for each partition: no client tries again after a broken policy. None if the client expects no answer
/// (acks = 0): then the connection is closed, which is how Kafka tells such a client of an error.
pub(crate) fn answer(request: &ProduceRequest) -> Option<ProduceResponse> {
    let partition = |it: &PartitionProduceData| PartitionProduceResponse {
        index: it.index,
        error_code: ErrorCode::PolicyViolation,
        base_offset: -1,
        error_message: Some(Text::from(REASON)),
        ..Default::default()
    };
    let topic = |it: &TopicProduceData| TopicProduceResponse {
        name: text(it.name.as_str()),
        partition_responses: it.partition_data.iter().map(partition).collect(),
    };
    let response =
        || ProduceResponse { responses: request.topic_data.iter().map(topic).collect(), ..Default::default() };
    (request.acks != 0).then(response)
}
