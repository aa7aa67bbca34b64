//! Ctrl-C, SIGTERM and the end of the terminal: the same wish, to end in good order.

use anyhow::{Context, Result};
use tokio::signal::unix::{Signal, SignalKind, signal};

/// The signals, caught from the moment this exists.
pub struct Stop {
    interrupt: Signal,
    terminate: Signal,
    hang_up: Signal,
}

impl Stop {
    /// Begins to catch them.
    pub fn listen() -> Result<Self> {
        let catch = |kind| signal(kind).context("signals cannot be caught");
        Ok(Self {
            interrupt: catch(SignalKind::interrupt())?,
            terminate: catch(SignalKind::terminate())?,
            hang_up: catch(SignalKind::hangup())?,
        })
    }

    /// Waits for any of them.
    pub async fn wished(&mut self) {
        tokio::select! {
            _ = self.interrupt.recv() => {}
            _ = self.terminate.recv() => {}
            _ = self.hang_up.recv() => {}
        }
    }
}
