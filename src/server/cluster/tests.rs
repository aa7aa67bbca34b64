//! Looks at a cluster, one after the other.

use super::*;
use crate::peer::tests::double::Double;
use crate::wire::ErrorCode;
use crate::wire::frame::encode_response;
use crate::wire::messages::metadata::{
    MetadataResponse, MetadataResponseBroker, MetadataResponsePartition, MetadataResponseTopic,
};

fn broker(node_id: i32, rack: &str) -> MetadataResponseBroker {
    MetadataResponseBroker { node_id, host: format!("kafka-{node_id}").into(), port: 9092, rack: Some(rack.into()) }
}

/// A topic of two partitions, both on brokers 1 and 2.
fn shown(name: &str, id: u8) -> MetadataResponseTopic {
    let partition =
        |index| MetadataResponsePartition { partition_index: index, replica_nodes: vec![1, 2], ..Default::default() };
    MetadataResponseTopic {
        name: Some(name.into()),
        topic_id: [id; 16],
        partitions: vec![partition(0), partition(1)],
        ..Default::default()
    }
}

/// The next answer after what was known; what it told, which is nothing if it was the same again.
fn look(known: &mut Known, brokers: Vec<MetadataResponseBroker>, topics: Vec<MetadataResponseTopic>) -> Option<Look> {
    let answer = MetadataResponse { brokers, topics, ..Default::default() };
    let frame = encode_response(12, 1, &answer).unwrap().slice(4..);
    let look = read(frame, 12, known).unwrap();
    if let Some(look) = &look {
        *known = look.known.clone();
    }
    look
}

fn both() -> Vec<MetadataResponseBroker> {
    vec![broker(1, "a"), broker(2, "b")]
}

fn names<'a>(names: impl IntoIterator<Item = &'a TopicName>) -> Vec<&'a str> {
    names.into_iter().map(TopicName::as_str).collect()
}

#[test]
fn a_broker_that_is_away_keeps_its_rack() {
    let mut known = Known::default();
    let first = look(&mut known, both(), vec![shown("clicks", 1)]).unwrap();
    let expected = Topic { partitions: 2, racks: vec![vec!["a".to_owned(), "b".to_owned()]; 2] };
    assert_eq!(first.found["clicks"], expected);
    assert_eq!(first.brokers, ["kafka-1:9092", "kafka-2:9092"]);
    let later = look(&mut known, vec![broker(2, "b")], vec![shown("clicks", 1)]).unwrap();
    assert_eq!(later.found["clicks"], expected);
}

#[test]
fn the_same_answer_again_is_not_read() {
    let mut known = Known::default();
    assert!(look(&mut known, both(), vec![shown("clicks", 1)]).is_some());
    assert!(look(&mut known, both(), vec![shown("clicks", 1)]).is_none());
}

#[test]
fn who_is_not_there_twice_is_gone() {
    let mut known = Known::default();
    look(&mut known, both(), vec![shown("clicks", 1), shown("queries", 2)]);
    let once = look(&mut known, both(), vec![shown("clicks", 1)]).unwrap();
    assert_eq!(names(&once.gone), [""; 0], "once may be a mistake");
    let twice = look(&mut known, both(), vec![shown("clicks", 1)]).unwrap();
    assert_eq!(names(&twice.gone), ["queries"]);
    assert!(look(&mut known, both(), vec![shown("clicks", 1)]).is_none());
}

#[test]
fn a_topic_that_cannot_be_told_of_is_there() {
    let mut known = Known::default();
    look(&mut known, both(), vec![shown("clicks", 1)]);
    for _ in 0..3 {
        let troubled = MetadataResponseTopic { error_code: ErrorCode::LeaderNotAvailable, ..shown("clicks", 1) };
        let gone = look(&mut known, both(), vec![troubled]).map(|look| look.gone).unwrap_or_default();
        assert_eq!(names(&gone), [""; 0]);
    }
}

#[test]
fn a_topic_of_another_id_was_made_anew_and_the_brokers_own_are_nobodys() {
    let mut known = Known::default();
    let own = MetadataResponseTopic { is_internal: true, ..shown("__consumer_offsets", 9) };
    let first = look(&mut known, both(), vec![shown("clicks", 1), own]).unwrap();
    assert_eq!((names(first.found.keys()), names(&first.anew)), (vec!["clicks"], vec![]));
    let again = look(&mut known, both(), vec![shown("clicks", 7)]).unwrap();
    assert_eq!(names(&again.anew), ["clicks"]);
}

#[test]
fn a_topic_that_was_away_for_long_is_known_by_its_id() {
    let mut known = Known::default();
    look(&mut known, both(), vec![shown("clicks", 1), shown("queries", 2)]);
    for _ in 0..2 {
        look(&mut known, both(), vec![]);
    }
    assert!(known.names.is_empty(), "both are gone");
    let back = look(&mut known, both(), vec![shown("clicks", 7), shown("queries", 2)]).unwrap();
    assert_eq!(names(&back.anew), ["clicks"], "the other one was only not seen");
}

#[test]
fn ids_of_topics_that_come_and_go_are_not_kept_for_ever() {
    let mut known = Known::default();
    known.names.insert("zebras".into());
    known.ids = (0..CLUSTER_IDS_KEPT + 5).map(|at| (format!("gone-{at}").into(), [1; 16])).collect();
    known.ids.insert("zebras".into(), [2; 16]);
    forget_some(&mut known);
    assert_eq!(known.ids.len(), CLUSTER_IDS_KEPT + 1);
    assert!(known.ids.contains_key("zebras"), "who is there is not forgotten");
}

#[tokio::test]
async fn a_connection_that_was_closed_meanwhile_is_no_trouble() {
    let server = Double { answers: Some(1), ..Double::default() }.start().await;
    let mut cluster = Cluster::new(&KafkaCluster::at(vec![server.address()]), Security::default());
    for _ in 0..3 {
        let (connection, ..) = cluster.ask().await.unwrap();
        cluster.connection = Some(connection);
    }
}

#[tokio::test]
async fn who_was_connected_to_and_did_not_answer_is_asked_last() {
    let (mute, other) = (Double::default().start().await, Double::default().start().await);
    let mut cluster = Cluster::new(&KafkaCluster::at(vec![mute.address(), other.address()]), Security::default());
    assert_eq!(cluster.ask().await.unwrap().0.address(), mute.address());
    // As after a minute without an answer.
    cluster.last = Some(mute.address());
    assert_eq!(cluster.ask().await.unwrap().0.address(), other.address());
}

#[test]
fn a_refusal_and_nonsense_are_told() {
    let refusal = MetadataResponse { error_code: ErrorCode::Other(31), ..Default::default() };
    let frame = encode_response(13, 1, &refusal).unwrap().slice(4..);
    assert!(read(frame, 13, &Known::default()).err().unwrap().contains("refuses Metadata"));
    assert!(read(Bytes::from_static(b"nonsense"), 12, &Known::default()).err().unwrap().contains("cannot be read"));
}
