//! Metadata: one virtual broker for each rack, all of them this server; the coordinator is always among them, since
//! some clients know a coordinator only if it is listed.

use super::text;
use crate::ids::TopicName;
use crate::server::Handle;
use crate::server::directory::is_legal;
use crate::server::topics::{COORDINATOR_NODE, TopicId, View, topic_id};
use crate::topics::Topic;
use crate::wire::messages::metadata::{
    MetadataRequestTopic, MetadataResponseBroker, MetadataResponsePartition, MetadataResponseTopic,
};
use crate::wire::messages::{MetadataRequest, MetadataResponse};
use crate::wire::{ErrorCode, Text};

/// The answer. Topics that the client wants and the configuration allows are made first.
pub(crate) async fn answer(request: MetadataRequest, version: i16, handle: Handle) -> MetadataResponse {
    let loaded = handle.topics().loaded().await;
    let asked = request.topics.filter(|topics| !(version == 0 && topics.is_empty()));
    if let (Some(asked), true, true) = (&asked, loaded, request.allow_auto_topic_creation) {
        let names: Vec<&str> = asked.iter().filter_map(|topic| topic.name.as_deref()).collect();
        handle.topics().auto_create(&names, handle.quiet()).await;
    }
    let view = handle.topics().view();
    // Every topic that is asked for gets an entry: librdkafka asks again without a pause for one that is left out.
    let topics = match &asked {
        Some(asked) => asked.iter().map(|topic| one(topic, &view, loaded)).collect(),
        None => view.table().0.iter().map(|(name, topic)| known(name, topic, &view)).collect(),
    };
    MetadataResponse {
        brokers: brokers(&view, &handle),
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
    let name = match &asked.name {
        Some(name) if !by_id => Some(TopicName::from(name.as_str())),
        _ => view.name_of(&asked.topic_id).cloned(),
    };
    match name.as_ref().and_then(|name| Some((name, view.table().get(name.as_str())?))) {
        Some((name, topic)) => known(name, topic, view),
        None if !loaded => missing(ErrorCode::LeaderNotAvailable),
        None if by_id => missing(ErrorCode::UnknownTopicId),
        None if !is_legal(asked.name.as_deref().unwrap_or_default()) => missing(ErrorCode::InvalidTopic),
        None => missing(ErrorCode::UnknownTopicOrPartition),
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
