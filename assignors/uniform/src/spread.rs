//! Every topic evenly over its readers first; then even sizes; then few moves.
//!
//! Of a topic each reader gets the whole share, so all that there is to decide is who gets one of the odd partitions: `extras`.

use divvy_guest::prelude::*;
use divvy_guest::strategy::order::{Lowest, first, key, sort, third};
use divvy_guest::strategy::pools::{Pool, Pools};

/// Rounds over all topics that every group gets, and what may be looked at beyond that, in readers and extras.
const ROUNDS: usize = 16;
const LOOKS: usize = 24_000_000;

/// Set on an extra that its holder did not have before: it costs no move to give it to somebody else.
const NEW: u32 = 1 << 31;

/// Gives all partitions; says whether no extra could go to a member that is two smaller.
pub fn give(group: &Group<'_>, pools: &Pools<'_>, owners: &mut Owners) -> bool {
    let mut spread = Spread::new(group, pools);
    spread.keep();
    spread.hand_out();
    let is_settled = spread.balance();
    spread.place(owners);
    is_settled
}

struct Spread<'a, 'g> {
    group: &'a Group<'a>,
    pools: &'a Pools<'g>,
    /// By member index: its partitions so far, room for counting, and the topic that the member was marked for last.
    size: Vec<u32>,
    count: Vec<u32>,
    mark: Vec<u32>,
    /// By topic index where its extras are, and the holders of all extras: member indexes, some with `NEW`.
    first: Vec<u32>,
    extras: Vec<u32>,
    /// By topic index how many of them have a holder.
    held: Vec<u32>,
    at_place: Vec<u32>,
}

impl<'a, 'g> Spread<'a, 'g> {
    fn new(group: &'a Group<'a>, pools: &'a Pools<'g>) -> Self {
        let members = group.members().len();
        let mut size = vec![0; members];
        let mut first = vec![0; group.topics().len()];
        let mut extras = 0;
        for pool in &pools.pools {
            let mut shares = 0;
            for topic in &pool.topics {
                shares += (topic.len() / pool.readers) as u32;
                first[topic.index()] = extras;
                extras += (topic.len() % pool.readers) as u32;
            }
            pools.readers(pool).for_each(|reader| size[reader.index()] += shares);
        }
        Spread {
            group,
            pools,
            size,
            count: vec![0; members],
            mark: vec![u32::MAX; members],
            held: vec![0; first.len()],
            first,
            extras: vec![0; extras as usize],
            at_place: group.members_in_kafkas_order().map(|member| member.index() as u32).collect(),
        }
    }

    /// The smallest first, ties in Kafka's order.
    fn key(&self, member: usize) -> u128 {
        key(u64::from(self.size[member]), 0, self.group.member(member).place() as u32)
    }

    fn claimant(&self, topic: Topic<'_>, partition: Partition) -> Option<usize> {
        self.group.owner_before(partition).filter(|member| member.subscribes(topic)).map(|member| member.index())
    }

    fn hold(&mut self, topic: Topic<'_>, extra: u32) {
        let slot = self.first[topic.index()] + self.held[topic.index()];
        self.extras[slot as usize] = extra;
        self.held[topic.index()] += 1;
        self.size[(extra & !NEW) as usize] += 1;
    }

    /// The extras of a topic that have a holder.
    fn holders(&self, topic: Topic<'_>) -> &[u32] {
        let first = self.first[topic.index()] as usize;
        &self.extras[first..first + self.held[topic.index()] as usize]
    }

    /// Who had more than the whole share of a topic keeps an extra, the smallest first.
    fn keep(&mut self) {
        if self.group.claim_layers() == 0 {
            return;
        }
        let mut had: Vec<usize> = Vec::new();
        let pools = self.pools;
        for pool in &pools.pools {
            for &topic in &pool.topics {
                let (share, odd) = ((topic.len() / pool.readers) as u32, topic.len() % pool.readers);
                if odd == 0 {
                    continue;
                }
                for partition in topic.partitions() {
                    if let Some(member) = self.claimant(topic, partition) {
                        self.count[member] += 1;
                        if self.count[member] == 1 {
                            had.push(member);
                        }
                    }
                }
                let above = had.iter().filter(|&&member| self.count[member] > share);
                let mut keepers: Vec<u128> = above.map(|&member| self.key(member)).collect();
                if odd < keepers.len() {
                    sort(&mut keepers);
                }
                for keeper in keepers.into_iter().take(odd) {
                    self.hold(topic, self.at_place[third(keeper) as usize]);
                }
                had.drain(..).for_each(|member| self.count[member] = 0);
            }
        }
    }

