//! A coordinator that does what a test tells it to, wrong or right: it speaks Kafka's protocol on a real socket, writes down
//! what it is asked, and answers as an ordinary one does where nothing else was ordered. Its group has a leader elsewhere.

use std::collections::VecDeque;
use std::net::SocketAddr;
use std::sync::Arc;

use bytes::Bytes;
use divvy::embedded::consumer::{Assignment, TopicPartitions};
use divvy::wire::api::SERVED;
use divvy::wire::frame::{FrameLimit, Framer, decode_request, encode_response};
use divvy::wire::header::RequestHeader;
use divvy::wire::messages::api_versions::{ApiVersion, ApiVersionsResponse};
use divvy::wire::messages::find_coordinator::{Coordinator, FindCoordinatorResponse};
use divvy::wire::messages::heartbeat::{HeartbeatRequest, HeartbeatResponse};
use divvy::wire::messages::join_group::{JoinGroupRequest, JoinGroupResponse};
use divvy::wire::messages::metadata::{MetadataRequest, MetadataResponse};
use divvy::wire::messages::metadata::{MetadataResponsePartition, MetadataResponseTopic};
use divvy::wire::messages::sasl_authenticate::SaslAuthenticateResponse;
use divvy::wire::messages::sasl_handshake::SaslHandshakeResponse;
use divvy::wire::messages::sync_group::{SyncGroupRequest, SyncGroupResponse};
use divvy::wire::{ApiKey, ErrorCode, Reader};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;
use tokio::time::Instant;

use crate::member_ground::start;
use crate::support::{own_address, within};

/// What goes wrong with one request.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Fault {
    /// It is answered with this error.
    Error(ErrorCode),
    /// The connection is closed instead.
    Closed,
    /// The connection is closed in the middle of the answer.
    Cut,
    /// The answer names another request.
    Misnumbered,
    /// There is no answer, and the connection stays.
    Silence,
}

/// A request that came.
#[derive(Clone, Debug)]
pub struct Line {
    pub at: Instant,
    /// Its name, the member's id and its generation.
    pub text: String,
    pub key: ApiKey,
    pub fault: Option<Fault>,
    /// Whether it is the heartbeat of a member that has its share, answered as it should be.
    pub is_steady: bool,
}

/// What was ordered, and what has happened.
#[derive(Default)]
struct State {
    orders: VecDeque<(ApiKey, Fault)>,
    lines: Vec<Line>,
    open: usize,
    generation: i32,
    /// Whether the member was given its share of that.
    is_in: bool,
    ids: usize,
}

impl State {
    /// Nothing is ordered any more, and the member has been answered since as one that is in.
    fn is_stable(&self) -> bool {
        let last_fault = self.lines.iter().rposition(|line| line.fault.is_some()).unwrap_or(0);
        self.orders.is_empty() && self.lines[last_fault..].iter().any(|line| line.is_steady)
    }
}

pub struct Double {
    pub address: SocketAddr,
    state: Arc<watch::Sender<State>>,
}

impl Double {
    /// One that does these things wrong: each with the next request of its kind, a JoinGroup only once it names a member.
    pub async fn with(orders: impl IntoIterator<Item = (ApiKey, Fault)>) -> Self {
        let listener = TcpListener::bind(own_address()).await.unwrap();
        let address = listener.local_addr().unwrap();
        let state = State { orders: orders.into_iter().collect(), ..State::default() };
        let state = Arc::new(watch::Sender::new(state));
        let shared = Arc::clone(&state);
        start(async move {
            while let Ok((stream, _)) = listener.accept().await {
                let state = Arc::clone(&shared);
                state.send_modify(|it| it.open += 1);
                start(async move {
                    serve(stream, address, &state).await;
                    state.send_modify(|it| it.open -= 1);
                });
            }
        });
        Self { address, state }
    }

    /// Waits until the member is in again and nothing more goes wrong: what it asked.
    pub async fn stable(&self) -> Vec<Line> {
        self.until(State::is_stable).await
    }

