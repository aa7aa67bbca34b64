//! OffsetDelete: what names no topic or partition of ours is answered here, the rest goes to the group.

use super::{Peer, text};
use crate::group::effects::DeleteOffsetsReply;
use crate::group::event::DeleteOffsetsRequest;
use crate::ids::{GroupId, TopicName};
use crate::server::directory::Directory;
use crate::wire::messages::offset_delete::{OffsetDeleteResponsePartition, OffsetDeleteResponseTopic};
use crate::wire::messages::{OffsetDeleteRequest, OffsetDeleteResponse};
use crate::wire::{ErrorCode, Text};

/// The partitions asked for, with the answer of those that the group does not see.
pub(crate) struct Asked(Vec<(Text, Partitions)>);

type Partitions = Vec<(i32, Option<ErrorCode>)>;

impl Asked {
    /// About how much memory it takes.
    pub(crate) fn bytes(&self) -> usize {
        self.0.iter().map(|(name, partitions)| name.len() + size_of_val(partitions.as_slice())).sum()
    }
}

/// The event's content. The group is asked even if no partition is left: it may not exist.
pub(crate) fn ask(
    request: &OffsetDeleteRequest,
    topics: &Directory,
    peer: &mut Peer,
) -> (Asked, GroupId, DeleteOffsetsRequest) {
    let view = topics.view();
    let mut wanted = Vec::new();
    let mut asked = Vec::with_capacity(request.topics.len());
    for topic in &request.topics {
        let name = TopicName::from(topic.name.as_str());
        let mut partition = |number: i32| {
            // While the topics are being loaded so is the group, which lets the request wait.
            if !view.table().has_partition(&topic.name, number) && topics.is_loaded() {
                return (number, Some(ErrorCode::UnknownTopicOrPartition));
            }
            wanted.push((name.clone(), number));
            (number, None)
        };
        let partitions = topic.partitions.iter().map(|it| partition(it.partition_index)).collect();
        asked.push((text(topic.name.as_str()), partitions));
    }
    (Asked(asked), peer.group(&request.group_id), DeleteOffsetsRequest { partitions: wanted })
}

/// The answer: an error of the request's own, or one for each partition.
pub(crate) fn answer(asked: Asked, reply: &DeleteOffsetsReply) -> OffsetDeleteResponse {
    if reply.error.is_error() {
        return OffsetDeleteResponse { error_code: reply.error, ..Default::default() };
    }
    let mut results = reply.partitions.iter().map(|(_, _, error)| *error);
    let mut partition = |(partition_index, known): (i32, Option<ErrorCode>)| OffsetDeleteResponsePartition {
        partition_index,
        error_code: known.or_else(|| results.next()).unwrap_or(ErrorCode::UnknownServerError),
    };
    let topics = asked.0.into_iter().map(|(name, partitions)| OffsetDeleteResponseTopic {
        name,
        partitions: partitions.into_iter().map(&mut partition).collect(),
    });
    OffsetDeleteResponse { topics: topics.collect(), ..Default::default() }
}
