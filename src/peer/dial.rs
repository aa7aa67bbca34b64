//! How peers are reached: one value for all connections of a client.

use super::connection::Connection;
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
}

impl Dial {
    /// Connects, logs in if there is a login, and knows then what the peer serves.
    pub(crate) async fn open(&self, address: &str) -> Result<Connection, Unreachable> {
        Connection::open(address, self).await
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
