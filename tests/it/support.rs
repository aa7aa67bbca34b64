//! A server of a test, and a client that speaks in hand-made requests.

use std::net::{Ipv4Addr, SocketAddr};
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use bytes::Bytes;
use divvy::server::Server;
use divvy::server::config::{Config, DataPlace};
use divvy::wire::frame::{FrameLimit, Framer, decode_response, encode_request};
use divvy::wire::messages::create_topics::CreatableTopic;
use divvy::wire::messages::join_group::JoinGroupRequestProtocol;
use divvy::wire::messages::sync_group::SyncGroupRequestAssignment;
use divvy::wire::messages::{
    CreateTopicsRequest, DescribeGroupsRequest, HeartbeatRequest, JoinGroupRequest, JoinGroupResponse,
    SyncGroupRequest, SyncGroupResponse,
};
use divvy::wire::{ErrorCode, Message, Request, Text};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

/// Whatever a test waits for comes within this, on the slowest machine.
pub const DEADLINE: Duration = Duration::from_secs(60);

/// A loopback address that no other test uses, and a port that is free there. Once it was listened on, the port stays the
/// test's while nobody listens: on 127.0.0.1 another test's server, or the near end of any connection, may take it, and
/// whoever asks there again meets a stranger, or itself.
pub fn own_address() -> SocketAddr {
    static COUNT: AtomicU32 = AtomicU32::new(0);
    // A test is a thread. A configuration that it reads again is the same.
    thread_local!(static NUMBER: u32 = COUNT.fetch_add(1, Ordering::Relaxed));
    if !cfg!(target_os = "linux") {
        // Elsewhere there is one loopback address.
        return SocketAddr::from((Ipv4Addr::LOCALHOST, 0));
    }
    // In one of 254 blocks: two test runs at a time have different ones.
    let (block, number) = (1 + std::process::id() % 254, NUMBER.with(|number| *number) & 0xffff);
    SocketAddr::from((Ipv4Addr::from_bits(127 << 24 | block << 16 | number), 0))
}

/// A configuration on an address of its own, in memory, without waits.
pub fn config() -> Config {
    let address = own_address();
    let mut config = Config {
        listen: address,
        admin: Some(address),
        data: DataPlace::Memory,
        topics_auto_create: Some(4),
        ..Config::default()
    };
    config.limits.initial_rebalance_delay = Duration::ZERO;
    config.limits.min_session_timeout = Duration::from_millis(1);
    config
}

/// A running server with that configuration that has read its store.
pub async fn serve(config: Config) -> Server {
    let server = Server::builder(config).admin(divvy::admin::routes).start().await.unwrap();
    within(async {
        while !server.handle().is_loaded().await {
            tokio::task::yield_now().await;
        }
    })
    .await;
    server
}

/// A server on the folder of one that was dropped: its store's thread lets go of the folder when it ends.
pub async fn serve_after_crash(config: Config) -> Server {
    let server = within(async {
        loop {
            match Server::start(config.clone()).await {
                Ok(server) => return server,
                Err(divvy::server::StartError::Store(_)) => tokio::task::yield_now().await,
                Err(other) => panic!("{other}"),
            }
        }
    })
    .await;
    within(async {
        while !server.handle().is_loaded().await {
            tokio::task::yield_now().await;
        }
    })
    .await;
    server
}

/// A command, run to its end beside the server of the test.
pub async fn run(mut command: std::process::Command) -> std::process::Output {
    within(tokio::task::spawn_blocking(move || command.output())).await.unwrap().unwrap()
}

/// Fails the test if it takes too long.
pub async fn within<T>(what: impl Future<Output = T>) -> T {
    tokio::time::timeout(DEADLINE, what).await.expect("it comes in time")
}

/// One connection.
pub struct Client {
    stream: TcpStream,
    framer: Framer,
    last_id: i32,
}

/// Makes a topic.
pub async fn create(server: &Server, name: &str, partitions: i32) {
    let answer = Client::connect(server.addr()).await.create(name, partitions).await;
    assert_eq!(answer.0, ErrorCode::None, "{answer:?}");
}

impl Client {
    pub async fn connect(addr: SocketAddr) -> Self {
        let stream = TcpStream::connect(addr).await.unwrap();
        stream.set_nodelay(true).unwrap();
        Self { stream, framer: Framer::new(FrameLimit::ANSWERS), last_id: 0 }
    }

    /// Sends a request and gives back its number.
    pub async fn send<R: Request>(&mut self, version: i16, request: &R) -> i32 {
        self.last_id += 1;
        let frame = encode_request(version, self.last_id, Some(&Text::from("it")), request).unwrap();
        self.send_bytes(&frame).await;
        self.last_id
    }

    pub async fn send_bytes(&mut self, bytes: &[u8]) {
        within(self.stream.write_all(bytes)).await.unwrap();
    }