    /// The other extras go to the smallest readers that have none of the topic, those of topics with few readers first.
    fn hand_out(&mut self) {
        let pools = self.pools;
        for pool in &pools.pools {
            let left = |topic: &&Topic<'_>| (topic.len() % pool.readers) as u32 - self.held[topic.index()];
            let open: Vec<(Topic<'_>, u32)> = pool.topics.iter().map(|topic| (*topic, left(&topic))).collect();
            if open.iter().all(|&(_, left)| left == 0) {
                continue;
            }
            if self.deal_out(pool) {
                continue;
            }
            let mut smallest = Lowest::of(pools.readers(pool).map(|reader| self.key(reader.index())).collect());
            let mut aside: Vec<u128> = Vec::new();
            for (topic, mut left) in open {
                let stamp = topic.index() as u32;
                for at in 0..self.holders(topic).len() {
                    let holder = (self.holders(topic)[at] & !NEW) as usize;
                    self.mark[holder] = stamp;
                }
                while left > 0 {
                    let Some(lowest) = smallest.pop() else { break };
                    let member = self.at_place[third(lowest) as usize];
                    let is_holder = self.mark[member as usize] == stamp;
                    if !is_holder {
                        self.hold(topic, member | NEW);
                        left -= 1;
                    }
                    aside.push(self.key(member as usize));
                }
                aside.drain(..).for_each(|key| smallest.push(key));
            }
        }
    }

    /// The same where nobody has an extra of these topics and sizes are even: around and around, which keeps them so.
    fn deal_out(&mut self, pool: &Pool<'_>) -> bool {
        let sizes = || self.pools.readers(pool).map(|reader| self.size[reader.index()]);
        let is_fresh = pool.topics.iter().all(|topic| self.held[topic.index()] == 0);
        if !is_fresh || sizes().max() > sizes().min().map(|least| least + 1) {
            return false;
        }
        let mut order: Vec<u128> = self.pools.readers(pool).map(|reader| self.key(reader.index())).collect();
        sort(&mut order);
        let mut round =
            order.iter().map(|&key| self.at_place[third(key) as usize]).collect::<Vec<_>>().into_iter().cycle();
        for &topic in &pool.topics {
            for member in round.by_ref().take(topic.len() % pool.readers) {
                self.hold(topic, member | NEW);
            }
        }
        true
    }

    /// Extras move from large to small members while that evens sizes out.
    fn balance(&mut self) -> bool {
        let pools = self.pools;
        let work: usize =
            pools.pools.iter().map(|pool| pool.readers + pool.topics.len()).sum::<usize>() + self.extras.len();
        let rounds = ROUNDS + LOOKS / (work + 1);
        for _ in 0..rounds {
            let mut moved = false;
            for pool in &pools.pools {
                let mut smallest = self.smallest(pool);
                for &topic in &pool.topics {
                    let largest = self.holders(topic).iter().map(|extra| self.size[(extra & !NEW) as usize]).max();
                    if largest.is_some_and(|largest| largest > smallest + 1) && self.balance_one(pool, topic) {
                        moved = true;
                        smallest = self.smallest(pool);
                    }
                }
            }
            if !moved {
                return true;
            }
        }
        false
    }

    fn smallest(&self, pool: &Pool<'_>) -> u32 {
        self.pools.readers(pool).map(|reader| self.size[reader.index()]).min().unwrap_or(0)
    }

    /// The largest holder's extra goes to the smallest reader without one, while they are two apart; of equal holders first from
    /// one for whom it is new.
    fn balance_one(&mut self, pool: &Pool<'_>, topic: Topic<'_>) -> bool {
        let start = self.first[topic.index()] as usize;
        let holders = start..start + self.held[topic.index()] as usize;
        let mut largest: Vec<u128> = Vec::new();
        // Marks of this step must differ from those of others: topics are marked by index elsewhere, here beyond that.
        let stamp = NEW | topic.index() as u32;
        for slot in holders {
            let member = (self.extras[slot] & !NEW) as usize;
            self.mark[member] = stamp;
            // Of equal ones first those for whom it is new.
            let size = u64::from(self.size[member]) << 1 | u64::from(self.extras[slot] & NEW != 0);
            largest.push(key(size, third(self.key(member)), slot as u32));
        }
        sort(&mut largest);
        let most = largest.last().map_or(0, |&last| (first(last) >> 1) as u32);
        let free = self.pools.readers(pool).map(|reader| reader.index());
        let free = free.filter(|&member| self.mark[member] != stamp && self.size[member] + 1 < most);
        let mut smallest: Vec<u128> = free.map(|member| self.key(member)).collect();
        sort(&mut smallest);
        let mut moved = false;
        for (large, small) in largest.into_iter().rev().zip(smallest) {
            if first(large) >> 1 < first(small) + 2 {
                break;
            }
            let slot = third(large) as usize;
            let (from, to) = (self.extras[slot] & !NEW, self.at_place[third(small) as usize]);
            self.size[from as usize] -= 1;
            self.size[to as usize] += 1;
            self.extras[slot] = to | NEW;
            moved = true;
        }
        moved
    }

    /// Who had partitions of a topic keeps them up to its share, the others go in turn to those that have too few.
    fn place(&mut self, owners: &mut Owners) {
        let pools = self.pools;
        let group = self.group;
        let mut quota = vec![0_u32; self.size.len()];
        let mut free: Vec<Partition> = Vec::new();
        for pool in &pools.pools {
            let readers = pools.ordered_readers(pool);
            for &topic in &pool.topics {
                let share = (topic.len() / pool.readers) as u32;
                if share > 0 {
                    readers.iter().for_each(|reader| quota[reader.index()] = share);
                }
                self.holders(topic).iter().for_each(|extra| quota[(extra & !NEW) as usize] += 1);
                for partition in topic.partitions() {
                    match self.claimant(topic, partition).filter(|&member| quota[member] > 0) {
                        Some(member) => {
                            quota[member] -= 1;
                            owners.give(partition, group.member(member));
                        }
                        None => free.push(partition),
                    }
                }
                let mut free = free.drain(..);
                let extra = |extra: &u32| group.member((extra & !NEW) as usize);
                let mut open: Vec<Member<'_>> = match share {
                    0 => self.holders(topic).iter().map(extra).collect(),
                    _ => readers.clone(),
                };
                while !open.is_empty() && free.len() > 0 {
                    open.retain(|member| {
                        let left = &mut quota[member.index()];
                        if *left > 0
                            && let Some(partition) = free.next()
                        {
                            *left -= 1;
                            owners.give(partition, *member);
                        }
                        *left > 0
                    });
                }
            }
        }
    }
}
