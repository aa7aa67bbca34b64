//! CreatePartitions: topics grow; which racks the new partitions are in can be told as in CreateTopics.

use std::collections::HashSet;

use super::create_topics::racks_of;
use super::text;
use crate::ids::TopicName;
use crate::server::Handle;
use crate::server::topics::{Growth, TopicError, View};
use crate::wire::messages::create_partitions::{CreatePartitionsTopic, CreatePartitionsTopicResult};
use crate::wire::messages::{CreatePartitionsRequest, CreatePartitionsResponse};
use crate::wire::{ErrorCode, Text};

/// The answer: an entry for each topic asked for, in order. All of them grow in one batch.
pub(crate) async fn answer(request: CreatePartitionsRequest, handle: Handle) -> CreatePartitionsResponse {
    handle.topics().loaded().await;
    let view = handle.topics().view();
    let mut seen = HashSet::new();
    let read = |asked: &CreatePartitionsTopic| {
        let name = TopicName::from(asked.name.as_str());
        if seen.insert(name.clone()) {
            growth(asked, &view).map(|growth| (name, growth))
        } else {
            Err(refuse(ErrorCode::InvalidRequest, format!("topic {name} is named twice")))
        }
    };
    let wanted: Vec<Result<(TopicName, Growth), TopicError>> = request.topics.iter().map(read).collect();
    let legible: Vec<(TopicName, Growth)> = wanted.iter().flatten().cloned().collect();
    let only_say = request.validate_only;
    let growing = handle.clone();
    let grow = async move { growing.topics().grow(&legible, only_say).await };
    let mut outcomes = handle.to_its_end("topics", grow).await.unwrap_or_default().into_iter();
    let stopping = || refuse(ErrorCode::UnknownServerError, "the server is stopping".to_owned());
    let outcomes =
        wanted.into_iter().map(|wanted| wanted.and_then(|_| outcomes.next().unwrap_or_else(|| Err(stopping()))));
    let results = request.topics.iter().zip(outcomes).map(|(asked, outcome)| result(asked, outcome)).collect();
    CreatePartitionsResponse { results, ..Default::default() }
}

fn growth(asked: &CreatePartitionsTopic, view: &View) -> Result<Growth, TopicError> {
    let name = &asked.name;
    let partitions = u32::try_from(asked.count).map_err(|_| {
        let message = format!("topic {name} with {} partitions: name a positive number", asked.count);
        refuse(ErrorCode::InvalidPartitions, message)
    })?;
    let Some(assignments) = &asked.assignments else { return Ok(Growth { partitions, racks: None }) };
    let racks = assignments.iter().map(|it| racks_of(&it.broker_ids, view)).collect::<Result<_, _>>();
    let racks = racks.map_err(|why| refuse(ErrorCode::InvalidReplicaAssignment, format!("topic {name}: {why}")))?;
    Ok(Growth { partitions, racks: Some(racks) })
}

fn refuse(code: ErrorCode, message: String) -> TopicError {
    TopicError { code, message }
}

fn result(asked: &CreatePartitionsTopic, outcome: Result<(), TopicError>) -> CreatePartitionsTopicResult {
    let (error_code, error_message) = match outcome {
        Ok(()) => (ErrorCode::None, None),
        Err(error) => (error.code, Some(Text::from(error.message))),
    };
    CreatePartitionsTopicResult { name: text(asked.name.as_str()), error_code, error_message }
}
