//! Commits that may succeed a moment later are sent again; what the coordinator refuses for good is the caller's to know.

use tokio::sync::oneshot;

use super::clock;
use super::commit::{Offset, passes};
use super::error::CommitError;
use super::inbox::{Inbox, Input};
use super::limits::COMMIT_TRIES;
use crate::membership::backoff::{Backoff, Dice};

/// Commits, and again after a wait that grows if the coordinator moved, loads or was not reached.
pub(super) async fn commit(inbox: &Inbox, offsets: Vec<Offset>) -> Result<(), CommitError> {
    let (mut backoff, mut dice) = (Backoff::default(), Dice::new(clock::entropy()));
    let mut tries = 1;
    loop {
        let (answer, answered) = oneshot::channel();
        if !inbox.put(Input::Commit(offsets.clone(), answer)) {
            return Err(CommitError::Left);
        }
        match answered.await.unwrap_or(Err(CommitError::Left)) {
            Err(error) if passes(&error) && tries < COMMIT_TRIES => {
                tries += 1;
                tokio::time::sleep(backoff.fail(&mut dice)).await;
            }
            result => return result,
        }
    }
}
