//! Shape `partitions`: the group as a strategy sees it, read where the host put it.

mod member;
mod topic;

use std::ops::Range;

pub use member::Member;
pub use topic::{Partition, Partitions, Run, Topic};

use crate::abi::request::Partitions as Request;
use crate::abi::{Mode, NO_RACK, UNKNOWN_LAG, Width, names};
use crate::values::Values;

/// A group whose members share the partitions of topics.
#[derive(Debug)]
pub struct Group<'a> {
    read: Request<'a>,
    /// Member indexes in Kafka's order, and for each member its place in that order.
    order: Vec<u32>,
    places: Vec<u32>,
    /// The subscription of each member in Kafka's order: what is asked most lies close together.
    subscriptions_in_order: Vec<u32>,
    /// Which subscriptions some member has.
    used: Vec<bool>,
}

impl<'a> Group<'a> {
    pub(crate) fn new(read: Request<'a>) -> Self {
        let order = kafkas_order(read.members.iter().map(|member| (member.instance_id, member.id)));
        let mut places = vec![0; order.len()];
        order.iter().enumerate().for_each(|(place, &member)| places[member as usize] = place as u32);
        let subscriptions_in_order = order.iter().map(|&member| read.members[member as usize].subscription).collect();
        let mut used = vec![false; read.subscriptions.len()];
        read.members.iter().for_each(|member| used[member.subscription as usize] = true);
        Group { read, order, places, subscriptions_in_order, used }
    }

