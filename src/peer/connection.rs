//! One connection to one broker: requests out, answers in, in order (a parked answer holds back those behind it).
//! When anything goes wrong the whole connection is over, and everything that waits on it is told why.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, AtomicI32, AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use bytes::Bytes;
use tokio::sync::{RwLock, RwLockReadGuard, mpsc, oneshot};
use tokio::time::{Instant, timeout};

use super::clock;
use super::dial::Dial;
use super::limits::{RENEW_AFTER_PERCENT, RENEW_AT_LEAST, RENEW_SPREAD_PERCENT, UNWRITTEN_REQUESTS};
use super::login::{Failed, Lifetime, log_in};
use super::remedy::LOGIN;
use super::security::Login;
use super::socket::{End, Outgoing, Socket};
use super::spawn::{Task, task};
use super::unreachable::Unreachable;
use crate::membership::Peer;
use crate::wire::api::{VersionRange, served};
use crate::wire::divvy::ApiVersionsTag;
use crate::wire::frame::{decode_response, encode_request};
use crate::wire::messages::api_versions::{ApiVersionsRequest, ApiVersionsResponse};
use crate::wire::{ApiKey, ErrorCode, Request, Text};

/// The version of ApiVersions that is tried first: the first with tagged fields, in which divvy shows itself.
const API_VERSIONS: i16 = 3;

/// A connection that knows what its peer serves, and is logged in where that is wanted.
pub(crate) struct Connection {
    address: String,
    client_id: Text,
    request_timeout: Duration,
    outgoing: mpsc::Sender<Outgoing>,
    correlation: AtomicI32,
    /// Requests without an answer yet.
    waiting: AtomicUsize,
    /// Whether anything but ApiVersions was ever answered.
    was_answered: AtomicBool,
    versions: BTreeMap<ApiKey, VersionRange>,
    peer: Peer,
    login: Option<Login>,
    /// When to log in again; never if there is nothing here. Who sends a request holds it until the answer is there: a
    /// login is renewed between requests.
    renewal: RwLock<Option<Instant>>,
    end: Arc<OnceLock<End>>,
    _task: Task,
}

impl Connection {
    /// Connects, asks what the peer serves, and logs in.
    pub(super) async fn open(address: &str, dial: &Dial) -> Result<Self, Unreachable> {
        let socket = Socket::open(address, dial).await?;
        let (outgoing, requests) = mpsc::channel(UNWRITTEN_REQUESTS);
        let end = Arc::new(OnceLock::new());
        let mut connection = Self {
            address: address.to_owned(),
            client_id: dial.client_id.clone(),
            request_timeout: dial.request_timeout,
            outgoing,
            correlation: AtomicI32::new(0),
            waiting: AtomicUsize::new(0),
            was_answered: AtomicBool::new(false),
            versions: BTreeMap::new(),
            peer: Peer::Other,
            login: dial.security.login.clone(),
            renewal: RwLock::default(),
            end: Arc::clone(&end),
            _task: task(socket.serve(requests, end)),
        };
        let by_tls =
            |end: &OnceLock<End>| end.get().filter(|end| end.is_tls).map(|end| Unreachable::tls(address, &end.reason));
        let asked = connection.ask_versions().await;
        asked.map_err(|reason| {
            let is_silent = connection.end.get().is_some_and(|end| end.is_silence);
            let other = || match is_silent {
                true => Unreachable::mute(address, dial.request_timeout),
                false => Unreachable::foreign(address, &reason),
            };
            by_tls(&connection.end).unwrap_or_else(other)
        })?;
        if let Some(login) = &connection.login {
            let lifetime = log_in(&connection, login).await.map_err(|failed| match failed {
                Failed::Refused(reason) => Unreachable::login(address, &reason),
                Failed::Unanswered(reason) => {
                    by_tls(&connection.end).unwrap_or_else(|| Unreachable::no_login(address, &reason))
                }
            })?;
            connection.renewal = RwLock::new(renewal(lifetime));
        }
        Ok(connection)
    }

    /// What the peer understands.
    pub(crate) fn peer(&self) -> Peer {
        self.peer
    }

    /// Where it leads.
    pub(crate) fn address(&self) -> &str {
        &self.address
    }

    /// How long an answer that nobody holds back may take here.
    pub(crate) fn request_timeout(&self) -> Duration {
        self.request_timeout
    }

    /// Whether it can be used no more.
    pub(crate) fn is_over(&self) -> bool {
        self.end.get().is_some()
    }

    /// Whether nothing waits for an answer here.
    pub(crate) fn is_idle(&self) -> bool {
        self.waiting.load(Ordering::Relaxed) == 0
    }

