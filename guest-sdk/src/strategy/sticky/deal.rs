//! From sizes to partitions: who keeps which, what is taken away, and who gets what is free.
//!
//! Partitions with the highest numbers are taken away first, of all topics in turn: so a member that gives some up keeps its spread
//! over topics, and who gets them is spread as well. (Of a single topic in a group with unequal subscriptions it is the lowest first: it makes no
//! difference but to people who compare the plan with Kafka's.) What is free is dealt out topic by topic, round and round.

use super::tables::{NONE, first, pair, second, sort};
use crate::abi::Width;
use crate::abi::request::Partitions as Request;
use crate::{Group, Owners};

/// Partitions that may be exchanged for each other: whoever may have one of them may have all.
#[derive(Clone, Copy)]
pub enum Pool<'p> {
    /// All of these topics, by name.
    Topics(&'p [u32]),
    /// These, in their order.
    Partitions(&'p [u32]),
}

/// A member and the partitions of a pool that it has, before and after.
#[derive(Clone, Copy, Debug)]
pub struct Share {
    pub member: u32,
    pub had: u32,
    pub gets: u32,
}

/// The partitions of a group while they are dealt out.
pub struct Deal<'g> {
    group: &'g Group<'g>,
    request: &'g Request<'g>,
    /// The owner of each partition, as far as it is looked at.
    owner: Vec<u32>,
    /// By member: how many it has to give up.
    excess: Vec<u32>,
    lowest_first: bool,
}

impl<'g> Deal<'g> {
    pub fn new(group: &'g Group<'g>, subscriptions_are_equal: bool) -> Self {
        let request = group.request();
        let excess = vec![0; request.members.len()];
        Deal { group, request, owner: Vec::new(), excess, lowest_first: !subscriptions_are_equal }
    }

    /// Whether anybody claims anything.
    pub fn any_claims(&self) -> bool {
        !self.request.claims.is_empty()
    }

    /// Counts what members had of a pool, as far as they may keep it: then `may_keep` counts it and says yes.
    /// It is asked about numbers beyond the members as well: these are nobody.
    ///
    /// A function of its own, as the other loops over partitions are: within a larger one their variables live on the stack.
    #[inline(never)]
    pub fn count(&mut self, pool: Pool<'_>, mut may_keep: impl FnMut(u32) -> bool) {
        if self.owner.is_empty() {
            self.owner = vec![NONE; self.request.partitions as usize];
        }
        if !self.any_claims() {
            return;
        }
        let (claims, width) = (self.request.claims, self.group.width());
        let mut owner_of = |member: u32| if may_keep(member) { member } else { NONE };
        match pool {
            Pool::Topics(topics) => {
                for &topic in topics {
                    let topic = &self.request.topics[topic as usize];
                    let start = topic.base as usize;
                    let owners = self.owner[start..start + topic.partitions as usize].iter_mut();
                    let claims = claims.get(start * width.bytes()..).unwrap_or_default();
                    // A loop for each width: the cells of a column one after another.
                    match width {
                        Width::Two => owners.zip(claims.as_chunks().0).for_each(|(owner, claim)| {
                            *owner = owner_of(u32::from(u16::from_le_bytes(*claim)));
                        }),
                        Width::Four => owners.zip(claims.as_chunks().0).for_each(|(owner, claim)| {
                            *owner = owner_of(u32::from_le_bytes(*claim));
                        }),
                    }
                }
            }
            Pool::Partitions(partitions) => {
                for &partition in partitions {
                    self.owner[partition as usize] = width.get(claims, partition as usize).map_or(NONE, &mut owner_of);
                }
            }
        }
    }

