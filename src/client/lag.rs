//! How far a group is behind with each partition, for strategies that need to know: what it has committed against where
//! partitions end. It is asked before the plan is made, over connections of its own, and bounded in time as a whole: what
//! is not known by then is unknown, and costs no rebalance.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use divvy_guest::abi::{UNKNOWN_LAG, names};
use tokio::time::timeout;

use super::coordinator::Coordinator;
use super::limits::{LAG_TIMEOUT, LIST_OFFSETS_PARTITIONS};
use super::{commit, spawn, topics};
use crate::assignor::Column;
use crate::ids::{GroupId, TopicName};
use crate::peer::{Connection, address_of};
use crate::topics::TopicTable;
use crate::wire::messages::list_offsets::{ListOffsetsPartition, ListOffsetsRequest, ListOffsetsTopic};
use crate::wire::messages::metadata::MetadataResponse;

/// "The offset after the last record", as ListOffsets says it.
const LATEST: i64 = -1;

/// The sender of ListOffsets that is no broker.
const CLIENT: i32 = -1;

/// An offset of each partition.
type Offsets = BTreeMap<(TopicName, i32), i64>;

/// Some partitions of each topic.
type Partitions = BTreeMap<TopicName, Vec<i32>>;

/// The lags of all partitions of these topics, as far as they are found out in time.
pub(super) async fn column(coordinator: &Arc<Coordinator>, group: &GroupId, topics: &TopicTable) -> Column {
    let ends = Arc::new(Mutex::new(Offsets::new()));
    let names: Vec<TopicName> = topics.0.keys().cloned().collect();
    let (committed, _) = tokio::join!(
        timeout(LAG_TIMEOUT, committed(coordinator, group)),
        timeout(LAG_TIMEOUT, find_ends(coordinator, &names, &ends)),
    );
    let committed = committed.unwrap_or_else(|_| Err("no answer in time".to_owned())).unwrap_or_else(|reason| {
        tracing::debug!(%group, reason, "how far the group has come is not known");
        Offsets::new()
    });
    let ends = std::mem::take(&mut *ends.lock().unwrap_or_else(PoisonError::into_inner));
    let lag = |topic: &TopicName, partition: u32| {
        let at = (topic.clone(), i32::try_from(partition).ok()?);
        let (committed, end) = (*committed.get(&at)?, *ends.get(&at)?);
        // A topic that was made anew may end before what was committed.
        u64::try_from(end.saturating_sub(committed).max(0)).ok()
    };
    let of = |(name, topic): (&TopicName, &crate::topics::Topic)| {
        (name.clone(), (0..topic.partitions).map(|it| lag(name, it).unwrap_or(UNKNOWN_LAG)).collect())
    };
    Column { name: names::LAG.to_owned(), values: topics.0.iter().map(of).collect(), unknown: UNKNOWN_LAG }
}

/// What the group has committed, of whatever topics, as far as that is told: one short request.
async fn committed(coordinator: &Coordinator, group: &GroupId) -> Result<Offsets, String> {
    let fetched = commit::fetch(&coordinator.aside().await?, group, None).await?;
    Ok(fetched.offsets.into_iter().map(|it| ((it.topic, it.partition), it.offset)).collect())
}

/// Asks each broker where the partitions end that it leads. What is found is there, even if the rest takes too long.
async fn find_ends(coordinator: &Arc<Coordinator>, names: &[TopicName], ends: &Arc<Mutex<Offsets>>) {
    let led = match led_by(coordinator, names).await {
        Ok(led) => led,
        Err(reason) => return tracing::debug!(reason, "where partitions end is not known"),
    };
    let ask = |(address, partitions): (String, Partitions)| {
        let (coordinator, ends) = (Arc::clone(coordinator), Arc::clone(ends));
        async move {
            let asked = async {
                let connection = coordinator.open_broker(&address).await?;
                for request in requests(partitions) {
                    let found = ends_at(&connection, &request).await?;
                    ends.lock().unwrap_or_else(PoisonError::into_inner).extend(found);
                }
                Ok::<(), String>(())
            };
            if let Err(reason) = asked.await {
                tracing::debug!(address, reason, "a broker does not say where its partitions end");
            }
        }
    };
    spawn::all(led.into_iter().map(ask)).await;
}

