//! CreateTopics: any Kafka admin tool can make topics; racks are told by assigning replicas to the virtual brokers.

use std::collections::HashSet;

use super::text;
use crate::server::Handle;
use crate::server::topics::{TopicError, View, topic_id};
use crate::topics::{Rack, Topic};
use crate::wire::messages::create_topics::{CreatableReplicaAssignment, CreatableTopic, CreatableTopicResult};
use crate::wire::messages::{CreateTopicsRequest, CreateTopicsResponse};
use crate::wire::{ErrorCode, Text};

/// "As the server has it", of partitions and of the replication factor.
const DEFAULT: i32 = -1;

/// The answer: an entry for each topic asked for, in order. All of them are made in one batch.
pub(crate) async fn answer(request: CreateTopicsRequest, handle: Handle) -> CreateTopicsResponse {
    let topics = handle.topics();
    topics.loaded().await;
    let mut seen = HashSet::new();
    let view = topics.view();
    let read = |asked: &CreatableTopic| {
        if seen.insert(asked.name.clone()) {
            wanted(asked, &view, topics.default_partitions())
        } else {
            Err(refuse(ErrorCode::InvalidRequest, format!("topic {} is asked for twice", asked.name)))
        }
    };
    let wanted: Vec<Result<Topic, TopicError>> = request.topics.iter().map(read).collect();
    let both = request.topics.iter().zip(&wanted);
    let legible: Vec<(&str, Topic)> =
        both.filter_map(|(asked, topic)| Some((asked.name.as_str(), topic.as_ref().ok()?.clone()))).collect();
    let outcomes = if request.validate_only {
        legible.iter().map(|(name, topic)| topics.may_create(name, topic)).collect()
    } else {
        topics.create(&legible).await
    };
    let mut outcomes = outcomes.into_iter();
    let made = wanted.into_iter().map(|wanted| {
        wanted.and_then(|topic| outcomes.next().expect("there is an outcome for each legible topic").map(|()| topic))
    });
    let topics = request.topics.iter().zip(made).map(|(asked, made)| result(asked, made)).collect();
    CreateTopicsResponse { topics, ..Default::default() }
}

/// A topic's partitions and racks, from an assignment or from the plain numbers.
fn wanted(asked: &CreatableTopic, view: &View, default_partitions: u32) -> Result<Topic, TopicError> {
    let (partitions, racks) = numbers(asked, view, default_partitions)?;
    Ok(Topic { partitions, racks })
}

fn numbers(asked: &CreatableTopic, view: &View, default_partitions: u32) -> Result<(u32, Vec<Vec<Rack>>), TopicError> {
    if !asked.assignments.is_empty() {
        return assigned(asked, view);
    }
    let factor = i32::from(asked.replication_factor);
    if factor != DEFAULT && factor < 1 {
        let message = format!("topic {} with a replication factor of {factor}: name -1 or 1", asked.name);
        return Err(refuse(ErrorCode::InvalidReplicationFactor, message));
    }
    match asked.num_partitions {
        DEFAULT => Ok((default_partitions, Vec::new())),
        number => match u32::try_from(number) {
            Ok(partitions) => Ok((partitions, Vec::new())),
            Err(_) => {
                let message = format!("topic {} with {number} partitions: name -1 or a positive number", asked.name);
                Err(refuse(ErrorCode::InvalidPartitions, message))
            }
        },
    }
}

/// The racks of the brokers that each partition is assigned to. Partitions are numbered from 0 without a gap.
fn assigned(asked: &CreatableTopic, view: &View) -> Result<(u32, Vec<Vec<Rack>>), TopicError> {
    let wrong = |why: String| refuse(ErrorCode::InvalidReplicaAssignment, format!("topic {}: {why}", asked.name));
    if asked.num_partitions != DEFAULT || i32::from(asked.replication_factor) != DEFAULT {
        let message = format!("topic {}: with an assignment both numbers are to be -1", asked.name);
        return Err(refuse(ErrorCode::InvalidRequest, message));
    }
    let mut sorted: Vec<&CreatableReplicaAssignment> = asked.assignments.iter().collect();
    sorted.sort_by_key(|it| it.partition_index);
    let mut racks = Vec::with_capacity(sorted.len());
    for (expected, it) in (0..).zip(sorted) {
        if it.partition_index != expected {
            return Err(wrong(format!("partition {expected} is not assigned, or assigned twice")));
        }
        racks.push(racks_of(&it.broker_ids, view).map_err(wrong)?);
    }
    let partitions = u32::try_from(racks.len()).map_err(|_| wrong("too many partitions".to_owned()))?;
    if racks.iter().all(Vec::is_empty) {
        racks.clear();
    }
    Ok((partitions, racks))
}

/// The racks that these virtual brokers stand for.
pub(super) fn racks_of(nodes: &[i32], view: &View) -> Result<Vec<Rack>, String> {
    let known = view.brokers();
    let mut racks = Vec::with_capacity(nodes.len());
    for node in nodes {
        if !known.iter().any(|broker| broker.node == *node) {
            return Err(format!("there is no broker {node}: Metadata lists them"));
        }
        racks.extend(view.rack_of(*node).cloned());
    }
    Ok(racks)
}

fn refuse(code: ErrorCode, message: String) -> TopicError {
    TopicError { code, message }
}

fn result(asked: &CreatableTopic, outcome: Result<Topic, TopicError>) -> CreatableTopicResult {
    let name = text(asked.name.as_str());
    match outcome {
        Ok(topic) => CreatableTopicResult {
            topic_id: topic_id(&name),
            name,
            error_message: None,
            num_partitions: i32::try_from(topic.partitions).unwrap_or(i32::MAX),
            replication_factor: replicas(&topic),
            ..Default::default()
        },
        Err(error) => CreatableTopicResult {
            name,
            error_code: error.code,
            error_message: Some(Text::from(error.message)),
            ..Default::default()
        },
    }
}

fn replicas(topic: &Topic) -> i16 {
    let most = topic.racks.iter().map(Vec::len).max().unwrap_or(1).max(1);
    i16::try_from(most).unwrap_or(i16::MAX)
}
