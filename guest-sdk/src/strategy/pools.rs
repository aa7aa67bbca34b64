//! Pools: topics that the same members read. What is fair inside a pool can be decided for all its topics at once.

use super::order::{key, sort, third};
use crate::prelude::*;

/// The pools of a group, and its members by what they read.
#[derive(Debug)]
pub struct Pools<'g> {
    /// Those with the fewest readers first, so that members with little choice are served before the others; then by topic.
    pub pools: Vec<Pool<'g>>,
    /// By subscription its members in Kafka's order.
    cohorts: Vec<Vec<Member<'g>>>,
    /// By member index its subscription.
    cohort_of: Vec<u32>,
}

/// Topics that the same members read; all of them have partitions, and readers.
#[derive(Debug)]
pub struct Pool<'g> {
    /// The topics, by name.
    pub topics: Vec<Topic<'g>>,
    /// How many partitions they have.
    pub partitions: usize,
    /// How many members read them.
    pub readers: usize,
    /// A bit for each subscription of these members: compact, since every pool may have as many as there are members.
    bits: Vec<u64>,
    /// Whether its readers read nothing else that has partitions: a group of its own.
    pub is_alone: bool,
}

impl<'g> Pools<'g> {
    /// Sorts the topics of a group by who reads them.
    pub fn of(group: &'g Group<'_>) -> Self {
        let cohort_of: Vec<u32> = group.members().map(|member| member.subscription() as u32).collect();
        let mut cohorts = vec![Vec::new(); cohort_of.iter().max().map_or(0, |&last| last as usize + 1)];
        group.members_in_kafkas_order().for_each(|member| cohorts[member.subscription()].push(member));
        let mut pools = by_readers(group);
        let mut pools_of = vec![0_u32; cohorts.len()];
        for pool in &mut pools {
            let readers = pool.cohorts().map(|cohort| cohorts[cohort].len()).sum();
            pool.readers = readers;
            pool.cohorts().for_each(|cohort| pools_of[cohort] += 1);
        }
        for pool in &mut pools {
            let is_alone = pool.cohorts().all(|cohort| pools_of[cohort] == 1);
            pool.is_alone = is_alone;
        }
        let key = |(at, pool): (usize, &Pool<'_>)| key(pool.readers as u64, pool.topics[0].index() as u32, at as u32);
        let mut keys: Vec<u128> = pools.iter().enumerate().map(key).collect();
        sort(&mut keys);
        let mut sorted: Vec<Option<Pool<'g>>> = pools.into_iter().map(Some).collect();
        let pools = keys.into_iter().filter_map(|key| sorted[third(key) as usize].take()).collect();
        Pools { pools, cohorts, cohort_of }
    }

    /// The readers of a pool in Kafka's order.
    pub fn ordered_readers(&self, pool: &Pool<'g>) -> Vec<Member<'g>> {
        let readers: Vec<Member<'g>> = self.readers(pool).collect();
        if pool.cohorts().nth(1).is_none() {
            return readers;
        }
        let mut keys: Vec<u128> =
            readers.iter().zip(0..).map(|(reader, at)| key(0, reader.place() as u32, at)).collect();
        sort(&mut keys);
        keys.into_iter().map(|key| readers[third(key) as usize]).collect()
    }

    /// The readers of a pool, in Kafka's order within each subscription.
    pub fn readers<'p>(&'p self, pool: &'p Pool<'g>) -> impl Iterator<Item = Member<'g>> + 'p {
        pool.cohorts().flat_map(|cohort| &self.cohorts[cohort]).copied()
    }

    /// The subscription of a member.
    #[inline]
    pub fn cohort(&self, member: usize) -> usize {
        self.cohort_of[member] as usize
    }

    /// The members with a subscription, in Kafka's order.
    pub fn cohort_members(&self, cohort: usize) -> &[Member<'g>] {
        &self.cohorts[cohort]
    }

    /// How many subscriptions there are.
    pub fn cohorts(&self) -> usize {
        self.cohorts.len()
    }
}

impl<'g> Pool<'g> {
    /// The subscriptions that have it.
    pub fn cohorts(&self) -> impl Iterator<Item = usize> + '_ {
        self.bits.iter().enumerate().flat_map(|(at, &word)| {
            let mut left = word;
            std::iter::from_fn(move || {
                let bit = (left != 0).then(|| left.trailing_zeros() as usize)?;
                left &= left - 1;
                Some(64 * at + bit)
            })
        })
    }

    /// Whether a subscription has it.
    #[inline]
    pub fn is_read_by(&self, cohort: usize) -> bool {
        self.bits.get(cohort / 64).is_some_and(|word| word >> (cohort % 64) & 1 == 1)
    }

    /// The partitions of all its topics.
    pub fn all(&self) -> impl Iterator<Item = Partition> + '_ {
        self.topics.iter().flat_map(|topic| topic.partitions())
    }
}

/// Topics with the same readers, found by a hash of who reads them.
fn by_readers<'g>(group: &'g Group<'_>) -> Vec<Pool<'g>> {
    let mut runs: Vec<(Vec<u64>, Vec<Topic<'g>>)> = Vec::new();
    for topic in group.topics().filter(|topic| topic.len() > 0) {
        let bits = topic.subscriber_bits();
        match runs.last_mut().filter(|run| run.0 == bits) {
            // Neighbours mostly have the same readers.
            Some(run) => run.1.push(topic),
            None => runs.push((bits, vec![topic])),
        }
    }
    let mut keys: Vec<u128> = runs.iter().zip(0..).map(|(run, at)| key(hash(&run.0), 0, at)).collect();
    sort(&mut keys);
    let mut pools: Vec<Pool<'g>> = Vec::new();
    let mut last: Option<usize> = None;
    for at in keys.into_iter().map(|key| third(key) as usize) {
        let topics = std::mem::take(&mut runs[at].1);
        // Two hashes that are equal by chance only make more pools than there could be.
        match pools.last_mut().filter(|_| last.is_some_and(|last| runs[last].0 == runs[at].0)) {
            Some(pool) => pool.topics.extend(topics),
            None => {
                pools.push(Pool { topics, partitions: 0, readers: 0, bits: runs[at].0.clone(), is_alone: false });
            }
        }
        last = Some(at);
    }
    pools.retain(|pool| pool.cohorts().next().is_some());
    for pool in &mut pools {
        pool.partitions = pool.topics.iter().map(|topic| topic.len()).sum();
    }
    pools
}

/// FNV-1a over words, with the upper half folded in.
fn hash(words: &[u64]) -> u64 {
    words.iter().fold(0xcbf2_9ce4_8422_2325, |hash, word| {
        let mixed = (hash ^ word).wrapping_mul(0x0000_0100_0000_01b3);
        mixed ^ (mixed >> 32)
    })
}
