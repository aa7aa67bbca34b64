//! DeleteTopics: topics go with everything that groups have committed for them; those of the configuration stay.

use std::collections::HashSet;

use super::text;
use crate::ids::TopicName;
use crate::server::Handle;
use crate::server::topics::{TopicError, TopicId, View};
use crate::wire::messages::delete_topics::{DeletableTopicResult, DeleteTopicState};
use crate::wire::messages::{DeleteTopicsRequest, DeleteTopicsResponse};
use crate::wire::{ErrorCode, Text};

/// The answer: an entry for each topic asked for, in order. All of them go in one batch.
pub(crate) async fn answer(request: DeleteTopicsRequest, version: i16, handle: Handle) -> DeleteTopicsResponse {
    handle.topics().loaded().await;
    let view = handle.topics().view();
    let by_name = |name: &Text| DeleteTopicState { name: Some(name.clone()), topic_id: TopicId::default() };
    let asked = if version < 6 { request.topic_names.iter().map(by_name).collect() } else { request.topics };
    let mut seen = HashSet::new();
    let wanted: Vec<Result<TopicName, TopicError>> =
        asked.iter().map(|asked| wanted(asked, &view, &mut seen)).collect();
    let names: Vec<TopicName> = wanted.iter().flatten().cloned().collect();
    let deleting = handle.clone();
    let delete = async move { deleting.topics().delete(&names, &deleting).await };
    // Half a removal would leave the topics of this moment and those of the store two different things.
    let mut outcomes = handle.to_its_end("topics", delete).await.unwrap_or_default().into_iter();
    let stopping = || TopicError { code: ErrorCode::UnknownServerError, message: "the server is stopping".to_owned() };
    let outcomes = wanted.into_iter().map(|wanted| {
        let name = wanted?;
        outcomes.next().unwrap_or_else(|| Err(stopping())).map(|()| name)
    });
    let responses = asked.iter().zip(outcomes).map(|(asked, outcome)| result(asked, outcome, &view)).collect();
    DeleteTopicsResponse { responses, ..Default::default() }
}

fn wanted(asked: &DeleteTopicState, view: &View, seen: &mut HashSet<TopicName>) -> Result<TopicName, TopicError> {
    let refuse = |code, message| Err(TopicError { code, message });
    let has_id = asked.topic_id != TopicId::default();
    let name = match (&asked.name, has_id) {
        (Some(name), false) => TopicName::from(name.as_str()),
        (None, true) => match view.name_of(&asked.topic_id) {
            Some(name) => name.clone(),
            None => return refuse(ErrorCode::UnknownTopicId, "no topic has this id".to_owned()),
        },
        (Some(_), true) | (None, false) => {
            let message = "name a topic by its name or by its id, one of them".to_owned();
            return refuse(ErrorCode::InvalidRequest, message);
        }
    };
    if seen.insert(name.clone()) {
        Ok(name)
    } else {
        refuse(ErrorCode::InvalidRequest, format!("topic {name} is named twice"))
    }
}

fn result(asked: &DeleteTopicState, outcome: Result<TopicName, TopicError>, view: &View) -> DeletableTopicResult {
    let (error_code, error_message) = match outcome {
        Ok(_) => (ErrorCode::None, None),
        Err(error) => (error.code, Some(Text::from(error.message))),
    };
    let name = asked.name.as_deref().map(text).or_else(|| view.name_of(&asked.topic_id).map(text));
    let topic_id = match &name {
        Some(name) if asked.topic_id == TopicId::default() => view.id_of(name),
        _ => asked.topic_id,
    };
    DeletableTopicResult { name, topic_id, error_code, error_message }
}
