//! Sticky plans (KIP-54): as even as subscriptions allow, and as much as that allows stays where it is.
//!
//! What is promised, in this order:
//!
//! 1. Every partition of a topic that somebody reads has one owner, who reads it.
//! 2. Sizes are as even as they can be: no chain of moves, however long, makes two members more equal. With equal subscriptions
//!    they differ by one at most.
//! 3. If racks count ([`Sticky::near_replicas`]), as many partitions as possible are in a rack of one of their replicas.
//! 4. As many partitions as possible stay with their last owner: the number of moves is the least that there is.
//! 5. Where it costs none of that, topics are spread over members.
//!
//! Time and memory grow with the number of partitions, and never with partitions times members; what unequal subscriptions may cost
//! beyond that is bounded (`limits.rs`).
//!
//! ```
//! use divvy_guest::prelude::*;
//! use divvy_guest::strategy::sticky::Sticky;
//!
//! fn assign(group: &Group<'_>, owners: &mut Owners) -> Result<(), Refusal> {
//!     Sticky::new(group).plan(owners)
//! }
//! ```

mod deal;
mod interest;
mod levels;
mod limits;
mod network;
mod search;
mod tables;

use crate::{Group, Level, Owners, Refusal, Topic};
use deal::{Deal, Pool, Share};
use interest::Interest;
use levels::{Part, Shares, parts};
use limits::Work;
use network::{Bounds, Network};
use search::{End, Search};
use tables::{Lists, NONE};

#[cfg(all(test, feature = "testing"))]
mod tests;

/// A sticky plan of a group, or of some of its topics.
#[derive(Clone, Debug)]
pub struct Sticky<'g> {
    group: &'g Group<'g>,
    asked: Option<Vec<bool>>,
    shares: Shares,
}

impl<'g> Sticky<'g> {
    /// Of all topics, for members of equal worth.
    pub fn new(group: &'g Group<'g>) -> Self {
        Sticky { group, asked: None, shares: Shares::Even }
    }

    /// Plans these topics alone: partitions of others are left as they are, and do not count.
    pub fn topics<'t>(mut self, topics: impl IntoIterator<Item = Topic<'t>>) -> Self {
        let mut asked = vec![false; self.group.topics().len()];
        topics.into_iter().for_each(|topic| asked[topic.index()] = true);
        self.asked = Some(asked);
        self
    }

    /// By member index, how many partitions a member has at most while others that read the same have room. What does not fit anywhere
    /// is shared evenly on top.
    pub fn capacities(mut self, capacities: Vec<u32>) -> Self {
        self.shares = Shares::UpTo(capacities);
        self
    }

    /// Gives partitions to members.
    pub fn plan(&self, owners: &mut Owners) -> Result<(), Refusal> {
        let interest = Interest::of(self.group, self.asked.as_deref());
        let mut work = Work::new();
        let parts = parts(&interest, &self.shares, &mut work);
        let mut planner = Planner {
            group: self.group,
            interest: &interest,
            shares: &self.shares,
            deal: Deal::new(self.group),
            agent_of: vec![NONE; self.group.members().len()],
        };
        for part in &parts {
            planner.plan(part, owners, &mut work);
        }
        if work.is_over() {
            owners.note(Level::Warn, "too many different subscriptions to look for the most even plan: this one is whole");
        }
        Ok(())
    }
}

/// Plans part after part.
struct Planner<'g, 'p> {
    group: &'g Group<'g>,
    interest: &'p Interest,
    shares: &'p Shares,
    deal: Deal<'g>,
    /// By member its position in the part that is being planned.
    agent_of: Vec<u32>,
}

impl Planner<'_, '_> {
    fn plan(&mut self, part: &Part, owners: &mut Owners, work: &mut Work) {
        // Members in Kafka's order.
        let mut members: Vec<(u32, u32, u32)> = Vec::new();
        for (at, &kind) in (0..).zip(&part.kinds) {
            let of_kind = self.interest.members.of(kind).iter();
            members.extend(of_kind.map(|&member| (self.group.member(member as usize).place() as u32, member, at)));
        }
        members.sort_unstable();
        (0..).zip(&members).for_each(|(agent, member)| self.agent_of[member.1 as usize] = agent);
        match part.readers {
            None => self.plan_alike(part, &members, owners),
            Some(_) => self.plan_chains(part, &members, owners, work),
        }
        members.iter().for_each(|member| self.agent_of[member.1 as usize] = NONE);
    }

