//! What a client shows to be let in: the peer's certificate is checked, and a name and a password are given.

use std::fmt;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use thiserror::Error;

use super::login::scram::Salted;
use super::tls::Tls;

/// How connections are secured. The default is not at all: bytes in clear text, and no login.
#[derive(Clone, Default, Debug)]
pub struct Security {
    pub(super) tls: Option<Tls>,
    pub(super) login: Option<Login>,
}

impl Security {
    /// Encrypted, and only to a peer whose certificate is good.
    #[must_use]
    pub fn tls(mut self, tls: Tls) -> Self {
        self.tls = Some(tls);
        self
    }

    /// With a login (SASL) on every connection.
    #[must_use]
    pub fn login(mut self, login: Login) -> Self {
        self.login = Some(login);
        self
    }
}

/// How the password is shown to be known.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Mechanism {
    /// It is sent (RFC 4616): for encrypted connections.
    Plain,
    /// It is proven without being sent (RFC 5802, RFC 7677).
    ScramSha256,
    /// The same with the longer hash.
    ScramSha512,
}

impl Mechanism {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Plain, Self::ScramSha256, Self::ScramSha512];

    /// Its name on the wire and in Kafka's settings.
    pub fn name(self) -> &'static str {
        match self {
            Mechanism::Plain => "PLAIN",
            Mechanism::ScramSha256 => "SCRAM-SHA-256",
            Mechanism::ScramSha512 => "SCRAM-SHA-512",
        }
    }

    /// By its name, in whatever case.
    pub fn of(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|mechanism| mechanism.name().eq_ignore_ascii_case(name))
    }
}

/// A password. It shows itself to nobody.
#[derive(Clone, PartialEq, Eq)]
pub struct Password(Arc<str>);

impl Password {
    /// As it was typed, or as a file has it without the line break at its end.
    pub fn new(text: &str) -> Self {
        Self(text.into())
    }

    pub(super) fn reveal(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for Password {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("(not shown)")
    }
}

/// A name and a password.
#[derive(Clone)]
pub struct Login {
    pub(super) mechanism: Mechanism,
    pub(super) user: Arc<str>,
    pub(super) password: Password,
    /// What thousands of rounds made of the password last: the next connection of the fleet is spared them.
    salted: Arc<Mutex<Option<Salted>>>,
}

impl Login {
    /// A login. Neither name nor password can be empty or hold a NUL, which PLAIN has between the two.
    pub fn new(mechanism: Mechanism, user: &str, password: Password) -> Result<Self, SecurityError> {
        for (what, text) in [("the user's name", user), ("the password", password.reveal())] {
            if text.is_empty() {
                return Err(SecurityError::new(format!("{what} for the login is empty: give one")));
            }
            if text.contains('\0') {
                return Err(SecurityError::new(format!(
                    "{what} for the login holds a NUL byte: no mechanism takes one"
                )));
            }
        }
        Ok(Self { mechanism, user: user.into(), password, salted: Arc::default() })
    }

    /// What is at hand for this salt.
    pub(super) fn salted(&self, salt: &[u8], iterations: u32) -> Option<Salted> {
        let kept = self.salted.lock().unwrap_or_else(PoisonError::into_inner);
        kept.as_ref().filter(|kept| kept.is_of(salt, iterations)).cloned()
    }

    pub(super) fn keep(&self, salted: Salted) {
        *self.salted.lock().unwrap_or_else(PoisonError::into_inner) = Some(salted);
    }
}

impl PartialEq for Login {
    fn eq(&self, other: &Self) -> bool {
        (self.mechanism, &self.user, &self.password) == (other.mechanism, &other.user, &other.password)
    }
}

impl fmt::Debug for Login {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { mechanism, user, password, .. } = self;
        f.debug_struct("Login")
            .field("mechanism", mechanism)
            .field("user", user)
            .field("password", password)
            .finish_non_exhaustive()
    }
}

/// What is wrong with certificates, keys or a login, before anybody was asked: one sentence with the remedy.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[error("{sentence}")]
pub struct SecurityError {
    sentence: String,
    is_missing: bool,
}

impl SecurityError {
    pub(super) fn new(sentence: String) -> Self {
        Self { sentence, is_missing: false }
    }

    pub(super) fn file(path: &Path, what: impl fmt::Display) -> Self {
        Self::new(format!("{}: {what}", path.display()))
    }

    pub(super) fn unread(path: &Path, error: &std::io::Error) -> Self {
        let is_missing = error.kind() == std::io::ErrorKind::NotFound;
        Self { is_missing, ..Self::file(path, format!("it cannot be read: {error}")) }
    }

    /// Whether a file that was named is not there.
    pub fn is_missing(&self) -> bool {
        self.is_missing
    }
}
