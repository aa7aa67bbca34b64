//! One connection to one broker: requests out, answers in, in order (a parked answer holds back those behind it).
//! When anything goes wrong the whole connection is over, and everything that waits on it is told why.

use std::collections::{BTreeMap, VecDeque};
use std::sync::atomic::{AtomicI32, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::Duration;

use bytes::Bytes;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::net::tcp::{OwnedReadHalf, OwnedWriteHalf};
use tokio::sync::{mpsc, oneshot};
use tokio::time::timeout;

use super::error::Unreachable;
use super::limits::{CONNECT_TIMEOUT, REQUEST_TIMEOUT, UNWRITTEN_REQUESTS};
use super::spawn::{Task, task};
use crate::membership::Peer;
use crate::wire::api::{VersionRange, served};
use crate::wire::divvy::ApiVersionsTag;
use crate::wire::frame::{FrameLimit, Framer, decode_response, encode_request};
use crate::wire::messages::api_versions::{ApiVersionsRequest, ApiVersionsResponse};
use crate::wire::{ApiKey, ErrorCode, Request, Text};

/// The version of ApiVersions that is tried first: the first with tagged fields, in which divvy shows itself.
const API_VERSIONS: i16 = 3;

/// A connection that knows what its peer serves.
pub(super) struct Connection {
    address: String,
    client_id: Text,
    outgoing: mpsc::Sender<Outgoing>,
    correlation: AtomicI32,
    /// Requests without an answer yet.
    waiting: AtomicUsize,
    versions: BTreeMap<ApiKey, VersionRange>,
    peer: Peer,
    end: Arc<OnceLock<String>>,
    _task: Task,
}

struct Outgoing {
    correlation: i32,
    frame: Bytes,
    answer: oneshot::Sender<Bytes>,
}

/// The requests that were written, in order.
type Unanswered = Mutex<VecDeque<(i32, oneshot::Sender<Bytes>)>>;

impl Connection {
    /// Connects, and asks what the peer serves.
    pub(super) async fn open(address: &str, client_id: &Text) -> Result<Self, Unreachable> {
        let stream = match timeout(CONNECT_TIMEOUT, TcpStream::connect(address)).await {
            Ok(Ok(stream)) => stream,
            Ok(Err(error)) => return Err(Unreachable::connect(address, &error)),
            Err(_) => return Err(Unreachable::silent(address, CONNECT_TIMEOUT)),
        };
        // Small requests that wait for nothing: Nagle's algorithm would only delay them. A socket that refuses works, too.
        let _ = stream.set_nodelay(true);
        let (outgoing, requests) = mpsc::channel(UNWRITTEN_REQUESTS);
        let end = Arc::new(OnceLock::new());
        let mut connection = Self {
            address: address.to_owned(),
            client_id: client_id.clone(),
            outgoing,
            correlation: AtomicI32::new(0),
            waiting: AtomicUsize::new(0),
            versions: BTreeMap::new(),
            peer: Peer::Other,
            end: Arc::clone(&end),
            _task: task(serve(stream, requests, end)),
        };
        connection.ask_versions().await.map_err(|reason| Unreachable::foreign(address, &reason))?;
        Ok(connection)
    }

    /// What the peer understands.
    pub(super) fn peer(&self) -> Peer {
        self.peer
    }

    /// Where it leads.
    pub(super) fn address(&self) -> &str {
        &self.address
    }

    /// Whether nothing waits for an answer here.
    pub(super) fn is_idle(&self) -> bool {
        self.waiting.load(Ordering::Relaxed) == 0
    }

    /// Sends a request in the newest version that both sides know and waits for its answer, or for the reason why there
    /// is none. A connection that let a request wait too long is not used again.
    pub(super) async fn call<R: Request>(&self, request: &R, limit: Duration) -> Result<R::Response, String> {
        let version = self.version(R::KEY)?;
        let frame = self.exchange(request, version, limit).await?;
        let decoded = decode_response::<R::Response>(frame, version);
        let (_, answer) = decoded.map_err(|error| self.close(format!("{} cannot be read: {error}", R::KEY.name())))?;
        Ok(answer)
    }

    fn version(&self, key: ApiKey) -> Result<i16, String> {
        let ours = served(key).versions;
        let common = self.versions.get(&key).map(|theirs| ours.max.min(theirs.max)).filter(|version| {
            *version >= ours.min && self.versions.get(&key).is_some_and(|theirs| *version >= theirs.min)
        });
        common.ok_or_else(|| format!("{} serves no version of {} that divvy knows", self.address, key.name()))
    }

    async fn exchange<R: Request>(&self, request: &R, version: i16, limit: Duration) -> Result<Bytes, String> {
        let correlation = self.correlation.fetch_add(1, Ordering::Relaxed);
        let frame = encode_request(version, correlation, Some(&self.client_id), request)
            .map_err(|error| format!("{} cannot be written: {error}", R::KEY.name()))?;
        let (answer, answered) = oneshot::channel();
        let _waits = Waits::on(&self.waiting);
        let gone = |_| self.reason();
        match timeout(limit, async {
            self.outgoing.send(Outgoing { correlation, frame, answer }).await.map_err(|_| self.reason())?;
            answered.await.map_err(gone)
        })
        .await
        {
            Ok(answer) => answer,
            Err(_) => Err(self.close(format!("no answer to {} within {} ms", R::KEY.name(), limit.as_millis()))),
        }
    }

    async fn ask_versions(&mut self) -> Result<(), String> {
        let request = ApiVersionsRequest {
            client_software_name: "divvy".into(),
            client_software_version: env!("CARGO_PKG_VERSION").into(),
            ..ApiVersionsRequest::default()
        };
        let mut version = API_VERSIONS;
        loop {
            let frame = self.exchange(&request, version, REQUEST_TIMEOUT).await?;
            // A peer that does not serve the version says so in version 0, whatever was asked.
            let refused = frame.get(4..6) == Some(&ErrorCode::UnsupportedVersion.code().to_be_bytes()[..]);
            let read_as = if refused { 0 } else { version };
            let (_, answer) =
                decode_response::<ApiVersionsResponse>(frame, read_as).map_err(|error| error.to_string())?;
            let ranges = answer.api_keys.iter().filter_map(|it| {
                Some((ApiKey::from_code(it.api_key)?, VersionRange { min: it.min_version, max: it.max_version }))
            });
            self.versions = ranges.collect();
            if refused && version > 0 {
                version = self.versions.get(&ApiKey::ApiVersions).map_or(0, |it| it.max.clamp(0, version - 1));
                continue;
            }
            if answer.error_code.is_error() {
                return Err(format!("it refuses ApiVersions: {}", answer.error_code));
            }
            if let Ok(Some(_)) = ApiVersionsTag::take(&answer.tags) {
                self.peer = Peer::Divvy;
            }
            return Ok(());
        }
    }

    /// Why the connection is over.
    fn reason(&self) -> String {
        self.end.get().cloned().unwrap_or_else(|| format!("the connection to {} was closed", self.address))
    }

    /// From here on nothing is sent or awaited on this connection any more.
    fn close(&self, reason: String) -> String {
        let reason = format!("{}: {reason}", self.address);
        let _ = self.end.set(reason.clone());
        self._task.end();
        reason
    }
}

/// Counts a request that waits, until it is answered or given up.
struct Waits<'a>(&'a AtomicUsize);

