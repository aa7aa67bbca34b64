//! How a server ends: by a signal, by itself, or because it must.

use std::io::IsTerminal;
use std::time::Duration;

use tokio::signal::unix::{Signal, SignalKind, signal};
use tokio::sync::oneshot;

use super::Handle;
use super::limits::STOP_GRACE;
use super::messages::ToShard;
use super::outbox::Close;
use super::spawn::{self, Loss};

/// Why a server that ran until its end has ended.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Ended {
    /// It was told to stop, and everything acknowledged is stored.
    Stopped,
    /// It could not go on, for this reason.
    Failed(String),
}

/// How often it is looked whether the last answers are out.
const LOOK: Duration = Duration::from_millis(5);

/// No request is taken any more; what is known is stored and answered. Waiting requests are given up: their clients find
/// the coordinator again. Takes at most [`STOP_GRACE`].
pub(crate) async fn drain(handle: &Handle) {
    handle.begin_stop();
    if tokio::time::timeout(STOP_GRACE, answers_out(handle)).await.is_err() {
        tracing::warn!("not everything could be answered within {} s", STOP_GRACE.as_secs());
    }
    handle.registry().all().iter().for_each(|connection| connection.kill());
}

async fn answers_out(handle: &Handle) {
    for shard in 0..handle.shards() {
        let (done, flushed) = oneshot::channel();
        handle.tell(shard, ToShard::Flush(done));
        let _ = flushed.await;
    }
    let connections = handle.registry().all();
    for connection in &connections {
        connection.finish(handle, Close { kind: "stop", reason: "the server stops".to_owned() });
    }
    while connections.iter().any(|connection| !connection.is_closed()) {
        tokio::time::sleep(LOOK).await;
    }
}

/// What a signal asks for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Heard {
    /// To stop; a second signal ends the process at once.
    Stop,
    /// To read the configuration again.
    Reread,
}

/// The signals of the process.
pub(crate) struct Signals {
    terminate: Signal,
    interrupt: Signal,
    hang_up: Signal,
    had_terminal: bool,
}

impl Signals {
    /// Listens from now on.
    pub(crate) fn listen() -> std::io::Result<Self> {
        Ok(Self {
            terminate: signal(SignalKind::terminate())?,
            interrupt: signal(SignalKind::interrupt())?,
            hang_up: signal(SignalKind::hangup())?,
            had_terminal: has_terminal(),
        })
    }

    /// The next one: SIGTERM and SIGINT to stop; SIGHUP to read the configuration again, but to stop when the terminal
    /// is closed, which the system tells by the same signal.
    pub(crate) async fn next(&mut self) -> Heard {
        let name = tokio::select! {
            _ = self.terminate.recv() => "SIGTERM",
            _ = self.interrupt.recv() => "SIGINT",
            _ = self.hang_up.recv() => {
                if !self.had_terminal || has_terminal() {
                    return Heard::Reread;
                }
                "SIGHUP"
            }
        };
        tracing::info!(signal = name, "stopping; a second signal ends the process at once");
        if let (Ok(mut terminate), Ok(mut interrupt)) =
            (signal(SignalKind::terminate()), signal(SignalKind::interrupt()))
        {
            spawn::task("second signal", Loss::One, async move {
                tokio::select! {
                    _ = terminate.recv() => {}
                    _ = interrupt.recv() => {}
                }
                std::process::exit(IMPATIENT);
            });
        }
        Heard::Stop
    }
}

/// Whether somebody sits before the process. A terminal that was closed is none any more.
fn has_terminal() -> bool {
    std::io::stdin().is_terminal() || std::io::stdout().is_terminal() || std::io::stderr().is_terminal()
}

/// The exit code after a second signal: the shell's for a process that SIGINT ended.
const IMPATIENT: i32 = 130;
