//! Peers that ask for more than is good: what they can take has a bound, and others are served meanwhile.

use divvy::server::Server;
use divvy::wire::frame::{FrameLimit, Framer, encode_request};
use divvy::wire::messages::create_topics::CreatableTopic;
use divvy::wire::messages::metadata::MetadataRequestTopic;
use divvy::wire::messages::{CreateTopicsRequest, HeartbeatResponse, MetadataRequest, MetadataResponse};
use divvy::wire::{ApiKey, ErrorCode};

use tokio::io::{AsyncReadExt, AsyncWriteExt};

use crate::support::{Client, config, metric, serve, within};

async fn counted(server: &Server, line: &str) -> u64 {
    metric(&server.handle().metrics_text().await, line)
}

/// Six frames of 100 MiB are announced and do not come: there is memory for three.
#[tokio::test]
async fn announced_frames_stop_nobody() {
    let server = serve(config()).await;
    let mut healthy = Client::connect(server.addr()).await;
    let member = healthy.become_leader("g", b"all").await;
    let mut announcing = Vec::new();
    let mut head = (100_i32 << 20).to_be_bytes().to_vec();
    head.extend(ApiKey::JoinGroup.code().to_be_bytes());
    head.extend(5_i16.to_be_bytes());
    let before = counted(&server, "divvy_received_bytes_total").await;
    for _ in 0..6 {
        let mut client = Client::connect(server.addr()).await;
        client.send_bytes(&head).await;
        announcing.push(client);
    }
    let seen = before + announcing.len() as u64 * head.len() as u64;
    within(async {
        while counted(&server, "divvy_received_bytes_total").await < seen {
            tokio::task::yield_now().await;
        }
    })
    .await;
    assert_eq!(healthy.ask(3, &member.heartbeat()).await.error_code, ErrorCode::None);
    server.stop().await;
}

/// A client asks for all topics two hundred times, which would be more than a hundred megabytes, and takes no answer: it
/// is not read further. When it reads, each request has its answer, in order.
#[tokio::test]
async fn who_takes_no_answers_is_not_read_further() {
    const ASKED: usize = 200;
    let server = serve(config()).await;
    let mut client = Client::connect(server.addr()).await;
    let named = |number| MetadataRequestTopic { name: Some(format!("t{number}").into()), ..Default::default() };
    let topics = (0..2000).map(named).collect();
    client
        .ask(5, &MetadataRequest { topics: Some(topics), allow_auto_topic_creation: true, ..Default::default() })
        .await;
    let one_answer = counted(&server, "divvy_sent_bytes_total").await;
    let member = client.become_leader("g", b"all").await;

    let mut greedy = Client::connect(server.addr()).await;
    let all = MetadataRequest { topics: None, ..Default::default() };
    let asked = encode_request(5, 1, None, &all).unwrap().repeat(ASKED);
    greedy.send_bytes(&asked).await;
    // Heartbeats of another client: so many of them that the greedy one's requests would long be handled.
    for _ in 0..ASKED {
        assert_eq!(client.ask(3, &member.heartbeat()).await.error_code, ErrorCode::None);
    }
    let handled = counted(&server, "divvy_requests_total{api=\"Metadata\"}").await;
    assert!(handled < ASKED as u64 / 2, "{handled} answers of {one_answer} bytes each are waiting");
    greedy.send(3, &member.heartbeat()).await;
    for _ in 0..ASKED {
        // However long this takes, its session does not end.
        assert_eq!(client.ask(3, &member.heartbeat()).await.error_code, ErrorCode::None);
        assert_eq!(greedy.receive::<MetadataResponse>(5).await.1.topics.len(), 2000);
    }
    assert_eq!(greedy.receive::<HeartbeatResponse>(3).await.1.error_code, ErrorCode::None);
    server.stop().await;
}

