//! What is forgotten on purpose: a whole group, some of its offsets, the offsets of topics that are gone.

use crate::ids::{Generation, TopicName};
use crate::time::{Timestamp, WallTime};
use crate::wire::ErrorCode;

use super::effects::{DeleteOffsetsReply, Effects, Reply};
use super::event::{DeleteOffsetsRequest, Ticket};
use super::state::State;
use super::{Fact, Group, Ledger, Record, Step};

impl Group {
    /// DeleteGroups. Ids that were handed out and not used yet are no members.
    pub(super) fn delete(&mut self, ticket: Ticket, step: &mut Step) {
        let error = if self.is_blank() {
            ErrorCode::GroupIdNotFound
        } else if matches!(self.state, State::Empty) && self.is_store_behind() {
            return Self::refuse_write(ticket, Reply::DeleteGroup(ErrorCode::None), step);
        } else if matches!(self.state, State::Empty) {
            self.remove("deleted on request", step);
            ErrorCode::None
        } else {
            ErrorCode::NonEmptyGroup
        };
        self.reply(ticket, Reply::DeleteGroup(error), step);
    }

    /// Forgets everything. The next member finds a new group, which counts its generations from 1: nobody can hold one
    /// of the old group, as it had no members. What waits for the store still waits.
    pub(super) fn remove(&mut self, why: &'static str, step: &mut Step) {
        step.fact(Fact::GroupDeleted { why });
        self.emit(Record::Removed, step);
        let ledger = std::mem::take(&mut self.ledger);
        // What the coordinator told it is no part of what is gone.
        let (modules, refuses) = (self.led.modules.clone(), self.store_refuses());
        *self = Group::new(self.id.clone(), self.limits.clone(), self.settings.clone(), step.now);
        self.ledger = Ledger {
            removed: ledger.emitted,
            announced: Generation(0),
            reserved: Generation(0),
            emitted: ledger.emitted,
            stored: ledger.stored,
            held: ledger.held,
        };
        self.set_modules(modules);
        self.set_store_refuses(refuses);
        self.wake = self.ledger.held.first_ends();
    }

    /// OffsetDelete. Members may hold on to what they subscribe to; of a group whose subscriptions nobody can read, that
    /// is everything.
    pub(super) fn delete_offsets(&mut self, ticket: Ticket, request: DeleteOffsetsRequest, step: &mut Step) {
        let has_members = !matches!(self.state, State::Empty);
        let refusal = if self.is_blank() {
            Some(ErrorCode::GroupIdNotFound)
        } else if has_members && !self.is_consumer() {
            Some(ErrorCode::NonEmptyGroup)
        } else {
            None
        };
        if let Some(error) = refusal {
            return self.reply(ticket, Reply::DeleteOffsets(DeleteOffsetsReply::refused(error)), step);
        }
        if self.is_store_behind() {
            let refused = DeleteOffsetsReply::refused(ErrorCode::None);
            return Self::refuse_write(ticket, Reply::DeleteOffsets(refused), step);
        }
        let subscriptions = self.subscriptions();
        let answer = |(topic, partition): (TopicName, i32)| {
            let subscribed = subscriptions.may_have(topic.as_str());
            (topic, partition, if subscribed { ErrorCode::GroupSubscribedToTopic } else { ErrorCode::None })
        };
        let partitions: Vec<_> = request.partitions.into_iter().map(answer).collect();
        let free = partitions.iter().filter(|(_, _, error)| !error.is_error());
        let free: Vec<_> = free.map(|(topic, partition, _)| (topic.clone(), *partition)).collect();
        self.forget_offsets(free, "deleted on request", step);
        let reply = DeleteOffsetsReply { error: ErrorCode::None, partitions };
        self.reply(ticket, Reply::DeleteOffsets(reply), step);
    }

    /// A topic of the same name may come again, and the old one's offsets would mean nothing in it.
    pub(super) fn topics_removed(&mut self, topics: &[TopicName], upto: Option<WallTime>, step: &mut Step) {
        let of = |topic: &TopicName| (topic.clone(), i32::MIN)..=(topic.clone(), i32::MAX);
        let gone = topics.iter().flat_map(|topic| self.offsets.range(of(topic)));
        let gone = gone.filter(|(_, record)| upto.is_none_or(|upto| record.at <= upto));
        let gone = gone.map(|(key, _)| key.clone()).collect();
        self.forget_offsets(gone, "their topics were deleted", step);
    }

    /// Whether anything was committed of one of these topics.
    pub fn has_offsets_of(&self, topics: &[TopicName]) -> bool {
        let of = |topic: &TopicName| (topic.clone(), i32::MIN)..=(topic.clone(), i32::MAX);
        topics.iter().any(|topic| self.offsets.range(of(topic)).next().is_some())
    }

    fn forget_offsets(&mut self, keys: Vec<(TopicName, i32)>, why: &'static str, step: &mut Step) {
        let partitions = self.drop_offsets(keys, step);
        if partitions > 0 {
            step.fact(Fact::OffsetsDeleted { partitions, why });
        }
    }

    /// Forgets those of these offsets that there are; says how many.
    pub(super) fn drop_offsets(&mut self, keys: Vec<(TopicName, i32)>, step: &mut Step) -> usize {
        let mut dropped = 0;
        for key in keys {
            if self.offsets.remove(&key).is_some() {
                dropped += 1;
                self.emit(Record::OffsetRemoved(key.0, key.1), step);
            }
        }
        dropped
    }

    /// Answers "no such group" in place of the coordinator, while the deletion is not durable yet.
    pub fn hold(&mut self, answers: Effects, now: Timestamp) -> Effects {
        let mut out = Effects { upto: self.ledger.emitted, ..Effects::default() };
        for (ticket, reply) in answers.replies {
            let waits = self.ledger.emitted > self.ledger.stored && !matches!(reply, Reply::Heartbeat(_));
            if waits {
                self.hold_back(ticket, reply, now);
            } else {
                out.replies.push((ticket, reply));
            }
        }
        out
    }
}
