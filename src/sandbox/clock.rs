//! The one place of this floor that reads a clock: deadlines, durations and the "since" of a status.

use std::sync::LazyLock;
use std::time::{Instant, SystemTime, UNIX_EPOCH};

use crate::time::WallTime;

/// The moment, on a clock that never jumps.
#[allow(clippy::disallowed_methods, reason = "the sandbox's own clock: a guest's deadline is real time")]
pub(super) fn now() -> Instant {
    Instant::now()
}

/// Microseconds since this process first asked.
pub(super) fn micros() -> u64 {
    static ORIGIN: LazyLock<Instant> = LazyLock::new(now);
    u64::try_from(ORIGIN.elapsed().as_micros()).unwrap_or(u64::MAX)
}

/// The moment, as the wall says.
#[allow(clippy::disallowed_methods, reason = "the sandbox's own clock: people ask since when a module serves")]
pub(super) fn wall() -> WallTime {
    let since_1970 = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    WallTime(i64::try_from(since_1970.as_millis()).unwrap_or(i64::MAX))
}
