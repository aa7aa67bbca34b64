//! OffsetCommit: what names no topic or partition of ours is answered here, the rest goes to the group.

use std::time::Duration;

use super::Peer;
use super::partitions::{Asked, unknown};
use crate::group::event::{CommitRequest, CommittedOffset};
use crate::ids::{Generation, GroupId, InstanceId, TopicName};
use crate::server::directory::Directory;
use crate::wire::ErrorCode;
use crate::wire::messages::offset_commit::{OffsetCommitResponsePartition, OffsetCommitResponseTopic};
use crate::wire::messages::{OffsetCommitRequest, OffsetCommitResponse};

/// The event's content, without an event if no partition exists: then the group is not asked, as in Kafka.
pub(crate) fn ask(
    request: &OffsetCommitRequest,
    topics: &Directory,
    peer: &mut Peer,
) -> (Asked, GroupId, Option<CommitRequest>) {
    let view = topics.view();
    let mut offsets = Vec::new();
    let mut asked = Asked::default();
    for topic in &request.topics {
        let name = TopicName::from(topic.name.as_str());
        let mut partitions = Vec::with_capacity(topic.partitions.len());
        for it in &topic.partitions {
            let known = unknown(topics, &view, &topic.name, it.partition_index);
            partitions.push((it.partition_index, known));
            if known.is_some() {
                continue;
            }
            offsets.push(CommittedOffset {
                topic: name.clone(),
                partition: it.partition_index,
                offset: it.committed_offset,
                leader_epoch: it.committed_leader_epoch,
                metadata: it.committed_metadata.as_deref().unwrap_or_default().to_owned(),
            });
        }
        asked.add(&topic.name, partitions);
    }
    let commit = CommitRequest {
        member: peer.member(&request.member_id),
        instance: request.group_instance_id.as_deref().map(InstanceId::from),
        generation: Generation(request.generation_id_or_member_epoch),
        retention: retention(request.retention_time_ms),
        offsets,
    };
    (asked, peer.group(&request.group_id), (!commit.offsets.is_empty()).then_some(commit))
}

/// What v2 to v4 say; -1 leaves it to the server. A time that is over is over.
fn retention(time_ms: i64) -> Option<Duration> {
    (time_ms != -1).then(|| Duration::from_millis(u64::try_from(time_ms).unwrap_or(0)))
}

/// The answer: `results` are the group's, in the order of the partitions that it was asked about. It says 69 of a
/// group that does not exist; before v9 clients know only 22 for that.
pub(crate) fn answer(asked: Asked, results: &[(TopicName, i32, ErrorCode)], version: i16) -> OffsetCommitResponse {
    let results = results.iter().map(|(_, _, error)| match error {
        ErrorCode::GroupIdNotFound if version < 9 => ErrorCode::IllegalGeneration,
        error => *error,
    });
    let partition = |(partition_index, error_code)| OffsetCommitResponsePartition { partition_index, error_code };
    let topics = asked.answered(results, |name, partitions| OffsetCommitResponseTopic {
        name,
        partitions: partitions.into_iter().map(partition).collect(),
    });
    OffsetCommitResponse { topics, ..Default::default() }
}
