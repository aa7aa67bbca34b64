//! A cluster that makes its topic anew while the coordinator is down.

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};
use std::time::Duration;

use divvy::server::Server;
use divvy::server::config::{Config, DataPlace, KafkaCluster};
use divvy::store::{Entry, MemoryStore, Store};
use divvy::topics::Topic;
use divvy::wire::frame::{FrameLimit, Framer, encode_response};
use divvy::wire::header::RequestHeader;
use divvy::wire::messages::api_versions::{ApiVersion, ApiVersionsResponse};
use divvy::wire::messages::metadata::{MetadataResponse, MetadataResponsePartition, MetadataResponseTopic};
use divvy::wire::messages::offset_commit::{OffsetCommitRequestPartition, OffsetCommitRequestTopic};
use divvy::wire::messages::offset_fetch::OffsetFetchRequestTopic;
use divvy::wire::messages::{OffsetCommitRequest, OffsetFetchRequest};
use divvy::wire::{ApiKey, ErrorCode, Reader};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

use super::{delete, shows};
use crate::member_ground::start;
use crate::support::{Client, config, own_address, serve, serve_after_crash, within};
use crate::support_store::failing::{FailingStore, Fault, Faults};

/// A cluster with one topic: its id, and how many partitions it has.
#[derive(Clone)]
struct Kafka {
    address: SocketAddr,
    id: Arc<AtomicU8>,
    partitions: Arc<AtomicU8>,
}

impl Kafka {
    async fn start() -> Self {
        let listener = TcpListener::bind(own_address()).await.unwrap();
        let address = listener.local_addr().unwrap();
        let kafka = Self { address, id: Arc::new(AtomicU8::new(1)), partitions: Arc::new(AtomicU8::new(1)) };
        let cluster = kafka.clone();
        start(async move {
            while let Ok((stream, _)) = listener.accept().await {
                start(cluster.clone().serve(stream));
            }
        });
        kafka
    }

    async fn serve(self, mut stream: TcpStream) {
        let mut framer = Framer::new(FrameLimit::REQUESTS);
        loop {
            while let Some(frame) = framer.frame().unwrap() {
                let header = RequestHeader::decode(&mut Reader::new(frame)).unwrap();
                let (version, id) = (header.api_version, header.correlation_id);
                let answer = match ApiKey::from_code(header.api_key) {
                    Some(ApiKey::ApiVersions) => encode_response(version, id, &served()),
                    _ => encode_response(version, id, &self.topics()),
                };
                if stream.write_all(&answer.unwrap()).await.is_err() {
                    return;
                }
            }
            if !matches!(stream.read_buf(framer.room()).await, Ok(1..)) {
                return;
            }
        }
    }

    fn topics(&self) -> MetadataResponse {
        let count = i32::from(self.partitions.load(Ordering::Relaxed));
        let partition = |partition_index| MetadataResponsePartition { partition_index, ..Default::default() };
        let topic = MetadataResponseTopic {
            name: Some("clicks".into()),
            topic_id: [self.id.load(Ordering::Relaxed); 16],
            partitions: (0..count).map(partition).collect(),
            ..Default::default()
        };
        MetadataResponse { cluster_id: Some("east".into()), topics: vec![topic], ..Default::default() }
    }

    /// From now on it is a topic of this id and so many partitions: that a coordinator shows them shows that it has looked.
    fn becomes(&self, id: u8, partitions: u8) {
        self.id.store(id, Ordering::Relaxed);
        self.partitions.store(partitions, Ordering::Relaxed);
    }
}

fn served() -> ApiVersionsResponse {
    let row = |key: ApiKey, max_version| ApiVersion { api_key: key.code(), min_version: 0, max_version };
    let api_keys = vec![row(ApiKey::ApiVersions, 3), row(ApiKey::Metadata, 12)];
    ApiVersionsResponse { api_keys, ..Default::default() }
}

async fn commit(client: &mut Client, committed_offset: i64) {
    let partitions = vec![OffsetCommitRequestPartition { committed_offset, ..Default::default() }];
    let topics = vec![OffsetCommitRequestTopic { name: "clicks".into(), partitions }];
    let request = OffsetCommitRequest { group_id: "g".into(), topics, ..Default::default() };
    let answer = client.ask(2, &request).await;
    assert_eq!(answer.topics[0].partitions[0].error_code, ErrorCode::None);
}

