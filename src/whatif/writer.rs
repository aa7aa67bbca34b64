//! Groups of type `single-writer`: their one piece of work is to be active, played as the one partition of a topic of its own.

use std::collections::BTreeMap;

use bytes::Bytes;

use super::ledger::Unit;
use crate::embedded::single_writer::Role;
use crate::ids::TopicName;
use crate::topics::Topic;

/// The type's name.
pub(super) const TYPE: &str = crate::membership::config::SINGLE_WRITER;

/// What its work is called here.
const WORK: &str = "writer";

/// The topic.
pub(super) fn topics() -> BTreeMap<TopicName, Topic> {
    BTreeMap::from([(WORK.into(), Topic { partitions: 1, racks: Vec::new() })])
}

/// What a state gives; none if it cannot be read.
pub(super) fn share(state: &Bytes) -> Option<Vec<Unit>> {
    let role = Role::decode(state).ok()?;
    Some(if role.active { vec![(WORK.into(), 0)] } else { Vec::new() })
}
