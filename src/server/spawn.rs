//! The one file of the server that starts tasks: each has a name, and none dies in silence.

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use tokio::sync::Notify;
use tokio::task::AbortHandle;

/// What the loss of a task means.
#[derive(Clone, Debug)]
pub(crate) enum Loss {
    /// One connection: the others go on.
    One,
    /// The server cannot keep its promises without it and stops.
    Server(Failure),
}

/// The server's "I cannot go on", told once with its reason.
#[derive(Clone, Debug, Default)]
pub(crate) struct Failure(Arc<FailureState>);

#[derive(Debug, Default)]
struct FailureState {
    reason: std::sync::OnceLock<String>,
    told: Notify,
}

impl Failure {
    /// Tells it; only the first reason counts.
    pub(crate) fn tell(&self, reason: String) {
        tracing::error!(reason, "the server cannot go on");
        let _ = self.0.reason.set(reason);
        self.0.told.notify_one();
    }

    /// The reason, if it was told.
    pub(crate) fn reason(&self) -> Option<&str> {
        self.0.reason.get().map(String::as_str)
    }

    /// Waits until it is told.
    pub(crate) async fn wait(&self) -> String {
        loop {
            if let Some(reason) = self.reason() {
                return reason.to_owned();
            }
            self.0.told.notified().await;
        }
    }
}

/// Held by a task while it runs; what unwinds through it is told.
struct Guard {
    name: &'static str,
    loss: Loss,
}

/// The same for a connection's task: there are thousands, and all are called alike.
struct OfConnection;

impl Drop for OfConnection {
    fn drop(&mut self) {
        drop(Guard { name: "connection", loss: Loss::One });
    }
}

impl Drop for Guard {
    fn drop(&mut self) {
        if !std::thread::panicking() {
            return;
        }
        match &self.loss {
            Loss::One => tracing::error!(task = self.name, "a task panicked; its connection is closed"),
            Loss::Server(failure) => failure.tell(format!("the task `{}` panicked: this is a bug of divvy", self.name)),
        }
    }
}

/// A task's work with its guard. An `async` block around it would keep room for it twice.
struct Guarded<W, G> {
    work: W,
    _guard: G,
}

impl<W: Future<Output = ()> + Unpin, G: Unpin> Future for Guarded<W, G> {
    type Output = ();
    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<()> {
        Pin::new(&mut self.work).poll(context)
    }
}

/// Starts a task.
#[allow(clippy::disallowed_methods, reason = "where tasks are started")]
pub(crate) fn task(name: &'static str, loss: Loss, work: impl Future<Output = ()> + Send + 'static) -> AbortHandle {
    tokio::spawn(Guarded { work: Box::pin(work), _guard: Guard { name, loss } }).abort_handle()
}

/// Starts the task of a connection, which lives in the runtime's record of it without an allocation of its own.
#[allow(clippy::disallowed_methods, reason = "where tasks are started")]
pub(crate) fn connection(work: impl Future<Output = ()> + Unpin + Send + 'static) -> AbortHandle {
    tokio::spawn(Guarded { work, _guard: OfConnection }).abort_handle()
}

/// Starts work that keeps a processor busy, beside the tasks.
pub(crate) fn blocking(name: &'static str, loss: Loss, work: impl FnOnce() + Send + 'static) {
    let guard = Guard { name, loss };
    tokio::task::spawn_blocking(move || {
        let _guard = guard;
        work();
    });
}

/// Starts a thread of its own for what may block for long.
pub(crate) fn thread(
    name: &'static str,
    loss: Loss,
    work: impl FnOnce() + Send + 'static,
) -> std::io::Result<std::thread::JoinHandle<()>> {
    let guard = Guard { name, loss };
    std::thread::Builder::new().name(format!("divvy-{name}")).spawn(move || {
        let _guard = guard;
        work();
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_panic_in_a_task_that_the_server_needs_is_told_by_name() {
        let failure = Failure::default();
        let _task = task("shard", Loss::Server(failure.clone()), async { panic!("on purpose") });
        assert!(failure.wait().await.contains("`shard`"));
    }

    #[tokio::test]
    async fn a_panic_of_a_connection_leaves_the_server_alone() {
        let failure = Failure::default();
        let (done, gone) = tokio::sync::oneshot::channel::<()>();
        let _task = task("connection", Loss::One, async move {
            let _done = done;
            panic!("on purpose")
        });
        assert!(gone.await.is_err());
        assert!(failure.reason().is_none());
    }
}