/// The partitions by the address of the broker that leads them.
async fn led_by(coordinator: &Coordinator, names: &[TopicName]) -> Result<BTreeMap<String, Partitions>, String> {
    let connection = coordinator.about_topics_aside().await?;
    let mut led = BTreeMap::new();
    topics::each_answer(&connection, names, |answer| note_leaders(answer, &mut led)).await?;
    Ok(led)
}

fn note_leaders(answer: &MetadataResponse, led: &mut BTreeMap<String, Partitions>) {
    let brokers: BTreeMap<i32, String> =
        answer.brokers.iter().map(|it| (it.node_id, address_of(&it.host, it.port))).collect();
    for topic in answer.topics.iter().filter(|topic| !topic.error_code.is_error()) {
        let Some(name) = topic.name.as_deref().map(TopicName::from) else { continue };
        for partition in &topic.partitions {
            if let Some(address) = brokers.get(&partition.leader_id) {
                let of_broker = led.entry(address.clone()).or_default();
                of_broker.entry(name.clone()).or_default().push(partition.partition_index);
            }
        }
    }
}

/// What is asked of one broker, in requests that a server takes.
fn requests(partitions: Partitions) -> Vec<ListOffsetsRequest> {
    let mut requests: Vec<(usize, Vec<ListOffsetsTopic>)> = Vec::new();
    let asked = |partition_index: &i32| ListOffsetsPartition {
        partition_index: *partition_index,
        timestamp: LATEST,
        ..ListOffsetsPartition::default()
    };
    for (name, numbers) in partitions {
        for numbers in numbers.chunks(LIST_OFFSETS_PARTITIONS) {
            let topic =
                ListOffsetsTopic { name: name.as_str().into(), partitions: numbers.iter().map(asked).collect() };
            match requests.last_mut().filter(|(count, _)| count + numbers.len() <= LIST_OFFSETS_PARTITIONS) {
                Some((count, topics)) => {
                    *count += numbers.len();
                    topics.push(topic);
                }
                None => requests.push((numbers.len(), vec![topic])),
            }
        }
    }
    let request = |(_, topics)| ListOffsetsRequest { replica_id: CLIENT, topics, ..ListOffsetsRequest::default() };
    requests.into_iter().map(request).collect()
}

async fn ends_at(connection: &Connection, request: &ListOffsetsRequest) -> Result<Offsets, String> {
    let answer = connection.call(request, connection.request_timeout()).await?;
    let mut found = Offsets::new();
    for topic in &answer.topics {
        let name = TopicName::from(topic.name.as_str());
        let good = topic.partitions.iter().filter(|it| !it.error_code.is_error() && it.offset >= 0);
        found.extend(good.map(|it| ((name.clone(), it.partition_index), it.offset)));
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn many_partitions_are_asked_for_in_requests_that_a_server_takes() {
        let all: Partitions = [("a", 3 * LIST_OFFSETS_PARTITIONS / 2), ("b", LIST_OFFSETS_PARTITIONS / 2), ("c", 1)]
            .map(|(name, count)| (TopicName::from(name), (0..).take(count).collect()))
            .into();
        let counts: Vec<usize> = requests(all)
            .iter()
            .map(|request| request.topics.iter().map(|topic| topic.partitions.len()).sum())
            .collect();
        assert_eq!(counts, [LIST_OFFSETS_PARTITIONS, LIST_OFFSETS_PARTITIONS, 1]);
        assert_eq!(requests(Partitions::new()).len(), 0);
    }
}
