//! What Kafka 3.9 answers. Its order of topics is that of random ids, and its order of members that of a hash table: here topic
//! ids are 1, 2, 3… by name and members come by id, under which its answers for small groups can be told beforehand.

use divvy_guest::prelude::*;
use divvy_guest::strategy::order::{Lowest, key, sort, third};
use divvy_guest::strategy::pools::Pools;

/// Kafka's bound on how often it looks at every topic.
const ROUNDS: usize = 16;

pub fn give(group: &Group<'_>, pools: &Pools<'_>, owners: &mut Owners) {
    let members = group.members().len();
    let is_equal = group.topics().all(|topic| [0, members].contains(&topic.subscribers().len()));
    match is_equal {
        true => equal(group, pools, owners),
        false => unequal(group, owners),
    }
}

/// Everybody reads the same: the first members may have one more, each keeps the first of what it had, and who has room takes
/// runs of what is left.
fn equal(group: &Group<'_>, pools: &Pools<'_>, owners: &mut Owners) {
    let Some(pool) = pools.pools.first() else { return };
    // A table of ids by their hash: with ids (1, n) that is the order of 1 xor n.
    let mut order: Vec<u128> =
        pool.topics.iter().zip(0..).map(|(topic, at)| key(((topic.index() + 1) ^ 1) as u64, 0, at)).collect();
    sort(&mut order);
    let topics: Vec<Topic<'_>> = order.into_iter().map(|key| pool.topics[third(key) as usize]).collect();
    let (share, odd) = (pool.partitions / pool.readers, pool.partitions % pool.readers);
    let mut room: Vec<usize> = (0..pool.readers).map(|at| share + usize::from(at < odd)).collect();
    let mut free: Vec<Partition> = Vec::new();
    for topic in &topics {
        free.extend(topic.partitions().filter(|&partition| group.owner_before(partition).is_none()));
    }
    // What a member had is gone through by name.
    for topic in &pool.topics {
        for partition in topic.partitions() {
            let Some(member) = group.owner_before(partition) else { continue };
            match room[member.index()].checked_sub(1) {
                Some(left) => {
                    room[member.index()] = left;
                    owners.give(partition, member);
                }
                None => free.push(partition),
            }
        }
    }
    let mut free = free.into_iter();
    for (member, room) in group.members().zip(room) {
        free.by_ref().take(room).for_each(|partition| owners.give(partition, member));
    }
}

/// Subscriptions differ: everybody keeps what it had, free partitions go to the least loaded, and then rounds over the topics move
/// partitions from the most to the least loaded reader.
fn unequal(group: &Group<'_>, owners: &mut Owners) {
    let mut size = vec![0_usize; group.members().len()];
    for topic in group.topics() {
        for partition in topic.partitions() {
            if let Some(member) = group.owner_before(partition).filter(|member| member.subscribes(topic)) {
                size[member.index()] += 1;
                owners.give(partition, member);
            }
        }
    }
    let mut topics: Vec<(Topic<'_>, Vec<Member<'_>>)> = Vec::new();
    for topic in group.topics().filter(|topic| topic.len() > 0) {
        let readers: Vec<Member<'_>> = group.members().filter(|member| member.subscribes(topic)).collect();
        if !readers.is_empty() {
            topics.push((topic, readers));
        }
    }
    // Most partitions for each reader first, then fewest readers; the quotient as Kafka has it, in floating point.
    let order = |((topic, readers), at): (&(Topic<'_>, Vec<Member<'_>>), u32)| {
        key(!(topic.len() as f64 / readers.len() as f64).to_bits(), readers.len() as u32, at)
    };
    let mut order: Vec<u128> = topics.iter().zip(0..).map(order).collect();
    sort(&mut order);
    let topics: Vec<_> = order.into_iter().map(|key| &topics[third(key) as usize]).collect();
    for (topic, readers) in topics.iter().copied() {
        let mut takers = Ring::new(readers, &size);
        for partition in topic.partitions() {
            if owners.owner(partition).is_none() {
                let member = takers.next(&size);
                size[member] += 1;
                owners.give(partition, group.member(member));
            }
        }
    }
    for _ in 0..ROUNDS {
        let moves: usize =
            topics.iter().map(|(topic, readers)| balance(group, *topic, readers, &mut size, owners)).sum();
        if moves == 0 {
            return;
        }
    }
}

/// One topic: the most loaded reader gives its last partition to the least loaded one, while they are two apart.
fn balance(
    group: &Group<'_>,
    topic: Topic<'_>,
    readers: &[Member<'_>],
    size: &mut [usize],
    owners: &mut Owners,
) -> usize {
    let sizes = || readers.iter().map(|reader| size[reader.index()]);
    if sizes().max() <= sizes().min().map(|least| least + 1) {
        return 0;
    }
    let mut held = vec![Vec::new(); size.len()];
    for partition in topic.partitions() {
        if let Some(owner) = owners.owner(partition) {
            held[owner].push(partition);
        }
    }
    let mut takers = Ring::new(readers, size);
    // The largest first, of equal ones the last.
    let giver = |size: usize, at: u32| key(!(size as u64), 0, u32::MAX - at);
    let order = takers.members.clone();
    let givers = order.iter().zip(0..).filter(|(member, _)| !held[**member].is_empty());
    let mut givers = Lowest::of(givers.map(|(&member, at)| giver(size[member], at)).collect());
    let mut moves = 0;
    while let Some(largest) = givers.pop() {
        let at = u32::MAX - third(largest);
        let from = order[at as usize];
        let to = takers.next(size);
        if size[from] < size[to] + 2 {
            break;
        }
        if let Some(partition) = held[from].pop() {
            size[from] -= 1;
            size[to] += 1;
            moves += 1;
            owners.give(partition, group.member(to));
        }
        if !held[from].is_empty() {
            givers.push(giver(size[from], at));
        }
    }
    moves
}

/// The least loaded members in turn: all on the lowest level get one, then the level rises.
struct Ring {
    members: Vec<usize>,
    level: usize,
    end: usize,
    at: usize,
}

impl Ring {
    fn new(readers: &[Member<'_>], size: &[usize]) -> Self {
        let mut members: Vec<usize> = readers.iter().map(|reader| reader.index()).collect();
        let mut order: Vec<u128> = members.iter().map(|&member| key(size[member] as u64, 0, member as u32)).collect();
        sort(&mut order);
        members = order.into_iter().map(|key| third(key) as usize).collect();
        Ring { level: size[members[0]], members, end: 0, at: 0 }
    }

    fn next(&mut self, size: &[usize]) -> usize {
        if self.at >= self.end {
            self.level += usize::from(self.end > 0);
            while self.members.get(self.end).is_some_and(|&member| size[member] <= self.level) {
                self.end += 1;
            }
            self.at = 0;
        }
        self.at += 1;
        self.members[self.at - 1]
    }
}
