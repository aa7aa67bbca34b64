//! One part after another: counted where everybody reads everything, found by chains where not.

use super::deal::{Deal, Pool, Share};
use super::interest::Interest;
use super::levels::{Part, Shares};
use super::limits::Work;
use super::network::{Bounds, Network};
use super::racks::{Near, Racks};
use super::search::{End, Search};
use super::tables::{Bits, Lists, NONE, pair, second, sort};
use crate::{Group, Owners};

/// The members of a part in Kafka's order, with their kinds.
#[derive(Clone, Copy)]
pub struct Crew<'p> {
    pub members: &'p [u32],
    pub kind_of: &'p [u32],
}

/// Plans part after part.
pub struct Planner<'g, 'p> {
    group: &'g Group<'g>,
    interest: &'p Interest,
    shares: &'p Shares,
    racks: Option<Racks<'g>>,
    deal: Deal<'g>,
    /// By member its position in the part that is being planned.
    agent_of: Vec<u32>,
}

impl<'g, 'p> Planner<'g, 'p> {
    pub fn new(group: &'g Group<'g>, interest: &'p Interest, shares: &'p Shares, racks: Option<Racks<'g>>) -> Self {
        let deal = Deal::new(group, interest.kinds() <= 1);
        Planner { group, interest, shares, racks, deal, agent_of: vec![NONE; group.members().len()] }
    }

    /// Plans a part.
    pub fn plan(&mut self, part: &Part, owners: &mut Owners, work: &mut Work) {
        let members = self.members_of(part);
        if part.readers.is_none() && self.racks.is_none() {
            return self.plan_alike(part, &members, owners);
        }
        (0..).zip(&members).for_each(|(agent, &member)| self.agent_of[member as usize] = agent);
        let mut kind_of = vec![0; members.len()];
        for (at, &kind) in (0..).zip(&part.kinds) {
            let of_kind = self.interest.members.of(kind);
            of_kind.iter().for_each(|&member| kind_of[self.agent_of[member as usize] as usize] = at);
        }
        let crew = Crew { members: &members, kind_of: &kind_of };
        let near = self.racks.as_ref().and_then(|racks| (racks.split)(racks, part, self.interest, crew));
        match (near, &part.readers) {
            (Some(near), _) => self.plan_chains(&Layout::near(&near, part), crew, owners, work),
            (None, Some(readers)) => {
                self.plan_chains(&Layout::far(readers, part, self.interest, crew), crew, owners, work);
            }
            (None, None) => self.plan_alike(part, &members, owners),
        }
        members.iter().for_each(|&member| self.agent_of[member as usize] = NONE);
    }

    /// The members of a part in Kafka's order, as those of each kind are.
    fn members_of(&self, part: &Part) -> Vec<u32> {
        if let [kind] = part.kinds[..] {
            return self.interest.members.of(kind).to_vec();
        }
        let place = |member: u32| self.group.member(member as usize).place() as u32;
        let members = part.kinds.iter().flat_map(|&kind| self.interest.members.of(kind));
        let mut sorted: Vec<u64> = members.map(|&member| pair(place(member), member)).collect();
        sort(&mut sorted);
        sorted.into_iter().map(second).collect()
    }

    /// Everybody reads everything: it is enough to count.
    #[inline(never)]
    fn plan_alike(&mut self, part: &Part, members: &[u32], owners: &mut Owners) {
        let topics = part.classes.iter().flat_map(|&class| self.interest.topics.of(class));
        let mut topics: Vec<u64> = topics.map(|&topic| u64::from(topic)).collect();
        sort(&mut topics);
        let topics: Vec<u32> = topics.into_iter().map(second).collect();
        if !self.deal.any_claims() && matches!(self.shares, Shares::Even) {
            let members: Vec<_> = members.iter().map(|&member| self.group.member(member as usize)).collect();
            let mut dealt = 0;
            let mut topics = topics.iter().map(|&topic| self.group.topic_at(topic).partitions()).peekable();
            while let Some(mut partitions) = topics.next() {
                // Topics that follow each other are dealt as one.
                while let Some(more) = topics.next_if(|next| next.start() == partitions.end()) {
                    partitions.lengthen(more);
                }
                let count = partitions.len();
                owners.deal(partitions, &members, dealt);
                dealt += count;
            }
            return;
        }
        // By member, since that is what claims name.
        let pool = Pool::Topics(&topics);
        let had = if members.len() == self.agent_of.len() {
            // Nobody takes no part, so nobody has to be looked up.
            self.deal.count_all(&topics, owners)
        } else {
            let mut had = vec![NONE; self.agent_of.len()];
            members.iter().for_each(|&member| had[member as usize] = 0);
            self.deal.count(pool, owners, |member| {
                let had = had.get_mut(member as usize).filter(|had| **had != NONE);
                had.map(|had| *had += 1).is_some()
            });
            had
        };
        let supply = part.classes.iter().map(|&class| u64::from(self.interest.supply[class as usize])).sum();
        let mut shares: Vec<Share> = Vec::with_capacity(members.len());
        shares.extend(members.iter().map(|&member| Share { member, had: had[member as usize], gets: 0 }));
        quotas(supply, &mut shares, |member| self.shares.bounds(member, part.level));
        self.deal.settle(pool, shares.into_iter(), owners);
    }

