//! Logins that are right, wrong, lied about, and over.

use super::double::{Double, question};
use super::{open, refused};
use crate::peer::{Login, Mechanism, Password, REQUEST_TIMEOUT, Security};

fn double(mechanism: &'static str) -> Double {
    Double { mechanisms: vec![mechanism], user: ("al=i,ce", "hush hush"), ..Double::default() }
}

fn login(mechanism: Mechanism, password: &str) -> Security {
    Security::default().login(Login::new(mechanism, "al=i,ce", Password::new(password)).unwrap())
}

#[tokio::test]
async fn plain_lets_in_who_knows_the_password() {
    let server = double("PLAIN").start().await;
    let connection = open(&server, login(Mechanism::Plain, "hush hush")).await.unwrap();
    connection.call(&question(), REQUEST_TIMEOUT).await.unwrap();
    assert_eq!(server.logins(), 1);
    let reason = refused(&server, login(Mechanism::Plain, "guess")).await;
    assert!(reason.contains("by PLAIN failed: invalid credentials"), "{reason}");
    assert!(!reason.contains("guess"), "{reason}");
}

#[tokio::test]
async fn scram_escapes_the_name_and_asks_the_server_for_a_proof_too() {
    // The double looks for the name as it stands in the message.
    let server = Double { user: ("al=3Di=2Cce", "hush hush"), ..double("SCRAM-SHA-256") }.start().await;
    let connection = open(&server, login(Mechanism::ScramSha256, "hush hush")).await.unwrap();
    connection.call(&question(), REQUEST_TIMEOUT).await.unwrap();
    let reason = refused(&server, login(Mechanism::ScramSha256, "guess")).await;
    assert!(reason.contains("by SCRAM-SHA-256 failed: invalid credentials"), "{reason}");
}

#[tokio::test]
async fn a_server_that_lets_everybody_in_is_found_out() {
    let lies = Double { user: ("al=3Di=2Cce", "something else"), lies: true, ..double("SCRAM-SHA-256") };
    let reason = refused(&lies.start().await, login(Mechanism::ScramSha256, "hush hush")).await;
    assert!(reason.contains("does not know the password itself"), "{reason}");
}

#[tokio::test]
async fn a_mechanism_that_is_not_offered_is_named_with_those_that_are() {
    let server = double("OAUTHBEARER").start().await;
    let error = open(&server, login(Mechanism::ScramSha512, "hush hush")).await.err().unwrap();
    assert!(error.is_refusal());
    assert!(error.to_string().contains("no login by SCRAM-SHA-512: choose one of OAUTHBEARER"), "{error}");
}

#[tokio::test]
async fn who_does_not_log_in_learns_that_a_login_may_be_wanted() {
    let server = double("PLAIN").start().await;
    let connection = open(&server, Security::default()).await.unwrap();
    let reason = connection.call(&question(), REQUEST_TIMEOUT).await.unwrap_err();
    assert!(reason.contains("it may want a login"), "{reason}");
}

#[tokio::test]
async fn a_login_that_is_over_is_renewed_on_the_same_connection() {
    let server = Double { lifetime_ms: 3_600_000, ..double("PLAIN") }.start().await;
    let connection = open(&server, login(Mechanism::Plain, "hush hush")).await.unwrap();
    connection.call(&question(), REQUEST_TIMEOUT).await.unwrap();
    assert_eq!(server.logins(), 1, "an hour is not over yet");
    connection.end_login().await;
    let asked = question();
    let (a, b) = tokio::join!(connection.call(&asked, REQUEST_TIMEOUT), connection.call(&asked, REQUEST_TIMEOUT));
    a.and(b).unwrap();
    assert_eq!(server.logins(), 2, "once for both");

    server.change_user("al=i,ce", "changed");
    connection.end_login().await;
    let reason = connection.call(&question(), REQUEST_TIMEOUT).await.unwrap_err();
    assert!(reason.contains("the login is not renewed") && reason.contains("invalid credentials"), "{reason}");
}

#[test]
fn no_password_is_shown() {
    let shown = format!("{:?}", login(Mechanism::Plain, "hush hush"));
    assert!(shown.contains("al=i,ce") && !shown.contains("hush"), "{shown}");
}

#[test]
fn a_name_or_a_password_that_no_mechanism_takes_is_refused_before_anybody_is_asked() {
    for (user, password) in [("", "x"), ("x", ""), ("a\0b", "x"), ("x", "a\0b")] {
        let error = Login::new(Mechanism::Plain, user, Password::new(password)).unwrap_err();
        assert!(error.to_string().contains("for the login"), "{error}");
    }
}
