//! Peers that are there and say nothing more: a frozen process, a network that drops what it was given.

use std::time::Duration;

use tokio::net::TcpListener;

use super::double::{Double, question};
use super::open;
use super::tls::trusting;
use crate::peer::{Dial, Login, Mechanism, Password, Security};
use crate::wire::ApiKey;

fn login() -> Security {
    Security::default().login(Login::new(Mechanism::Plain, "alice", Password::new("hush hush")).unwrap())
}

/// Somebody with little patience.
fn hasty(security: Security) -> Dial {
    Dial { request_timeout: Duration::from_millis(50), ..Dial::new("story", security) }
}

#[tokio::test]
async fn a_login_that_is_not_answered_is_no_refusal() {
    for silent in [ApiKey::SaslHandshake, ApiKey::SaslAuthenticate] {
        let server = Double {
            mechanisms: vec!["PLAIN"],
            user: ("alice", "hush hush"),
            silent: Some(silent),
            ..Double::default()
        };
        let server = server.start().await;
        let error = hasty(login()).open(&server.address()).await.err().unwrap();
        assert!(!error.is_refusal(), "a moment later it may answer: {error}");
        assert!(error.to_string().contains(&format!("no answer to {} within 50 ms", silent.name())), "{error}");
    }
}

#[tokio::test]
async fn a_login_that_breaks_off_is_no_refusal() {
    let server =
        Double { mechanisms: vec!["PLAIN"], user: ("alice", "hush hush"), breaks_off: true, ..Double::default() };
    let error = open(&server.start().await, login()).await.err().unwrap();
    assert!(!error.is_refusal(), "{error}");
}

#[tokio::test]
async fn a_handshake_that_is_not_answered_is_no_refusal() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = format!("localhost:{}", listener.local_addr().unwrap().port());
    // Nobody takes the connection: as with a process that is frozen, the system does.
    let error = hasty(trusting()).open(&address).await.err().unwrap();
    assert!(!error.is_refusal(), "{error}");
    assert!(error.to_string().contains("no handshake within 50 ms"), "{error}");
}

#[tokio::test]
async fn a_question_that_is_not_answered_ends_the_connection() {
    let server = Double { silent: Some(ApiKey::Metadata), ..Double::default() }.start().await;
    let connection = hasty(Security::default()).open(&server.address()).await.unwrap();
    let reason = connection.call(&question(), connection.request_timeout()).await.unwrap_err();
    assert!(reason.contains("no answer to Metadata within 50 ms"), "{reason}");
    assert!(connection.is_over(), "what comes late is nobody's answer any more");
}

#[tokio::test]
async fn who_says_nothing_at_all_is_not_taken_for_somebody_of_another_protocol() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap().to_string();
    // Nobody takes the connection: as with a process that is frozen, the system does.
    let error = hasty(Security::default()).open(&address).await.err().unwrap();
    assert!(!error.is_refusal() && !error.is_nobody(), "{error}");
    assert!(error.to_string().contains("says nothing for 50 ms"), "{error}");
}
