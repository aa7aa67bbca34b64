//! What a strategy may say beside its plan.

use crate::abi::reply::{Level, Line};
use crate::abi::{MAX_DIAG_BYTES, MAX_DIAG_LINES};

/// Memo, next call and diagnostics of a plan of either shape.
#[derive(Default)]
pub(crate) struct Outcome {
    pub(crate) memo: Option<Vec<u8>>,
    pub(crate) call_again_ms: Option<u64>,
    pub(crate) diag: Vec<Line>,
    diag_bytes: usize,
}

impl Outcome {
    /// Keeps what the host would keep.
    pub(crate) fn note(&mut self, level: Level, text: &str) {
        self.diag_bytes += level.name().len() + text.len();
        if self.diag.len() < MAX_DIAG_LINES && self.diag_bytes <= MAX_DIAG_BYTES {
            self.diag.push((level, text.to_owned()));
        }
    }
}
