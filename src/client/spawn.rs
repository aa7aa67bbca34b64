//! The client's tasks. Every task has an owner: when that is dropped, the task ends.

use std::future::Future;

use tokio::task::JoinSet;

pub(super) use crate::peer::spawn::{Task, blocking, task};

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
