//! Time as a value: no file on a pure floor reads a clock, each is told what time it is.

use std::ops::{Add, Sub};
use std::time::Duration;

use serde::{Deserialize, Serialize};

/// Milliseconds of a clock that never jumps, from an origin of the process's own. Sessions and deadlines count in it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct Timestamp(pub u64);

impl Add<Duration> for Timestamp {
    type Output = Timestamp;
    fn add(self, wait: Duration) -> Timestamp {
        Timestamp(self.0.saturating_add(u64::try_from(wait.as_millis()).unwrap_or(u64::MAX)))
    }
}

impl Sub for Timestamp {
    type Output = Duration;
    fn sub(self, earlier: Timestamp) -> Duration {
        Duration::from_millis(self.0.saturating_sub(earlier.0))
    }
}

/// Milliseconds since 1970, as the wall says. It may jump; only what outlives the process counts in it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub struct WallTime(pub i64);

impl Add<Duration> for WallTime {
    type Output = WallTime;
    fn add(self, wait: Duration) -> WallTime {
        WallTime(self.0.saturating_add(i64::try_from(wait.as_millis()).unwrap_or(i64::MAX)))
    }
}

/// Both faces of one moment.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Now {
    /// For sessions and deadlines.
    pub mono: Timestamp,
    /// For what is stored.
    pub wall: WallTime,
}
