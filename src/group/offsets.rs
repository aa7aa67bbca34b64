//! Offsets: how far the group has come with each partition.

use crate::ids::Generation;
use crate::time::WallTime;
use crate::wire::ErrorCode;

use super::effects::{FetchedOffset, Reply};
use super::event::{CommitRequest, CommittedOffset, FetchRequest, Ticket};
use super::record::OffsetRecord;
use super::state::State;
use super::{Fact, Group, Record, Step};

impl Group {
    pub(super) fn commit(&mut self, ticket: Ticket, request: CommitRequest, step: &mut Step) {
        let error = self.may_commit(&request, step).err();
        let mut answers = Vec::with_capacity(request.offsets.len());
        let mut stored = 0;
        for offset in request.offsets {
            let too_long = offset.metadata.chars().count() > self.limits.offset_metadata_max_bytes;
            let error = error.unwrap_or(if too_long { ErrorCode::OffsetMetadataTooLarge } else { ErrorCode::None });
            answers.push((offset.topic.clone(), offset.partition, error));
            if error == ErrorCode::None {
                stored += 1;
                self.keep_offset(offset, step.now.wall, step);
            }
        }
        if stored > 0 {
            step.fact(Fact::Committed { partitions: stored });
        }
        self.reply(ticket, Reply::Commit(answers), step);
    }

    /// A member commits in its generation, and that is a sign of life (KAFKA-3470); a client that is no member commits
    /// only while the group has none.
    fn may_commit(&mut self, request: &CommitRequest, step: &mut Step) -> Result<(), ErrorCode> {
        if matches!(self.state, State::Empty) && request.generation < Generation(0) {
            return Ok(());
        }
        if request.generation < Generation(0) && request.member.as_str().is_empty() {
            return Err(ErrorCode::UnknownMemberId);
        }
        self.validate(&request.member, request.instance.as_ref(), request.generation)?;
        if matches!(self.state, State::AwaitingSync(_)) {
            return Err(ErrorCode::RebalanceInProgress);
        }
        self.renew(&request.member, step.now.mono);
        Ok(())
    }

    fn keep_offset(&mut self, offset: CommittedOffset, at: WallTime, step: &mut Step) {
        let record = OffsetRecord { offset, at };
        let key = (record.offset.topic.clone(), record.offset.partition);
        self.offsets.insert(key, record.clone());
        self.emit(Record::Offset(record), step);
    }

    /// What was committed, and "nothing" for every partition asked of which nothing was.
    pub(super) fn fetch(&mut self, ticket: Ticket, request: FetchRequest, step: &mut Step) {
        let found = |offset: CommittedOffset| FetchedOffset { offset, error: ErrorCode::None };
        let offsets = match request.partitions {
            None => self.offsets.values().map(|record| found(record.offset.clone())).collect(),
            Some(topics) => topics
                .into_iter()
                .flat_map(|(topic, partitions)| partitions.into_iter().map(move |partition| (topic.clone(), partition)))
                .map(|key| match self.offsets.get(&key) {
                    Some(record) => found(record.offset.clone()),
                    None => found(no_offset(key.0, key.1)),
                })
                .collect(),
        };
        self.reply(ticket, Reply::Fetch(Ok(offsets)), step);
    }
}

/// "Nothing was committed", as OffsetFetch says it.
pub(crate) fn no_offset(topic: crate::ids::TopicName, partition: i32) -> CommittedOffset {
    CommittedOffset { topic, partition, offset: -1, leader_epoch: -1, metadata: String::new() }
}
