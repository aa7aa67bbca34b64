//! Every bound of a connection to a peer, with the reason for it.

use std::time::Duration;

/// A machine that does not answer a connect within this is not there; the same again for a TLS handshake.
pub(super) const CONNECT_TIMEOUT: Duration = Duration::from_secs(5);

/// Requests that nobody parks are answered within this, or the connection is given up.
pub(crate) const REQUEST_TIMEOUT: Duration = Duration::from_secs(10);

/// Requests of one connection that wait to be written: a member has at most one of each kind on its way.
pub(super) const UNWRITTEN_REQUESTS: usize = 32;

/// A file of certificates: the authorities of a whole operating system are a fifth of it.
pub(super) const PEM_FILE_BYTES: u64 = 1024 * 1024;

/// A login is renewed after this part of its lifetime, in percent, and up to so much later: one that is renewed too late is
/// refused, and a fleet that began together should not come back together (as Kafka's own client has it, KIP-368).
pub(super) const RENEW_AFTER_PERCENT: u32 = 85;
/// See [`RENEW_AFTER_PERCENT`].
pub(super) const RENEW_SPREAD_PERCENT: u32 = 10;

/// A broker takes a renewal within a second of the last one for a mistake.
pub(super) const RENEW_AT_LEAST: Duration = Duration::from_millis(1_100);

/// Fewer rounds make a stolen exchange too easy to guess from (RFC 7677), and no broker stores fewer.
pub(super) const SCRAM_ITERATIONS_MIN: u32 = 4096;

/// Kafka stores at most 16,384 rounds. A peer that asks for many more only wants to keep this machine busy.
pub(super) const SCRAM_ITERATIONS_MAX: u32 = 1_000_000;

/// A nonce is longer than any guess: 24 characters of base64.
pub(super) const NONCE_BYTES: usize = 18;

/// A server's message in a login: real ones have about 200 bytes.
pub(super) const SCRAM_MESSAGE_BYTES: usize = 16 * 1024;