    /// Takes from members what they have too many and gives to others what is free, then writes the owners. The shares are in the order
    /// in which members get something, and together they are the pool.
    pub fn settle(&mut self, pool: Pool<'_>, shares: impl Iterator<Item = Share> + Clone, owners: &mut Owners) {
        let mut too_many = 0;
        for share in shares.clone().filter(|share| share.had > share.gets) {
            self.excess[share.member as usize] = share.had - share.gets;
            too_many += share.had - share.gets;
        }
        if too_many > 0 {
            self.take_away(pool, too_many);
        }
        let takers = shares.filter(|share| share.gets > share.had);
        let mut ring = Ring::new(takers.map(|share| (share.member, share.gets - share.had)).collect());
        match pool {
            Pool::Topics(topics) => {
                for &topic in topics {
                    let topic = &self.request.topics[topic as usize];
                    let start = topic.base as usize;
                    let partitions = &mut self.owner[start..start + topic.partitions as usize];
                    ring.fill(partitions);
                    owners.write(start, partitions);
                }
            }
            Pool::Partitions(partitions) => {
                for &partition in partitions {
                    let owner = &mut self.owner[partition as usize];
                    if *owner == NONE {
                        *owner = ring.next();
                    }
                    owners.write(partition as usize, &[*owner]);
                }
            }
        }
    }

    #[inline(never)]
    fn take_away(&mut self, pool: Pool<'_>, mut too_many: u32) {
        let (owner, excess) = (&mut self.owner, &mut self.excess);
        let mut take = |partition: u32| {
            let excess = excess.get_mut(owner[partition as usize] as usize).filter(|excess| **excess > 0);
            let taken = excess.is_some();
            if let Some(excess) = excess {
                *excess -= 1;
                owner[partition as usize] = NONE;
                too_many -= 1;
            }
            (taken, too_many == 0)
        };
        match pool {
            Pool::Topics(&[topic]) if self.lowest_first => {
                let topic = &self.request.topics[topic as usize];
                let _ = (topic.base..topic.base + topic.partitions).find(|&partition| take(partition).1);
            }
            Pool::Topics(topics) => {
                let topics = topics.iter().map(|&topic| &self.request.topics[topic as usize]);
                let mut by_size: Vec<u64> = topics.map(|topic| pair(topic.partitions, topic.base)).collect();
                sort(&mut by_size);
                let most = by_size.last().map_or(0, |&topic| first(topic));
                let (mut smaller, mut from) = (by_size.len(), 0);
                for number in (0..most).rev() {
                    while smaller > 0 && first(by_size[smaller - 1]) > number {
                        smaller -= 1;
                    }
                    // The last topic first, and after one of which something was taken the one before it: all give in turn.
                    let (start, count) = (from, by_size.len() - smaller);
                    for at in (start..count).chain(0..start.min(count)) {
                        match take(second(by_size[by_size.len() - 1 - at]) + number) {
                            (_, true) => return,
                            (true, _) => from = at + 1,
                            (false, _) => {}
                        }
                    }
                }
            }
            Pool::Partitions(partitions) => {
                let topics = &self.request.topics;
                let number = |partition: u32| {
                    let topic = topics.partition_point(|topic| topic.base <= partition) - 1;
                    partition - topics[topic].base
                };
                let mut by_number: Vec<u64> = partitions.iter().map(|&at| pair(number(at), at)).collect();
                sort(&mut by_number);
                let _ = by_number.iter().rev().find(|&&partition| take(second(partition)).1);
            }
        }
    }
}

/// Members that get one partition after another, round and round, until each has enough.
struct Ring {
    takers: Vec<(u32, u32)>,
    at: usize,
}

impl Ring {
    fn new(takers: Vec<(u32, u32)>) -> Self {
        Ring { takers, at: 0 }
    }

    /// Gives out what nobody has.
    #[inline(never)]
    fn fill(&mut self, partitions: &mut [u32]) {
        if !self.takers.is_empty() {
            partitions.iter_mut().filter(|owner| **owner == NONE).for_each(|owner| *owner = self.next());
        }
    }

    /// Who gets the next one; nobody when everybody has enough.
    #[inline]
    fn next(&mut self) -> u32 {
        if self.at == self.takers.len() {
            self.takers.retain(|taker| taker.1 > 0);
            self.at = 0;
        }
        match self.takers.get_mut(self.at) {
            Some((member, wants)) => {
                *wants -= 1;
                self.at += 1;
                *member
            }
            None => NONE,
        }
    }
}
