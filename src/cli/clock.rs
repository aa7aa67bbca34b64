//! The command line's only clock and its only entropy: what decides is told.

use std::sync::LazyLock;
use std::time::{Instant, SystemTime, UNIX_EPOCH};

use crate::time::Timestamp;

#[allow(clippy::disallowed_methods, reason = "the command line's only clock")]
static ORIGIN: LazyLock<Instant> = LazyLock::new(Instant::now);

/// This moment.
pub fn now() -> Timestamp {
    Timestamp(u64::try_from(ORIGIN.elapsed().as_millis()).unwrap_or(u64::MAX))
}

/// The wall's time, in milliseconds since 1970.
#[allow(clippy::disallowed_methods, reason = "the command line's only clock")]
pub fn wall_ms() -> i64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |it| it.as_millis());
    i64::try_from(since).unwrap_or(i64::MAX)
}

/// What spreads waits; nothing secret rests on it.
#[allow(clippy::disallowed_methods, reason = "the command line's only entropy")]
pub fn entropy() -> u64 {
    let mut bytes = [0; 8];
    // Without it the waits of a fleet are the same, and all else is as it was.
    let _ = getrandom::fill(&mut bytes);
    u64::from_le_bytes(bytes)
}
