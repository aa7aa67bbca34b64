//! From sizes to partitions: who keeps which, what is taken away, and who gets what is free.
//!
//! Partitions with the highest numbers are taken away first, of all topics in turn: so a member that gives some up keeps its spread
//! over topics, and who gets them is spread as well. (Of a single topic in a group with unequal subscriptions it is the lowest first: it makes no
//! difference but to people who compare the plan with Kafka's.) What is free is dealt out topic by topic, round and round.

use std::ops::Range;

use super::tables::{first, pair, second, sort};
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

/// The partitions of a group while they are dealt out. Who has them so far stands where the host will read it: a column less to fill,
/// and to write from. Loops are compiled for each width of its cells.
pub struct Deal<'g> {
    request: &'g Request<'g>,
    width: Width,
    /// By member: how many it has to give up.
    excess: Vec<u32>,
    lowest_first: bool,
}

impl<'g> Deal<'g> {
    pub fn new(group: &'g Group<'g>, subscriptions_are_equal: bool) -> Self {
        let request = group.request();
        let excess = vec![0; request.members.len()];
        Deal { request, width: group.width(), excess, lowest_first: !subscriptions_are_equal }
    }

    /// Whether anybody claims anything.
    pub fn any_claims(&self) -> bool {
        !self.request.claims.is_empty()
    }

    /// Counts by member what each had of topics. Everybody may keep everything.
    pub fn count_all(&self, topics: &[u32], owners: &mut Owners) -> Vec<u32> {
        let mut had = vec![0; self.excess.len()];
        match self.width {
            Width::Two => self.count_eights::<2>(topics, owners.cells(), &mut had),
            Width::Four => self.count_eights::<4>(topics, owners.cells(), &mut had),
        }
        had
    }

    /// Eight in each turn of the loop: in the sandbox every turn looks whether the call is to end.
    ///
    /// A function of its own, as the other loops over partitions are: within a larger one their variables live on the stack.
    #[inline(never)]
    fn count_eights<const N: usize>(&self, topics: &[u32], cells: &mut [[u8; N]], had: &mut [u32]) {
        let mut keep = |cell: &mut [u8; N]| match had.get_mut(number(*cell) as usize) {
            Some(had) => *had += 1,
            None => *cell = nobody(),
        };
        for &topic in topics {
            let (eights, rest) = self.claimed(topic, cells).as_chunks_mut::<8>();
            eights.iter_mut().for_each(|eight| eight.iter_mut().for_each(&mut keep));
            rest.iter_mut().for_each(&mut keep);
        }
    }

    /// Counts what members had of a pool, as far as they may keep it: then `may_keep` counts it and says yes.
    /// It is asked about numbers beyond the members as well: these are nobody.
    pub fn count(&self, pool: Pool<'_>, owners: &mut Owners, may_keep: impl FnMut(u32) -> bool) {
        match self.width {
            Width::Two => self.count_cells::<2>(pool, owners.cells(), may_keep),
            Width::Four => self.count_cells::<4>(pool, owners.cells(), may_keep),
        }
    }

    #[inline(never)]
    fn count_cells<const N: usize>(
        &self,
        pool: Pool<'_>,
        cells: &mut [[u8; N]],
        mut may_keep: impl FnMut(u32) -> bool,
    ) {
        let mut keep = |cell: &mut [u8; N]| {
            if !may_keep(number(*cell)) {
                *cell = nobody();
            }
        };
        match pool {
            Pool::Topics(topics) => {
                topics.iter().for_each(|&topic| self.claimed(topic, cells).iter_mut().for_each(&mut keep));
            }
            Pool::Partitions(partitions) => {
                let (claims, _) = self.request.claims.as_chunks();
                for &partition in partitions {
                    let cell = &mut cells[partition as usize];
                    *cell = claims.get(partition as usize).copied().unwrap_or(nobody());
                    keep(cell);
                }
            }
        }
    }

