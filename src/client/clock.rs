//! The client's only clock and its only entropy: everything else is told.

use std::sync::LazyLock;
use std::time::{Instant, SystemTime, UNIX_EPOCH};

use crate::time::{Now, Timestamp, WallTime};

#[allow(clippy::disallowed_methods, reason = "the client's only clock")]
static ORIGIN: LazyLock<Instant> = LazyLock::new(Instant::now);

/// Both faces of this moment.
#[allow(clippy::disallowed_methods, reason = "the client's only clock")]
pub(super) fn now() -> Now {
    let mono = u64::try_from(ORIGIN.elapsed().as_millis()).unwrap_or(u64::MAX);
    let wall = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |it| it.as_millis());
    Now { mono: Timestamp(mono), wall: WallTime(i64::try_from(wall).unwrap_or(i64::MAX)) }
}

/// What spreads the waits of a fleet. Without the system's entropy the clock has to do: nothing secret rests on it.
#[allow(clippy::disallowed_methods, reason = "the client's only entropy")]
pub(super) fn entropy() -> u64 {
    let mut bytes = [0; 8];
    match getrandom::fill(&mut bytes) {
        Ok(()) => u64::from_le_bytes(bytes),
        Err(_) => SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |it| u64::from(it.subsec_nanos())),
    }
}