    /// Waits until nothing more is to go wrong: what the member asked so far.
    pub async fn spent(&self) -> Vec<Line> {
        self.until(|it| it.orders.is_empty()).await
    }

    /// Waits until the member is gone: everything that it ever asked.
    pub async fn deserted(&self) -> Vec<Line> {
        self.until(|it| it.open == 0 && !it.lines.is_empty()).await
    }

    async fn until(&self, wanted: impl FnMut(&State) -> bool) -> Vec<Line> {
        let mut changes = self.state.subscribe();
        let state = within(changes.wait_for(wanted)).await.unwrap();
        state.lines.clone()
    }
}

async fn serve(mut stream: TcpStream, address: SocketAddr, state: &watch::Sender<State>) {
    stream.set_nodelay(true).unwrap();
    let mut framer = Framer::new(FrameLimit::REQUESTS);
    loop {
        let frame = loop {
            if let Some(frame) = framer.frame().unwrap() {
                break frame;
            }
            if !matches!(stream.read_buf(framer.room()).await, Ok(1..)) {
                return;
            }
        };
        let mut taken = None;
        state.send_modify(|state| taken = Some(state.take_in(frame, address)));
        let Some((mut answer, fault)) = taken else { return };
        match fault {
            Some(Fault::Silence) => continue,
            Some(Fault::Closed) => return,
            Some(Fault::Cut) => answer.truncate(answer.len() / 2),
            // The number stands behind the frame's length.
            Some(Fault::Misnumbered) => answer[4..8].copy_from_slice(&7_777_777_i32.to_be_bytes()),
            Some(Fault::Error(_)) | None => {}
        }
        if stream.write_all(&answer).await.is_err() || fault == Some(Fault::Cut) {
            return;
        }
    }
}

impl State {
    /// The answer to a request, and what is to go wrong with it.
    fn take_in(&mut self, frame: Bytes, address: SocketAddr) -> (Vec<u8>, Option<Fault>) {
        let mut body = Reader::new(frame);
        let header = RequestHeader::decode(&mut body).unwrap();
        let (version, id) = (header.api_version, header.correlation_id);
        let key = ApiKey::from_code(header.api_key).unwrap();
        let bytes;
        let fault;
        match key {
            ApiKey::ApiVersions => {
                fault = None;
                let api_keys = SERVED.iter().map(|it| ApiVersion {
                    api_key: it.key.code(),
                    min_version: it.versions.min,
                    max_version: it.versions.max,
                });
                let logins = [(ApiKey::SaslHandshake, 1, 1), (ApiKey::SaslAuthenticate, 0, 2)];
                let logins = logins.map(|(key, min_version, max_version)| ApiVersion {
                    api_key: key.code(),
                    min_version,
                    max_version,
                });
                let answer = ApiVersionsResponse { api_keys: api_keys.chain(logins).collect(), ..Default::default() };
                bytes = encode_response(version, id, &answer);
            }
            ApiKey::Metadata => {
                fault = None;
                let request: MetadataRequest = decode_request(body, version).unwrap();
                bytes = encode_response(version, id, &topics(&request));
            }
            ApiKey::SaslHandshake => {
                fault = None;
                let mechanisms = vec!["PLAIN".into()];
                bytes = encode_response(version, id, &SaslHandshakeResponse { mechanisms, ..Default::default() });
            }
            ApiKey::SaslAuthenticate => {
                let error_code;
                (fault, error_code) = self.note(key, key.name().to_owned());
                bytes = encode_response(version, id, &SaslAuthenticateResponse { error_code, ..Default::default() });
            }
            ApiKey::FindCoordinator => {
                let error;
                (fault, error) = self.note(key, key.name().to_owned());
                let (host, port) = (address.ip().to_string().as_str().into(), i32::from(address.port()));
                let one = Coordinator { host, port, error_code: error, ..Coordinator::default() };
                let answer = FindCoordinatorResponse { coordinators: vec![one], ..Default::default() };
                bytes = encode_response(version, id, &answer);
            }
            ApiKey::JoinGroup => {
                let request: JoinGroupRequest = decode_request(body, version).unwrap();
                let answer;
                (fault, answer) = self.join(&request);
                bytes = encode_response(version, id, &answer);
            }
            ApiKey::SyncGroup => {
                let request: SyncGroupRequest = decode_request(body, version).unwrap();
                let error_code;
                (fault, error_code) =
                    self.note(key, format!("SyncGroup {} in {}", &*request.member_id, request.generation_id));
                let assignment = if error_code.is_error() { Bytes::new() } else { share() };
                bytes =
                    encode_response(version, id, &SyncGroupResponse { error_code, assignment, ..Default::default() });
            }
            ApiKey::Heartbeat => {
                let request: HeartbeatRequest = decode_request(body, version).unwrap();
                let error_code;
                (fault, error_code) =
                    self.note(key, format!("Heartbeat {} in {}", &*request.member_id, request.generation_id));
                bytes = encode_response(version, id, &HeartbeatResponse { error_code, ..Default::default() });
            }
            other => panic!("the member asks {}", other.name()),
        }
        (bytes.unwrap().to_vec(), fault)
    }

