//! The verdict on encoded states: what a coordinator does with a divvy leader's plan before it is handed out.

use std::collections::HashMap;

use bytes::Bytes;

use super::claims::Holds;
use super::cooperative::too_early;
use super::manifest::Mode;
use super::owners::NOBODY;
use super::verify::{Spot, Sweep, too_few};
use super::view::{Unread, View};
use crate::embedded::consumer::{Assignment, TopicPartitions};
use crate::embedded::single_writer::Role;
use crate::ids::{MemberId, ProtocolType, TopicName};
use crate::topics::TopicTable;

#[cfg(test)]
mod tests;

/// A plan as it lies before the coordinator.
#[derive(Clone, Copy, Debug)]
pub struct EncodedPlan<'a> {
    /// What kind of group.
    pub protocol_type: &'a ProtocolType,
    /// The members with their metadata of the plan's protocol.
    pub members: &'a [(MemberId, Bytes)],
    /// Their states.
    pub states: &'a [(MemberId, Bytes)],
    /// The topics that it was made for.
    pub topics: &'a [(TopicName, u32)],
    /// How many members each partition goes to; a leader that does not say (0) means one.
    pub copies: u16,
    /// Whether every partition must have an owner.
    pub complete: bool,
    /// How members hand over: under a cooperative name what others may still be running is not given, and not missed.
    pub mode: Mode,
}

/// Judges encoded states. Types whose states are opaque are judged by their members alone.
pub fn check_plan(plan: &EncodedPlan<'_>) -> Result<(), String> {
    let mut ids: Vec<&MemberId> = plan.states.iter().map(|(id, _)| id).collect();
    ids.sort_unstable();
    if let Some(twice) = ids.windows(2).find(|pair| pair[0] == pair[1]) {
        return Err(format!("member {:?} has two states", twice[0].as_str()));
    }
    let mut members: Vec<&MemberId> = plan.members.iter().map(|(id, _)| id).collect();
    members.sort_unstable();
    if let Some(stranger) = ids.iter().find(|id| members.binary_search(id).is_err()) {
        return Err(not_a_member(stranger));
    }
    match plan.protocol_type.as_str() {
        "consumer" => check_assignments(plan),
        "single-writer" => check_roles(plan),
        _ => Ok(()),
    }
}

/// A topic that is not what a plan of type `consumer` was made for: its leader looked before it changed.
pub fn outdated_topic(plan: &EncodedPlan<'_>, present: &TopicTable) -> Option<TopicName> {
    if plan.protocol_type.as_str() != "consumer" {
        return None;
    }
    let planned: HashMap<&str, u32> =
        plan.topics.iter().map(|(name, partitions)| (name.as_str(), *partitions)).collect();
    let table = present.0.iter().map(|(name, topic)| (name.as_str(), topic.partitions));
    let table: Vec<_> = table.filter(|row| row.1 > 0).collect();
    let unread = plan.members.iter().map(|(id, metadata)| Unread { id, instance: None, metadata });
    let view = View::new(unread, &table).ok()?;
    let changed = view.topics.iter().find(|topic| planned.get(topic.name) != Some(&topic.partitions));
    let gone = || plan.topics.iter().find(|(name, partitions)| *partitions > 0 && present.get(name.as_str()).is_none());
    changed.map(|topic| TopicName::from(topic.name)).or_else(|| gone().map(|(name, _)| name.clone()))
}

fn check_assignments(plan: &EncodedPlan<'_>) -> Result<(), String> {
    let table = plan.topics.iter().map(|(name, partitions)| (name.as_str(), *partitions));
    let mut table: Vec<_> = table.filter(|row| row.1 > 0).collect();
    table.sort_unstable();
    table.dedup_by_key(|row| row.0);
    let unread = plan.members.iter().map(|(id, metadata)| Unread { id, instance: None, metadata });
    let view = View::new(unread, &table).map_err(|fault| fault.message)?;

    let copies = plan.copies.max(1);
    let holds = match plan.mode {
        Mode::Eager => Holds::default(),
        Mode::Cooperative => Holds::of(&view, usize::from(copies)),
    };
    let mut tally = Tally::new(&view, copies, &holds);
    for (id, state) in plan.states {
        let member = view.members.binary_search_by(|member| member.id.cmp(id)).map_err(|_| not_a_member(id))?;
        let assignment = Assignment::decode_state(state).map_err(|fault| unreadable(id, fault))?;
        let mut hint = 0;
        for given in &assignment.topics {
            tally.give(member, given, &mut hint).map_err(|broken| match broken {
                Broken::Rule(text) => text,
                Broken::Stranger => {
                    stranger(given.topic, id, table.binary_search_by_key(&given.topic, |row| row.0).is_ok())
                }
            })?;
        }
    }
    tally.nothing_is_given_too_early()?;
    if plan.complete { tally.is_whole() } else { Ok(()) }
}

/// Who has each partition so far. States come member by member, so each look at a partition is a look into cold memory:
/// with one copy its last owner is all that is kept.
struct Tally<'v, 'a> {
    view: &'v View<'a>,
    copies: u16,
    last_owner: Vec<u32>,
    /// How many owners; only with several copies.
    owners: Vec<u16>,
    holds: &'v Holds,
    /// How many of a partition's holders are among its owners; only with several copies, under a cooperative name.
    keepers: Vec<u16>,
}

enum Broken {
    /// The member does not read the topic.
    Stranger,
    /// Another rule, as a sentence.
    Rule(String),
}

