//! Why a peer cannot be talked to, with the remedy.

use std::io;
use std::time::Duration;

use thiserror::Error;

/// Of so many addresses beside the first it is told why they will not do: more would fill a screen.
const REASONS_TOLD: usize = 3;

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

    /// Of several addresses none will do. The first says what kind of trouble that is, since it is the one that people know;
    /// the reasons of the others are told behind it. None if there is none.
    pub(crate) fn of_all(each: Vec<Self>) -> Option<Self> {
        let mut each = each.into_iter();
        let mut first = each.next()?;
        for other in each.by_ref().take(REASONS_TOLD) {
            first.sentence.push_str("; and ");
            first.sentence.push_str(&other.sentence);
        }
        match each.len() {
            0 => {}
            more => first.sentence.push_str(&format!("; and {more} more addresses will not do")),
        }
        Some(first)
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
            // The address is as good as any.
            _ if matches!(error.raw_os_error(), Some(libc::EMFILE | libc::ENFILE)) => {
                "raise the limit of open files (`ulimit -n`), or have fewer modules: each that serves keeps one open"
            }
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

    /// It takes the connection and does not answer, as a process that is frozen or overloaded.
    pub(super) fn mute(address: &str, waited: Duration) -> Self {
        let sentence = format!(
            "{address} takes the connection and says nothing for {} ms: the process there is frozen or overloaded, so look at it \
             and try again; or what listens there is no coordinator or broker",
            waited.as_millis()
        );
        Self { sentence, kind: Kind::Mute }
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_address_has_its_reason_and_a_long_list_an_end() {
        let away =
            |number: u32| Unreachable::connect(&format!("b{number}:1"), &io::ErrorKind::ConnectionRefused.into());
        assert_eq!(Unreachable::of_all(Vec::new()), None);
        assert_eq!(Unreachable::of_all(vec![away(1)]), Some(away(1)));
        let both = Unreachable::of_all(vec![away(1), Unreachable::login("b2:1", "wrong password")]).unwrap();
        let said = both.to_string();
        assert!(
            said.contains("cannot reach b1:1")
                && said.ends_with("; and b2:1 does not let this client in: wrong password")
        );
        assert!(both.is_nobody(), "the first may be back soon, and let it in");
        let many = Unreachable::of_all((1..=9).map(away).collect()).unwrap().to_string();
        assert!(
            many.contains("b4:1") && !many.contains("b5:1") && many.ends_with("and 5 more addresses will not do"),
            "{many}"
        );
    }
}
