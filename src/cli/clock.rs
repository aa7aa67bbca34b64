//! The command line's time and chance: the client's own, in the words that are wanted here.

use crate::client::clock;
pub(crate) use crate::client::clock::{entropy, until};
use crate::time::Timestamp;

/// This moment.
pub fn now() -> Timestamp {
    clock::now().mono
}

/// The wall's time, in milliseconds since 1970.
pub fn wall_ms() -> i64 {
    clock::now().wall.0
}
