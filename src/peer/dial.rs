//! How peers are reached: one value for all connections of a client.

use std::time::Duration;

use super::connection::Connection;
use super::limits::{CONNECT_TIMEOUT, REQUEST_TIMEOUT};
use super::security::Security;
use super::unreachable::Unreachable;
use crate::wire::Text;

/// Who asks, and what it shows to be let in.
#[derive(Clone, Debug)]
pub(crate) struct Dial {
    /// The client's name in the peer's logs.
    pub(crate) client_id: Text,
    /// Encryption and login.
    pub(crate) security: Security,
    /// How long an answer that nobody holds back may take; see [`REQUEST_TIMEOUT`].
    pub(crate) request_timeout: Duration,
}

impl Dial {
    /// With the usual patience.
    pub(crate) fn new(client_id: impl Into<Text>, security: Security) -> Self {
        Self { client_id: client_id.into(), security, request_timeout: REQUEST_TIMEOUT }
    }

    /// How long a connect may take, and a handshake.
    pub(super) fn connect_timeout(&self) -> Duration {
        CONNECT_TIMEOUT.min(self.request_timeout)
    }

    /// Connects, logs in if there is a login, and knows then what the peer serves.
    pub(crate) async fn open(&self, address: &str) -> Result<Connection, Unreachable> {
        Connection::open(address, self).await
    }

    /// Connects to the first of some addresses that lets it in. Fails with what all of them said; with nothing if there is none.
    pub(crate) async fn open_any(&self, addresses: &[String]) -> Result<Connection, Option<Unreachable>> {
        let mut errors = Vec::new();
        for address in addresses {
            match self.open(address).await {
                Ok(connection) => return Ok(connection),
                Err(error) => errors.push(error),
            }
        }
        Err(Unreachable::of_all(errors))
    }
}

/// A broker's address as it is connected to.
pub(crate) fn address_of(host: &str, port: i32) -> String {
    if host.contains(':') { format!("[{host}]:{port}") } else { format!("{host}:{port}") }
}

/// The host of such an address.
pub(super) fn host_of(address: &str) -> &str {
    let host = address.rsplit_once(':').map_or(address, |(host, _)| host);
    host.strip_prefix('[').and_then(|host| host.strip_suffix(']')).unwrap_or(host)
}