    /// Sends a request in the newest version that both sides know and waits for its answer, or for the reason why there
    /// is none. A connection that let a request wait too long is not used again.
    pub(crate) async fn call<R: Request>(&self, request: &R, limit: Duration) -> Result<R::Response, String> {
        let _logged_in = match &self.login {
            Some(login) => Some(self.logged_in(login).await?),
            None => None,
        };
        self.ask(request, limit).await
    }

    /// The same, and the answer is not read: its frame, and its version.
    pub(crate) async fn call_unread<R: Request>(&self, request: &R, limit: Duration) -> Result<(Bytes, i16), String> {
        let _logged_in = match &self.login {
            Some(login) => Some(self.logged_in(login).await?),
            None => None,
        };
        let version = self.version(R::KEY)?;
        let frame = self.exchange(request, version, limit).await?;
        self.was_answered.store(true, Ordering::Relaxed);
        Ok((frame, version))
    }

    /// Renews the login if it is time, and keeps it from being renewed as long as the guard is there (KIP-368). It is done
    /// when there is something to send: a broker cuts nobody off who asks for nothing.
    async fn logged_in(&self, login: &Login) -> Result<RwLockReadGuard<'_, Option<Instant>>, String> {
        let is_due = |at: &Option<Instant>| at.is_some_and(|at| at <= clock::now());
        loop {
            let logged_in = self.renewal.read().await;
            if !is_due(&logged_in) {
                return Ok(logged_in);
            }
            drop(logged_in);
            let mut renewed = self.renewal.write().await;
            if is_due(&renewed) {
                let lifetime = log_in(self, login).await;
                let why = |failed: Failed| self.close(format!("the login is not renewed: {}", failed.reason()));
                let lifetime = lifetime.map_err(why)?;
                *renewed = renewal(lifetime);
            }
        }
    }

    /// The same beside any login: for the login itself.
    pub(super) async fn ask<R: Request>(&self, request: &R, limit: Duration) -> Result<R::Response, String> {
        let version = self.version(R::KEY)?;
        let frame = self.exchange(request, version, limit).await?;
        let decoded = decode_response::<R::Response>(frame, version);
        let (_, answer) = decoded.map_err(|error| self.close(format!("{} cannot be read: {error}", R::KEY.name())))?;
        self.was_answered.store(true, Ordering::Relaxed);
        Ok(answer)
    }

    /// Whether the peer says that it serves a request in some version.
    pub(super) fn serves(&self, key: ApiKey) -> bool {
        self.versions.contains_key(&key)
    }

    /// Whether both sides know a version of a request in common.
    pub(crate) fn speaks(&self, key: ApiKey) -> bool {
        self.version(key).is_ok()
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
            Err(_) => {
                let reason = format!("no answer to {} within {} ms", R::KEY.name(), limit.as_millis());
                Err(self.over(End { is_silence: true, ..reason.into() }))
            }
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
            let frame = self.exchange(&request, version, self.request_timeout).await?;
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

    /// As if its time were over.
    #[cfg(test)]
    pub(super) async fn end_login(&self) {
        *self.renewal.write().await = Some(clock::now());
    }

    /// Why the connection is over.
    fn reason(&self) -> String {
        let known = self.end.get().map(|end| end.reason.clone());
        let reason = known.unwrap_or_else(|| format!("the connection to {} was closed", self.address));
        // A broker that wants one says what it serves to everybody, and closes the connection at the next request.
        let is_shut_out =
            self.login.is_none() && self.peer == Peer::Other && !self.was_answered.load(Ordering::Relaxed);
        match is_shut_out && self.serves(ApiKey::SaslHandshake) {
            true => format!("{reason}; it may want a login {LOGIN}"),
            false => reason,
        }
    }

    /// From here on nothing is sent or awaited on this connection any more.
    fn close(&self, reason: String) -> String {
        self.over(reason.into())
    }

    fn over(&self, end: End) -> String {
        let reason = format!("{}: {}", self.address, end.reason);
        let _ = self.end.set(End { reason: reason.clone(), ..end });
        self._task.end();
        reason
    }
}

/// When a login that holds so long is to be renewed.
fn renewal(lifetime: Lifetime) -> Option<Instant> {
    let lifetime = lifetime?;
    // Nothing secret rests on it: without the system's entropy the middle will do.
    let drawn =
        clock::nonce().map_or(RENEW_SPREAD_PERCENT / 2, |bytes| u32::from(bytes[0]) % (RENEW_SPREAD_PERCENT + 1));
    let wait = lifetime / 100 * (RENEW_AFTER_PERCENT + drawn);
    clock::now().checked_add(wait.max(RENEW_AT_LEAST))
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
