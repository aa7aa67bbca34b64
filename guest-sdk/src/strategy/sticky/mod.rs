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
mod kafka;
mod levels;
mod limits;
mod network;
mod racks;
mod search;
mod tables;

use crate::{Group, Level, Owners, Refusal, Topic};
use deal::{Deal, Pool, Share};
use interest::Interest;
use kafka::Missing;
use levels::{Part, Shares, parts};
use limits::Work;
use network::{Bounds, Network};
use racks::{LookForRacks, Near, Racks};
use search::{End, Search};
use tables::{Bits, Lists, NONE, pair, second, sort};

#[cfg(all(test, feature = "testing"))]
mod tests;

/// A sticky plan of a group, or of some of its topics.
#[derive(Clone, Debug)]
pub struct Sticky<'g> {
    group: &'g Group<'g>,
    asked: Option<Vec<bool>>,
    shares: Shares,
    look_for_racks: Option<LookForRacks<'g>>,
    /// As a value, as that for racks is.
    as_kafka: Option<fn(&Group<'_>, &mut Owners) -> Result<(), Missing>>,
}

impl<'g> Sticky<'g> {
    /// Of all topics, for members of equal worth.
    pub fn new(group: &'g Group<'g>) -> Self {
        Sticky { group, asked: None, shares: Shares::Even, look_for_racks: None, as_kafka: None }
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

    /// Prefers members in a rack of one of a partition's replicas, in sync or not. A member without a rack is near everywhere, and where
    /// no member is in a rack of a partition, or nobody knows its racks, all are equally near. Needs the column `replica_racks`.
    pub fn near_replicas(mut self) -> Self {
        self.look_for_racks = Some(Racks::of);
        self
    }

    /// What `compat` in the group's configuration says: under `kafka` the plan is Kafka 3.9's own, whatever it promises. (Racks count
    /// then as they do there, if the column `replica_racks` is there.)
    pub fn configured(mut self) -> Result<Self, Refusal> {
        let Some(mut value) = self.group.config().get("compat") else { return Ok(self) };
        match value.text("a text") {
            Ok("none") => {}
            Ok("kafka") => self.as_kafka = Some(kafka::plan),
            Ok(other) => {
                let known = "the setting compat is not known with this value: write \"kafka\" for Kafka's own answer, or leave it out: ";
                return Err(Refusal::new("bad_config", known.to_owned() + other));
            }
            Err(_) => {
                let text = "the setting compat is not a text: write \"kafka\" for Kafka's own answer, or leave it out";
                return Err(Refusal::new("bad_config", text));
            }
        }
        Ok(self)
    }

    /// Gives partitions to members.
    pub fn plan(&self, owners: &mut Owners) -> Result<(), Refusal> {
        if let Some(as_kafka) = self.as_kafka {
            match as_kafka(self.group, owners) {
                Ok(()) => return Ok(()),
                Err(Missing::TooLong) => {
                    owners
                        .note(Level::Warn, "Kafka's own plan would take too long for this group: this one is divvy's");
                }
                Err(Missing::Fails) => {
                    owners.note(Level::Warn, "Kafka's strategy fails for this group: this plan is divvy's");
                }
            }
        }
        let interest = Interest::of(self.group, self.asked.as_deref());
        let mut work = Work::new();
        let parts = parts(&interest, &self.shares, &mut work);
        let mut planner = Planner {
            group: self.group,
            interest: &interest,
            shares: &self.shares,
            racks: self.look_for_racks.and_then(|look| look(self.group)),
            deal: Deal::new(self.group, interest.kinds() <= 1),
            agent_of: vec![NONE; self.group.members().len()],
        };
        for part in &parts {
            planner.plan(part, owners, &mut work);
        }
        if work.is_over() {
            owners.note(
                Level::Warn,
                "too many different subscriptions to look for the most even plan: this one is whole",
            );
        }
        Ok(())
    }
}

/// The members of a part in Kafka's order, with their kinds.
#[derive(Clone, Copy)]
struct Crew<'p> {
    members: &'p [u32],
    kind_of: &'p [u32],
}

/// Plans part after part.
struct Planner<'g, 'p> {
    group: &'g Group<'g>,
    interest: &'p Interest,
    shares: &'p Shares,
    racks: Option<Racks<'g>>,
    deal: Deal<'g>,
    /// By member its position in the part that is being planned.
    agent_of: Vec<u32>,
}

