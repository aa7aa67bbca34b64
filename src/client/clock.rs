//! The only clock and the only entropy of members and of the command line: everything else is told.

use std::sync::LazyLock;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use crate::time::{Now, Timestamp, WallTime};

#[allow(clippy::disallowed_methods, reason = "the client's only clock")]
static ORIGIN: LazyLock<Instant> = LazyLock::new(Instant::now);

/// Both faces of this moment.
#[allow(clippy::disallowed_methods, reason = "the client's only clock")]
pub(crate) fn now() -> Now {
    let mono = u64::try_from(ORIGIN.elapsed().as_millis()).unwrap_or(u64::MAX);
    let wall = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |it| it.as_millis());
    Now { mono: Timestamp(mono), wall: WallTime(i64::try_from(wall).unwrap_or(i64::MAX)) }
}

/// Waits for a moment, or for ever.
pub(crate) async fn until(deadline: Option<Timestamp>) {
    match deadline {
        None => std::future::pending().await,
        // A timer may fire a little early: never spin on the last millisecond.
        Some(at) => tokio::time::sleep((at - now().mono).max(Duration::from_millis(1))).await,
    }
}

/// What spreads the waits of a fleet. Without the system's entropy the clock has to do: nothing secret rests on it.
#[allow(clippy::disallowed_methods, reason = "the client's only entropy")]
pub(crate) fn entropy() -> u64 {
    let mut bytes = [0; 8];
    match getrandom::fill(&mut bytes) {
        Ok(()) => u64::from_le_bytes(bytes),
        Err(_) => SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |it| u64::from(it.subsec_nanos())),
    }
}