    /// The group's id.
    pub fn id(&self) -> &'a str {
        self.read.head.group
    }

    /// The generation that the plan is for.
    pub fn generation(&self) -> i32 {
        self.read.head.generation
    }

    /// The protocol that the group agreed on.
    pub fn protocol(&self) -> &'a str {
        self.read.head.protocol
    }

    /// How members hand partitions over. A strategy need not care: it plans the goal, the host withholds what is still held.
    pub fn mode(&self) -> Mode {
        self.read.head.mode
    }

    /// The same number for every call of one generation of a group: the only randomness that there is.
    pub fn seed(&self) -> u64 {
        self.read.head.seed
    }

    /// The strategy's configuration.
    pub fn config(&self) -> Values<'a> {
        Values::new(self.read.head.config)
    }

    /// The wall clock in milliseconds.
    pub fn now_ms(&self) -> i64 {
        self.read.now_ms
    }

    /// What the last accepted plan asked to be remembered.
    pub fn memo(&self) -> Option<&'a [u8]> {
        self.read.memo
    }

    /// The topics, by name.
    pub fn topics(&self) -> impl ExactSizeIterator<Item = Topic<'_>> + Clone {
        let topics: Range<u32> = 0..self.read.topics.len() as u32;
        topics.map(|index| Topic { group: self, index })
    }

    /// The topic with a name.
    pub fn topic(&self, name: &str) -> Option<Topic<'_>> {
        let index = self.read.topics.binary_search_by(|topic| topic.name.cmp(name)).ok()?;
        Some(Topic { group: self, index: index as u32 })
    }

    /// The partitions of all topics.
    pub fn partitions(&self) -> Partitions {
        Partitions::new(0, self.read.partitions)
    }

    /// Consecutive topics that the same members subscribe to, as long as they go; topics without partitions or without
    /// subscribers are left out. In a group whose members subscribe to the same topics this is one run with all partitions.
    pub fn runs(&self) -> impl Iterator<Item = Run<'_>> {
        let mut topics = self.topics().filter(|topic| topic.len() > 0).peekable();
        std::iter::from_fn(move || {
            loop {
                let mut run = Run::starting(topics.next()?);
                while let Some(topic) = topics.next_if(|&topic| run.first().has_same_subscribers(topic)) {
                    run.push(topic);
                }
                if !run.subscribers().is_empty() {
                    return Some(run);
                }
            }
        })
    }

    /// The members, by id.
    pub fn members(&self) -> impl ExactSizeIterator<Item = Member<'_>> + Clone {
        let members: Range<u32> = 0..self.read.members.len() as u32;
        members.map(|index| Member { group: self, index })
    }

    /// The members in Kafka's order: static ones by instance id, then the others by id.
    pub fn members_in_kafkas_order(&self) -> impl ExactSizeIterator<Item = Member<'_>> + Clone {
        self.order.iter().map(|&index| Member { group: self, index })
    }

    /// The member with an index, as [`Member::index`] gives it.
    ///
    /// # Panics
    /// When there is none.
    pub fn member(&self, index: usize) -> Member<'_> {
        assert!(index < self.read.members.len(), "an index beyond the members");
        Member { group: self, index: index as u32 }
    }

    /// The names of racks; racks are compared by their index here.
    pub fn racks(&self) -> &[&'a str] {
        &self.read.racks
    }

    /// How many owner maps the claims have: 0 when nobody claims anything, 1 usually, more for plans with copies.
    pub fn claim_layers(&self) -> usize {
        match self.read.partitions as usize * self.width().bytes() {
            0 => 0,
            layer => self.read.claims.len() / layer,
        }
    }

    /// Who had a partition last, as far as anyone still knows.
    #[inline]
    pub fn owner_before(&self, partition: Partition) -> Option<Member<'_>> {
        self.owner_before_in(0, partition)
    }

    /// Who had a partition last, by layer of the claims, the newest first.
    #[inline]
    pub fn owner_before_in(&self, layer: usize, partition: Partition) -> Option<Member<'_>> {
        let slot = layer * self.read.partitions as usize + partition.index();
        let index = self.width().get(self.read.claims, slot)?;
        ((index as usize) < self.read.members.len()).then_some(Member { group: self, index })
    }

    /// A column that the manifest `needs`: the same number of bytes for each partition, in the order of [`Partition::index`].
    pub fn column(&self, name: &str) -> Option<&'a [u8]> {
        self.read.columns.iter().find(|(column, _)| *column == name).map(|&(_, bytes)| bytes)
    }

    /// The racks of all replicas, when the manifest `needs` them and any topic has racks.
    pub fn replica_racks(&self) -> Option<ReplicaRacks<'a>> {
        let column = self.column(names::REPLICA_RACKS)?;
        let each = column.len().checked_div(self.read.partitions as usize)?;
        Some(ReplicaRacks { column, each })
    }

    /// How many records of a partition the group has not read yet, when the manifest `needs` the column `lag`: none where
    /// nothing is committed or the leader could not find out in time.
    #[inline]
    pub fn lag(&self, partition: Partition) -> Option<u64> {
        let (cells, _) = self.column(names::LAG)?.as_chunks();
        cells.get(partition.index()).map(|lag| u64::from_le_bytes(*lag)).filter(|lag| *lag != UNKNOWN_LAG)
    }

    pub(crate) fn topic_at(&self, index: u32) -> Topic<'_> {
        Topic { group: self, index }
    }

    /// Which subscriptions some member has.
    pub(crate) fn used(&self) -> &[bool] {
        &self.used
    }

    /// The members in Kafka's order, and the subscription of each.
    pub(crate) fn subscriptions_in_order(&self) -> (&[u32], &[u32]) {
        (&self.order, &self.subscriptions_in_order)
    }

    pub(crate) fn request(&self) -> &Request<'a> {
        &self.read
    }

    pub(crate) fn width(&self) -> Width {
        Width::of(self.read.members.len())
    }
}

/// The racks of all replicas.
#[derive(Clone, Copy, Debug)]
pub struct ReplicaRacks<'a> {
    column: &'a [u8],
    each: usize,
}

impl<'a> ReplicaRacks<'a> {
    /// The racks of a partition's replicas, as indexes into [`Group::racks`]; one rack may come more than once.
    #[inline]
    pub fn of(&self, partition: Partition) -> impl Iterator<Item = usize> + Clone + use<'a> {
        let start = partition.index() * self.each;
        let racks = self.column.get(start..start + self.each).unwrap_or_default();
        let racks = racks.chunks_exact(2).map(|rack| u16::from_le_bytes([rack[0], rack[1]]));
        racks.filter(|&rack| rack != NO_RACK).map(usize::from)
    }
}

/// Static members by instance id, then the others by id; `members` come by id. Names compare as text by their bytes.
pub(crate) fn kafkas_order<'m>(members: impl Iterator<Item = (Option<&'m str>, &'m str)>) -> Vec<u32> {
    let mut fixed = Vec::new();
    let mut others = Vec::new();
    for (index, (instance_id, _)) in (0..).zip(members) {
        match instance_id {
            Some(instance_id) => fixed.push((instance_id, index)),
            None => others.push(index),
        }
    }
    fixed.sort_unstable();
    fixed.into_iter().map(|(_, index)| index).chain(others).collect()
}

#[cfg(all(test, feature = "testing"))]
mod tests;
