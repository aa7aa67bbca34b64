//! The client's only place where tasks are started. Every task has an owner: when that is dropped, the task ends.

use std::future::Future;

use tokio::task::{AbortHandle, JoinSet};

/// A task that ends with its owner.
#[derive(Debug)]
pub(super) struct Task(AbortHandle);

impl Task {
    /// Ends it now.
    pub(super) fn end(&self) {
        self.0.abort();
    }
}

impl Drop for Task {
    fn drop(&mut self) {
        self.0.abort();
    }
}

/// Starts a task.
#[allow(clippy::disallowed_methods, reason = "the client's only place where tasks are started")]
pub(super) fn task(future: impl Future<Output = ()> + Send + 'static) -> Task {
    Task(tokio::spawn(future).abort_handle())
}

/// Tasks of one owner that end by themselves, or with it.
#[derive(Debug, Default)]
pub(super) struct Tasks(JoinSet<()>);

impl Tasks {
    /// Starts one more; forgets those that have ended.
    pub(super) fn start(&mut self, future: impl Future<Output = ()> + Send + 'static) {
        while self.0.try_join_next().is_some() {}
        self.0.spawn(future);
    }
}

/// Runs futures side by side to their end; they end too when nobody waits for that any more.
pub(super) async fn all(futures: impl IntoIterator<Item = impl Future<Output = ()> + Send + 'static>) {
    let mut running: JoinSet<()> = futures.into_iter().collect();
    while running.join_next().await.is_some() {}
}

/// Runs what blocks on a thread of its own; none if it panicked.
pub(super) async fn blocking<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> Option<T> {
    tokio::task::spawn_blocking(work).await.ok()
}
