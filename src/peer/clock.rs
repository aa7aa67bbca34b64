//! The only clock and the only entropy of a connection. The clock is tokio's, which a test can hold.

use tokio::time::Instant;

use super::limits::NONCE_BYTES;

/// This moment.
pub(super) fn now() -> Instant {
    Instant::now()
}

/// Bytes that nobody can guess. There is no second source for them: a login without them would be worth nothing.
#[allow(clippy::disallowed_methods, reason = "the only entropy of a connection")]
pub(super) fn nonce() -> Result<[u8; NONCE_BYTES], String> {
    let mut bytes = [0; NONCE_BYTES];
    getrandom::fill(&mut bytes).map_err(|error| format!("the system gives no random bytes for the login: {error}"))?;
    Ok(bytes)
}
