//! Committing offsets as the member that one is: a commit names the generation, so that a member that lost its work
//! cannot overwrite what its successor committed.

use std::collections::BTreeMap;

use super::error::{CommitError, FetchError};
use crate::ids::{Generation, GroupId, MemberId, TopicName};
use crate::peer::Connection;
use crate::wire::ErrorCode;
use crate::wire::Text;
use crate::wire::messages::offset_commit::{
    OffsetCommitRequest, OffsetCommitRequestPartition, OffsetCommitRequestTopic,
};
use crate::wire::messages::offset_fetch::{
    OffsetFetchRequest, OffsetFetchRequestGroup, OffsetFetchRequestTopic, OffsetFetchRequestTopics,
};

/// How far the work on a partition has come.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Offset {
    /// The topic.
    pub topic: TopicName,
    /// The partition.
    pub partition: i32,
    /// The next offset to work on.
    pub offset: i64,
}

/// Sends one commit.
pub(super) async fn commit(
    to: &Connection,
    (group, instance): (&GroupId, Option<&Text>),
    (member, generation): (MemberId, Generation),
    offsets: &[Offset],
) -> Result<(), CommitError> {
    let mut topics: BTreeMap<&TopicName, Vec<OffsetCommitRequestPartition>> = BTreeMap::new();
    for it in offsets {
        let partition = OffsetCommitRequestPartition {
            partition_index: it.partition,
            committed_offset: it.offset,
            ..OffsetCommitRequestPartition::default()
        };
        topics.entry(&it.topic).or_default().push(partition);
    }
    let topic =
        |(name, partitions): (&TopicName, _)| OffsetCommitRequestTopic { name: name.as_str().into(), partitions };
    let request = OffsetCommitRequest {
        group_id: group.as_str().into(),
        generation_id_or_member_epoch: generation.0,
        member_id: member.as_str().into(),
        group_instance_id: instance.cloned(),
        topics: topics.into_iter().map(topic).collect(),
        ..OffsetCommitRequest::default()
    };
    let answer = to.call(&request, to.request_timeout()).await.map_err(CommitError::Unanswered)?;
    let refused = answer.topics.iter().find_map(|topic| {
        let partition = topic.partitions.iter().find(|it| it.error_code.is_error())?;
        Some(CommitError::Refused {
            topic: topic.name.to_string(),
            partition: partition.partition_index,
            error: partition.error_code,
        })
    });
    refused.map_or(Ok(()), Err)
}

/// Asks how far the group has come with these partitions.
pub(super) async fn committed(
    to: &Connection,
    group: &GroupId,
    partitions: &[(TopicName, Vec<i32>)],
) -> Result<Vec<Offset>, FetchError> {
    let answer = fetch(to, group, Some(partitions)).await.map_err(FetchError::Unanswered)?;
    match answer.refused {
        Some(error) => Err(FetchError::Refused { group: group.to_string(), error }),
        None => Ok(answer.offsets),
    }
}

/// What an answer to OffsetFetch says, in whichever version.
#[derive(Default)]
pub(super) struct Fetched {
    /// What is committed, as far as it is told.
    pub(super) offsets: Vec<Offset>,
    /// The last refusal, of the whole or of a part.
    pub(super) refused: Option<ErrorCode>,
}

impl Fetched {
    fn refuse(&mut self, error: ErrorCode) {
        if error.is_error() {
            self.refused = Some(error);
        }
    }

    fn note(&mut self, topic: &Text, partition: i32, offset: i64, error: ErrorCode) {
        self.refuse(error);
        if offset >= 0 && !error.is_error() {
            self.offsets.push(Offset { topic: TopicName::from(topic.as_str()), partition, offset });
        }
    }
}

/// Asks how far the group has come with these partitions, or with all that it has committed.
pub(super) async fn fetch(
    to: &Connection,
    group: &GroupId,
    partitions: Option<&[(TopicName, Vec<i32>)]>,
) -> Result<Fetched, String> {
    let group_id = Text::from(group.as_str());
    // One group before version 8, several from there on.
    let one = |(name, numbers): &(TopicName, Vec<i32>)| OffsetFetchRequestTopic {
        name: name.as_str().into(),
        partition_indexes: numbers.clone(),
    };
    let of_many = |(name, numbers): &(TopicName, Vec<i32>)| OffsetFetchRequestTopics {
        name: name.as_str().into(),
        partition_indexes: numbers.clone(),
    };
    let request = OffsetFetchRequest {
        group_id: group_id.clone(),
        topics: partitions.map(|it| it.iter().map(one).collect()),
        groups: vec![OffsetFetchRequestGroup {
            group_id,
            topics: partitions.map(|it| it.iter().map(of_many).collect()),
            ..OffsetFetchRequestGroup::default()
        }],
        ..OffsetFetchRequest::default()
    };
    let answer = to.call(&request, to.request_timeout()).await?;
    let mut found = Fetched::default();
    found.refuse(answer.error_code);
    for topic in &answer.topics {
        for it in &topic.partitions {
            found.note(&topic.name, it.partition_index, it.committed_offset, it.error_code);
        }
    }
    for of in &answer.groups {
        found.refuse(of.error_code);
        for topic in &of.topics {
            for it in &topic.partitions {
                found.note(&topic.name, it.partition_index, it.committed_offset, it.error_code);
            }
        }
    }
    Ok(found)
}

/// Whether the same commit may succeed a moment later: the coordinator moved, loads, or was not reached; or the group
/// rebalances, and the member, which goes on with its work, is in the next generation soon.
pub(super) fn passes(error: &CommitError) -> bool {
    match error {
        CommitError::Unanswered(_) => true,
        CommitError::Refused { error, .. } => is_passing(*error),
        CommitError::NotAssigned | CommitError::Left => false,
    }
}

/// The same for reading what is committed.
pub(super) fn may_be_read_later(error: &FetchError) -> bool {
    match error {
        FetchError::Unanswered(_) => true,
        FetchError::Refused { error, .. } => is_passing(*error),
        FetchError::Left => false,
    }
}

fn is_passing(error: ErrorCode) -> bool {
    matches!(
        error,
        ErrorCode::CoordinatorLoadInProgress
            | ErrorCode::CoordinatorNotAvailable
            | ErrorCode::NotCoordinator
            | ErrorCode::RebalanceInProgress
    )
}