impl<'v, 'a> Tally<'v, 'a> {
    fn new(view: &'v View<'a>, copies: u16, holds: &'v Holds) -> Self {
        let counted = if copies > 1 { view.partitions } else { 0 };
        let kept = if holds.are_none() { 0 } else { counted };
        let last_owner = vec![NOBODY; view.partitions];
        Self { view, copies, last_owner, owners: vec![0; counted], holds, keepers: vec![0; kept] }
    }

    fn give(&mut self, member: usize, given: &TopicPartitions<'_>, hint: &mut usize) -> Result<(), Broken> {
        let view = self.view;
        let reads = &view.sets[view.members[member].set as usize];
        let topic = view.topic(given.topic.as_bytes(), hint).filter(|&topic| reads.contains(topic as u32));
        let topic = &view.topics[topic.ok_or(Broken::Stranger)?];
        let id = view.members[member].id;
        for partition in given.partitions.iter() {
            let spot = Spot { topic: topic.name, partition };
            let Some(number) = u32::try_from(partition).ok().filter(|&number| number < topic.partitions) else {
                let (id, all) = (id.as_str(), topic.partitions);
                return Err(Broken::Rule(format!("{spot} goes to {id:?}, but the topic has {all} partitions")));
            };
            let index = (topic.base + number) as usize;
            let before = std::mem::replace(&mut self.last_owner[index], member as u32);
            let owners = match self.owners.get_mut(index) {
                None => 1 + u16::from(before != NOBODY),
                Some(owners) => {
                    *owners = owners.saturating_add(1);
                    *owners
                }
            };
            if before == member as u32 || owners > self.copies {
                return Err(Broken::Rule(given_twice(spot, view.members[before as usize].id, id, self.copies)));
            }
            if let Some(keepers) = self.keepers.get_mut(index)
                && self.holds.of_partition(index).any(|holder| holder == member as u32)
            {
                *keepers += 1;
            }
        }
        Ok(())
    }

    fn owners_of(&self, index: usize) -> usize {
        match self.owners.get(index) {
            None => usize::from(self.last_owner[index] != NOBODY),
            Some(&owners) => usize::from(owners),
        }
    }

    /// How many members may still be running a partition without being its owners.
    fn waiting(&self, index: usize) -> usize {
        let holders = self.holds.of_partition(index);
        match self.keepers.get(index) {
            None => holders.filter(|holder| *holder != self.last_owner[index]).count(),
            Some(&keepers) => holders.count() - usize::from(keepers),
        }
    }

    /// Who gets a partition and who may still be running it are together no more than its copies.
    fn nothing_is_given_too_early(&self) -> Result<(), String> {
        if self.holds.are_none() {
            return Ok(());
        }
        for topic in &self.view.topics {
            for partition in 0..topic.partitions as usize {
                let index = topic.base as usize + partition;
                let (given, waiting) = (self.owners_of(index), self.waiting(index));
                if given > 0 && waiting > 0 && given + waiting > usize::from(self.copies) {
                    let owner = self.last_owner[index];
                    let mut holders = self.holds.of_partition(index).filter(|holder| *holder != owner);
                    let ids =
                        [owner, holders.next().unwrap_or(owner)].map(|of| self.view.members[of as usize].id.as_str());
                    return Err(too_early(Spot::of(topic, partition), ids[0], ids[1]));
                }
            }
        }
        Ok(())
    }

    /// Each partition has as many owners as it can have.
    fn is_whole(&self) -> Result<(), String> {
        let mut sweep = Sweep::new(self.view);
        for (index, topic) in self.view.topics.iter().enumerate() {
            let (_, subscribers) = sweep.topic(index as u32);
            let wanted = subscribers.min(usize::from(self.copies));
            for partition in 0..topic.partitions as usize {
                let found = self.owners_of(topic.base as usize + partition);
                if found != wanted && self.waiting(topic.base as usize + partition) == 0 {
                    return Err(too_few(Spot::of(topic, partition), found, wanted, subscribers));
                }
            }
        }
        Ok(())
    }
}

/// At most one member is told that it is active; in a whole plan one is.
fn check_roles(plan: &EncodedPlan<'_>) -> Result<(), String> {
    let mut active: Option<&MemberId> = None;
    for (id, state) in plan.states {
        let role = Role::decode(state).map_err(|fault| unreadable(id, fault))?;
        if role.active
            && let Some(other) = active.replace(id)
        {
            return Err(format!("both {:?} and {:?} are told to be active", other.as_str(), id.as_str()));
        }
    }
    match active {
        None if plan.complete && !plan.members.is_empty() => Err("no member is told to be active".to_owned()),
        _ => Ok(()),
    }
}

fn not_a_member(id: &MemberId) -> String {
    format!("there is a state for {:?}, which is not a member", id.as_str())
}

fn unreadable(id: &MemberId, fault: impl std::fmt::Display) -> String {
    format!("the state of member {:?} is {fault}", id.as_str())
}

fn stranger(topic: &str, id: &MemberId, exists: bool) -> String {
    let why = if exists { "which does not subscribe to it" } else { "but the plan was made without that topic" };
    format!("topic {topic:?} goes to {:?}, {why}", id.as_str())
}

fn given_twice(spot: Spot<'_>, before: &MemberId, id: &MemberId, copies: u16) -> String {
    match (before == id, copies) {
        (true, _) => format!("{spot} goes to {:?} twice", id.as_str()),
        (false, 1) => format!("{spot} goes both to {:?} and to {:?}", before.as_str(), id.as_str()),
        (false, _) => format!("{spot} goes to {:?} as one more than its {copies} copies", id.as_str()),
    }
}