    /// Makes a topic: what is answered, and why.
    pub async fn create(&mut self, name: &str, num_partitions: i32) -> (ErrorCode, String) {
        let topic = CreatableTopic { name: name.into(), num_partitions, replication_factor: -1, ..Default::default() };
        let answer = self.ask(7, &CreateTopicsRequest { topics: vec![topic], ..Default::default() }).await;
        let [topic] = &answer.topics[..] else { panic!("one answer to one topic: {answer:?}") };
        (topic.error_code, topic.error_message.as_deref().unwrap_or_default().to_owned())
    }

    /// Sends nothing more; answers can still come.
    pub async fn hang_up(&mut self) {
        within(self.stream.shutdown()).await.unwrap();
    }

    /// The next answer, whatever it is to; none when the server closed.
    pub async fn frame(&mut self) -> Option<Bytes> {
        loop {
            if let Some(frame) = self.framer.frame().unwrap() {
                return Some(frame);
            }
            match within(self.stream.read_buf(self.framer.room())).await {
                Ok(0) | Err(_) => return None,
                Ok(_) => {}
            }
        }
    }

    /// The next answer and the number of its request.
    pub async fn receive<M: Message>(&mut self, version: i16) -> (i32, M) {
        let frame = self.frame().await.expect("the server answers");
        decode_response(frame, version).unwrap()
    }

    /// Sends a request and waits for its answer.
    pub async fn ask<R: Request>(&mut self, version: i16, request: &R) -> R::Response {
        let id = self.send(version, request).await;
        let (answered, response) = self.receive(version).await;
        assert_eq!(answered, id, "answers come in the order of the requests");
        response
    }

    /// The state of a group, as DescribeGroups says it.
    pub async fn state_of(&mut self, group: &str) -> String {
        let request = DescribeGroupsRequest { groups: vec![group.into()], ..Default::default() };
        self.ask(5, &request).await.groups[0].group_state.to_string()
    }

    /// Waits until a group is in that state.
    pub async fn until_state(&mut self, group: &str, state: &str) {
        within(async {
            while self.state_of(group).await != state {
                tokio::task::yield_now().await;
            }
        })
        .await;
    }

    /// Joins as a new member and syncs: a generation with this member alone, if the group is empty.
    pub async fn become_leader(&mut self, group: &str, plan: &'static [u8]) -> Member {
        let handed_out = self.ask(5, &join(group, "")).await;
        assert_eq!(handed_out.error_code, ErrorCode::MemberIdRequired);
        let joined = self.ask(5, &join(group, &handed_out.member_id)).await;
        assert_eq!(joined.error_code, ErrorCode::None);
        assert_eq!(joined.leader, *joined.member_id);
        let member = Member::of(group, &joined);
        let synced = self.ask(3, &member.sync(&[(&member.id, plan)])).await;
        assert_eq!((synced.error_code, &synced.assignment[..]), (ErrorCode::None, plan));
        member
    }
}

/// What a member knows of itself.
#[derive(Clone, Debug)]
pub struct Member {
    pub group: String,
    pub id: String,
    pub generation: i32,
}

impl Member {
    pub fn of(group: &str, joined: &JoinGroupResponse) -> Self {
        Self { group: group.to_owned(), id: joined.member_id.to_string(), generation: joined.generation_id }
    }

    pub fn heartbeat(&self) -> HeartbeatRequest {
        HeartbeatRequest {
            group_id: self.group.as_str().into(),
            generation_id: self.generation,
            member_id: self.id.as_str().into(),
            ..Default::default()
        }
    }

    pub fn sync(&self, plan: &[(&str, &'static [u8])]) -> SyncGroupRequest {
        let assignment = |(member, state): &(&str, &'static [u8])| SyncGroupRequestAssignment {
            member_id: (*member).into(),
            assignment: Bytes::from_static(state),
        };
        SyncGroupRequest {
            group_id: self.group.as_str().into(),
            generation_id: self.generation,
            member_id: self.id.as_str().into(),
            assignments: plan.iter().map(assignment).collect(),
            ..Default::default()
        }
    }
}

/// A JoinGroup of one protocol with a session of 30 s.
pub fn join(group: &str, member: &str) -> JoinGroupRequest {
    JoinGroupRequest {
        group_id: group.into(),
        session_timeout_ms: 30_000,
        rebalance_timeout_ms: 60_000,
        member_id: member.into(),
        protocol_type: "test".into(),
        protocols: vec![JoinGroupRequestProtocol { name: "own".into(), metadata: Bytes::from_static(b"metadata") }],
        ..Default::default()
    }
}

/// An answer to SyncGroup, as state or error.
pub fn state(synced: &SyncGroupResponse) -> Result<&[u8], ErrorCode> {
    if synced.error_code.is_error() { Err(synced.error_code) } else { Ok(&synced.assignment) }
}

/// The value of a metric's line; 0 if there is none.
pub fn metric(text: &str, line: &str) -> u64 {
    let value = text.lines().find_map(|it| it.strip_prefix(line)?.strip_prefix(' '));
    value.map_or(0, |value| value.parse().unwrap())
}
