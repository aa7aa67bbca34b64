//! The login of a connection (SASL): which mechanism, its steps, and how long it holds.

pub(super) mod scram;

use std::time::Duration;

use bytes::Bytes;

use self::scram::{ClientFirst, Hash, Salted};
use super::clock;
use super::connection::Connection;
use super::limits::SCRAM_MESSAGE_BYTES;
use super::security::{Login, Mechanism};
use super::spawn::blocking;
use crate::wire::messages::sasl_authenticate::SaslAuthenticateRequest;
use crate::wire::messages::sasl_handshake::SaslHandshakeRequest;
use crate::wire::{ApiKey, ErrorCode};

const NO_LOGIN: &str = "nobody logs in at this port: leave the login out, or name the port that has one";

/// What a login gave: how long it holds; none for as long as the connection.
pub(super) type Lifetime = Option<Duration>;

/// Why nobody is logged in; the password is never in it.
#[derive(Debug)]
pub(super) enum Failed {
    /// The peer says no, or cannot be believed: it would say so again.
    Refused(String),
    /// The answer did not come, or the peer could not look: it may a moment later.
    Unanswered(String),
}

impl Failed {
    pub(super) fn reason(&self) -> &str {
        match self {
            Failed::Refused(reason) | Failed::Unanswered(reason) => reason,
        }
    }
}

/// What somebody reads in an answer is an answer.
impl From<String> for Failed {
    fn from(reason: String) -> Self {
        Self::Refused(reason)
    }
}

/// Logs in, at first or again.
pub(super) async fn log_in(connection: &Connection, login: &Login) -> Result<Lifetime, Failed> {
    choose(connection, login.mechanism).await?;
    match login.mechanism {
        Mechanism::Plain => {
            // RFC 4616: no other identity than the one that logs in.
            let message = format!("\0{}\0{}", login.user, login.password.reveal());
            let (_, lifetime) = step(connection, login, message.into()).await?;
            Ok(lifetime)
        }
        Mechanism::ScramSha256 => scram(connection, login, Hash::Sha256).await,
        Mechanism::ScramSha512 => scram(connection, login, Hash::Sha512).await,
    }
}

async fn choose(connection: &Connection, mechanism: Mechanism) -> Result<(), Failed> {
    if !connection.serves(ApiKey::SaslHandshake) {
        return Err(Failed::Refused(NO_LOGIN.to_owned()));
    }
    let request = SaslHandshakeRequest { mechanism: mechanism.name().into(), ..SaslHandshakeRequest::default() };
    let answer = connection.ask(&request, connection.request_timeout()).await.map_err(Failed::Unanswered)?;
    match answer.error_code {
        ErrorCode::None => Ok(()),
        ErrorCode::UnsupportedSaslMechanism => {
            let offered: Vec<&str> = answer.mechanisms.iter().map(|it| it.as_str()).collect();
            let reason = format!("it has no login by {}: choose one of {}", mechanism.name(), offered.join(", "));
            Err(Failed::Refused(reason))
        }
        ErrorCode::IllegalSaslState => Err(Failed::Refused(NO_LOGIN.to_owned())),
        error => Err(Failed::Unanswered(format!("it refuses the login by {}: {error}", mechanism.name()))),
    }
}

async fn scram(connection: &Connection, login: &Login, hash: Hash) -> Result<Lifetime, Failed> {
    let first = ClientFirst::new(&login.user, &clock::nonce().map_err(Failed::Unanswered)?);
    let (answer, _) = step(connection, login, first.message().into()).await?;
    let challenge = first.challenge(text(&answer)?)?;
    let salted = match login.salted(challenge.salt(), challenge.iterations()) {
        Some(salted) => salted,
        None => {
            let salted = salt(login, hash, challenge.salt().to_vec(), challenge.iterations()).await;
            let salted = salted.map_err(Failed::Unanswered)?;
            login.keep(salted.clone());
            salted
        }
    };
    let (last, signature) = challenge.answer(hash, &salted);
    let (answer, lifetime) = step(connection, login, last.into()).await?;
    signature.verify(text(&answer)?)?;
    Ok(lifetime)
}

/// Thousands of rounds take milliseconds, which no other task of this thread should wait for.
async fn salt(login: &Login, hash: Hash, salt: Vec<u8>, iterations: u32) -> Result<Salted, String> {
    let password = login.password.clone();
    let work = move || Salted::new(hash, password.reveal().as_bytes(), salt, iterations);
    blocking(work).await.ok_or_else(|| "the thread that hashes the password ended: this is a bug of divvy".to_owned())
}

fn text(message: &Bytes) -> Result<&str, String> {
    let text = (message.len() <= SCRAM_MESSAGE_BYTES).then(|| std::str::from_utf8(message).ok()).flatten();
    text.ok_or_else(|| "its step of the login is no text of SCRAM's".to_owned())
}

async fn step(connection: &Connection, login: &Login, message: Bytes) -> Result<(Bytes, Lifetime), Failed> {
    let request = SaslAuthenticateRequest { auth_bytes: message, ..SaslAuthenticateRequest::default() };
    let answer = connection.ask(&request, connection.request_timeout()).await.map_err(Failed::Unanswered)?;
    if answer.error_code.is_error() {
        let said = answer.error_message.as_deref().filter(|said| !said.is_empty());
        let said = said.map_or_else(|| answer.error_code.to_string(), str::to_owned);
        let what = format!("the login of user {:?} by {} failed: {said}", login.user, login.mechanism.name());
        return Err(match answer.error_code {
            ErrorCode::SaslAuthenticationFailed | ErrorCode::UnsupportedSaslMechanism | ErrorCode::IllegalSaslState => {
                Failed::Refused(format!("{what}; check the name, the password and the mechanism"))
            }
            _ => Failed::Unanswered(what),
        });
    }
    let lifetime = u64::try_from(answer.session_lifetime_ms).unwrap_or(0);
    Ok((answer.auth_bytes, (lifetime > 0).then(|| Duration::from_millis(lifetime))))
}
