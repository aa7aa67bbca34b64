//! Has every group forget what it committed for topics that are gone.

use tokio::sync::oneshot;

use super::Handle;
use super::messages::ToShard;
use crate::ids::TopicName;
use crate::store::StoreError;
use crate::time::WallTime;

/// Has them forget it, with a time: what was committed by then; that is durable when this returns. If a batch failed
/// meanwhile, whosever, some of it may have come back: it is an error, and has to be done again.
pub(crate) async fn forget_offsets(
    handle: &Handle,
    topics: &[TopicName],
    upto: Option<WallTime>,
) -> Result<(), StoreError> {
    if topics.is_empty() {
        return Ok(());
    }
    let store = handle.topics().store_writer();
    let before = store.whole().await.ok_or_else(not_forgotten)?;
    handle.tell_removed(topics, upto);
    let mut stored = Vec::with_capacity(handle.shards());
    for shard in 0..handle.shards() {
        let (done, is_done) = oneshot::channel();
        handle.tell(shard, ToShard::Flush(done));
        stored.push(is_done);
    }
    for is_done in stored {
        // A shard that is gone means that the server stops.
        let _ = is_done.await;
    }
    if !store.stored_all_since(before).await {
        return Err(not_forgotten());
    }
    handle.recent_ends().forget(topics).await;
    Ok(())
}

fn not_forgotten() -> StoreError {
    let message = "offsets of deleted topics could not be forgotten, for the store refuses what is written, as the log says: \
                   try again when it takes it";
    StoreError { message: message.to_owned() }
}
