//! What survives a crash: which records are handed out when, which answers wait for them, and how a group comes back.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::ids::{Generation, GroupId, MemberId, TopicName};
use crate::time::Now;
use crate::wire::ErrorCode;

use super::effects::{DeleteOffsetsReply, LeaveReply, Reply};
use super::event::{Seq, Ticket};
use super::history::GenerationRecord;
use super::join::join_error;
use super::limits::{GENERATIONS_RESERVED_AHEAD, GroupLimits};
use super::ownership::Ownership;
use super::places::Places;
use super::record::{Header, OffsetRecord, PlanRecord};
use super::roster::{Member, Parked};
use super::settings::GroupSettings;
use super::state::{Stable, State, Submission};
use super::{Group, Record, Step, Suspension};

/// The part of a group that outlives its coordinator. The law: restoring all records so far gives what the live group
/// has of it, whenever no rebalance is on its way.
#[derive(Clone, PartialEq, Debug)]
pub struct Persisted {
    /// Who is in the group, as of the generation in force.
    pub header: Header,
    /// The last accepted plan.
    pub plan: Option<PlanRecord>,
    /// No generation above it has been announced.
    pub reserved: Generation,
    /// What the vote passes over.
    pub suspensions: Vec<Suspension>,
    /// The last generations.
    pub history: Vec<GenerationRecord>,
    /// The committed offsets.
    pub offsets: BTreeMap<(TopicName, i32), OffsetRecord>,
}

impl Group {
    /// The group that these records tell of, in any order (but [`Record::Removed`] forgets what came before it). Its
    /// members get fresh sessions; a generation whose plan is durable is active at once, nobody has to rebalance.
    pub fn restore(
        id: GroupId,
        records: impl IntoIterator<Item = Record>,
        limits: Arc<GroupLimits>,
        settings: Arc<GroupSettings>,
        now: Now,
    ) -> Self {
        let mut group = Group::new(id, limits, settings, now);
        for record in records {
            match record {
                Record::Header(header) => group.restore_header(header, now),
                Record::Plan(plan) => group.plan = Some(plan),
                Record::Reserved(generation) => group.ledger.reserved = generation,
                Record::Suspensions(suspensions) => group.suspensions = suspensions,
                Record::Generation(entry) => group.history.restore(entry),
                Record::Offset(it) => {
                    group.offsets.insert((it.offset.topic.clone(), it.offset.partition), it);
                }
                Record::OffsetRemoved(topic, partition) => {
                    group.offsets.remove(&(topic, partition));
                }
                Record::Removed => group = Group::new(group.id, group.limits, group.settings, now),
            }
        }
        if group.plan.as_ref().is_none_or(|plan| plan.generation != group.generation) {
            // Header and plan are stored together; without its plan a generation cannot go on.
            group.roster = Default::default();
            group.state = State::Empty;
        }
        group.ownership = Ownership::after_restart();
        group.places = Places::of(&group.roster);
        group.ledger.reserved = group.ledger.reserved.max(group.generation);
        group.ledger.announced = group.ledger.reserved;
        group.restore_led(now);
        group.wake = group.earliest_deadline();
        group.check();
        group
    }

    fn restore_header(&mut self, header: Header, now: Now) {
        self.protocol_type = header.protocol_type;
        self.protocol = header.protocol;
        self.generation = header.generation;
        self.leader = header.leader;
        (self.since, self.voted_at) = (header.since, header.since);
        self.roster = Default::default();
        for record in header.members {
            let arrival = self.roster.next_arrival();
            let (id, member) = Member::restored(record, now.mono, arrival);
            self.roster.insert(id, member);
        }
        let empty = self.roster.members.is_empty();
        self.state = if empty { State::Empty } else { State::Stable(Stable { sync_deadline: None }) };
    }

    /// What a restored group would have of this one.
    pub fn persisted(&self) -> Persisted {
        Persisted {
            header: self.header(),
            plan: self.plan.clone(),
            reserved: self.ledger.reserved,
            suspensions: self.suspensions.clone(),
            history: self.history.stored(),
            offsets: self.offsets.clone(),
        }
    }

