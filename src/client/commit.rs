//! Committing offsets as the member that one is: a commit names the generation, so that a member that lost its work
//! cannot overwrite what its successor committed.

use std::collections::BTreeMap;

use super::error::CommitError;
use super::limits::REQUEST_TIMEOUT;
use crate::ids::{Generation, GroupId, MemberId, TopicName};
use crate::peer::Connection;
use crate::wire::ErrorCode;
use crate::wire::Text;
use crate::wire::messages::offset_commit::{
    OffsetCommitRequest, OffsetCommitRequestPartition, OffsetCommitRequestTopic,
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
    let answer = to.call(&request, REQUEST_TIMEOUT).await.map_err(CommitError::Unanswered)?;
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

/// Whether the same commit may succeed a moment later: the coordinator moved, loads, or was not reached.
pub(super) fn passes(error: &CommitError) -> bool {
    match error {
        CommitError::Unanswered(_) => true,
        CommitError::Refused { error, .. } => matches!(
            error,
            ErrorCode::CoordinatorLoadInProgress | ErrorCode::CoordinatorNotAvailable | ErrorCode::NotCoordinator
        ),
        CommitError::NotAssigned | CommitError::Left => false,
    }
}
