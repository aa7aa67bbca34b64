//! Near and far: partitions of one class that are in the same racks, and members of one kind that are in one rack, are alike.

use super::interest::Interest;
use super::levels::Part;
use super::limits::MAX_PAIRS;
use super::plan::Crew;
use super::tables::{Bits, Lists, NONE, Sets, first, pair, second, sort};
use crate::{Group, Partition, ReplicaRacks};

/// [`Racks::of`], where racks count. As a value, so that a module that never asks for racks does not contain what looks at them.
pub type LookForRacks<'g> = fn(&'g Group<'g>) -> Option<Racks<'g>>;

/// Where replicas and members of a group are.
pub struct Racks<'g> {
    group: &'g Group<'g>,
    replicas: ReplicaRacks<'g>,
    /// The racks that members are in, numbered through.
    number: Vec<u32>,
    /// Looks at the racks of a part; nothing if they make no difference.
    pub split: fn(&Self, &Part, &Interest, Crew<'_>) -> Option<Near>,
}

/// A part in which racks count.
pub struct Near {
    /// Its partitions by class and set of racks.
    pub pools: Lists,
    pub supply: Vec<u32>,
    /// By kind and rack: who reads what, and who is near.
    pub readers: Bits,
    pub near: Bits,
    /// The kind of each member.
    pub kind_of: Vec<u32>,
    pub kinds: usize,
}

impl<'g> Racks<'g> {
    /// Those of a group, if anybody knows where replicas are and any member says where it is.
    pub fn of(group: &'g Group<'g>) -> Option<Self> {
        let replicas = group.replica_racks()?;
        let mut number = vec![NONE; group.racks().len()];
        let mut racks = 0;
        for rack in group.members().filter_map(|member| member.rack()) {
            if number[rack] == NONE {
                number[rack] = racks;
                racks += 1;
            }
        }
        (racks > 0).then_some(Racks { group, replicas, number, split: Self::split })
    }

    /// Nothing if they make no difference, or there are too many sets of racks to tell apart.
    fn split(&self, part: &Part, interest: &Interest, crew: Crew<'_>) -> Option<Near> {
        let mut sets = Sets::default();
        let mut class_numbers = Sets::default();
        let mut classes = Vec::new();
        let (mut found, mut class_of) = (Vec::new(), Vec::new());
        let mut racks = Vec::new();
        let topics = (0..).zip(&part.classes);
        let topics =
            topics.flat_map(|(at, &class)| interest.topics.of(class).iter().map(move |&topic| pair(topic, at)));
        let mut topics: Vec<u64> = topics.collect();
        sort(&mut topics);
        for topic in topics {
            let (topic, at) = (self.group.topic_at(first(topic)), second(topic));
            for partition in topic.partitions() {
                self.known_racks(partition, &mut racks);
                let set = sets.number(&racks);
                let class = class_numbers.number(&[at, set]);
                if class as usize == classes.len() {
                    classes.push((at, set));
                }
                class_of.push(class);
                found.push(partition.index() as u32);
            }
        }
        let mut kinds = Sets::default();
        let rack_of = |member: u32| {
            let rack = self.group.member(member as usize).rack();
            rack.map_or(NONE, |rack| self.number[rack])
        };
        let crew = crew.members.iter().zip(crew.kind_of);
        let kind_of: Vec<u32> = crew.map(|(&member, &kind)| kinds.number(&[kind, rack_of(member)])).collect();
        if classes.len().saturating_mul(kinds.len()) > MAX_PAIRS {
            return None;
        }
        let (mut readers, mut near) = (Bits::new(classes.len(), kinds.len()), Bits::new(classes.len(), kinds.len()));
        let mut any_far = false;
        for (at, &(class, set)) in (0..).zip(&classes) {
            let set = sets.get(set);
            for kind in 0..kinds.len() as u32 {
                let &[reads_as, rack] = kinds.get(kind) else { continue };
                if part.readers.as_ref().is_none_or(|readers| readers.has(class, reads_as)) {
                    readers.set(at, kind);
                    let is_near = set.is_empty() || rack == NONE || set.binary_search(&rack).is_ok();
                    any_far |= !is_near;
                    if is_near {
                        near.set(at, kind);
                    }
                }
            }
        }
        let mut supply = vec![0; classes.len()];
        class_of.iter().for_each(|&class| supply[class as usize] += 1);
        let pools = Lists::by_key(classes.len(), &class_of, &found);
        any_far.then_some(Near { pools, supply, readers, near, kind_of, kinds: kinds.len() })
    }

    /// The racks of a partition that members are in, ascending.
    fn known_racks(&self, partition: Partition, racks: &mut Vec<u32>) {
        racks.clear();
        for rack in self.replicas.of(partition).filter_map(|rack| self.number.get(rack)).copied() {
            if let Err(place) = racks.binary_search(&rack)
                && rack != NONE
            {
                racks.insert(place, rack);
            }
        }
    }
}
