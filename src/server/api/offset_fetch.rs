//! OffsetFetch: one group up to v7, several from v8 on.

use super::{Peer, text};
use crate::group::Reply;
use crate::group::effects::FetchedOffset;
use crate::group::event::FetchRequest;
use crate::ids::{GroupId, TopicName};
use crate::wire::messages::offset_fetch::{
    OffsetFetchResponseGroup, OffsetFetchResponsePartition, OffsetFetchResponsePartitions, OffsetFetchResponseTopic,
    OffsetFetchResponseTopics,
};
use crate::wire::messages::{OffsetFetchRequest, OffsetFetchResponse};
use crate::wire::{ErrorCode, Text};

/// The groups asked for, each with its partitions; none asks for all.
#[derive(Default)]
pub(crate) struct Asked(Vec<(GroupId, Option<Partitions>)>);

type Partitions = Vec<(TopicName, Vec<i32>)>;

impl Asked {
    /// About how much memory it takes.
    pub(crate) fn bytes(&self) -> usize {
        let topic =
            |(name, partitions): &(TopicName, Vec<i32>)| name.as_str().len() + size_of_val(partitions.as_slice());
        self.0.iter().flat_map(|(_, topics)| topics.iter().flatten()).map(topic).sum()
    }
}

/// The events' contents: one for each group, in order.
pub(crate) fn ask(
    request: &OffsetFetchRequest,
    version: i16,
    peer: &mut Peer,
) -> (Asked, Vec<(GroupId, FetchRequest)>) {
    let named = |name: &Text, partitions: &[i32]| (TopicName::from(name.as_str()), partitions.to_vec());
    let groups: Vec<_> = if version < 8 {
        let topics = request.topics.as_ref();
        let topics = topics.map(|all| all.iter().map(|it| named(&it.name, &it.partition_indexes)).collect());
        vec![(peer.group(&request.group_id), topics)]
    } else {
        let topics = |group: &crate::wire::messages::offset_fetch::OffsetFetchRequestGroup| {
            let topics = group.topics.as_ref();
            topics.map(|all| all.iter().map(|it| named(&it.name, &it.partition_indexes)).collect())
        };
        request.groups.iter().map(|group| (peer.group(&group.group_id), topics(group))).collect()
    };
    let events =
        groups.iter().map(|(group, partitions)| (group.clone(), FetchRequest { partitions: partitions.clone() }));
    let events = events.collect();
    (Asked(groups), events)
}

/// The answer, made of each group's reply in order.
pub(crate) fn answer(asked: Asked, replies: Vec<Reply>, version: i16) -> OffsetFetchResponse {
    let mut results = replies.into_iter().map(|reply| match reply {
        Reply::Fetch(result) => result,
        _ => Err(ErrorCode::UnknownServerError),
    });
    let mut results = asked.0.into_iter().map(|(group, asked)| {
        let result = results.next().unwrap_or(Err(ErrorCode::UnknownServerError));
        (group, asked, result)
    });
    if version >= 8 {
        return OffsetFetchResponse {
            groups: results.map(|(group, _, result)| of_group(&group, result)).collect(),
            ..Default::default()
        };
    }
    let Some((_, asked, result)) = results.next() else { return OffsetFetchResponse::default() };
    match result {
        Ok(offsets) => OffsetFetchResponse { topics: by_topic(offsets).map(old_topic).collect(), ..Default::default() },
        // v1 has no error of its own: it stands with each partition.
        Err(error) if version < 2 => {
            let topics =
                asked.unwrap_or_default().into_iter().map(|(name, partitions)| failed(&name, &partitions, error));
            OffsetFetchResponse { topics: topics.collect(), ..Default::default() }
        }
        Err(error_code) => OffsetFetchResponse { error_code, ..Default::default() },
    }
}

fn of_group(group: &GroupId, result: Result<Vec<FetchedOffset>, ErrorCode>) -> OffsetFetchResponseGroup {
    let (error_code, offsets) = match result {
        Ok(offsets) => (ErrorCode::None, offsets),
        Err(error) => (error, Vec::new()),
    };
    OffsetFetchResponseGroup { group_id: text(group), topics: by_topic(offsets).map(topic).collect(), error_code }
}

/// Neighbours of one topic together.
fn by_topic(offsets: Vec<FetchedOffset>) -> impl Iterator<Item = Vec<FetchedOffset>> {
    let mut offsets = offsets.into_iter().peekable();
    std::iter::from_fn(move || {
        let mut topic = vec![offsets.next()?];
        while let Some(more) = offsets.next_if(|it| it.offset.topic == topic[0].offset.topic) {
            topic.push(more);
        }
        Some(topic)
    })
}

fn name(offsets: &[FetchedOffset]) -> Text {
    offsets.first().map(|it| text(&it.offset.topic)).unwrap_or_default()
}

fn topic(offsets: Vec<FetchedOffset>) -> OffsetFetchResponseTopics {
    let name = name(&offsets);
    let partition = |it: FetchedOffset| OffsetFetchResponsePartitions {
        partition_index: it.offset.partition,
        committed_offset: it.offset.offset,
        committed_leader_epoch: it.offset.leader_epoch,
        metadata: Some(it.offset.metadata.into()),
        error_code: it.error,
    };
    OffsetFetchResponseTopics { name, partitions: offsets.into_iter().map(partition).collect() }
}

fn old_topic(offsets: Vec<FetchedOffset>) -> OffsetFetchResponseTopic {
    let name = name(&offsets);
    let partition = |it: FetchedOffset| OffsetFetchResponsePartition {
        partition_index: it.offset.partition,
        committed_offset: it.offset.offset,
        committed_leader_epoch: it.offset.leader_epoch,
        metadata: Some(it.offset.metadata.into()),
        error_code: it.error,
    };
    OffsetFetchResponseTopic { name, partitions: offsets.into_iter().map(partition).collect() }
}

fn failed(name: &TopicName, partitions: &[i32], error_code: ErrorCode) -> OffsetFetchResponseTopic {
    let partition = |partition_index: &i32| OffsetFetchResponsePartition {
        partition_index: *partition_index,
        committed_offset: -1,
        error_code,
        ..Default::default()
    };
    OffsetFetchResponseTopic { name: text(name), partitions: partitions.iter().map(partition).collect() }
}
