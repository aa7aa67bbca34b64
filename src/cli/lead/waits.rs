//! What the loop of `divvy lead` waits for: each may be there or not.

use std::pin::Pin;

use anyhow::{Result, anyhow};

use crate::client::{Member, Rebalance};

/// What a member hears next; for ever nothing if there is none.
pub async fn next(member: &mut Option<Member>) -> Option<Rebalance> {
    match member {
        Some(member) => member.next().await,
        None => std::future::pending().await,
    }
}

/// What came of the work; for ever nothing if there is none.
pub async fn finished<T>(work: &mut Option<Pin<Box<dyn Future<Output = T>>>>) -> T {
    match work {
        Some(work) => work.await,
        None => std::future::pending().await,
    }
}

/// Questions to a cluster and modules that compile block.
pub async fn blocking<T: Send + 'static>(work: impl FnOnce() -> Result<T> + Send + 'static) -> Result<T> {
    tokio::task::spawn_blocking(work)
        .await
        .unwrap_or_else(|_| Err(anyhow!("its thread panicked: this is a bug in divvy")))
}
