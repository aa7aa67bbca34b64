//! A server that knows four requests: it says what it serves, lets people log in, and answers one question after that.

use std::io;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use base64::Engine;
use base64::engine::general_purpose::STANDARD as BASE64;
use bytes::Bytes;
use hmac::{Hmac, Mac};
use pbkdf2::pbkdf2_hmac;
use sha2::{Digest, Sha256};
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio_rustls::TlsAcceptor;

use crate::peer::spawn::{Task, task};
use crate::wire::frame::{FrameLimit, Framer, decode_request, encode_response};
use crate::wire::header::RequestHeader;
use crate::wire::messages::api_versions::{ApiVersion, ApiVersionsResponse};
use crate::wire::messages::metadata::{MetadataRequest, MetadataResponse};
use crate::wire::messages::sasl_authenticate::{SaslAuthenticateRequest, SaslAuthenticateResponse};
use crate::wire::messages::sasl_handshake::{SaslHandshakeRequest, SaslHandshakeResponse};
use crate::wire::{ApiKey, ErrorCode, Reader};

/// What is asked of it.
pub fn question() -> MetadataRequest {
    MetadataRequest { topics: None, ..MetadataRequest::default() }
}

const SALT: &[u8] = b"a salt of sixteen";
const ROUNDS: u32 = 4096;

/// How it behaves.
#[derive(Clone, Default)]
pub struct Double {
    /// With encryption.
    pub tls: Option<TlsAcceptor>,
    /// With logins: the mechanisms' names, and whose password is what.
    pub mechanisms: Vec<&'static str>,
    pub user: (&'static str, &'static str),
    /// What it says of a login's time.
    pub lifetime_ms: i64,
    /// A server that does not know the password says anything.
    pub lies: bool,
    /// It closes a connection on which it has answered so many questions.
    pub answers: Option<usize>,
    /// It closes the connection instead of an answer to a login.
    pub breaks_off: bool,
    /// What it never answers.
    pub silent: Option<ApiKey>,
}

/// It runs as long as this is there.
pub struct Server {
    port: u16,
    logins: Arc<AtomicUsize>,
    user: Arc<Mutex<(&'static str, &'static str)>>,
    _task: Task,
}

impl Server {
    /// Under the name of its certificate.
    pub fn address(&self) -> String {
        format!("localhost:{}", self.port)
    }

    /// Under a name that it has no certificate for.
    pub fn other_address(&self) -> String {
        format!("127.0.0.1:{}", self.port)
    }

    /// How often somebody has logged in.
    pub fn logins(&self) -> usize {
        self.logins.load(Ordering::Relaxed)
    }

    /// From now on this is the only user.
    pub fn change_user(&self, user: &'static str, password: &'static str) {
        *self.user.lock().unwrap() = (user, password);
    }
}

impl Double {
    /// Starts it on a free port.
    pub async fn start(self) -> Server {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let port = listener.local_addr().unwrap().port();
        let logins = Arc::new(AtomicUsize::new(0));
        let user = Arc::new(Mutex::new(self.user));
        let (counted, known) = (Arc::clone(&logins), Arc::clone(&user));
        let accept = async move {
            let mut connections = Vec::new();
            loop {
                let (stream, _) = listener.accept().await.unwrap();
                let one = Session {
                    double: self.clone(),
                    logins: Arc::clone(&counted),
                    user: Arc::clone(&known),
                    answered: 0,
                    state: State::Nobody,
                };
                connections.push(task(async move { drop(one.accept(stream).await) }));
            }
        };
        Server { port, logins, user, _task: task(accept) }
    }
}

enum State {
    Nobody,
    Chosen(String),
    /// What is signed so far.
    Challenged(String),
    Somebody,
}

struct Session {
    double: Double,
    logins: Arc<AtomicUsize>,
    user: Arc<Mutex<(&'static str, &'static str)>>,
    answered: usize,
    state: State,
}

impl Session {
    async fn accept(mut self, stream: TcpStream) -> io::Result<()> {
        match self.double.tls.clone() {
            None => self.serve(stream).await,
            Some(tls) => {
                let stream = tls.accept(stream).await?;
                self.serve(stream).await
            }
        }
    }

    async fn serve(&mut self, mut stream: impl AsyncRead + AsyncWrite + Unpin) -> io::Result<()> {
        let mut framer = Framer::new(FrameLimit::REQUESTS);
        loop {
            while let Some(frame) = framer.frame().map_err(io::Error::other)? {
                if self.double.silent.map(ApiKey::code)
                    == frame.get(..2).map(|key| i16::from_be_bytes([key[0], key[1]]))
                {
                    std::future::pending::<()>().await;
                }
                let Some(answer) = self.answer(frame) else { return Ok(()) };
                stream.write_all(&answer).await?;
                stream.flush().await?;
                if self.double.answers == Some(self.answered) {
                    return Ok(());
                }
            }
            if stream.read_buf(framer.room()).await? == 0 {
                return Ok(());
            }
        }
    }

