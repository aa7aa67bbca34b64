//! The verdict: the rules that every plan keeps, whoever made it. An owner exists and reads the topic; a partition has
//! distinct owners; unless the strategy says otherwise each partition of a topic that somebody reads has as many as it can.
//!
//! A leader judges the owner maps that its strategy returned, here; a coordinator judges the encoded states that it is about
//! to hand out, in `check`. Both name topic, partition and member.

use std::fmt;

use super::owners::{NOBODY, Owners};
use super::view::{TopicSet, View, ViewTopic};

#[cfg(test)]
mod tests;

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
        // The same, but for who reads it.
        let is_fine = |owner: &u32| sets.get(*owner as usize).is_some_and(|set| reads[*set as usize]);
        if owners.copies() == 1 && cells.iter().all(is_fine) {
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

/// Walks over the topics in order and knows of each which sets have it: every set keeps a finger on its next range.
pub(super) struct Sweep<'v> {
    sets: &'v [TopicSet],
    fingers: Vec<usize>,
    members: Vec<usize>,
    reads: Vec<bool>,
}

impl<'v> Sweep<'v> {
    pub fn new(view: &'v View<'_>) -> Self {
        let mut members = vec![0; view.sets.len()];
        view.members.iter().for_each(|member| members[member.set as usize] += 1);
        Self { sets: &view.sets, fingers: vec![0; view.sets.len()], members, reads: vec![false; view.sets.len()] }
    }

    /// By set, whether it has the topic; and how many members read it. Topics must be asked for in order.
    pub fn topic(&mut self, topic: u32) -> (&[bool], usize) {
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
pub(super) struct Spot<'a> {
    pub topic: &'a str,
    pub partition: i32,
}

impl<'a> Spot<'a> {
    pub fn of(topic: &ViewTopic<'a>, partition: usize) -> Self {
        Self { topic: topic.name, partition: partition as i32 }
    }
}

impl fmt::Display for Spot<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "partition {} of {:?}", self.partition, self.topic)
    }
}

pub(super) fn too_few(spot: Spot<'_>, found: usize, wanted: usize, subscribers: usize) -> String {
    match found {
        0 => format!("{spot} goes to nobody, although {subscribers} members subscribe to it"),
        _ => format!("{spot} goes to {found} members instead of {wanted}"),
    }
}