async fn committed(client: &mut Client) -> i64 {
    let topics = Some(vec![OffsetFetchRequestTopic { name: "clicks".into(), partition_indexes: vec![0] }]);
    let request = OffsetFetchRequest { group_id: "g".into(), topics, ..Default::default() };
    within(async {
        loop {
            // Who asks while a batch fails is told to ask again.
            if let Some(topic) = client.ask(5, &request).await.topics.first() {
                return topic.partitions[0].committed_offset;
            }
        }
    })
    .await
}

fn beside(kafka: &Kafka) -> Config {
    let at = KafkaCluster { max_age: Duration::from_millis(20), ..KafkaCluster::at(vec![kafka.address.to_string()]) };
    Config { kafka: Some(at), ..config() }
}

fn of(partitions: u32) -> Option<Topic> {
    Some(Topic { partitions, racks: Vec::new() })
}

/// Waits until the coordinator has taken the topic over like this. What changes topics waits for that to be durable.
async fn looked(server: &Server, topic: Option<Topic>) -> Client {
    shows(server, "clicks", topic).await;
    let mut client = Client::connect(server.addr()).await;
    assert_eq!(delete(&mut client, "clicks").await, ErrorCode::TopicDeletionDisabled);
    client
}

#[tokio::test]
async fn a_topic_that_was_made_anew_while_the_coordinator_was_down_begins_without_offsets() {
    let folder = tempfile::tempdir().unwrap();
    let kafka = Kafka::start().await;
    let beside = Config { data: DataPlace::Folder(folder.path().join("data")), ..beside(&kafka) };

    let server = serve(beside.clone()).await;
    let mut client = looked(&server, of(1)).await;
    commit(&mut client, 7).await;
    drop((server, client));

    kafka.becomes(1, 2);
    let server = serve_after_crash(beside.clone()).await;
    let mut client = looked(&server, of(2)).await;
    assert_eq!(committed(&mut client).await, 7, "it is the same topic");
    drop((server, client));

    kafka.becomes(2, 3);
    let server = serve_after_crash(beside).await;
    let mut client = looked(&server, of(3)).await;
    assert_eq!(committed(&mut client).await, -1, "that was another topic's");
}

/// What failed once is done with the next look, which finds the topic anew again.
#[tokio::test]
async fn offsets_that_could_not_be_forgotten_are_forgotten_later() {
    let (kafka, faults) = (Kafka::start().await, Faults::default());
    let store = FailingStore::new(MemoryStore::new(), faults.clone());
    let server = Server::builder(beside(&kafka)).store(Box::new(store)).start().await.unwrap();
    let mut client = looked(&server, of(1)).await;
    commit(&mut client, 7).await;
    faults.order(Fault::Lost);
    kafka.becomes(2, 1);
    within(async { while committed(&mut client).await != -1 {} }).await;
}

/// An older divvy, which knows no ids, served the group meanwhile: it leaves what it does not know as it was, and here it
/// is played by what it leaves. Offsets of the new topic are worth more than it is to be rid of those of the old.
#[tokio::test]
async fn what_is_committed_while_nobody_keeps_ids_is_kept() {
    let (kafka, store) = (Kafka::start().await, MemoryStore::new());
    let start = async || Server::builder(beside(&kafka)).store(Box::new(store.clone())).start().await.unwrap();
    let server = start().await;
    let mut client = looked(&server, of(1)).await;
    commit(&mut client, 7).await;
    server.stop().await;
    let before = store.clone().load().unwrap();

    kafka.becomes(2, 1);
    let older = Server::builder(config()).store(Box::new(store.clone())).start().await.unwrap();
    let mut client = Client::connect(older.addr()).await;
    commit(&mut client, 9).await;
    older.stop().await;
    assert_eq!(store.clone().load().unwrap().origins, [], "who has no cluster checks no ids");
    let ids = before.origins.into_iter().map(|(name, origin)| Entry::Origin(name, Some(origin)));
    store.clone().append(&ids.collect::<Vec<_>>()).unwrap();

    kafka.becomes(2, 2);
    let server = start().await;
    let mut client = looked(&server, of(2)).await;
    assert_eq!(committed(&mut client).await, 9);
    // A coordinator that looks all the time knows better.
    kafka.becomes(3, 3);
    within(async { while committed(&mut client).await != -1 {} }).await;
}
