//! How far a group is behind with each partition, for the strategies of groups that the coordinator leads: what the group
//! has committed against where partitions end. Nothing leaves the process; what is not known in time is unknown.

use std::collections::BTreeMap;

use divvy_guest::abi::{UNKNOWN_LAG, names};
use tokio::time::timeout;

use super::Handle;
use super::limits::LAG_TIMEOUT;
use crate::assignor::Column;
use crate::ids::{GroupId, TopicName};
use crate::topics::{Topic, TopicTable};

/// The lags of all partitions of these topics.
pub(crate) async fn column(handle: &Handle, group: &GroupId, topics: &TopicTable) -> Column {
    let mut values: BTreeMap<TopicName, Vec<u64>> = topics.0.iter().map(unknown).collect();
    // What was found out stays if the rest takes too long.
    let _ = timeout(LAG_TIMEOUT, fill(handle, group, &mut values)).await;
    Column { name: names::LAG.to_owned(), values, unknown: UNKNOWN_LAG }
}

fn unknown((name, topic): (&TopicName, &Topic)) -> (TopicName, Vec<u64>) {
    (name.clone(), vec![UNKNOWN_LAG; topic.partitions as usize])
}

async fn fill(handle: &Handle, group: &GroupId, values: &mut BTreeMap<TopicName, Vec<u64>>) {
    for (topic, committed) in handle.committed(group, values.keys().cloned().collect()).await {
        let Some(lags) = values.get_mut(&topic).filter(|_| !committed.is_empty()) else { continue };
        let ends = handle.recent_ends().of(&topic, handle).await;
        for (partition, offset) in committed {
            // Ends are kept for a moment: the group itself may be further by now.
            let end = ends.get(&partition).copied().unwrap_or(0).max(offset);
            if let Some(lag) = usize::try_from(partition).ok().and_then(|at| lags.get_mut(at)) {
                *lag = u64::try_from(end - offset).unwrap_or(UNKNOWN_LAG);
            }
        }
    }
}