impl<'a> Waits<'a> {
    fn on(count: &'a AtomicUsize) -> Self {
        count.fetch_add(1, Ordering::Relaxed);
        Self(count)
    }
}

impl Drop for Waits<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

/// Reads and writes side by side: a peer that writes a long answer need not read meanwhile.
async fn serve(stream: TcpStream, requests: mpsc::Receiver<Outgoing>, end: Arc<OnceLock<String>>) {
    let (read, write) = stream.into_split();
    let unanswered = Unanswered::default();
    let reason = tokio::select! {
        reason = write_requests(write, requests, &unanswered) => reason,
        reason = read_answers(read, &unanswered) => reason,
    };
    let _ = end.set(reason);
}

async fn write_requests(
    mut to: OwnedWriteHalf,
    mut requests: mpsc::Receiver<Outgoing>,
    unanswered: &Unanswered,
) -> String {
    while let Some(request) = requests.recv().await {
        unanswered.lock().unwrap_or_else(PoisonError::into_inner).push_back((request.correlation, request.answer));
        if let Err(error) = to.write_all(&request.frame).await {
            return format!("the connection broke: {error}");
        }
    }
    "the client closed the connection".to_owned()
}

async fn read_answers(mut from: OwnedReadHalf, unanswered: &Unanswered) -> String {
    let mut framer = Framer::new(FrameLimit::ANSWERS);
    loop {
        match from.read_buf(framer.room()).await {
            Ok(0) => return "the coordinator closed the connection".to_owned(),
            Ok(_) => {}
            Err(error) => return format!("the connection broke: {error}"),
        }
        loop {
            let frame = match framer.frame() {
                Ok(Some(frame)) => frame,
                Ok(None) => break,
                Err(error) => return format!("the answer is none of Kafka's protocol: {error}"),
            };
            let next = unanswered.lock().unwrap_or_else(PoisonError::into_inner).pop_front();
            match next {
                Some((correlation, answer)) if frame.get(..4) == Some(&correlation.to_be_bytes()[..]) => {
                    // Nobody waits any more if the request was given up.
                    let _ = answer.send(frame);
                }
                _ => return "an answer to a request that was not sent".to_owned(),
            }
        }
        framer.release();
    }
}