    /// Writes a request down. What was ordered for it, and the error that it is answered with.
    fn note(&mut self, key: ApiKey, text: String) -> (Option<Fault>, ErrorCode) {
        // A heartbeat that is refused is one of a member that has its share.
        let takes = key != ApiKey::Heartbeat || self.is_in;
        let fault = self.orders.pop_front_if(|(of, _)| takes && *of == key).map(|(_, fault)| fault);
        match key {
            ApiKey::JoinGroup => self.is_in = false,
            ApiKey::SyncGroup => self.is_in = fault.is_none(),
            // By the time that it gives up waiting its session is over for it.
            ApiKey::Heartbeat if fault == Some(Fault::Silence) => self.is_in = false,
            _ => {}
        }
        let is_steady = self.is_in && key == ApiKey::Heartbeat && fault.is_none();
        self.lines.push(Line { at: Instant::now(), text, key, fault, is_steady });
        let error = match fault {
            Some(Fault::Error(error)) => error,
            _ => ErrorCode::None,
        };
        (fault, error)
    }

    fn join(&mut self, request: &JoinGroupRequest) -> (Option<Fault>, JoinGroupResponse) {
        if request.member_id.is_empty() {
            self.ids += 1;
            let text = "JoinGroup as a newcomer".to_owned();
            self.is_in = false;
            self.lines.push(Line { at: Instant::now(), text, key: ApiKey::JoinGroup, fault: None, is_steady: false });
            let member_id = format!("m{}", self.ids).as_str().into();
            let error_code = ErrorCode::MemberIdRequired;
            return (None, JoinGroupResponse { error_code, member_id, ..Default::default() });
        }
        let (fault, error_code) = self.note(ApiKey::JoinGroup, format!("JoinGroup {}", &*request.member_id));
        let member_id = request.member_id.clone();
        if error_code.is_error() {
            return (fault, JoinGroupResponse { error_code, member_id, ..Default::default() });
        }
        // A lost answer's generation is made again: nobody else is there to ask for another.
        if fault.is_none() {
            self.generation += 1;
        }
        let answer = JoinGroupResponse {
            generation_id: self.generation,
            protocol_type: Some(request.protocol_type.clone()),
            protocol_name: request.protocols.first().map(|it| it.name.clone()),
            leader: "another".into(),
            member_id,
            ..Default::default()
        };
        (fault, answer)
    }
}

fn topics(request: &MetadataRequest) -> MetadataResponse {
    let partition = MetadataResponsePartition { leader_id: 1, ..Default::default() };
    let topics = request.topics.iter().flatten().map(|asked| MetadataResponseTopic {
        name: asked.name.clone(),
        partitions: vec![partition.clone()],
        ..Default::default()
    });
    MetadataResponse { topics: topics.collect(), ..Default::default() }
}

/// What the leader gave this member.
fn share() -> Bytes {
    let topics = vec![TopicPartitions { topic: "clicks", partitions: [0].into_iter().collect() }];
    Assignment { topics, user_data: None }.encode().into()
}