    /// The cells of a topic, with what is claimed of it.
    #[inline]
    fn claimed<'c, const N: usize>(&self, topic: u32, cells: &'c mut [[u8; N]]) -> &'c mut [[u8; N]] {
        let topic = self.topic(topic);
        let cells = &mut cells[topic.clone()];
        match self.request.claims.as_chunks().0.get(topic) {
            Some(claims) => cells.copy_from_slice(claims),
            None => cells.fill(nobody()),
        }
        cells
    }

    /// Takes from members what they have too many and gives to others what is free. The shares are in the order in which members get
    /// something, and together they are the pool.
    pub fn settle(&mut self, pool: Pool<'_>, shares: impl Iterator<Item = Share>, owners: &mut Owners) {
        let mut too_many = 0;
        let mut ring = Ring { takers: Vec::new(), at: 0 };
        for Share { member, had, gets } in shares {
            if had > gets {
                self.excess[member as usize] = had - gets;
                too_many += had - gets;
            } else if gets > had {
                ring.takers.push((member, gets - had));
            }
        }
        if too_many > 0 {
            self.take_away(pool, owners, too_many);
        }
        match self.width {
            _ if ring.takers.is_empty() => {}
            Width::Two => self.fill::<2>(pool, owners.cells(), ring),
            Width::Four => self.fill::<4>(pool, owners.cells(), ring),
        }
    }

    fn fill<const N: usize>(&self, pool: Pool<'_>, cells: &mut [[u8; N]], mut ring: Ring) {
        match pool {
            Pool::Topics(topics) => topics.iter().for_each(|&topic| ring.fill(&mut cells[self.topic(topic)])),
            Pool::Partitions(partitions) => {
                partitions.iter().for_each(|&partition| ring.fill_one(&mut cells[partition as usize]));
            }
        }
    }

    /// The partitions of a topic.
    fn topic(&self, topic: u32) -> Range<usize> {
        let topic = &self.request.topics[topic as usize];
        topic.base as usize..(topic.base + topic.partitions) as usize
    }

    #[inline(never)]
    fn take_away(&mut self, pool: Pool<'_>, owners: &mut Owners, mut too_many: u32) {
        let excess = &mut self.excess;
        let mut take = |partition: u32| {
            let owner = owners.owner_of(partition).and_then(|owner| excess.get_mut(owner as usize));
            let excess = owner.filter(|excess| **excess > 0);
            let taken = excess.is_some();
            if let Some(excess) = excess {
                *excess -= 1;
                owners.take_back(partition);
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
                in_turn(topics.map(|topic| pair(topic.partitions, topic.base)).collect(), take);
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

/// Goes through topics, each the number of its partitions and its first one, from the highest numbers down: all topics give in turn.
/// `take` says whether it took a partition, and whether that was the last.
#[inline]
fn in_turn(mut by_size: Vec<u64>, mut take: impl FnMut(u32) -> (bool, bool)) {
    sort(&mut by_size);
    let most = by_size.last().map_or(0, |&topic| first(topic));
    let (mut smaller, mut from) = (by_size.len(), 0);
    for number in (0..most).rev() {
        while smaller > 0 && first(by_size[smaller - 1]) > number {
            smaller -= 1;
        }
        // The last topic first, and after one of which something was taken the one before it.
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

/// The number in a cell of an owner map. Nobody's is beyond all members.
#[inline]
fn number<const N: usize>(cell: [u8; N]) -> u32 {
    let mut bytes = [0; 4];
    bytes[..N].copy_from_slice(&cell);
    u32::from_le_bytes(bytes)
}

/// What stands in the cell of a partition that nobody has.
const fn nobody<const N: usize>() -> [u8; N] {
    [0xff; N]
}

/// Cells that are looked through at once.
const BLOCK_BYTES: usize = 32;

/// The first block with a cell that is nobody's.
#[inline(never)]
fn first_with_nobodys<const N: usize>(blocks: &[[u8; BLOCK_BYTES]]) -> Option<usize> {
    // In the opposite of a word such a cell is zero. One less than zero has the highest bit, which the others get only from a neighbour
    // that is zero, or had.
    let ones = u64::MAX / (u64::MAX >> (64 - 8 * N));
    let highest = ones << (8 * N - 1);
    blocks.iter().position(|block| {
        let words = block.as_chunks().0.iter().map(|word| u64::from_le_bytes(*word));
        words.fold(0, |found, word| found | (!word).wrapping_sub(ones) & word) & highest != 0
    })
}

/// Members that get one partition after another, round and round, until each has enough.
struct Ring {
    takers: Vec<(u32, u32)>,
    at: usize,
}

impl Ring {
    /// Gives out what nobody has: most often little of much.
    fn fill<const N: usize>(&mut self, cells: &mut [[u8; N]]) {
        let (mut blocks, rest) = cells.as_flattened_mut().as_chunks_mut::<BLOCK_BYTES>();
        while let Some(at) = first_with_nobodys::<N>(blocks) {
            blocks[at].as_chunks_mut().0.iter_mut().for_each(|cell| self.fill_one::<N>(cell));
            blocks = &mut blocks[at + 1..];
        }
        rest.as_chunks_mut().0.iter_mut().for_each(|cell| self.fill_one::<N>(cell));
    }

    /// Gives a partition to the next member, unless somebody has it. When everybody has enough, nobody gets it.
    #[inline]
    fn fill_one<const N: usize>(&mut self, cell: &mut [u8; N]) {
        if *cell != nobody() {
            return;
        }
        if self.at == self.takers.len() {
            self.takers.retain(|taker| taker.1 > 0);
            self.at = 0;
        }
        if let Some((member, wants)) = self.takers.get_mut(self.at) {
            *wants -= 1;
            self.at += 1;
            cell.copy_from_slice(&member.to_le_bytes()[..N]);
        }
    }
}