    /// Members read different topics, or are near to different partitions: who is to give way may have to take something else instead.
    fn plan_chains(&mut self, layout: &Layout<'_>, crew: Crew<'_>, owners: &mut Owners, work: &mut Work) {
        let classes = layout.supply.len();
        let agents = Lists::positions(layout.kinds, &layout.kind_of);
        let bounds: Vec<Bounds> = crew.members.iter().map(|&member| self.shares.bounds(member, layout.level)).collect();
        let total = layout.supply.iter().map(|&units| u64::from(units)).sum();
        let mut net = Network::new(layout.readers, layout.near, &agents, bounds, layout.supply.clone());
        let mut had = vec![0_u32; crew.members.len()];
        let mut touched = Vec::new();
        for class in 0..classes as u32 {
            let agent_of = &self.agent_of;
            self.deal.count(layout.pool(class), owners, |member| {
                let agent = agent_of.get(member as usize).copied().unwrap_or(NONE);
                let keeps = agent != NONE && layout.readers.has(class, layout.kind_of[agent as usize]);
                if keeps {
                    if had[agent as usize] == 0 {
                        touched.push(agent);
                    }
                    had[agent as usize] += 1;
                }
                keeps
            });
            for agent in touched.drain(..) {
                net.had_before(class, agent, std::mem::take(&mut had[agent as usize]));
            }
        }
        net.told();
        net.pour();
        if Search::new(&mut net, total).run(work) != End::Balanced {
            net.pour_the_rest();
        }
        let (entries, firsts) = net.into_classes();
        let mut in_order = Vec::new();
        for (class, first) in (0..).zip(firsts) {
            in_order.clear();
            let mut at = first;
            while let Some(entry) = entries.get(at as usize) {
                in_order.push(pair(entry.agent, at));
                at = entry.next;
            }
            sort(&mut in_order);
            let shares = in_order.iter().map(|&at| entries[second(at) as usize]);
            let member = |agent: u32| crew.members[agent as usize];
            let shares = shares.map(|entry| Share { member: member(entry.agent), had: entry.had, gets: entry.has });
            self.deal.settle(layout.pool(class), shares, owners);
        }
    }
}

/// A part as the network sees it.
struct Layout<'p> {
    readers: &'p Bits,
    near: Option<&'p Bits>,
    supply: Vec<u32>,
    /// By member of the part.
    kind_of: Vec<u32>,
    kinds: usize,
    level: u64,
    pools: Pools<'p>,
}

/// The partitions of each class.
enum Pools<'p> {
    Topics(&'p [u32], &'p Lists),
    Partitions(&'p Lists),
}

impl<'p> Layout<'p> {
    /// Racks do not count.
    fn far(readers: &'p Bits, part: &'p Part, interest: &'p Interest, crew: Crew<'_>) -> Self {
        Layout {
            readers,
            near: None,
            supply: part.classes.iter().map(|&class| interest.supply[class as usize]).collect(),
            kind_of: crew.kind_of.to_vec(),
            kinds: part.kinds.len(),
            level: part.level,
            pools: Pools::Topics(&part.classes, &interest.topics),
        }
    }

    /// They do.
    fn near(near: &'p Near, part: &Part) -> Self {
        Layout {
            readers: &near.readers,
            near: Some(&near.near),
            supply: near.supply.clone(),
            kind_of: near.kind_of.clone(),
            kinds: near.kinds,
            level: part.level,
            pools: Pools::Partitions(&near.pools),
        }
    }

    fn pool(&self, class: u32) -> Pool<'p> {
        match &self.pools {
            Pools::Topics(classes, topics) => Pool::Topics(topics.of(classes[class as usize])),
            Pools::Partitions(pools) => Pool::Partitions(pools.of(class)),
        }
    }
}

/// What everybody gets when all may have everything: within bounds, and so that most is kept. Who has more than the lower bound keeps
/// one more while there are any, the largest first; then it is members in order.
#[inline(never)]
fn quotas(supply: u64, shares: &mut [Share], bounds: impl Fn(u32) -> Bounds) {
    let mut low = 0;
    // Pairs of what is not kept in any case and the position: the smallest have most.
    let mut larger: Vec<u64> = Vec::new();
    for (at, share) in (0..).zip(&mut *shares) {
        let bounds = bounds(share.member);
        low += u64::from(bounds.low);
        share.gets = bounds.low;
        if bounds.high > bounds.low && share.had > bounds.low {
            larger.push(pair(u32::MAX - (share.had - bounds.low), at));
        }
    }
    let mut more = supply.saturating_sub(low);
    if larger.len() as u64 > more {
        sort(&mut larger);
        larger.truncate(more as usize);
    }
    more -= larger.len() as u64;
    larger.into_iter().for_each(|at| shares[second(at) as usize].gets += 1);
    for share in shares {
        if more == 0 {
            return;
        }
        if share.gets < bounds(share.member).high {
            share.gets += 1;
            more -= 1;
        }
    }
}