    pub(super) fn header(&self) -> Header {
        Header {
            protocol_type: self.protocol_type.clone(),
            protocol: self.protocol.clone(),
            generation: self.generation,
            leader: self.leader.clone(),
            members: self.roster.members.iter().map(|(id, member)| member.record(id)).collect(),
            since: self.since,
        }
    }

    /// The generation with its plan, and the generations reserved ahead of it.
    pub(super) fn emit_generation(&mut self, step: &mut Step) {
        if let Some(plan) = self.plan.clone() {
            self.emit(Record::Plan(plan), step);
        }
        let header = self.header();
        self.emit(Record::Header(header), step);
        self.reserve(reserve_ahead(self.generation), step);
    }

    pub(super) fn reserve(&mut self, upto: Generation, step: &mut Step) {
        if upto > self.ledger.reserved {
            self.ledger.reserved = upto;
            self.emit(Record::Reserved(upto), step);
        }
    }

    pub(super) fn emit(&mut self, record: Record, step: &mut Step) {
        self.ledger.emitted.0 += 1;
        step.effects.records.push(record);
    }

    /// Sends an answer, or holds it until everything that the group has handed to the store is durable: nobody may see
    /// what a crash could still undo.
    pub(super) fn reply(&mut self, ticket: Ticket, reply: Reply, step: &mut Step) {
        if self.ledger.emitted > self.ledger.stored {
            self.hold_back(ticket, reply, step.now.mono);
        } else {
            step.effects.replies.push((ticket, reply));
        }
    }

    pub(super) fn stored(&mut self, upto: Seq, step: &mut Step) {
        self.ledger.stored = self.ledger.stored.max(upto.min(self.ledger.emitted));
        self.send_stored(step);
        let State::AwaitingSync(awaiting) = &self.state else { return };
        if matches!(awaiting.submission, Some(Submission::Storing(seq, _)) if seq <= self.ledger.stored) {
            self.hand_out(step);
        }
    }

    /// Nobody knows what of it is durable. Whoever waits is told to find the coordinator again; the shell then forgets
    /// the group and reads it anew.
    pub(super) fn store_failed(&mut self, step: &mut Step) {
        let error = ErrorCode::CoordinatorNotAvailable;
        for (ticket, reply) in std::mem::take(&mut self.ledger.held).take_all() {
            step.effects.replies.push((ticket, failed(reply, error)));
        }
        self.release_beats(error, step);
        let parked: Vec<(MemberId, Parked)> =
            self.roster.members.iter().map(|(id, member)| (id.clone(), member.parked)).collect();
        for (id, parked) in parked {
            let answer = match parked {
                Parked::Nothing => continue,
                Parked::Join(ticket) => (ticket, join_error(error, id)),
                Parked::Sync(ticket) => (ticket, Reply::Sync(self.sync_error(error, None))),
            };
            step.effects.replies.push(answer);
        }
        self.roster = Default::default();
        self.state = State::Empty;
        self.wake = None;
    }
}

/// The reservation that goes with a generation.
pub(super) fn reserve_ahead(generation: Generation) -> Generation {
    Generation(generation.0.saturating_add(GENERATIONS_RESERVED_AHEAD))
}

/// The same answer as a failure.
pub(super) fn failed(reply: Reply, error: ErrorCode) -> Reply {
    match reply {
        // Which id the member has is as unknown as the rest.
        Reply::Join(_) => join_error(error, MemberId::default()),
        Reply::Sync(mut reply) => {
            reply.state.clear();
            let (protocol_type, protocol, stand_in) = (None, None, None);
            Reply::Sync(super::effects::SyncReply { error, protocol_type, protocol, stand_in, ..reply })
        }
        Reply::Heartbeat(_) => Reply::Heartbeat(error),
        Reply::Leave(_) => Reply::Leave(LeaveReply { error, members: Vec::new() }),
        Reply::Commit(answers) => Reply::Commit(answers.into_iter().map(|(topic, at, _)| (topic, at, error)).collect()),
        // Consumers before 3.9 do not know 15 here.
        Reply::Fetch(_) => Reply::Fetch(Err(ErrorCode::NotCoordinator)),
        Reply::DeleteGroup(_) => Reply::DeleteGroup(error),
        Reply::DeleteOffsets(_) => Reply::DeleteOffsets(DeleteOffsetsReply::refused(error)),
    }
}
