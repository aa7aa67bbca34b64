//! The verdict: the rules that every plan keeps, whoever made it. An owner exists and reads the topic; a partition has
//! distinct owners; unless the strategy says otherwise each partition of a topic that somebody reads has as many as it can.
//!
//! A leader judges the owner maps that its strategy returned ([`owners`]); a coordinator judges the encoded states that it
//! is about to hand out ([`check_plan`]). Both name topic, partition and member.

use std::fmt;

use bytes::Bytes;

use super::owners::{NOBODY, Owners};
use super::view::{TopicSet, Unread, View, ViewTopic};
use crate::embedded::consumer::Assignment;
use crate::embedded::single_writer::Role;
use crate::ids::{MemberId, ProtocolType, TopicName};

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
    /// How many members each partition goes to.
    pub copies: u16,
    /// Whether every partition must have an owner.
    pub complete: bool,
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
        return Err(format!("there is a state for {:?}, which is not a member", stranger.as_str()));
    }
    match plan.protocol_type.as_str() {
        "consumer" => check_assignments(plan),
        "single-writer" => check_roles(plan),
        _ => Ok(()),
    }
}

fn check_assignments(plan: &EncodedPlan<'_>) -> Result<(), String> {
    let mut table: Vec<(&str, u32)> =
        plan.topics.iter().map(|(name, n)| (name.as_str(), *n)).filter(|row| row.1 > 0).collect();
    table.sort_unstable();
    table.dedup_by_key(|row| row.0);
    let unread = plan.members.iter().map(|(id, metadata)| Unread { id, instance: None, metadata });
    let view = View::new(unread, &table).map_err(|fault| fault.message)?;

    let mut owners = vec![0u16; view.partitions];
    let mut last_owner = vec![u32::MAX; view.partitions];
    for (id, state) in plan.states {
        let member = view.members.binary_search_by(|member| member.id.cmp(id));
        let member = member.map_err(|_| format!("there is a state for {:?}, which is not a member", id.as_str()))?;
        let assignment = Assignment::decode_state(state)
            .map_err(|fault| format!("the state of member {:?} is {fault}", id.as_str()))?;
        let set = &view.sets[view.members[member].set as usize];
        let mut hint = 0;
        for given in &assignment.topics {
            let topic = view.topic(given.topic, &mut hint).filter(|&topic| set.contains(topic as u32));
            let Some(topic) = topic.map(|topic| &view.topics[topic]) else {
                return Err(stranger(given.topic, id, table.binary_search_by_key(&given.topic, |row| row.0).is_ok()));
            };
            for partition in given.partitions.iter() {
                let Some(number) = u32::try_from(partition).ok().filter(|&number| number < topic.partitions) else {
                    return Err(format!(
                        "{} goes to {:?}, but the topic has {} partitions",
                        Spot { topic: topic.name, partition },
                        id.as_str(),
                        topic.partitions
                    ));
                };
                let index = (topic.base + number) as usize;
                let before = std::mem::replace(&mut last_owner[index], member as u32);
                owners[index] = owners[index].saturating_add(1);
                if before == member as u32 || owners[index] > plan.copies {
                    let spot = Spot { topic: topic.name, partition };
                    return Err(given_twice(spot, view.members[before as usize].id, id, plan.copies));
                }
            }
        }
    }
    if plan.complete { check_counts(&view, plan.copies, |partition| owners[partition]) } else { Ok(()) }
}

