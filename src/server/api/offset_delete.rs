//! OffsetDelete: what names no topic or partition of ours is answered here, the rest goes to the group.

use super::Peer;
use super::partitions::{Asked, unknown};
use crate::group::effects::DeleteOffsetsReply;
use crate::group::event::DeleteOffsetsRequest;
use crate::ids::{GroupId, TopicName};
use crate::server::directory::Directory;
use crate::wire::messages::offset_delete::{OffsetDeleteResponsePartition, OffsetDeleteResponseTopic};
use crate::wire::messages::{OffsetDeleteRequest, OffsetDeleteResponse};

/// The event's content. The group is asked even if no partition is left: it may not exist.
pub(crate) fn ask(
    request: &OffsetDeleteRequest,
    topics: &Directory,
    peer: &mut Peer,
) -> (Asked, GroupId, DeleteOffsetsRequest) {
    let view = topics.view();
    let mut wanted = Vec::new();
    let mut asked = Asked::default();
    for topic in &request.topics {
        let name = TopicName::from(topic.name.as_str());
        let mut partition = |number: i32| {
            let known = unknown(topics, &view, &topic.name, number);
            if known.is_none() {
                wanted.push((name.clone(), number));
            }
            (number, known)
        };
        let partitions = topic.partitions.iter().map(|it| partition(it.partition_index)).collect();
        asked.add(&topic.name, partitions);
    }
    (asked, peer.group(&request.group_id), DeleteOffsetsRequest { partitions: wanted })
}

/// The answer: an error of the request's own, or one for each partition.
pub(crate) fn answer(asked: Asked, reply: &DeleteOffsetsReply) -> OffsetDeleteResponse {
    if reply.error.is_error() {
        return OffsetDeleteResponse { error_code: reply.error, ..Default::default() };
    }
    let partition = |(partition_index, error_code)| OffsetDeleteResponsePartition { partition_index, error_code };
    let topics = asked.answered(reply.partitions.iter().map(|(_, _, error)| *error), |name, partitions| {
        OffsetDeleteResponseTopic { name, partitions: partitions.into_iter().map(partition).collect() }
    });
    OffsetDeleteResponse { topics, ..Default::default() }
}
