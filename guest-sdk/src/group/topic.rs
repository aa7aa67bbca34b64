//! Topics and partitions as a strategy sees them.

use super::{Group, Member};

/// A topic of a [`Group`].
#[derive(Clone, Copy, Debug)]
pub struct Topic<'g> {
    pub(super) group: &'g Group<'g>,
    pub(super) index: u32,
}

/// A partition, by its dense index: the partitions of all topics are numbered through in the order of the topics.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Partition(u32);

impl Partition {
    /// The index for flat arrays and columns.
    #[inline]
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// Consecutive partitions.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Partitions {
    next: u32,
    end: u32,
}

impl Partitions {
    pub(super) fn new(start: u32, end: u32) -> Self {
        Partitions { next: start, end }
    }

    /// The dense index of the first one.
    #[inline]
    pub fn start(&self) -> usize {
        self.next as usize
    }

    /// The dense index behind the last one.
    #[inline]
    pub(crate) fn end(&self) -> usize {
        self.end as usize
    }

    /// Adds partitions that follow directly.
    #[inline]
    pub(crate) fn lengthen(&mut self, more: Partitions) {
        self.end = more.end;
    }

    /// The partition at a position, from 0.
    #[inline]
    pub fn get(&self, position: usize) -> Option<Partition> {
        (position < self.len()).then(|| Partition(self.next + position as u32))
    }

    /// Takes the first `count` off the front, or all that are left.
    #[inline]
    pub fn take_front(&mut self, count: usize) -> Partitions {
        let front = Partitions { next: self.next, end: self.next + count.min(self.len()) as u32 };
        self.next = front.end;
        front
    }
}

impl Iterator for Partitions {
    type Item = Partition;

    #[inline]
    fn next(&mut self) -> Option<Partition> {
        let partition = (self.next < self.end).then_some(Partition(self.next));
        self.next += u32::from(partition.is_some());
        partition
    }

    #[inline]
    fn size_hint(&self) -> (usize, Option<usize>) {
        let len = (self.end - self.next) as usize;
        (len, Some(len))
    }
}

impl ExactSizeIterator for Partitions {}

impl<'g> Topic<'g> {
    /// Its position by name, from 0.
    #[inline]
    pub fn index(self) -> usize {
        self.index as usize
    }

    /// Its name.
    pub fn name(self) -> &'g str {
        self.group.read.topics[self.index()].name
    }

    /// Its number of partitions.
    #[expect(clippy::len_without_is_empty, reason = "an empty topic is not a case of its own")]
    pub fn len(self) -> usize {
        self.group.read.topics[self.index()].partitions as usize
    }

    /// Its partitions, by number.
    pub fn partitions(self) -> Partitions {
        let row = &self.group.read.topics[self.index()];
        Partitions::new(row.base, row.base + row.partitions)
    }

    /// The members that subscribe to it, in Kafka's order.
    pub fn subscribers(self) -> Vec<Member<'g>> {
        let group = self.group;
        let has: Vec<bool> = self.has().collect();
        let mut subscribers = Vec::with_capacity(group.order.len());
        let order = group.order.iter().zip(&group.subscriptions_in_order);
        let order = order.filter(|&(_, &subscription)| has[subscription as usize]);
        subscribers.extend(order.map(|(&index, _)| Member { group, index }));
        subscribers
    }

    /// Which of the group's distinct subscriptions have it: topics with equal bits have the same subscribers.
    pub fn subscriber_bits(self) -> Vec<u64> {
        let mut bits = vec![0; self.group.used.len().div_ceil(64)];
        for (at, has) in self.has().enumerate().filter(|&(_, has)| has) {
            bits[at / 64] |= u64::from(has) << (at % 64);
        }
        bits
    }

    /// Whether the same members subscribe to another topic.
    pub fn has_same_subscribers(self, other: Topic<'_>) -> bool {
        self.has().eq(other.has())
    }

    fn has(self) -> impl Iterator<Item = bool> + use<'g> {
        let subscriptions = self.group.used.iter().zip(&self.group.read.subscriptions);
        subscriptions.map(move |(&used, subscription)| used && subscription.contains(self.index))
    }
}

/// Consecutive topics that the same members subscribe to.
#[derive(Clone, Debug)]
pub struct Run<'g> {
    first: Topic<'g>,
    topics: u32,
    partitions: Partitions,
    subscribers: Vec<Member<'g>>,
}

impl<'g> Run<'g> {
    pub(super) fn starting(topic: Topic<'g>) -> Self {
        Run { first: topic, topics: 1, partitions: topic.partitions(), subscribers: topic.subscribers() }
    }

    pub(super) fn first(&self) -> Topic<'g> {
        self.first
    }

    pub(super) fn push(&mut self, topic: Topic<'g>) {
        self.topics = topic.index - self.first.index + 1;
        self.partitions.end = topic.partitions().end;
    }

    /// The topics.
    pub fn topics(&self) -> impl Iterator<Item = Topic<'g>> + use<'g> {
        let group = self.first.group;
        let topics = self.first.index..self.first.index + self.topics;
        topics.map(move |index| Topic { group, index }).filter(|topic| topic.len() > 0)
    }

    /// The partitions of all its topics: they follow each other.
    pub fn partitions(&self) -> Partitions {
        self.partitions.clone()
    }

    /// The members that subscribe to them, in Kafka's order.
    pub fn subscribers(&self) -> &[Member<'g>] {
        &self.subscribers
    }
}