    /// Everybody reads everything: it is enough to count.
    fn plan_alike(&mut self, part: &Part, members: &[(u32, u32, u32)], owners: &mut Owners) {
        let mut topics: Vec<u32> =
            part.classes.iter().flat_map(|&class| self.interest.topics.of(class)).copied().collect();
        topics.sort_unstable();
        if !self.deal.any_claims() && matches!(self.shares, Shares::Even) {
            let members: Vec<_> = members.iter().map(|member| self.group.member(member.1 as usize)).collect();
            let mut dealt = 0;
            for topic in self.group.topics().filter(|topic| topics.binary_search(&(topic.index() as u32)).is_ok()) {
                owners.deal(topic.partitions(), &members, dealt);
                dealt += topic.len();
            }
            return;
        }
        let mut had = vec![0_u32; members.len()];
        let agent_of = &self.agent_of;
        self.deal.count(Pool::Topics(&topics), |member| {
            let agent = agent_of[member as usize];
            if agent != NONE {
                had[agent as usize] += 1;
            }
            agent != NONE
        });
        let supply = part.classes.iter().map(|&class| u64::from(self.interest.supply[class as usize])).sum();
        let bounds = members.iter().map(|member| self.shares.bounds(member.1, part.level));
        let gets = quotas(supply, &had, bounds);
        let shares = members.iter().zip(had.iter().zip(&gets));
        let shares = shares.map(|(member, (&had, &gets))| Share { member: member.1, had, gets });
        self.deal.settle(Pool::Topics(&topics), shares, owners);
    }

    /// Members read different topics: who is to give way may have to take something else instead.
    fn plan_chains(&mut self, part: &Part, members: &[(u32, u32, u32)], owners: &mut Owners, work: &mut Work) {
        let Some(readers) = &part.readers else { return };
        let agents = Lists::by_key(part.kinds.len(), members.iter().map(|member| member.2).zip(0..));
        let bounds: Vec<Bounds> = members.iter().map(|member| self.shares.bounds(member.1, part.level)).collect();
        let supply: Vec<u32> = part.classes.iter().map(|&class| self.interest.supply[class as usize]).collect();
        let total = supply.iter().map(|&units| u64::from(units)).sum();
        let mut net = Network::new(readers, None, &agents, bounds, supply);
        let mut had = vec![0_u32; members.len()];
        let mut touched = Vec::new();
        for (at, &class) in (0..).zip(&part.classes) {
            let (agent_of, kind_of) = (&self.agent_of, &net.kind_of);
            self.deal.count(Pool::Topics(self.interest.topics.of(class)), |member| {
                let agent = agent_of[member as usize];
                let keeps = agent != NONE && readers.has(at, kind_of[agent as usize]);
                if keeps {
                    if had[agent as usize] == 0 {
                        touched.push(agent);
                    }
                    had[agent as usize] += 1;
                }
                keeps
            });
            touched.sort_unstable();
            for agent in touched.drain(..) {
                net.had_before(at, agent, std::mem::take(&mut had[agent as usize]));
            }
        }
        net.told();
        net.pour();
        if Search::new(&mut net, total).run(work) != End::Balanced {
            net.pour_the_rest();
        }
        let entries = &net.entries;
        let by_agent = Lists::by_key(members.len(), entries.iter().map(|entry| entry.agent).zip(0..));
        let in_order = (0..members.len() as u32).flat_map(|agent| by_agent.of(agent)).copied();
        let by_class = Lists::by_key(part.classes.len(), in_order.map(|at| (entries[at as usize].class, at)));
        for (at, &class) in (0..).zip(&part.classes) {
            let shares = by_class.of(at).iter().map(|&entry| entries[entry as usize]);
            let shares = shares
                .map(|entry| Share { member: members[entry.agent as usize].1, had: entry.had, gets: entry.has });
            self.deal.settle(Pool::Topics(self.interest.topics.of(class)), shares, owners);
        }
    }
}

/// What everybody gets when all may have everything: within bounds, and so that most is kept. Who has more than the lower bound keeps
/// one more while there are any, the largest first; then it is members in order.
fn quotas(supply: u64, had: &[u32], bounds: impl Iterator<Item = Bounds> + Clone) -> Vec<u32> {
    let mut gets: Vec<u32> = bounds.clone().map(|bounds| bounds.low).collect();
    let low: u64 = gets.iter().map(|&low| u64::from(low)).sum();
    let mut more = supply.saturating_sub(low);
    let mut larger: Vec<(u32, usize)> = Vec::new();
    for (at, (bounds, &had)) in bounds.clone().zip(had).enumerate() {
        if bounds.high > bounds.low && had > bounds.low {
            larger.push((had - bounds.low, at));
        }
    }
    if larger.len() as u64 > more {
        larger.sort_unstable_by(|a, b| b.0.cmp(&a.0).then(a.1.cmp(&b.1)));
        larger.truncate(more as usize);
    }
    for (_, at) in larger {
        gets[at] += 1;
        more -= 1;
    }
    for (gets, bounds) in gets.iter_mut().zip(bounds) {
        if more > 0 && *gets < bounds.high {
            *gets += 1;
            more -= 1;
        }
    }
    gets
}
