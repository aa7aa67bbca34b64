//! Who holds which partition, while it is decided.

use divvy_guest::prelude::*;

/// The holders of each partition and what everybody holds.
pub struct Copies {
    /// So many places for each partition, the taken ones first.
    places: Vec<u32>,
    taken: Vec<u8>,
    /// How many copies there may be.
    most: usize,
    /// Partitions by member index.
    pub loads: Vec<u32>,
    /// For each member index a number for its rack; who has none is in one of its own.
    pub racks: Vec<u32>,
}

const NOBODY: u32 = u32::MAX;

impl Copies {
    /// What members claim, as far as it may stay: at most as many holders as there may be, those that have least first, then those
    /// of the newest claims, and no two in one rack where there are racks enough, which outrank staying.
    pub fn of(group: &Group<'_>, most: usize) -> Self {
        let members = group.members();
        let own_rack = (group.racks().len() as u32..).zip(members.clone());
        let mut held = Copies {
            places: vec![NOBODY; group.partitions().len() * most],
            taken: vec![0; group.partitions().len()],
            most,
            loads: vec![0; members.len()],
            racks: own_rack.map(|(own, member)| member.rack().map_or(own, |rack| rack as u32)).collect(),
        };
        let layers = group.claim_layers();
        let mut readers = Readers::default();
        let mut claimants = Vec::with_capacity(layers);
        // What nothing is cut of goes first: what is cut can then be of those that have most.
        let mut is_left = layers > 0;
        for is_cut in [false, true] {
            let topics = if std::mem::take(&mut is_left) { group.topics().len() } else { 0 };
            for topic in group.topics().take(topics) {
                let most = most.min(readers.of(topic, &held.racks));
                // So many copies may be in a rack that another copy is in already.
                let doubles = most.saturating_sub(readers.racks);
                for partition in topic.partitions() {
                    let claims = (0..layers).filter_map(|layer| group.owner_before_in(layer, partition));
                    claimants.clear();
                    claimants.extend(claims.map(|member| member.index() as u32));
                    if (claimants.len() > most) != is_cut {
                        is_left = true;
                        continue;
                    }
                    if is_cut {
                        claimants.sort_by_key(|&member| held.loads[member as usize]);
                    }
                    held.keep(partition.index(), &claimants, most, doubles);
                }
            }
        }
        held
    }

    /// Keeps of the claimants, in their order, as many as there may be, and so many of them in racks of others.
    fn keep(&mut self, partition: usize, claimants: &[u32], most: usize, mut doubles: usize) {
        for &member in claimants {
            let holders = self.holders(partition);
            if holders.len() == most || holders.contains(&member) {
                continue;
            }
            if self.has_rack(partition, self.racks[member as usize]) {
                if doubles == 0 {
                    continue;
                }
                doubles -= 1;
            }
            self.add(partition, member);
        }
    }

    /// How many copies there may be.
    pub fn most(&self) -> usize {
        self.most
    }

    /// How many partitions there are.
    pub fn partitions(&self) -> usize {
        self.taken.len()
    }

    /// Who holds a partition, by dense index.
    #[inline]
    pub fn holders(&self, partition: usize) -> &[u32] {
        &self.places[partition * self.most..][..usize::from(self.taken[partition])]
    }

    /// Whether any copy of a partition is in a rack.
    #[inline]
    pub fn has_rack(&self, partition: usize, rack: u32) -> bool {
        self.holders(partition).iter().any(|&holder| self.racks[holder as usize] == rack)
    }

    /// Adds a holder.
    #[inline]
    pub fn add(&mut self, partition: usize, member: u32) {
        self.places[partition * self.most + usize::from(self.taken[partition])] = member;
        self.taken[partition] += 1;
        self.loads[member as usize] += 1;
    }

    /// Moves a copy from its holder to another member.
    pub fn pass(&mut self, partition: usize, from: u32, to: u32) {
        if let Some(place) = self.holders_mut(partition).iter_mut().find(|holder| **holder == from) {
            *place = to;
            self.loads[from as usize] -= 1;
            self.loads[to as usize] += 1;
        }
    }

    /// Makes a holder the first.
    pub fn put_first(&mut self, partition: usize, member: u32) {
        let holders = self.holders_mut(partition);
        match holders.iter().position(|&holder| holder == member) {
            None | Some(0) => {}
            Some(at) => holders[..=at].rotate_right(1),
        }
    }

    /// Orders the holders behind the first, so that who came to a copy on which way makes no difference.
    pub fn order_rest(&mut self) {
        for partition in 0..self.taken.len() {
            if let [_, rest @ ..] = self.holders_mut(partition)
                && rest.len() > 1
            {
                rest.sort_unstable();
            }
        }
    }

    fn holders_mut(&mut self, partition: usize) -> &mut [u32] {
        &mut self.places[partition * self.most..][..usize::from(self.taken[partition])]
    }
}

/// How many members read the topic at hand, and in how many racks; topics that follow each other mostly have the same readers.
#[derive(Default)]
struct Readers<'g> {
    before: Option<Topic<'g>>,
    count: usize,
    racks: usize,
}

impl<'g> Readers<'g> {
    fn of(&mut self, topic: Topic<'g>, racks: &[u32]) -> usize {
        if !self.before.is_some_and(|before| before.has_same_subscribers(topic)) {
            let readers = topic.subscribers();
            let mut distinct: Vec<u32> = readers.iter().map(|reader| racks[reader.index()]).collect();
            distinct.sort_unstable();
            distinct.dedup();
            (self.count, self.racks) = (readers.len(), distinct.len());
        }
        self.before = Some(topic);
        self.count
    }
}
