//! Metadata: one virtual broker for each rack, all of them this server; the coordinator is always among them, since
//! some clients know a coordinator only if it is listed. Clients of long ago are told of the coordinator alone.

use super::{Shape, text};
use crate::ids::TopicName;
use crate::server::Handle;
use crate::server::directory::is_legal;
use crate::server::dispatch::unwritable;
use crate::server::large::{Frame, Question};
use crate::server::limits::LARGE_ANSWER_PARTITIONS;
use crate::server::outbox::Close;
use crate::server::topics::{Broker, COORDINATOR_NODE, TopicId, View, topic_id};
use crate::topics::Topic;
use crate::wire::frame::encode_response;
use crate::wire::messages::metadata::{
    MetadataRequestTopic, MetadataResponseBroker, MetadataResponsePartition, MetadataResponseTopic,
};
use crate::wire::messages::{MetadataRequest, MetadataResponse};
use crate::wire::{ApiKey, EncodeError, ErrorCode, Text};

/// The first version whose caller is told of racks. kafkajs asks for 6 and keeps its connections by host and port: of
/// several brokers at one address it closes all when it hears of them again, and what is on its way is lost. aiokafka (5)
/// and kcat (4) read no racks; whoever does, librdkafka, franz-go and the Java client since KIP-881, asks for 9 or more.
const RACKS_SINCE: i16 = 7;

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
    let told = Told { view: &question.view, version: question.version };
    // Every topic that is asked for gets an entry: librdkafka asks again without a pause for one that is left out.
    let topics = match &question.asked {
        Some(asked) => asked.iter().map(|topic| told.one(topic, question.is_loaded)).collect(),
        None => told.view.table().0.iter().map(|(name, topic)| told.known(name, topic)).collect(),
    };
    let (host, port) = handle.advertised();
    MetadataResponse {
        brokers: told.brokers(&host, port),
        cluster_id: Some(handle.cluster_id()),
        controller_id: COORDINATOR_NODE,
        topics,
        ..Default::default()
    }
}

/// What a caller of that version is told of.
#[derive(Clone, Copy)]
struct Told<'a> {
    view: &'a View,
    version: i16,
}

impl Told<'_> {
    fn has_racks(self) -> bool {
        self.version >= RACKS_SINCE
    }

    fn brokers(self, host: &Text, port: i32) -> Vec<MetadataResponseBroker> {
        let is_told = |it: &&Broker| self.has_racks() || it.node == COORDINATOR_NODE;
        let broker = |it: &Broker| MetadataResponseBroker {
            node_id: it.node,
            host: host.clone(),
            port,
            rack: it.rack.as_deref().map(Text::from),
        };
        self.view.brokers().iter().filter(is_told).map(broker).collect()
    }

    /// A topic by its name, or from v12 on by its id.
    fn one(self, asked: &MetadataRequestTopic, loaded: bool) -> MetadataResponseTopic {
        let missing = |error_code| MetadataResponseTopic {
            error_code,
            name: asked.name.as_deref().map(text),
            topic_id: asked.topic_id,
            ..Default::default()
        };
        let by_id = asked.topic_id != TopicId::default();
        match find(asked, self.view) {
            Some((name, topic)) => self.known(name, topic),
            None if !loaded => missing(ErrorCode::LeaderNotAvailable),
            None if by_id => missing(ErrorCode::UnknownTopicId),
            None if !is_legal(asked.name.as_deref().unwrap_or_default()) => missing(ErrorCode::InvalidTopic),
            None => missing(ErrorCode::UnknownTopicOrPartition),
        }
    }

    fn known(self, name: &TopicName, topic: &Topic) -> MetadataResponseTopic {
        let partition = |index: u32| {
            let replica_nodes =
                if self.has_racks() { self.view.replicas(topic, index) } else { vec![COORDINATOR_NODE] };
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
}

fn find<'a>(asked: &MetadataRequestTopic, view: &'a View) -> Option<(&'a TopicName, &'a Topic)> {
    match &asked.name {
        Some(name) if asked.topic_id == TopicId::default() => view.table().0.get_key_value(name.as_str()),
        _ => view.table().0.get_key_value(view.name_of(&asked.topic_id)?.as_str()),
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::server::topics::Topics;

    /// Of each version from 0 on: the brokers, and whoever has a partition of either topic.
    fn nodes(version: i16) -> (Vec<(i32, Option<String>)>, BTreeSet<i32>) {
        let racks = vec![vec!["a".to_owned(), "b".to_owned()], vec!["b".to_owned()]];
        let configured = [
            ("clicks".into(), Topic { partitions: 2, racks: Vec::new() }),
            ("other".into(), Topic { partitions: 2, racks }),
        ];
        let view = Topics::new(&configured).view();
        let told = Told { view: &view, version };
        let brokers = told.brokers(&"here".into(), 9092).into_iter();
        let brokers = brokers.map(|it| (it.node_id, it.rack.map(|rack| rack.to_string()))).collect();
        let topics = view.table().0.iter().map(|(name, topic)| told.known(name, topic));
        let nodes = |it: MetadataResponsePartition| [vec![it.leader_id], it.replica_nodes, it.isr_nodes].concat();
        (brokers, topics.flat_map(|topic| topic.partitions).flat_map(nodes).collect())
    }

    /// kafkajs asks for 6, aiokafka for 5, kcat for 4: one address is one broker to them.
    #[test]
    fn whoever_reads_no_racks_is_told_of_one_broker() {
        for version in 0..RACKS_SINCE {
            assert_eq!(nodes(version), (vec![(COORDINATOR_NODE, None)], BTreeSet::from([COORDINATOR_NODE])));
        }
    }

    #[test]
    fn whoever_reads_racks_is_told_of_a_broker_for_each() {
        for version in [RACKS_SINCE, 9, 13] {
            let (brokers, nodes) = nodes(version);
            let racks: BTreeSet<_> = brokers.iter().filter_map(|(_, rack)| rack.as_deref()).collect();
            assert_eq!((brokers.len(), racks), (3, BTreeSet::from(["a", "b"])));
            assert_eq!(nodes, brokers.iter().map(|(node, _)| *node).collect());
        }
    }
}
