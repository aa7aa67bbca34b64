//! How much everybody gets: the most even sizes that the subscriptions allow, chains of any length included.
//!
//! A group falls into *parts* that have nothing to do with each other: in an evenest plan the topics of a part go to the members of that
//! part alone, and these have `level` partitions each or one less. (So it is for every submodular bound: Fujishige's lexicographically
//! optimal bases, Frank and Murota's decreasing minimality.) And the other way round, every plan with such sizes is an evenest one; which
//! of them moves least is decided part by part.
//!
//! The parts are found by asking whether a part can have the level that it would have on average. If it cannot, the units that do not
//! fit, or the members that are not filled, show where it falls apart.

use super::interest::Interest;
use super::limits::Work;
use super::network::{Bounds, Network};
use super::search::{End, Search};
use super::tables::{Bits, Lists, NONE};

/// How the shares of members relate to each other.
#[derive(Clone, Debug, Default)]
pub enum Shares {
    /// Everybody gets the same.
    #[default]
    Even,
    /// Everybody gets the same, but none more than this while others have room; by member index.
    UpTo(Vec<u32>),
}

/// Levels above this fill members beyond their capacity.
const BEYOND: u64 = 1 << 32;

impl Shares {
    /// The most that a member has at a level.
    #[inline]
    pub fn most(&self, member: u32, level: u64) -> u64 {
        match self {
            Shares::Even => level,
            Shares::UpTo(capacity) => {
                let capacity = u64::from(capacity.get(member as usize).copied().unwrap_or(u32::MAX));
                capacity.min(level) + level.saturating_sub(BEYOND)
            }
        }
    }

    /// What a member is to have in a part of that level.
    #[inline]
    pub fn bounds(&self, member: u32, level: u64) -> Bounds {
        let most = |level| self.most(member, level).min(u64::from(u32::MAX)) as u32;
        Bounds { low: most(level.saturating_sub(1)), high: most(level) }
    }

    /// The lowest level at which members can have so many partitions together.
    fn level_for(&self, supply: u64, members: impl Iterator<Item = u32> + Clone) -> u64 {
        let count = members.clone().count().max(1) as u64;
        if let Shares::Even = self {
            return supply.div_ceil(count);
        }
        let room = |level: u64| members.clone().map(|member| self.most(member, level)).sum::<u64>();
        let (mut low, mut high) = (0, BEYOND + supply);
        while low < high {
            let middle = low.midpoint(high);
            if room(middle) >= supply {
                high = middle;
            } else {
                low = middle + 1;
            }
        }
        low
    }
}

/// Topics that go to these members alone, and these members, who get nothing else.
#[derive(Debug)]
pub struct Part {
    pub classes: Vec<u32>,
    pub kinds: Vec<u32>,
    /// Who reads what, by positions in these lists; `None` when every kind reads every class.
    pub readers: Option<Bits>,
    pub level: u64,
}

/// Classes and kinds that may still fall into parts.
struct Whole {
    classes: Vec<u32>,
    kinds: Vec<u32>,
    readers: Bits,
}

/// Takes a group apart.
pub fn parts(interest: &Interest, shares: &Shares, work: &mut Work) -> Vec<Part> {
    let all = Whole {
        classes: (0..interest.classes() as u32).collect(),
        kinds: (0..interest.kinds() as u32).collect(),
        readers: interest.readers.clone(),
    };
    let mut parts = Vec::new();
    let mut waiting = all.connected();
    while let Some(whole) = waiting.pop() {
        let members = whole.kinds.iter().flat_map(|&kind| interest.members.of(kind)).copied();
        let supply = whole.classes.iter().map(|&class| u64::from(interest.supply[class as usize])).sum();
        let level = shares.level_for(supply, members);
        if whole.everybody_reads_everything() {
            parts.push(Part { classes: whole.classes, kinds: whole.kinds, readers: None, level });
            continue;
        }
        match whole.split(interest, shares, level, supply, work) {
            Some(two) => waiting.extend(two.into_iter().flat_map(Whole::connected)),
            None => {
                let Whole { classes, kinds, readers } = whole;
                parts.push(Part { classes, kinds, readers: Some(readers), level });
            }
        }
    }
    parts
}

impl Whole {
    fn everybody_reads_everything(&self) -> bool {
        (0..self.classes.len() as u32).all(|class| self.readers.count(class) == self.kinds.len())
    }

