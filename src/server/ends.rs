//! Where a partition ends. divvy holds no records, so it knows only how far anybody has come: the highest offset that a
//! group has committed. Then a group's lag is how far it is behind the foremost one, and "to the end" is where that is.

use std::collections::HashMap;
use std::sync::Arc;

use tokio::sync::Mutex;

use super::Handle;
use super::limits::ENDS_KEPT_FACTOR;
use crate::ids::TopicName;
use crate::time::Timestamp;

/// The ends of one topic's partitions; a partition without a commit has none, and begins and ends at 0.
pub(crate) type TopicEnds = Arc<HashMap<i32, i64>>;

/// What groups said lately.
#[derive(Default)]
pub(crate) struct Ends(Mutex<HashMap<TopicName, Known>>);

struct Known {
    ends: TopicEnds,
    until: Timestamp,
}

impl Ends {
    /// The ends of a topic, asked of all groups if that was not done just now.
    pub(crate) async fn of(&self, topic: &TopicName, handle: &Handle) -> TopicEnds {
        // Who comes while the groups are being asked waits here, and then finds the answer.
        let mut known = self.0.lock().await;
        let began = handle.clock().mono();
        known.retain(|_, it| began < it.until);
        if let Some(it) = known.get(topic) {
            return Arc::clone(&it.ends);
        }
        let ends = Arc::new(handle.ends(topic).await);
        let now = handle.clock().mono();
        let until = now + (now - began) * ENDS_KEPT_FACTOR;
        known.insert(topic.clone(), Known { ends: Arc::clone(&ends), until });
        ends
    }

    /// Topics are gone: one of the same name begins anew.
    pub(crate) async fn forget(&self, topics: &[TopicName]) {
        let mut known = self.0.lock().await;
        topics.iter().for_each(|topic| drop(known.remove(topic)));
    }
}
