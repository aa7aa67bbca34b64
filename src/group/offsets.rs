//! Offsets: how far the group has come with each partition.

use crate::ids::Generation;
use crate::wire::ErrorCode;

use super::effects::{FetchedOffset, Reply};
use super::event::{CommitRequest, CommittedOffset, FetchRequest, Ticket};
use super::record::OffsetRecord;
use super::settings::CommitCheck;
use super::state::State;
use super::{Fact, Group, Record, Step};

impl Group {
    /// Each partition has its own answer; one that is refused leaves nothing behind (KAFKA-16371).
    pub(super) fn commit(&mut self, ticket: Ticket, request: CommitRequest, step: &mut Step) {
        let refusal = self.may_commit(&request, step).err();
        if refusal.is_none() && self.is_store_behind() {
            let each = request.offsets.into_iter().map(|it| (it.topic, it.partition, ErrorCode::None)).collect();
            return Self::refuse_write(ticket, Reply::Commit(each), step);
        }
        let (at, expires) = (step.now.wall, request.retention.map(|kept| step.now.wall + kept));
        let judges = refusal.is_none() && self.judges_owners(&request.member);
        let mut foreign = None;
        let mut answers = Vec::with_capacity(request.offsets.len());
        let mut stored = 0;
        for offset in request.offsets {
            let is_foreign = judges && self.is_foreign(&request.member, &offset, &mut foreign);
            let error = match refusal {
                Some(error) => error,
                None if self.is_too_long(&offset.metadata) => ErrorCode::OffsetMetadataTooLarge,
                None if is_foreign && self.settings.commit_check == CommitCheck::Enforce => NOT_OWNED,
                None => ErrorCode::None,
            };
            answers.push((offset.topic.clone(), offset.partition, error));
            if error == ErrorCode::None {
                stored += 1;
                self.keep_offset(OffsetRecord { offset, at, expires }, step);
            }
        }
        if let Some(foreign) = foreign {
            step.fact(Fact::CommitNotOwned(Box::new(foreign)));
        }
        if stored > 0 {
            step.fact(Fact::Committed { partitions: stored });
        }
        self.reply(ticket, Reply::Commit(answers), step);
    }

    /// A member commits in its generation, and that is a sign of life (KAFKA-3470); a client that is no member commits
    /// only while the group has none, whatever it calls itself (KAFKA-14201).
    fn may_commit(&mut self, request: &CommitRequest, step: &mut Step) -> Result<(), ErrorCode> {
        let is_nobodys = request.generation < Generation(0);
        if matches!(self.state, State::Empty) && is_nobodys {
            return Ok(());
        }
        if is_nobodys && request.member.as_str().is_empty() && request.instance.is_none() {
            return Err(ErrorCode::UnknownMemberId);
        }
        self.validate(&request.member, request.instance.as_ref(), request.generation)?;
        if matches!(self.state, State::AwaitingSync(_)) {
            return Err(ErrorCode::RebalanceInProgress);
        }
        self.renew(&request.member, step.now.mono);
        Ok(())
    }

    /// Kafka counts UTF-16 units, of which a text has never more than bytes.
    fn is_too_long(&self, note: &str) -> bool {
        let most = self.limits.offset_metadata_max_bytes;
        note.len() > most && note.encode_utf16().count() > most
    }

    fn keep_offset(&mut self, record: OffsetRecord, step: &mut Step) {
        let key = (record.offset.topic.clone(), record.offset.partition);
        self.offsets.insert(key, record.clone());
        self.emit(Record::Offset(record), step);
    }

    /// What was committed, and "nothing" for every partition asked of which nothing was. Like every answer it waits for
    /// what was handed to the store before it: so it is always what `require_stable` asks for (KIP-447), and a commit
    /// that a crash could undo is never seen.
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

/// The answer for a partition that is another member's, under `commit.check = "enforce"`. It is the one code that
/// clients take as "not this partition": they look at the others, do not try again and do not leave the group, and tell
/// their user (Java's and Python's collect such topics; 22, 25 and 27 would end the member's generation, and any other
/// code ends the reading of the answer).
const NOT_OWNED: ErrorCode = ErrorCode::TopicAuthorizationFailed;

/// "Nothing was committed", as OffsetFetch says it.
pub(crate) fn no_offset(topic: crate::ids::TopicName, partition: i32) -> CommittedOffset {
    CommittedOffset { topic, partition, offset: -1, leader_epoch: -1, metadata: String::new() }
}