    /// Asks whether everybody can have the average. If not: those who get more, and those who get less.
    fn split(
        &self,
        interest: &Interest,
        shares: &Shares,
        level: u64,
        supply: u64,
        work: &mut Work,
    ) -> Option<[Whole; 2]> {
        let bounds = |&kind: &u32| {
            let all = interest.members.of(kind).iter().map(|&member| shares.bounds(member, level));
            all.fold(Bounds { low: 0, high: 0 }, |sum, each| Bounds {
                low: sum.low.saturating_add(each.low),
                high: sum.high.saturating_add(each.high),
            })
        };
        let agents = Lists::positions(self.kinds.len(), &(0..self.kinds.len() as u32).collect::<Vec<u32>>());
        let free = self.classes.iter().map(|&class| interest.supply[class as usize]).collect();
        let bounds = self.kinds.iter().map(bounds).collect();
        let mut net = Network::new(&self.readers, None, &agents, bounds, free);
        net.pour();
        let mut search = Search::new(&mut net, supply);
        if search.run(work) != End::Stuck {
            return None;
        }
        let more = |yes: bool| {
            let (classes, kinds) = (0..self.classes.len() as u32, 0..self.kinds.len() as u32);
            let classes: Vec<u32> = classes.filter(|&class| search.reached_class(class) == yes).collect();
            let kinds: Vec<u32> = kinds.filter(|&kind| search.reached_agent(kind) == yes).collect();
            (classes, kinds)
        };
        let [more, less] = [true, false].map(more);
        // Neither is empty, or the average would fit; were it otherwise, the part would stay as it is.
        let whole = |(classes, kinds): (Vec<u32>, Vec<u32>)| self.only(&classes, &kinds);
        (!more.1.is_empty() && !less.1.is_empty()).then(|| [whole(more), whole(less)])
    }

    /// Some of the classes and kinds, by position.
    fn only(&self, classes: &[u32], kinds: &[u32]) -> Whole {
        let mut position = vec![NONE; self.kinds.len()];
        (0..).zip(kinds).for_each(|(new, &kind)| position[kind as usize] = new);
        let mut readers = Bits::new(classes.len(), kinds.len());
        for (new, &class) in (0..).zip(classes) {
            for kind in self.readers.ones(class).map(|kind| position[kind as usize]).filter(|&kind| kind != NONE) {
                readers.set(new, kind);
            }
        }
        Whole {
            classes: classes.iter().map(|&class| self.classes[class as usize]).collect(),
            kinds: kinds.iter().map(|&kind| self.kinds[kind as usize]).collect(),
            readers,
        }
    }

    /// What is connected by topics that are read together.
    fn connected(self) -> Vec<Whole> {
        let mut leader: Vec<u32> = (0..self.kinds.len() as u32).collect();
        fn find(leader: &mut [u32], mut kind: u32) -> u32 {
            while leader[kind as usize] != kind {
                leader[kind as usize] = leader[leader[kind as usize] as usize];
                kind = leader[kind as usize];
            }
            kind
        }
        let mut firsts = Vec::with_capacity(self.classes.len());
        let mut components = self.kinds.len();
        for class in 0..self.classes.len() as u32 {
            let mut readers = self.readers.ones(class);
            let first = readers.next().unwrap_or(0);
            firsts.push(first);
            for kind in readers {
                let (one, other) = (find(&mut leader, first), find(&mut leader, kind));
                leader[one.max(other) as usize] = one.min(other);
                components -= usize::from(one != other);
            }
            if components <= 1 {
                return vec![self];
            }
        }
        let mut component = vec![NONE; self.kinds.len()];
        let mut components = 0;
        for kind in 0..self.kinds.len() as u32 {
            let first = find(&mut leader, kind);
            if first == kind {
                component[kind as usize] = components;
                components += 1;
            }
            component[kind as usize] = component[first as usize];
        }
        let kinds = Lists::positions(components as usize, &component);
        let of_class: Vec<u32> = firsts.iter().map(|&first| component[first as usize]).collect();
        let classes = Lists::positions(components as usize, &of_class);
        self.apart(components, &classes, &kinds)
    }

    fn apart(&self, components: u32, classes: &Lists, kinds: &Lists) -> Vec<Whole> {
        let mut position = vec![0; self.kinds.len()];
        let whole = |component: u32| {
            let (classes, kinds) = (classes.of(component), kinds.of(component));
            (0..).zip(kinds).for_each(|(new, &kind)| position[kind as usize] = new);
            let mut readers = Bits::new(classes.len(), kinds.len());
            for (new, &class) in (0..).zip(classes) {
                self.readers.ones(class).for_each(|kind| readers.set(new, position[kind as usize]));
            }
            Whole {
                classes: classes.iter().map(|&class| self.classes[class as usize]).collect(),
                kinds: kinds.iter().map(|&kind| self.kinds[kind as usize]).collect(),
                readers,
            }
        };
        (0..components).map(whole).collect()
    }
}
