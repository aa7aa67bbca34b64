//! Metadata: one virtual broker for each rack, all of them this server; the coordinator is always among them, since
//! some clients know a coordinator only if it is listed.

use super::{Shape, text};
use crate::ids::TopicName;
use crate::server::Handle;
use crate::server::directory::is_legal;
use crate::server::dispatch::unwritable;
use crate::server::large::{Frame, Question};
use crate::server::limits::LARGE_ANSWER_PARTITIONS;
use crate::server::outbox::Close;
use crate::server::topics::{COORDINATOR_NODE, TopicId, View, topic_id};
use crate::topics::Topic;
use crate::wire::frame::encode_response;
use crate::wire::messages::metadata::{
    MetadataRequestTopic, MetadataResponseBroker, MetadataResponsePartition, MetadataResponseTopic,
};
use crate::wire::messages::{MetadataRequest, MetadataResponse};
use crate::wire::{ApiKey, EncodeError, ErrorCode, Text};

/// The answer. Topics that the client wants and the configuration allows are made first.
pub(crate) async fn answer(request: MetadataRequest, shape: Shape, handle: Handle) -> Result<Frame, Close> {
    let unwritable = |error: EncodeError| unwritable(ApiKey::Metadata, &error);
    let Shape { correlation_id, version } = shape;
    let is_loaded = handle.topics().loaded().await;
    let asked = request.topics.filter(|topics| !(version == 0 && topics.is_empty()));
    if let (Some(asked), true, true) = (&asked, is_loaded, request.allow_auto_topic_creation) {
        let names: Vec<&str> = asked.iter().filter_map(|topic| topic.name.as_deref()).collect();
        handle.topics().auto_create(&names, handle.quiet()).await;
    }
    let question = Question { view: handle.topics().view(), is_loaded, version, asked };
    if partitions(&question) <= LARGE_ANSWER_PARTITIONS {
        let frame = encode_response(version, correlation_id, &told(&question, &handle));
        return frame.map(Frame::from).map_err(unwritable);
    }
    let builder = handle.clone();
    let build = move |question: &Question| encode_response(version, correlation_id, &told(question, &builder));
    match handle.large().metadata(correlation_id, question, build).await {
        Some(frame) => frame.map_err(unwritable),
        None => {
            Err(Close { kind: "panic", reason: "an answer to Metadata panicked: this is a bug of divvy".to_owned() })
        }
    }
}

/// About how many partitions an answer tells of; a topic is at least one.
fn partitions(question: &Question) -> usize {
    let table = question.view.table();
    let of = |topic: Option<&Topic>| topic.map_or(1, |topic| topic.partitions.max(1) as usize);
    match &question.asked {
        None => table.0.values().map(|topic| of(Some(topic))).sum(),
        Some(asked) => asked.iter().map(|topic| of(find(topic, &question.view).map(|(_, topic)| topic))).sum(),
    }
}

fn told(question: &Question, handle: &Handle) -> MetadataResponse {
    let Question { view, is_loaded, .. } = question;
    // Every topic that is asked for gets an entry: librdkafka asks again without a pause for one that is left out.
    let topics = match &question.asked {
        Some(asked) => asked.iter().map(|topic| one(topic, view, *is_loaded)).collect(),
        None => view.table().0.iter().map(|(name, topic)| known(name, topic, view)).collect(),
    };
    MetadataResponse {
        brokers: brokers(view, handle),
        cluster_id: Some(handle.cluster_id()),
        controller_id: COORDINATOR_NODE,
        topics,
        ..Default::default()
    }
}

fn brokers(view: &View, handle: &Handle) -> Vec<MetadataResponseBroker> {
    let (host, port) = handle.advertised();
    let broker = |it: &crate::server::topics::Broker| MetadataResponseBroker {
        node_id: it.node,
        host: host.clone(),
        port,
        rack: it.rack.as_deref().map(Text::from),
    };
    view.brokers().iter().map(broker).collect()
}

/// A topic by its name, or from v12 on by its id.
fn one(asked: &MetadataRequestTopic, view: &View, loaded: bool) -> MetadataResponseTopic {
    let missing = |error_code| MetadataResponseTopic {
        error_code,
        name: asked.name.as_deref().map(text),
        topic_id: asked.topic_id,
        ..Default::default()
    };
    let by_id = asked.topic_id != TopicId::default();
    match find(asked, view) {
        Some((name, topic)) => known(name, topic, view),
        None if !loaded => missing(ErrorCode::LeaderNotAvailable),
        None if by_id => missing(ErrorCode::UnknownTopicId),
        None if !is_legal(asked.name.as_deref().unwrap_or_default()) => missing(ErrorCode::InvalidTopic),
        None => missing(ErrorCode::UnknownTopicOrPartition),
    }
}

fn find<'a>(asked: &MetadataRequestTopic, view: &'a View) -> Option<(&'a TopicName, &'a Topic)> {
    match &asked.name {
        Some(name) if asked.topic_id == TopicId::default() => view.table().0.get_key_value(name.as_str()),
        _ => view.table().0.get_key_value(view.name_of(&asked.topic_id)?.as_str()),
    }
}

fn known(name: &TopicName, topic: &Topic, view: &View) -> MetadataResponseTopic {
    let partition = |index: u32| {
        let replica_nodes = view.replicas(topic, index);
        MetadataResponsePartition {
            partition_index: i32::try_from(index).unwrap_or(i32::MAX),
            leader_id: replica_nodes.first().copied().unwrap_or(COORDINATOR_NODE),
            leader_epoch: 0,
            isr_nodes: replica_nodes.clone(),
            replica_nodes,
            ..Default::default()
        }
    };
    MetadataResponseTopic {
        name: Some(text(name)),
        topic_id: topic_id(name.as_str()),
        partitions: (0..topic.partitions).map(partition).collect(),
        ..Default::default()
    }
}
