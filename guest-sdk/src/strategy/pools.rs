//! Pools: topics that the same members read. What is fair inside a pool can be decided for all its topics at once.

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
    /// The subscriptions of these members.
    pub cohorts: Vec<u32>,
    /// Whether its readers read nothing else that has partitions: a group of its own.
    pub is_alone: bool,
}

impl<'g> Pools<'g> {
    /// Sorts the topics of a group by who reads them.
    pub fn of(group: &'g Group<'_>) -> Self {
        let cohort_of: Vec<u32> = group.members().map(|member| member.subscription() as u32).collect();
        let mut cohorts = vec![Vec::new(); cohort_of.iter().max().map_or(0, |&last| last as usize + 1)];
        group.members_in_kafkas_order().for_each(|member| cohorts[member.subscription()].push(member));
        let mut by_readers: DetMap<Vec<u64>, Vec<Topic<'g>>> = DetMap::new();
        let mut run: (Vec<u64>, Vec<Topic<'g>>) = Default::default();
        for topic in group.topics().filter(|topic| topic.len() > 0) {
            // Neighbours mostly have the same readers: one look into the map for each run of them.
            let bits = topic.subscriber_bits();
            if bits != run.0 {
                let (bits, topics) = std::mem::replace(&mut run, (bits, Vec::new()));
                by_readers.entry(bits).or_default().extend(topics);
            }
            run.1.push(topic);
        }
        by_readers.entry(run.0).or_default().extend(run.1);
        let mut pools: Vec<Pool<'g>> = by_readers
            .into_iter()
            .filter_map(|(bits, topics)| {
                let cohorts: Vec<u32> = (0..cohorts.len() as u32).filter(|&at| has(&bits, at)).collect();
                Pool::new(topics, cohorts)
            })
            .collect();
        let mut pools_of = vec![0_u32; cohorts.len()];
        for pool in &mut pools {
            pool.readers = pool.cohorts.iter().map(|&cohort| cohorts[cohort as usize].len()).sum();
            pool.cohorts.iter().for_each(|&cohort| pools_of[cohort as usize] += 1);
        }
        for pool in &mut pools {
            pool.is_alone = pool.cohorts.iter().all(|&cohort| pools_of[cohort as usize] == 1);
        }
        pools.sort_by_key(|pool| (pool.readers, pool.topics[0].index()));
        Pools { pools, cohorts, cohort_of }
    }

    /// The readers of a pool in Kafka's order.
    pub fn ordered_readers(&self, pool: &Pool<'g>) -> Vec<Member<'g>> {
        let mut readers: Vec<Member<'g>> = self.readers(pool).collect();
        if pool.cohorts.len() > 1 {
            readers.sort_unstable_by_key(|reader| reader.place());
        }
        readers
    }

    /// The readers of a pool, in Kafka's order within each subscription.
    pub fn readers<'p>(&'p self, pool: &'p Pool<'g>) -> impl Iterator<Item = Member<'g>> + 'p {
        pool.cohorts.iter().flat_map(|&cohort| &self.cohorts[cohort as usize]).copied()
    }

    /// The subscription of a member.
    #[inline]
    pub fn cohort(&self, member: usize) -> usize {
        self.cohort_of[member] as usize
    }

    /// The members with a subscription, in Kafka's order.
    pub fn cohort_members(&self, cohort: u32) -> &[Member<'g>] {
        &self.cohorts[cohort as usize]
    }

    /// How many subscriptions there are.
    pub fn cohorts(&self) -> usize {
        self.cohorts.len()
    }
}

impl<'g> Pool<'g> {
    fn new(topics: Vec<Topic<'g>>, cohorts: Vec<u32>) -> Option<Self> {
        let partitions = topics.iter().map(|topic| topic.len()).sum();
        let is_one = partitions > 0 && !cohorts.is_empty();
        is_one.then_some(Pool { topics, partitions, readers: 0, cohorts, is_alone: false })
    }

    /// The partitions of all its topics.
    pub fn all(&self) -> impl Iterator<Item = Partition> + '_ {
        self.topics.iter().flat_map(|topic| topic.partitions())
    }
}

fn has(bits: &[u64], at: u32) -> bool {
    bits.get(at as usize / 64).is_some_and(|word| word >> (at % 64) & 1 == 1)
}
