//! Units of classes on their way to agents: what a plan is before it speaks of single partitions.
//!
//! Classes of topics have units (partitions), kinds read classes, and agents of a kind take units; an agent is a member, or, while only
//! sizes matter, a whole kind. An agent is to have from `low` to `high` units. What it has is told by class in *entries*, beside what
//! it had before: to take a unit away that it had before costs a move, to give it back earns one.
//!
//! `search.rs` moves units along the cheapest chains until everybody is within bounds.

use super::tables::{Bits, Lists, NONE, ones_of, pair, second, sort};

/// What an agent has of a class.
#[derive(Clone, Copy, Debug)]
pub struct Entry {
    pub class: u32,
    pub agent: u32,
    /// What it had before.
    pub had: u32,
    /// What it has.
    pub has: u32,
    /// The agent's next entry, in the end the next one of the class.
    pub next: u32,
}

/// What an agent may take.
#[derive(Clone, Copy, Debug)]
pub struct Bounds {
    pub low: u32,
    pub high: u32,
}

/// Classes, kinds and agents of one part of a group.
pub struct Network<'a> {
    /// Which kinds read a class.
    pub readers: &'a Bits,
    /// Those of them for which its partitions are near; all, when racks do not count.
    pub near: Option<&'a Bits>,
    /// Agents by kind.
    pub agents: &'a Lists,
    pub kind_of: Vec<u32>,
    pub bounds: Vec<Bounds>,
    /// Units of each class that nobody has.
    pub free: Vec<u32>,
    /// What each agent has.
    pub load: Vec<u32>,
    pub entries: Vec<Entry>,
    heads: Vec<u32>,
    /// Those entries whose agent had units of a class before: they come first and by class.
    had: Vec<u32>,
}

/// What is used again for every class that is poured.
struct Pour {
    takers: Vec<u32>,
    /// Kinds of which nobody has room.
    full: Bits,
    /// By agent its entry of the class.
    slots: Vec<u32>,
}

impl<'a> Network<'a> {
    /// Nobody has anything yet.
    pub fn new(
        readers: &'a Bits,
        near: Option<&'a Bits>,
        agents: &'a Lists,
        bounds: Vec<Bounds>,
        free: Vec<u32>,
    ) -> Self {
        let mut kind_of = vec![0; bounds.len()];
        for kind in 0..agents.keys() as u32 {
            agents.of(kind).iter().for_each(|&agent| kind_of[agent as usize] = kind);
        }
        let (agents_count, classes) = (bounds.len(), free.len());
        let units: u64 = free.iter().map(|&units| u64::from(units)).sum();
        // No more entries than units, nor than pairs: room for them at once, since growing would need it twice.
        let entries = units.min(agents_count as u64 * classes as u64) as usize;
        Network {
            readers,
            near,
            agents,
            kind_of,
            bounds,
            free,
            load: vec![0; agents_count],
            entries: Vec::with_capacity(entries),
            heads: vec![NONE; agents_count],
            had: vec![0; classes + 1],
        }
    }

    pub fn classes(&self) -> usize {
        self.free.len()
    }

    /// Whether partitions of a class are far from a kind.
    #[inline]
    pub fn is_far(&self, class: u32, kind: u32) -> bool {
        self.near.is_some_and(|near| !near.has(class, kind))
    }

    /// An agent had units of a class before, and keeps them so far if they are near. To be called class by class, before anything else.
    pub fn had_before(&mut self, class: u32, agent: u32, units: u32) {
        let keeps = if self.is_far(class, self.kind_of[agent as usize]) { 0 } else { units };
        self.free[class as usize] -= keeps;
        self.load[agent as usize] += keeps;
        self.insert(Entry { class, agent, had: units, has: keeps, next: NONE });
        self.had[class as usize + 1] = self.entries.len() as u32;
    }

    /// All of that was told.
    pub fn told(&mut self) {
        for class in 1..self.had.len() {
            self.had[class] = self.had[class].max(self.had[class - 1]);
        }
    }

    /// The entries of agents that had units of a class before.
    #[inline]
    pub fn had_of(&self, class: u32) -> std::ops::Range<u32> {
        self.had[class as usize]..self.had[class as usize + 1]
    }

    /// The first entry of an agent.
    #[inline]
    pub fn head(&self, agent: u32) -> u32 {
        self.heads[agent as usize]
    }

    fn insert(&mut self, entry: Entry) -> u32 {
        let at = self.entries.len() as u32;
        let head = &mut self.heads[entry.agent as usize];
        self.entries.push(Entry { next: *head, ..entry });
        *head = at;
        at
    }

    /// The entry of an agent for a class.
    pub fn find(&self, class: u32, agent: u32) -> u32 {
        let mut at = self.heads[agent as usize];
        while at != NONE && self.entries[at as usize].class != class {
            at = self.entries[at as usize].next;
        }
        at
    }

    /// Gives units of a class to an agent, whatever its load is said to be.
    pub fn put(&mut self, class: u32, agent: u32, units: u32) {
        let mut at = self.find(class, agent);
        if at == NONE {
            at = self.insert(Entry { class, agent, had: 0, has: 0, next: NONE });
        }
        self.entries[at as usize].has += units;
    }

