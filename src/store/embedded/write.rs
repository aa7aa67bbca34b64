//! A batch of entries as one transaction.

use std::collections::BTreeMap;

use redb::{Database, Durability, ReadableTable, Table, WriteTransaction};

use super::encode::{Block, Packed, block_of, decode, encode};
use super::failure::Failure;
use super::{
    GROUPS, MEMBERS, OFFSETS, ORIGINS, ORIGINS_KEPT, PLANS, ROOM, ROOM_BYTES, STATES, TOPICS, kind, parts, successor,
};
use crate::group::Record;
use crate::group::record::{Header, OffsetRecord, PlanRecord};
use crate::ids::{GroupId, TopicName};
use crate::store::Entry;

/// Makes the batch durable, or none of it.
pub(super) fn append(database: &Database, entries: &[Entry]) -> Result<(), Failure> {
    let mut transaction = database.begin_write()?;
    transaction.set_durability(Durability::Immediate)?;
    let mut batch = Batch::begin(&transaction)?;
    entries.iter().try_for_each(|entry| batch.put(entry))?;
    batch.finish()?;
    transaction.commit()?;
    Ok(())
}

/// Fills some room, and frees it again.
pub(super) fn probe(database: &Database) -> Result<(), Failure> {
    let mut filling = database.begin_write()?;
    filling.set_durability(Durability::Immediate)?;
    filling.open_table(ROOM)?.insert("", vec![0; ROOM_BYTES].as_slice())?;
    filling.commit()?;
    let mut freeing = database.begin_write()?;
    freeing.set_durability(Durability::Immediate)?;
    freeing.delete_table(ROOM)?;
    freeing.commit()?;
    Ok(())
}

struct Batch<'t> {
    groups: Table<'t, (&'static str, u8), &'static [u8]>,
    plans: Table<'t, &'static str, &'static [u8]>,
    members: Table<'t, (&'static str, u32), &'static [u8]>,
    states: Table<'t, (&'static str, u32), &'static [u8]>,
    offsets: Table<'t, (&'static str, &'static str, i32), &'static [u8]>,
    topics: Table<'t, &'static str, &'static [u8]>,
    /// For what is seldom written.
    transaction: &'t WriteTransaction,
    /// Blocks that the batch changes: each is read and written once, however many of its offsets change.
    blocks: BTreeMap<(GroupId, TopicName, i32), Block>,
}

impl<'t> Batch<'t> {
    fn begin(transaction: &'t WriteTransaction) -> Result<Self, Failure> {
        Ok(Self {
            groups: transaction.open_table(GROUPS)?,
            plans: transaction.open_table(PLANS)?,
            members: transaction.open_table(MEMBERS)?,
            states: transaction.open_table(STATES)?,
            offsets: transaction.open_table(OFFSETS)?,
            topics: transaction.open_table(TOPICS)?,
            transaction,
            blocks: BTreeMap::new(),
        })
    }

    fn put(&mut self, entry: &Entry) -> Result<(), Failure> {
        match entry {
            Entry::Group(group, record) => self.put_record(group, record)?,
            Entry::Topic(name, topic) => {
                self.topics.insert(name.as_str(), encode(topic).as_slice())?;
            }
            Entry::TopicRemoved(name) => {
                self.topics.remove(name.as_str())?;
            }
            Entry::Origin(name, Some(origin)) => {
                self.transaction.open_table(ORIGINS)?.insert(name.as_str(), encode(origin).as_slice())?;
            }
            Entry::Origin(name, None) => {
                self.transaction.open_table(ORIGINS)?.remove(name.as_str())?;
            }
            Entry::OriginsUntil(at) => {
                self.transaction.open_table(ORIGINS_KEPT)?.insert("until", at.0)?;
            }
        }
        Ok(())
    }