impl Planner<'_, '_> {
    fn plan(&mut self, part: &Part, owners: &mut Owners, work: &mut Work) {
        // Members in Kafka's order.
        let place = |member: u32| self.group.member(member as usize).place() as u32;
        let kinds = part.kinds.iter().map(|&kind| self.interest.members.of(kind));
        let mut sorted: Vec<u64> = kinds.clone().flatten().map(|&member| pair(place(member), member)).collect();
        if part.kinds.len() > 1 {
            sort(&mut sorted);
        }
        let members: Vec<u32> = sorted.into_iter().map(second).collect();
        (0..).zip(&members).for_each(|(agent, &member)| self.agent_of[member as usize] = agent);
        let mut kind_of = vec![0; members.len()];
        for (at, of_kind) in (0..).zip(kinds) {
            of_kind.iter().for_each(|&member| kind_of[self.agent_of[member as usize] as usize] = at);
        }
        let crew = Crew { members: &members, kind_of: &kind_of };
        let near = self.racks.as_ref().and_then(|racks| (racks.split)(racks, part, self.interest, crew));
        match (near, &part.readers) {
            (Some(near), _) => self.plan_chains(&Layout::near(&near, part), crew, owners, work),
            (None, Some(readers)) => {
                self.plan_chains(&Layout::far(readers, part, self.interest, crew), crew, owners, work);
            }
            (None, None) => self.plan_alike(part, crew, owners),
        }
        members.iter().for_each(|&member| self.agent_of[member as usize] = NONE);
    }

    /// Everybody reads everything: it is enough to count.
    fn plan_alike(&mut self, part: &Part, crew: Crew<'_>, owners: &mut Owners) {
        let topics = part.classes.iter().flat_map(|&class| self.interest.topics.of(class));
        let mut topics: Vec<u64> = topics.map(|&topic| u64::from(topic)).collect();
        sort(&mut topics);
        let topics: Vec<u32> = topics.into_iter().map(second).collect();
        if !self.deal.any_claims() && matches!(self.shares, Shares::Even) {
            let members: Vec<_> = crew.members.iter().map(|&member| self.group.member(member as usize)).collect();
            let mut dealt = 0;
            for topic in topics.iter().map(|&topic| self.group.topic_at(topic)) {
                owners.deal(topic.partitions(), &members, dealt);
                dealt += topic.len();
            }
            return;
        }
        let mut had = vec![0_u32; crew.members.len()];
        let agent_of = &self.agent_of;
        self.deal.count(Pool::Topics(&topics), |member| {
            let agent = agent_of[member as usize];
            if agent != NONE {
                had[agent as usize] += 1;
            }
            agent != NONE
        });
        let supply = part.classes.iter().map(|&class| u64::from(self.interest.supply[class as usize])).sum();
        let bounds = crew.members.iter().map(|&member| self.shares.bounds(member, part.level));
        let gets = quotas(supply, &had, bounds);
        let shares = crew.members.iter().zip(had.iter().zip(&gets));
        let shares = shares.map(|(&member, (&had, &gets))| Share { member, had, gets });
        self.deal.settle(Pool::Topics(&topics), shares, owners);
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
            self.deal.count(layout.pool(class), |member| {
                let agent = agent_of[member as usize];
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
        let entries = net.entries;
        let by_class = Lists::positions(classes, &entries.iter().map(|entry| entry.class).collect::<Vec<_>>());
        let mut in_order = Vec::new();
        for class in 0..classes as u32 {
            in_order.clear();
            in_order.extend(by_class.of(class).iter().map(|&at| pair(entries[at as usize].agent, at)));
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
fn quotas(supply: u64, had: &[u32], bounds: impl Iterator<Item = Bounds> + Clone) -> Vec<u32> {
    let mut gets: Vec<u32> = bounds.clone().map(|bounds| bounds.low).collect();
    let low: u64 = gets.iter().map(|&low| u64::from(low)).sum();
    let mut more = supply.saturating_sub(low);
    // Pairs of what is not kept in any case and the position: the smallest have most.
    let mut larger: Vec<u64> = Vec::new();
    for ((at, &had), bounds) in (0..).zip(had).zip(bounds.clone()) {
        if bounds.high > bounds.low && had > bounds.low {
            larger.push(pair(u32::MAX - (had - bounds.low), at));
        }
    }
    if larger.len() as u64 > more {
        sort(&mut larger);
        larger.truncate(more as usize);
    }
    more -= larger.len() as u64;
    larger.into_iter().for_each(|at| gets[second(at) as usize] += 1);
    for (gets, bounds) in gets.iter_mut().zip(bounds) {
        if more > 0 && *gets < bounds.high {
            *gets += 1;
            more -= 1;
        }
    }
    gets
}