    /// None closes the connection, as a broker does with what is out of order.
    fn answer(&mut self, frame: Bytes) -> Option<Bytes> {
        let mut body = Reader::new(frame);
        let header = RequestHeader::decode(&mut body).unwrap();
        let (version, id) = (header.api_version, header.correlation_id);
        match ApiKey::from_code(header.api_key)? {
            ApiKey::ApiVersions => Some(encode_response(version, id, &self.served()).unwrap()),
            ApiKey::SaslHandshake => {
                let request: SaslHandshakeRequest = decode_request(body, version).unwrap();
                let is_offered = self.double.mechanisms.contains(&request.mechanism.as_str());
                let error_code = if is_offered { ErrorCode::None } else { ErrorCode::UnsupportedSaslMechanism };
                let mechanisms = self.double.mechanisms.iter().map(|&name| name.into()).collect();
                self.state = State::Chosen(request.mechanism.to_string());
                let answer = SaslHandshakeResponse { error_code, mechanisms, ..Default::default() };
                Some(encode_response(version, id, &answer).unwrap())
            }
            ApiKey::SaslAuthenticate if self.double.breaks_off => None,
            ApiKey::SaslAuthenticate => {
                let request: SaslAuthenticateRequest = decode_request(body, version).unwrap();
                let answer = match self.step(std::str::from_utf8(&request.auth_bytes).unwrap()) {
                    Some(text) => SaslAuthenticateResponse {
                        auth_bytes: text.into(),
                        session_lifetime_ms: self.double.lifetime_ms,
                        ..Default::default()
                    },
                    None => SaslAuthenticateResponse {
                        error_code: ErrorCode::SaslAuthenticationFailed,
                        error_message: Some("invalid credentials".into()),
                        ..Default::default()
                    },
                };
                Some(encode_response(version, id, &answer).unwrap())
            }
            ApiKey::Metadata if self.double.mechanisms.is_empty() || matches!(self.state, State::Somebody) => {
                self.answered += 1;
                Some(encode_response(version, id, &MetadataResponse::default()).unwrap())
            }
            _ => None,
        }
    }

    fn served(&self) -> ApiVersionsResponse {
        let keys = [ApiKey::Metadata, ApiKey::ApiVersions, ApiKey::SaslHandshake, ApiKey::SaslAuthenticate];
        let row = |key: ApiKey| ApiVersion { api_key: key.code(), min_version: 0, max_version: 2 };
        ApiVersionsResponse { api_keys: keys.map(row).to_vec(), ..Default::default() }
    }

    fn step(&mut self, message: &str) -> Option<String> {
        let (user, password) = *self.user.lock().unwrap();
        match std::mem::replace(&mut self.state, State::Nobody) {
            State::Chosen(name) if name == "PLAIN" => {
                (message == format!("\0{user}\0{password}")).then(|| self.let_in(String::new()))
            }
            State::Chosen(_) => {
                let bare = message.strip_prefix("n,,").unwrap();
                let nonce = bare.strip_prefix(&format!("n={user},r="))?;
                let first = format!("r={nonce}more,s={},i={ROUNDS}", BASE64.encode(SALT));
                self.state = State::Challenged(format!("{bare},{first}"));
                Some(first)
            }
            State::Challenged(signed) => {
                let (without, proof) = message.split_once(",p=").unwrap();
                let signed = format!("{signed},{without}");
                let mut salted = [0; 32];
                pbkdf2_hmac::<Sha256>(password.as_bytes(), SALT, ROUNDS, &mut salted);
                let stored = Sha256::digest(keyed(&salted, b"Client Key"));
                let signature = keyed(&stored, signed.as_bytes());
                let key: Vec<u8> = BASE64.decode(proof).unwrap().iter().zip(&signature).map(|(a, b)| a ^ b).collect();
                if Sha256::digest(key) != stored && !self.double.lies {
                    return None;
                }
                let said = keyed(&keyed(&salted, b"Server Key"), signed.as_bytes());
                Some(self.let_in(format!("v={}", BASE64.encode(said))))
            }
            State::Nobody | State::Somebody => None,
        }
    }

    fn let_in(&mut self, last: String) -> String {
        self.state = State::Somebody;
        self.logins.fetch_add(1, Ordering::Relaxed);
        last
    }
}

fn keyed(key: &[u8], bytes: &[u8]) -> Vec<u8> {
    Hmac::<Sha256>::new_from_slice(key).unwrap().chain_update(bytes).finalize().into_bytes().to_vec()
}
