//! Why a peer cannot be talked to, with the remedy.

use std::io;
use std::time::Duration;

use thiserror::Error;

/// A peer that cannot be talked to: one sentence with the remedy.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[error("{sentence}")]
pub struct Unreachable {
    sentence: String,
    kind: Kind,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Kind {
    /// Nobody of Kafka's protocol is there: the address may be another.
    Nobody,
    /// Somebody is there, and did not get as far as an answer: it may a moment later.
    Mute,
    /// Somebody is there and says no.
    Refuses,
}

impl Unreachable {
    /// Whether somebody is there and says no: a certificate that does not fit, a login that is wrong. To ask again changes
    /// nothing before somebody has changed something.
    pub fn is_refusal(&self) -> bool {
        self.kind == Kind::Refuses
    }

    /// Whether another address is what may help.
    pub fn is_nobody(&self) -> bool {
        self.kind == Kind::Nobody
    }

    fn away(sentence: String) -> Self {
        Self { sentence, kind: Kind::Nobody }
    }

    pub(super) fn connect(address: &str, error: &io::Error) -> Self {
        let remedy = match error.kind() {
            io::ErrorKind::ConnectionRefused => {
                "nothing listens there: start `divvy serve`, or give the address of a broker"
            }
            io::ErrorKind::InvalidInput | io::ErrorKind::AddrNotAvailable => "give it as HOST:PORT",
            _ => "give an address that this machine can reach, as HOST:PORT",
        };
        Self::away(format!("cannot reach {address}: {error}; {remedy}"))
    }

    pub(super) fn silent(address: &str, waited: Duration) -> Self {
        Self::away(format!(
            "cannot reach {address}: no answer within {} ms; a firewall may drop the packets, or it is another network's: give an address that this \
             machine can reach",
            waited.as_millis()
        ))
    }

    pub(super) fn foreign(address: &str, reason: &str) -> Self {
        Self::away(format!(
            "{address} does not answer in Kafka's protocol: {reason}; give the address of `divvy serve` or of a broker"
        ))
    }

    /// TLS said this: a certificate, a version, a setting is not good.
    pub(super) fn tls(address: &str, reason: &str) -> Self {
        Self { sentence: format!("no TLS with {address}: {reason}"), kind: Kind::Refuses }
    }

    /// The handshake came to no end, or broke off.
    pub(super) fn no_tls(address: &str, reason: &str) -> Self {
        Self { kind: Kind::Mute, ..Self::tls(address, reason) }
    }

    /// The login ended with this.
    pub(super) fn login(address: &str, reason: &str) -> Self {
        Self { sentence: format!("{address} does not let this client in: {reason}"), kind: Kind::Refuses }
    }

    /// It came to no end, or broke off.
    pub(super) fn no_login(address: &str, reason: &str) -> Self {
        Self { sentence: format!("the login at {address} came to no end: {reason}"), kind: Kind::Mute }
    }

    /// It was reached, and does not say who coordinates a group.
    pub(crate) fn no_coordinator(group: &str, address: &str, reason: &str) -> Self {
        Self::away(format!("{address} names no coordinator for group {group}: {reason}"))
    }
}
