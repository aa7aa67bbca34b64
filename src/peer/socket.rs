//! The bytes of a connection: requests out, answers in, in order, over TCP or over TLS on it.

use std::collections::VecDeque;
use std::io;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use bytes::Bytes;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::sync::{mpsc, oneshot};
use tokio::time::timeout;
use tokio_rustls::client::TlsStream;

use super::dial::{Dial, host_of};
use super::remedy::TLS;
use super::tls::{self, Shake};
use super::unreachable::Unreachable;
use crate::wire::frame::{FrameLimit, Framer};

/// A request, and who waits for its answer.
pub(super) struct Outgoing {
    pub(super) correlation: i32,
    pub(super) frame: Bytes,
    pub(super) answer: oneshot::Sender<Bytes>,
}

/// Why a connection is over.
#[derive(Clone, Debug)]
pub(super) struct End {
    pub(super) reason: String,
    /// Whether encryption ended it: of TLS 1.3 what a server says to our certificate comes after the handshake.
    pub(super) is_tls: bool,
    /// Whether it was given up because no answer came.
    pub(super) is_silence: bool,
}

impl From<String> for End {
    fn from(reason: String) -> Self {
        Self { reason, is_tls: false, is_silence: false }
    }
}

impl From<&str> for End {
    fn from(reason: &str) -> Self {
        reason.to_owned().into()
    }
}

/// The requests that were written, in order.
type Unanswered = Mutex<VecDeque<(i32, oneshot::Sender<Bytes>)>>;

/// What bytes travel on.
pub(super) enum Socket {
    Plain(TcpStream),
    Tls(Box<TlsStream<TcpStream>>),
}

impl Socket {
    /// Connects, encrypted if that is wanted.
    pub(super) async fn open(address: &str, dial: &Dial) -> Result<Self, Unreachable> {
        let limit = dial.connect_timeout();
        let stream = match timeout(limit, TcpStream::connect(address)).await {
            Ok(Ok(stream)) => stream,
            Ok(Err(error)) => return Err(Unreachable::connect(address, &error)),
            Err(_) => return Err(Unreachable::silent(address, limit)),
        };
        // Small requests that wait for nothing: Nagle's algorithm would only delay them. A socket that refuses works, too.
        let _ = stream.set_nodelay(true);
        let Some(tls) = &dial.security.tls else { return Ok(Self::Plain(stream)) };
        match timeout(limit, tls.connect(host_of(address), stream)).await {
            Ok(Ok(stream)) => Ok(Self::Tls(Box::new(stream))),
            Ok(Err(Shake::Refused(reason))) => Err(Unreachable::tls(address, &reason)),
            Ok(Err(Shake::BrokeOff(reason))) => Err(Unreachable::no_tls(address, &reason)),
            Err(_) => {
                let reason = format!("no handshake within {} ms: the port may be one without TLS", limit.as_millis());
                Err(Unreachable::no_tls(address, &reason))
            }
        }
    }

    /// Carries requests and answers until that ends, and says why it did.
    pub(super) async fn serve(self, requests: mpsc::Receiver<Outgoing>, end: Arc<OnceLock<End>>) {
        let unanswered = Unanswered::default();
        let reason = match self {
            Socket::Plain(stream) => {
                let (read, write) = stream.into_split();
                carry(read, write, requests, &unanswered).await
            }
            Socket::Tls(stream) => {
                let (read, write) = tokio::io::split(stream);
                carry(read, write, requests, &unanswered).await
            }
        };
        let _ = end.set(reason);
    }
}

/// Reads and writes side by side: a peer that writes a long answer need not read meanwhile.
async fn carry(
    from: impl AsyncRead + Unpin,
    to: impl AsyncWrite + Unpin,
    requests: mpsc::Receiver<Outgoing>,
    unanswered: &Unanswered,
) -> End {
    tokio::select! {
        reason = write_requests(to, requests, unanswered) => reason,
        reason = read_answers(from, unanswered) => reason,
    }
}

async fn write_requests(
    mut to: impl AsyncWrite + Unpin,
    mut requests: mpsc::Receiver<Outgoing>,
    unanswered: &Unanswered,
) -> End {
    while let Some(request) = requests.recv().await {
        unanswered.lock().unwrap_or_else(PoisonError::into_inner).push_back((request.correlation, request.answer));
        let written = async {
            to.write_all(&request.frame).await?;
            to.flush().await
        };
        if let Err(error) = written.await {
            return broken(&error);
        }
    }
    "the client closed the connection".into()
}

async fn read_answers(mut from: impl AsyncRead + Unpin, unanswered: &Unanswered) -> End {
    let mut framer = Framer::new(FrameLimit::ANSWERS);
    let mut is_first = true;
    loop {
        match from.read_buf(framer.room()).await {
            Ok(0) => return "the server closed the connection".into(),
            Ok(_) => {}
            Err(error) => return broken(&error),
        }
        if is_first && is_tls(framer.room()) {
            return format!("it speaks TLS there: encrypt {TLS}, or name the port without").into();
        }
        is_first = false;
        loop {
            let frame = match framer.frame() {
                Ok(Some(frame)) => frame,
                Ok(None) => break,
                Err(error) => return format!("the answer is none of Kafka's protocol: {error}").into(),
            };
            let next = unanswered.lock().unwrap_or_else(PoisonError::into_inner).pop_front();
            match next {
                Some((correlation, answer)) if frame.get(..4) == Some(&correlation.to_be_bytes()[..]) => {
                    // Nobody waits any more if the request was given up.
                    let _ = answer.send(frame);
                }
                _ => return "an answer to a request that was not sent".into(),
            }
        }
        framer.release();
    }
}

/// A server that expects TLS answers anything else with an alert: its kind and the protocol's major version.
fn is_tls(start: &[u8]) -> bool {
    matches!(start, [0x15, 0x03, ..])
}

fn broken(error: &io::Error) -> End {
    match tls::explain_later(error) {
        Some(reason) => End { reason, is_tls: true, is_silence: false },
        None => format!("the connection broke: {error}").into(),
    }
}