/// A client names a hundred thousand topics: half of what the table takes comes to be, at once, and one line of the log
/// tells of the rest.
#[tokio::test]
async fn naming_topics_fills_half_of_the_table() {
    let server = serve(config()).await;
    let mut client = Client::connect(server.addr()).await;
    let named = |number| MetadataRequestTopic { name: Some(format!("t{number}").into()), ..Default::default() };
    let topics = (0..100_000).map(named).collect();
    let request = MetadataRequest { topics: Some(topics), allow_auto_topic_creation: true, ..Default::default() };
    let told = client.ask(5, &request).await.topics;
    let made = told.iter().filter(|topic| topic.error_code == ErrorCode::None).count();
    assert_eq!((told.len(), made), (100_000, divvy::server::topics::MAX_NAMED_TOPICS));
    server.stop().await;
}

/// What follows a long frame is moved out of its memory: a member that says a word every second would keep it for ever.
#[test]
fn a_long_frame_is_not_kept_by_what_follows_it() {
    let mut framer = Framer::new(FrameLimit::REQUESTS);
    let length = 10 << 20;
    let mut bytes = i32::try_from(length).unwrap().to_be_bytes().to_vec();
    bytes.extend(ApiKey::JoinGroup.code().to_be_bytes());
    bytes.resize(4 + length, 0);
    bytes.extend(b"\0\0");
    for piece in bytes.chunks(100_000) {
        framer.room().extend_from_slice(piece);
    }
    let frame = framer.frame().unwrap().unwrap();
    assert_eq!((frame.len(), framer.frame()), (length, Ok(None)));
    assert!(frame.is_unique(), "nobody else holds its memory");
    assert_eq!(&framer.room()[..], b"\0\0");
}

/// CreateTopics for more topics than there can be: one batch for the store, whatever they are.
#[tokio::test]
async fn creating_topics_by_the_thousand_is_one_batch() {
    let server = serve(config()).await;
    let mut client = Client::connect(server.addr()).await;
    let most = divvy::server::topics::MAX_TOPICS;
    let topic = |number: usize| CreatableTopic {
        // One that is illegal, one that comes twice.
        name: if number == 0 { "a b".into() } else { format!("t{}", number.max(2)).into() },
        num_partitions: 1,
        replication_factor: 1,
        ..Default::default()
    };
    let request = CreateTopicsRequest { topics: (0..most + 20).map(topic).collect(), ..Default::default() };
    let told = client.ask(5, &request).await.topics;
    let errors: Vec<ErrorCode> = told.iter().map(|topic| topic.error_code).collect();
    assert_eq!(errors[..4], [ErrorCode::InvalidTopic, ErrorCode::None, ErrorCode::InvalidRequest, ErrorCode::None]);
    assert_eq!(errors.iter().filter(|error| !error.is_error()).count(), most);
    assert_eq!(errors.last(), Some(&ErrorCode::PolicyViolation));
    assert_eq!(counted(&server, "divvy_store_batch_seconds_count").await, 1);
    server.stop().await;
}

/// More connections to the admin port than it takes: the others are closed at once, clients are served, and there is a
/// place again as soon as one goes.
#[tokio::test]
async fn the_admin_port_has_so_many_places() {
    const PLACES: usize = 256;
    let server = serve(config()).await;
    let admin = server.admin_addr().unwrap();
    let mut silent = Vec::new();
    for _ in 0..PLACES {
        silent.push(tokio::net::TcpStream::connect(admin).await.unwrap());
    }
    let mut one_more = Client::connect(admin).await;
    assert_eq!(one_more.frame().await, None);
    Client::connect(server.addr()).await.become_leader("g", b"all").await;
    silent.clear();
    within(async {
        loop {
            let mut stream = tokio::net::TcpStream::connect(admin).await.unwrap();
            let mut answer = Vec::new();
            // A connection that finds no place is closed before or after this is written.
            let asked = stream.write_all(b"GET /health HTTP/1.0\r\n\r\n").await;
            if asked.is_ok() && stream.read_to_end(&mut answer).await.is_ok() && answer.starts_with(b"HTTP/1.0 200") {
                return;
            }
        }
    })
    .await;
    server.stop().await;
}
