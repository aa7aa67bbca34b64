//! What there is of topics, as members ask for it: a leader for its group, the others for themselves.

use super::limits::{METADATA_REQUEST_BYTES, TOPIC_OVERHEAD_BYTES};
use crate::ids::TopicName;
use crate::membership::event::Look;
use crate::peer::Connection;
use crate::peer::topics::{racks_of_brokers, topic};
use crate::topics::TopicTable;
use crate::wire::messages::metadata::{MetadataRequest, MetadataRequestTopic, MetadataResponse};

/// Asks for topics: those that exist, with their racks. Many names are asked for in several requests: a server takes no
/// long ones for this key, and members, whoever they are, say which topics the leader has to ask for.
pub(super) async fn fetch(connection: &Connection, look: &Look) -> Result<TopicTable, String> {
    let mut found = TopicTable::default();
    match look {
        Look::At(names) => each_answer(connection, names, |answer| found.0.append(&mut table(answer).0)).await?,
        Look::AtAll => {
            let mut answer = ask(connection, None).await?;
            answer.topics.retain(|topic| !topic.is_internal);
            found = table(&answer);
        }
    }
    Ok(found)
}

/// Asks for topics, in as many requests as it takes.
pub(super) async fn each_answer(
    connection: &Connection,
    names: &[TopicName],
    mut take: impl FnMut(&MetadataResponse),
) -> Result<(), String> {
    // Not one request when there are no names: an empty list means every topic in the oldest version.
    for names in requests(names) {
        let topic = |name: &TopicName| MetadataRequestTopic {
            name: Some(name.as_str().into()),
            ..MetadataRequestTopic::default()
        };
        take(&ask(connection, Some(names.iter().map(topic).collect())).await?);
    }
    Ok(())
}

/// Asks for these topics, or for all.
async fn ask(connection: &Connection, topics: Option<Vec<MetadataRequestTopic>>) -> Result<MetadataResponse, String> {
    let request = MetadataRequest { topics, ..MetadataRequest::default() };
    let answer = connection.call(&request, connection.request_timeout()).await?;
    match answer.error_code.is_error() {
        true => Err(format!("{} refuses Metadata: {}", connection.address(), answer.error_code)),
        false => Ok(answer),
    }
}

/// The names in runs that fit into a request each.
fn requests(names: &[TopicName]) -> impl Iterator<Item = &[TopicName]> {
    let mut rest = names;
    std::iter::from_fn(move || {
        let mut bytes = 0;
        let fits = |name: &&TopicName| {
            bytes += name.as_str().len() + TOPIC_OVERHEAD_BYTES;
            bytes <= METADATA_REQUEST_BYTES
        };
        let count = rest.iter().take_while(fits).count().max(1).min(rest.len());
        let run;
        (run, rest) = rest.split_at(count);
        (!run.is_empty()).then_some(run)
    })
}

/// The topics of an answer that exist.
pub fn table(answer: &MetadataResponse) -> TopicTable {
    let racks = racks_of_brokers(&answer.brokers);
    let existing = answer.topics.iter().filter(|it| !it.error_code.is_error());
    TopicTable(existing.filter_map(|it| Some((TopicName::from(it.name.as_deref()?), topic(it, &racks)))).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::topics::Topic;
    use crate::wire::ErrorCode;
    use crate::wire::messages::metadata::{MetadataResponseBroker, MetadataResponsePartition, MetadataResponseTopic};

    fn broker(node_id: i32, rack: Option<&str>) -> MetadataResponseBroker {
        MetadataResponseBroker { node_id, rack: rack.map(Into::into), ..Default::default() }
    }

    fn partition(partition_index: i32, leader_id: i32, replica_nodes: &[i32]) -> MetadataResponsePartition {
        MetadataResponsePartition {
            partition_index,
            leader_id,
            replica_nodes: replica_nodes.to_vec(),
            ..Default::default()
        }
    }

    fn named(name: &str, error_code: ErrorCode, partitions: Vec<MetadataResponsePartition>) -> MetadataResponseTopic {
        MetadataResponseTopic { name: Some(name.into()), error_code, partitions, ..Default::default() }
    }

    #[test]
    fn racks_come_from_the_brokers_of_the_replicas_and_stay_where_the_leader_moves() {
        let answer = MetadataResponse {
            brokers: vec![broker(0, None), broker(1, Some("a")), broker(2, Some("b"))],
            topics: vec![
                named("clicks", ErrorCode::None, vec![partition(1, 2, &[1, 2]), partition(0, 1, &[1, 2])]),
                named("missing", ErrorCode::UnknownTopicOrPartition, Vec::new()),
            ],
            ..Default::default()
        };
        let table = table(&answer);
        assert_eq!(table.0.len(), 1);
        let clicks = table.get("clicks").unwrap();
        assert_eq!(clicks.partitions, 2);
        assert_eq!(clicks.racks, [["a", "b"], ["a", "b"]]);
    }

    #[test]
    fn many_names_are_asked_for_in_requests_that_a_server_takes() {
        let names: Vec<_> = (0..100_000).map(|it| TopicName::from(format!("topic-{it}"))).collect();
        let asked: Vec<_> = requests(&names).collect();
        assert_eq!(asked.concat(), names);
        let bytes = |run: &[TopicName]| run.iter().map(|it| it.as_str().len() + TOPIC_OVERHEAD_BYTES).sum::<usize>();
        assert!(asked.iter().all(|run| bytes(run) <= METADATA_REQUEST_BYTES));
        assert_eq!(requests(&[]).count(), 0);
        let long = [TopicName::from("x".repeat(2 * METADATA_REQUEST_BYTES)), TopicName::from("y")];
        assert_eq!(
            requests(&long).map(<[_]>::len).collect::<Vec<_>>(),
            [1, 1],
            "the server says what is wrong with it"
        );
    }

    #[test]
    fn without_racks_nothing_is_said_of_them() {
        let topics = vec![named("clicks", ErrorCode::None, vec![partition(0, 1, &[1])])];
        let answer = MetadataResponse { brokers: vec![broker(1, None)], topics, ..Default::default() };
        assert_eq!(table(&answer).get("clicks").unwrap(), &Topic { partitions: 1, racks: Vec::new() });
    }

    #[test]
    fn an_impossible_partition_number_is_passed_over() {
        let topics = vec![named("clicks", ErrorCode::None, vec![partition(-1, 1, &[1]), partition(i32::MAX, 1, &[1])])];
        let answer = MetadataResponse { brokers: vec![broker(1, Some("a"))], topics, ..Default::default() };
        assert_eq!(table(&answer).get("clicks").unwrap().racks, vec![Vec::<String>::new(); 2]);
    }
}
