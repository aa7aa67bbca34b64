//! Groups and topics out of the database, in the order that the trait promises.

use std::collections::BTreeMap;
use std::ops::Bound::{Excluded, Included, Unbounded};

use redb::{Database, ReadTransaction, ReadableDatabase, ReadableTable, TableError};

use super::encode::{Block, decode};
use super::failure::Failure;
use super::{GROUPS, MEMBERS, OFFSETS, ORIGINS, ORIGINS_KEPT, PLANS, STATES, TOPICS, kind, parts, successor};
use crate::group::Record;
use crate::group::record::{Header, MemberRecord, PlanRecord, State};
use crate::ids::{GroupId, MemberId, TopicName};
use crate::store::{Origin, Snapshot};
use crate::time::WallTime;

/// Everything.
pub(super) fn load(database: &Database) -> Result<Snapshot, Failure> {
    let transaction = database.begin_read()?;
    let mut topics = Vec::new();
    for item in transaction.open_table(TOPICS)?.iter()? {
        let (name, value) = item?;
        let name = TopicName::from(name.value());
        let topic = decode(value.value(), "topic", name.as_str())?;
        topics.push((name, topic));
    }
    let groups = records(&transaction, Which::All)?.into_iter().collect();
    Ok(Snapshot { groups, topics, origins: origins(&transaction)?, origins_until: origins_until(&transaction)? })
}

fn origins(transaction: &ReadTransaction) -> Result<Vec<(TopicName, Origin)>, Failure> {
    let table = match transaction.open_table(ORIGINS) {
        Ok(table) => table,
        Err(TableError::TableDoesNotExist(_)) => return Ok(Vec::new()),
        Err(error) => return Err(error.into()),
    };
    let mut origins = Vec::new();
    for item in table.iter()? {
        let (name, value) = item?;
        let name = TopicName::from(name.value());
        let origin = decode(value.value(), "the id of topic", name.as_str())?;
        origins.push((name, origin));
    }
    Ok(origins)
}

fn origins_until(transaction: &ReadTransaction) -> Result<Option<WallTime>, Failure> {
    match transaction.open_table(ORIGINS_KEPT) {
        Ok(table) => Ok(table.get("until")?.map(|at| WallTime(at.value()))),
        Err(TableError::TableDoesNotExist(_)) => Ok(None),
        Err(error) => Err(error.into()),
    }
}

/// The records of one group.
pub(super) fn load_group(database: &Database, group: &GroupId) -> Result<Vec<Record>, Failure> {
    let transaction = database.begin_read()?;
    Ok(records(&transaction, Which::One(group))?.remove(group).unwrap_or_default())
}

/// Which groups are read.
#[derive(Clone, Copy)]
enum Which<'a> {
    All,
    One(&'a GroupId),
}

type ByGroup = BTreeMap<GroupId, Vec<Record>>;

fn records(transaction: &ReadTransaction, which: Which<'_>) -> Result<ByGroup, Failure> {
    let mut groups = ByGroup::new();
    read_small(transaction, which, &mut groups)?;
    read_plans(transaction, which, &mut groups)?;
    read_parts(transaction, which, &mut groups)?;
    read_offsets(transaction, which, &mut groups)?;
    for records in groups.values_mut() {
        records.sort_by_cached_key(Record::key);
    }
    Ok(groups)
}

fn read_small(transaction: &ReadTransaction, which: Which<'_>, groups: &mut ByGroup) -> Result<(), Failure> {
    let range = match which {
        Which::All => (Unbounded, Unbounded),
        Which::One(group) => (Included((group.as_str(), u8::MIN)), Included((group.as_str(), u8::MAX))),
    };
    for item in transaction.open_table(GROUPS)?.range(range)? {
        let (key, value) = item?;
        let ((group, kind), bytes) = (key.value(), value.value());
        let record = match kind {
            kind::HEADER => Record::Header(decode(bytes, "the members of group", group)?),
            kind::RESERVED => Record::Reserved(decode(bytes, "the generation of group", group)?),
            kind::SUSPENSIONS => Record::Suspensions(decode(bytes, "the suspensions of group", group)?),
            kind::GENERATIONS.. => Record::Generation(decode(bytes, "the history of group", group)?),
            other => {
                let why = format!("there is no record of kind {other}");
                return Err(Failure::Damaged { what: "group", of: group.to_owned(), why });
            }
        };
        groups.entry(GroupId::from(group)).or_default().push(record);
    }
    Ok(())
}