/// At most one member is told that it is active, and everybody is told the same.
fn check_roles(plan: &EncodedPlan<'_>) -> Result<(), String> {
    let mut active: Option<&MemberId> = None;
    for (id, state) in plan.states {
        let role = Role::decode(state).map_err(|fault| format!("the state of member {:?} is {fault}", id.as_str()))?;
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

/// Judges owner maps.
pub(super) fn owners(view: &View<'_>, owners: &Owners, complete: bool) -> Result<(), String> {
    let members = view.members.len();
    let sets: Vec<u32> = view.members.iter().map(|member| member.set).collect();
    let mut sweep = Sweep::new(view);
    for (index, topic) in view.topics.iter().enumerate() {
        let (reads, subscribers) = sweep.topic(index as u32);
        let cells = owners.range(topic.base as usize, (topic.base + topic.partitions) as usize);
        // Mostly there is one copy, everybody reads the topic, and nothing is wrong: one look at each owner.
        let everybody = subscribers == members && owners.copies() == 1;
        if everybody && cells.iter().fold(0, |most, &owner| most.max(owner)) < members as u32 {
            continue;
        }
        let wanted = subscribers.min(owners.copies());
        for (partition, cells) in cells.chunks_exact(owners.copies()).enumerate() {
            let found = check_owners(view, topic, partition, cells, |owner| reads[sets[owner] as usize])?;
            if complete && found != wanted {
                return Err(too_few(Spot::of(topic, partition), found, wanted, subscribers));
            }
        }
    }
    Ok(())
}

/// The number of owners of one partition, who all exist, read the topic and differ; a copy never comes without a primary.
fn check_owners(
    view: &View<'_>,
    topic: &ViewTopic<'_>,
    partition: usize,
    cells: &[u32],
    reads: impl Fn(usize) -> bool,
) -> Result<usize, String> {
    let mut found = 0;
    for (layer, &owner) in cells.iter().enumerate().filter(|(_, owner)| **owner != NOBODY) {
        let spot = Spot::of(topic, partition);
        let Some(member) = view.members.get(owner as usize) else {
            return Err(format!("{spot} goes to member number {owner}, but there are {}", view.members.len()));
        };
        let id = member.id.as_str();
        if !reads(owner as usize) {
            return Err(format!("{spot} goes to {id:?}, which does not subscribe to it"));
        }
        if cells[..layer].contains(&owner) {
            return Err(format!("{spot} goes to {id:?} twice"));
        }
        if cells[0] == NOBODY {
            return Err(format!("{spot} has a copy at {id:?} but no primary owner"));
        }
        found += 1;
    }
    Ok(found)
}

/// Each partition has as many owners as it can have.
fn check_counts(view: &View<'_>, copies: u16, count: impl Fn(usize) -> u16) -> Result<(), String> {
    let mut sweep = Sweep::new(view);
    for (index, topic) in view.topics.iter().enumerate() {
        let (_, subscribers) = sweep.topic(index as u32);
        let wanted = subscribers.min(usize::from(copies));
        for partition in 0..topic.partitions {
            let found = usize::from(count((topic.base + partition) as usize));
            if found != wanted {
                let spot = Spot { topic: topic.name, partition: partition as i32 };
                return Err(too_few(spot, found, wanted, subscribers));
            }
        }
    }
    Ok(())
}

/// Walks over the topics in order and knows of each which sets have it: every set keeps a finger on its next range.
struct Sweep<'v> {
    sets: &'v [TopicSet],
    fingers: Vec<usize>,
    members: Vec<usize>,
    reads: Vec<bool>,
}

impl<'v> Sweep<'v> {
    fn new(view: &'v View<'_>) -> Self {
        let mut members = vec![0; view.sets.len()];
        view.members.iter().for_each(|member| members[member.set as usize] += 1);
        Self { sets: &view.sets, fingers: vec![0; view.sets.len()], members, reads: vec![false; view.sets.len()] }
    }

    /// By set, whether it has the topic; and how many members read it. Topics must be asked for in order.
    fn topic(&mut self, topic: u32) -> (&[bool], usize) {
        let mut subscribers = 0;
        for (set, ranges) in self.sets.iter().enumerate() {
            let finger = &mut self.fingers[set];
            if ranges.0.get(*finger).is_some_and(|range| range.1 <= topic) {
                *finger += 1;
            }
            self.reads[set] = ranges.0.get(*finger).is_some_and(|range| range.0 <= topic);
            subscribers += if self.reads[set] { self.members[set] } else { 0 };
        }
        (&self.reads, subscribers)
    }
}

/// A partition, for people.
#[derive(Clone, Copy)]
struct Spot<'a> {
    topic: &'a str,
    partition: i32,
}

impl<'a> Spot<'a> {
    fn of(topic: &ViewTopic<'a>, partition: usize) -> Self {
        Self { topic: topic.name, partition: partition as i32 }
    }
}

impl fmt::Display for Spot<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "partition {} of {:?}", self.partition, self.topic)
    }
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

fn too_few(spot: Spot<'_>, found: usize, wanted: usize, subscribers: usize) -> String {
    match found {
        0 => format!("{spot} goes to nobody, although {subscribers} members subscribe to it"),
        _ => format!("{spot} goes to {found} members instead of {wanted}"),
    }
}
