//! The passes of KIP-881 over one topic, or over several that are decided as one. Java walks all members for each partition; here
//! each rack has its queue of members or partitions whose heads only move forward, so a pass is linear.

use divvy_guest::prelude::*;

use crate::racks::Racks;

/// Who gets which partition number, while it is decided.
pub struct Share {
    /// The member, by its place among the readers, of each partition number.
    owner: Vec<Option<usize>>,
    /// How many each reader has.
    given: Vec<usize>,
    /// What everybody gets, and how many may still get one more: whoever first gets there.
    base: usize,
    extra: usize,
}

impl Share {
    /// Nothing is decided yet.
    pub fn new(partitions: usize, members: usize) -> Self {
        let (base, extra) = (partitions / members, partitions % members);
        Share { owner: vec![None; partitions], given: vec![0; members], base, extra }
    }

    fn room(&self, member: usize) -> usize {
        (self.base + usize::from(self.extra > 0)).saturating_sub(self.given[member])
    }

    fn give(&mut self, number: usize, member: usize) {
        self.owner[number] = Some(member);
        self.given[member] += 1;
        self.extra -= usize::from(self.given[member] > self.base);
    }

    /// One topic: members in order take free partitions of their rack by number, up to their room. A member without a rack takes any.
    pub fn match_one(&mut self, racks: &Racks<'_>, topic: Topic<'_>, members: &[Member<'_>]) {
        let sets = racks.of_topic(topic);
        let mut near = vec![Vec::new(); racks.count];
        for number in 0..self.owner.len() {
            sets.of(number).for_each(|rack| near[rack].push(number));
        }
        let mut heads = vec![0; racks.count];
        let mut any = 0;
        for (place, member) in members.iter().enumerate() {
            let (head, numbers) = match member.rack() {
                Some(rack) => (&mut heads[rack], Some(&near[rack])),
                None => (&mut any, None),
            };
            let end = numbers.map_or(self.owner.len(), Vec::len);
            while *head < end && self.room(place) > 0 {
                let number = numbers.map_or(*head, |numbers| numbers[*head]);
                if self.owner[number].is_none() {
                    self.give(number, place);
                }
                *head += 1;
            }
        }
    }

    /// Several topics: each partition number in turn goes to the first member with room whose rack has a replica of it in every
    /// topic, or stays free. A member without a rack fits everywhere.
    pub fn match_all(&mut self, racks: &Racks<'_>, topics: &[Topic<'_>], members: &[Member<'_>]) {
        // Queues of members by rack; the last one is of those without.
        let mut queues = vec![Vec::new(); racks.count + 1];
        for (place, member) in members.iter().enumerate() {
            queues[member.rack().unwrap_or(racks.count)].push(place);
        }
        let mut heads = vec![0; queues.len()];
        let mut everywhere = racks.of_topic(topics[0]);
        topics[1..].iter().for_each(|&topic| everywhere.keep_common(&racks.of_topic(topic)));
        for number in 0..self.owner.len() {
            let mut first: Option<usize> = None;
            for queue in everywhere.of(number).chain([racks.count]) {
                while queues[queue].get(heads[queue]).is_some_and(|&place| self.room(place) == 0) {
                    heads[queue] += 1;
                }
                let head = queues[queue].get(heads[queue]).copied();
                first = first.into_iter().chain(head).min();
            }
            if let Some(place) = first {
                self.give(number, place);
            }
        }
    }

    /// What is still free: members in order take it by number, up to their room.
    pub fn fill(&mut self, members: usize) {
        let mut place = 0;
        for number in 0..self.owner.len() {
            if self.owner[number].is_some() {
                continue;
            }
            while place < members && self.room(place) == 0 {
                place += 1;
            }
            // The rooms of all members together are the free partitions, so there is one.
            if place < members {
                self.give(number, place);
            }
        }
    }

    /// Writes the owners of a topic's partitions.
    pub fn write(&self, mut partitions: Partitions, members: &[Member<'_>], owners: &mut Owners) {
        for run in self.owner.chunk_by(|one, next| one == next) {
            let partitions = partitions.take_front(run.len());
            if let Some(place) = run[0] {
                owners.give_run(partitions, members[place]);
            }
        }
    }
}