fn read_plans(transaction: &ReadTransaction, which: Which<'_>, groups: &mut ByGroup) -> Result<(), Failure> {
    let range = match which {
        Which::All => (Unbounded, Unbounded),
        Which::One(group) => (Included(group.as_str()), Included(group.as_str())),
    };
    for item in transaction.open_table(PLANS)?.range::<&str>(range)? {
        let (group, value) = item?;
        let plan = decode(value.value(), "the plan of group", group.value())?;
        groups.entry(GroupId::from(group.value())).or_default().push(Record::Plan(plan));
    }
    Ok(())
}

/// Gives large groups their members and states back.
fn read_parts(transaction: &ReadTransaction, which: Which<'_>, groups: &mut ByGroup) -> Result<(), Failure> {
    let group = match which {
        Which::All => None,
        Which::One(group) => Some(group.as_str()),
    };
    let alone =
        |what, of: &str| Failure::Damaged { what, of: of.to_owned(), why: "the rest of it is not there".to_owned() };
    let what = "some members of group";
    parts::read(transaction, MEMBERS, group, what, |group, members: Vec<MemberRecord>| {
        header_of(groups, group).ok_or_else(|| alone(what, group))?.members.extend(members);
        Ok(())
    })?;
    let what = "a part of the plan of group";
    parts::read(transaction, STATES, group, what, |group, states: Vec<(MemberId, State)>| {
        plan_of(groups, group).ok_or_else(|| alone(what, group))?.states.extend(states);
        Ok(())
    })?;
    for record in groups.values_mut().flatten() {
        match record {
            Record::Header(header) => header.members.sort_by(|a, b| a.id.cmp(&b.id)),
            Record::Plan(plan) => plan.states.sort_by(|(a, _), (b, _)| a.cmp(b)),
            _ => {}
        }
    }
    Ok(())
}

fn header_of<'a>(groups: &'a mut ByGroup, group: &str) -> Option<&'a mut Header> {
    let records = groups.get_mut(&GroupId::from(group))?;
    records.iter_mut().find_map(|record| if let Record::Header(header) = record { Some(header) } else { None })
}

fn plan_of<'a>(groups: &'a mut ByGroup, group: &str) -> Option<&'a mut PlanRecord> {
    let records = groups.get_mut(&GroupId::from(group))?;
    records.iter_mut().find_map(|record| if let Record::Plan(plan) = record { Some(plan) } else { None })
}

fn read_offsets(transaction: &ReadTransaction, which: Which<'_>, groups: &mut ByGroup) -> Result<(), Failure> {
    let end = match which {
        Which::All => String::new(),
        Which::One(group) => successor(group.as_str()),
    };
    let range = match which {
        Which::All => (Unbounded, Unbounded),
        Which::One(group) => (Included((group.as_str(), "", i32::MIN)), Excluded((end.as_str(), "", i32::MIN))),
    };
    for item in transaction.open_table(OFFSETS)?.range(range)? {
        let (key, value) = item?;
        let (group, topic, _) = key.value();
        let block: Block = decode(value.value(), "the offsets of group", group)?;
        let topic = TopicName::from(topic);
        let records = groups.entry(GroupId::from(group)).or_default();
        records.extend(block.into_iter().map(|(partition, it)| Record::Offset(it.unpack(topic.clone(), partition))));
    }
    Ok(())
}
