//! How a server ends: by a signal, by itself, or because it must.

use std::time::Duration;

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

/// Waits for SIGTERM, SIGINT or SIGHUP (the terminal is closed). A second one ends the process at once.
pub(crate) async fn signal() -> std::io::Result<()> {
    use tokio::signal::unix::{SignalKind, signal};
    let mut terminate = signal(SignalKind::terminate())?;
    let mut interrupt = signal(SignalKind::interrupt())?;
    let mut hang_up = signal(SignalKind::hangup())?;
    let name = tokio::select! {
        _ = terminate.recv() => "SIGTERM",
        _ = interrupt.recv() => "SIGINT",
        _ = hang_up.recv() => "SIGHUP",
    };
    tracing::info!(signal = name, "stopping; a second signal ends the process at once");
    spawn::task("second signal", Loss::One, async move {
        tokio::select! {
            _ = terminate.recv() => {}
            _ = interrupt.recv() => {}
        }
        std::process::exit(IMPATIENT);
    });
    Ok(())
}

/// The exit code after a second signal: the shell's for a process that SIGINT ended.
const IMPATIENT: i32 = 130;