    fn put_record(&mut self, group: &GroupId, record: &Record) -> Result<(), Failure> {
        match record {
            Record::Header(header) => self.put_header(group, header),
            Record::Reserved(generation) => self.put_small(group, kind::RESERVED, &encode(generation)),
            Record::Suspensions(suspensions) => self.put_small(group, kind::SUSPENSIONS, &encode(suspensions)),
            Record::Generation(entry) => self.put_small(group, kind::GENERATIONS + entry.slot(), &encode(entry)),
            Record::Plan(plan) => self.put_plan(group, plan),
            Record::Offset(record) => self.put_offset(group, record),
            Record::OffsetRemoved(topic, partition) => {
                self.block(group, topic, *partition)?.remove(partition);
                Ok(())
            }
            Record::Removed => self.remove_group(group),
        }
    }

    fn put_small(&mut self, group: &GroupId, kind: u8, value: &[u8]) -> Result<(), Failure> {
        self.groups.insert((group.as_str(), kind), value)?;
        Ok(())
    }

    fn put_header(&mut self, group: &GroupId, header: &Header) -> Result<(), Failure> {
        parts::put(&mut self.members, group.as_str(), &header.members, |member| &member.id)?;
        if !parts::is_parted(header.members.len()) {
            return self.put_small(group, kind::HEADER, &encode(header));
        }
        let Header { protocol_type, protocol, generation, leader, members: _, since } = header;
        let (protocol_type, protocol, leader) = (protocol_type.clone(), protocol.clone(), leader.clone());
        let (generation, since) = (*generation, *since);
        let rest = Header { protocol_type, protocol, generation, leader, members: Vec::new(), since };
        self.put_small(group, kind::HEADER, &encode(&rest))
    }

    fn put_plan(&mut self, group: &GroupId, plan: &PlanRecord) -> Result<(), Failure> {
        parts::put(&mut self.states, group.as_str(), &plan.states, |(member, _)| member)?;
        let value = if parts::is_parted(plan.states.len()) {
            let (memo, stand_in, chosen) = (plan.memo.clone(), plan.stand_in.clone(), plan.chosen.clone());
            encode(&PlanRecord { states: Vec::new(), memo, stand_in, chosen, ..*plan })
        } else {
            encode(plan)
        };
        self.plans.insert(group.as_str(), value.as_slice())?;
        Ok(())
    }

    fn put_offset(&mut self, group: &GroupId, record: &OffsetRecord) -> Result<(), Failure> {
        let at = &record.offset;
        self.block(group, &at.topic, at.partition)?.insert(at.partition, Packed::pack(record));
        Ok(())
    }

    fn block(&mut self, group: &GroupId, topic: &TopicName, partition: i32) -> Result<&mut Block, Failure> {
        use std::collections::btree_map::Entry::{Occupied, Vacant};
        let number = block_of(partition);
        match self.blocks.entry((group.clone(), topic.clone(), number)) {
            Occupied(block) => Ok(block.into_mut()),
            Vacant(free) => {
                let stored = self.offsets.get((group.as_str(), topic.as_str(), number))?;
                let block = stored.map(|value| decode(value.value(), "the offsets of group", group.as_str()));
                Ok(free.insert(block.transpose()?.unwrap_or_default()))
            }
        }
    }

    fn remove_group(&mut self, group: &GroupId) -> Result<(), Failure> {
        let id = group.as_str();
        let end = successor(id);
        self.blocks.retain(|(of, _, _), _| of != group);
        self.groups.retain_in((id, u8::MIN)..=(id, u8::MAX), |_, _| false)?;
        self.plans.remove(id)?;
        parts::remove(&mut self.members, id, 0)?;
        parts::remove(&mut self.states, id, 0)?;
        self.offsets.retain_in((id, "", i32::MIN)..(end.as_str(), "", i32::MIN), |_, _| false)?;
        Ok(())
    }

    fn finish(mut self) -> Result<(), Failure> {
        for ((group, topic, number), block) in &self.blocks {
            let key = (group.as_str(), topic.as_str(), *number);
            if block.is_empty() {
                self.offsets.remove(key)?;
            } else {
                self.offsets.insert(key, encode(block).as_slice())?;
            }
        }
        Ok(())
    }
}
