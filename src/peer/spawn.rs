//! Where the tasks of connections are started. Every task has an owner: when that is dropped, the task ends.

use std::future::Future;

use tokio::task::AbortHandle;

/// A task that ends with its owner.
#[derive(Debug)]
pub(crate) struct Task(AbortHandle);

impl Task {
    /// Ends it now.
    pub(crate) fn end(&self) {
        self.0.abort();
    }
}

impl Drop for Task {
    fn drop(&mut self) {
        self.0.abort();
    }
}

/// Starts a task.
#[allow(clippy::disallowed_methods, reason = "where tasks of connections and of members are started")]
pub(crate) fn task(future: impl Future<Output = ()> + Send + 'static) -> Task {
    Task(tokio::spawn(future).abort_handle())
}

/// Runs what blocks on a thread of its own; none if it panicked.
pub(crate) async fn blocking<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> Option<T> {
    tokio::task::spawn_blocking(work).await.ok()
}
