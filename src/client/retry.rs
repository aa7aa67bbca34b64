//! Commits that may succeed a moment later are sent again, and so is the question what is committed; what the coordinator
//! refuses for good is the caller's to know.

use tokio::sync::oneshot;

use super::clock;
use super::commit::{Offset, may_be_read_later, passes};
use super::error::{CommitError, FetchError};
use super::inbox::{Inbox, Input};
use super::limits::COMMIT_TRIES;
use crate::ids::TopicName;
use crate::membership::backoff::{Backoff, Dice};

/// Commits, and again after a wait that grows if the coordinator moved, loads or was not reached.
pub(super) async fn commit(inbox: &Inbox, offsets: Vec<Offset>) -> Result<(), CommitError> {
    let ask = |answer| Input::Commit(offsets.clone(), answer);
    again(inbox, ask, passes, || CommitError::Left).await
}

/// Reads what is committed, likewise.
pub(super) async fn committed(inbox: &Inbox, partitions: &[(TopicName, Vec<i32>)]) -> Result<Vec<Offset>, FetchError> {
    let ask = |answer| Input::Committed(partitions.to_vec(), answer);
    again(inbox, ask, may_be_read_later, || FetchError::Left).await
}

async fn again<T, E>(
    inbox: &Inbox,
    ask: impl Fn(oneshot::Sender<Result<T, E>>) -> Input,
    passes: impl Fn(&E) -> bool,
    gone: impl Fn() -> E,
) -> Result<T, E> {
    let (mut backoff, mut dice) = (Backoff::default(), Dice::new(clock::entropy()));
    let mut tries = 1;
    loop {
        let (answer, answered) = oneshot::channel();
        if !inbox.put(ask(answer)) {
            return Err(gone());
        }
        match answered.await.unwrap_or_else(|_| Err(gone())) {
            Err(error) if passes(&error) && tries < COMMIT_TRIES => {
                tries += 1;
                tokio::time::sleep(backoff.fail(&mut dice)).await;
            }
            result => return result,
        }
    }
}