    /// Takes units of a class from an agent, likewise.
    pub fn take(&mut self, class: u32, agent: u32, units: u32) {
        let at = self.find(class, agent);
        if let Some(entry) = self.entries.get_mut(at as usize) {
            entry.has -= units;
        }
    }

    /// The entries and the first one of each class: `next` is the next one of the class now, since another list would need half as much
    /// room again.
    pub fn into_classes(mut self) -> (Vec<Entry>, Vec<u32>) {
        let mut firsts = vec![NONE; self.classes()];
        for (at, entry) in (0..self.entries.len() as u32).zip(&mut self.entries).rev() {
            entry.next = std::mem::replace(&mut firsts[entry.class as usize], at);
        }
        (self.entries, firsts)
    }

    /// Gives free units to agents up to their upper bounds, class by class from the one with the fewest kinds of readers on, where they are near
    /// and always to those that have least: most units are where they belong after that, and topics are spread.
    pub fn pour(&mut self) {
        let classes = (0..self.classes() as u32).filter(|&class| self.free[class as usize] > 0);
        let mut order: Vec<u64> = classes.map(|class| pair(self.readers.count(class) as u32, class)).collect();
        sort(&mut order);
        let mut pour =
            Pour { takers: Vec::new(), full: Bits::new(1, self.agents.keys()), slots: vec![NONE; self.bounds.len()] };
        for class in order.into_iter().map(second) {
            self.find_takers(class, &mut pour);
            self.pour_class(class, &mut pour);
        }
    }

    /// Gives away what is left when bounds cannot be kept: evenly, whatever they say.
    pub fn pour_the_rest(&mut self) {
        self.near = None;
        self.bounds.iter_mut().for_each(|bounds| bounds.high = u32::MAX);
        self.pour();
    }

    /// Looks for agents that have room and are near. A few units need no look at everybody.
    fn find_takers(&self, class: u32, pour: &mut Pour) {
        let enough = self.free[class as usize] as usize * 4 + 64;
        pour.takers.clear();
        for (word, &readers) in self.readers.row(class).iter().enumerate() {
            for kind in ones_of(readers & !pour.full.row(0)[word]).map(|bit| word as u32 * 64 + bit) {
                if self.is_far(class, kind) {
                    continue;
                }
                let before = pour.takers.len();
                let agents = self.agents.of(kind).iter();
                let has_room = |agent: &&u32| self.load[**agent as usize] < self.bounds[**agent as usize].high;
                pour.takers.extend(agents.filter(has_room));
                if pour.takers.len() == before {
                    pour.full.set(0, kind);
                }
                if pour.takers.len() >= enough {
                    return;
                }
            }
        }
    }

    fn pour_class(&mut self, class: u32, Pour { takers, slots, .. }: &mut Pour) {
        let had = self.had_of(class);
        for at in had.clone() {
            slots[self.entries[at as usize].agent as usize] = at;
        }
        // Everybody up to a level, and of what is left one more to the first.
        let (level, mut left) = self.level_for(self.free[class as usize], takers);
        for &agent in &*takers {
            let (load, high) = (self.load[agent as usize], self.bounds[agent as usize].high);
            let mut units = level.min(high).saturating_sub(load);
            if left > 0 && load + units == level && level < high {
                units += 1;
                left -= 1;
            }
            if units == 0 {
                continue;
            }
            let mut at = slots[agent as usize];
            if at == NONE {
                at = self.insert(Entry { class, agent, had: 0, has: 0, next: NONE });
            }
            self.entries[at as usize].has += units;
            self.load[agent as usize] += units;
            self.free[class as usize] -= units;
        }
        for at in had {
            slots[self.entries[at as usize].agent as usize] = NONE;
        }
    }

    /// The highest level to which all of these can be filled with so many units, and how many are left then.
    fn level_for(&self, units: u32, takers: &[u32]) -> (u32, u32) {
        let to_level = |level: u32| -> u64 {
            let of = |&agent: &u32| {
                u64::from(level.min(self.bounds[agent as usize].high).saturating_sub(self.load[agent as usize]))
            };
            takers.iter().map(of).sum()
        };
        let loads = takers.iter().map(|&agent| self.load[agent as usize]);
        let Some(mut low) = loads.min() else { return (0, 0) };
        let mut high = takers.iter().map(|&agent| self.bounds[agent as usize].high).max().unwrap_or(low);
        if to_level(high) <= u64::from(units) {
            return (high, 0);
        }
        // `low` can be reached, `high` cannot; the level is most often one of the lowest.
        let mut step = 1;
        while high - low > 1 {
            let middle = low + step.min((high - low) / 2).max(1);
            if to_level(middle) <= u64::from(units) {
                (low, step) = (middle, step.saturating_mul(4));
            } else {
                (high, step) = (middle, u32::MAX);
            }
        }
        (low, (u64::from(units) - to_level(low)) as u32)
    }
}
