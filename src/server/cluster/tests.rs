//! Looks at a cluster, one after the other.

use super::*;
use crate::peer::tests::double::Double;
use crate::store::{MemoryStore, Store};
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
    assert_eq!((names(first.found.keys()), names(&first.ids.anew)), (vec!["clicks"], vec![]));
    let again = look(&mut known, both(), vec![shown("clicks", 7)]).unwrap();
    assert_eq!(names(&again.ids.anew), ["clicks"]);
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
    assert_eq!(names(&back.ids.anew), ["clicks"], "the other one was only not seen");
}

#[test]
fn ids_of_topics_that_come_and_go_are_not_kept_for_ever() {
    let mut known = Known::default();
    known.names.insert("zebras".into());
    known.ids = (0..CLUSTER_IDS_KEPT + 5).map(|at| (format!("gone-{at}").into(), origin(1))).collect();
    let marks = known.learn([("zebras".into(), origin(2))].into()).marks;
    assert_eq!(known.ids.len(), CLUSTER_IDS_KEPT + 1);
    assert_eq!(marks.iter().filter(|it| matches!(it, Entry::Origin(_, None))).count(), 5, "nor in the store");
    assert!(known.ids.contains_key("zebras"), "who is there is not forgotten");
}

fn origin(id: u8) -> Origin {
    Origin { cluster: "east".to_owned(), id: [id; 16] }
}

/// What the next process knows of it.
fn restarted(look: &Look, store: &mut MemoryStore) -> Known {
    store.append(&look.ids.marks).unwrap();
    Known::of(Stored { ids: store.load().unwrap().origins, upto: WallTime(7) })
}

/// The same answer of a cluster of that name.
fn look_at(cluster: &str, known: &Known, topics: Vec<MetadataResponseTopic>) -> Look {
    let answer = MetadataResponse { brokers: both(), cluster_id: Some(cluster.into()), topics, ..Default::default() };
    read(encode_response(12, 1, &answer).unwrap().slice(4..), 12, known).unwrap().unwrap()
}

#[test]
fn a_topic_that_was_made_anew_while_nobody_looked_is_known_by_its_id() {
    let mut store = MemoryStore::new();
    let before = look_at("east", &Known::default(), vec![shown("clicks", 1), shown("queries", 2)]);
    assert_eq!((names(&before.ids.anew), before.ids.marks.len()), (vec![], 2));
    let known = restarted(&before, &mut store);
    let after = look_at("east", &known, vec![shown("clicks", 7), shown("queries", 2)]);
    assert_eq!((names(&after.ids.anew), names(&after.ids.anew_meanwhile)), (vec![], vec!["clicks"]));
    assert_eq!((after.ids.upto, after.ids.marks.len()), (WallTime(7), 1), "what is younger may be of the new one");
    let later = look_at("east", &after.known, vec![shown("clicks", 8), shown("queries", 2)]);
    assert_eq!((names(&later.ids.anew), names(&later.ids.anew_meanwhile)), (vec!["clicks"], vec![]), "seen by itself");
    let again = look_at("east", &restarted(&after, &mut store), vec![shown("clicks", 7), shown("queries", 2)]);
    assert_eq!((names(&again.ids.anew_meanwhile), again.ids.marks.len(), again.is_another), (vec![], 0, false), "once");
}

#[test]
fn topics_of_another_cluster_are_not_those_of_the_first_made_anew() {
    let mut store = MemoryStore::new();
    let east = look_at("east", &Known::default(), vec![shown("clicks", 1)]);
    assert!(!east.is_another);
    let west = look_at("west", &restarted(&east, &mut store), vec![shown("clicks", 7)]);
    assert_eq!((names(&west.ids.anew_meanwhile), west.is_another), (vec![], true));
    let later = look_at("west", &restarted(&west, &mut store), vec![shown("clicks", 8)]);
    assert_eq!((names(&later.ids.anew_meanwhile), later.is_another), (vec!["clicks"], false));
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
