//! Where units can go from a node, and what that costs.

use super::Search;
use crate::strategy::sticky::network::Entry;
use crate::strategy::sticky::tables::{Bits, NONE, ones_of};

/// What a partition in a far rack costs: more than all moves of a plan together.
const FAR: i64 = 1 << 25;

/// Where units are on their way.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Node {
    Class(u32),
    Kind(u32),
    Agent(u32),
    Middle,
}

/// Where nothing new is to be found.
pub struct Seen {
    pub kinds: Bits,
    pub classes: usize,
}

impl Search<'_, '_> {
    pub(super) fn kind(&self, kind: u32) -> u32 {
        self.net.classes() as u32 + kind
    }

    pub(super) fn agent(&self, agent: u32) -> u32 {
        (self.net.classes() + self.net.agents.keys()) as u32 + agent
    }

    pub(super) fn middle(&self) -> u32 {
        self.potential.len() as u32 - 1
    }

    pub(super) fn node(&self, at: u32) -> Node {
        let (classes, kinds) = (self.net.classes() as u32, self.net.agents.keys() as u32);
        if at < classes {
            Node::Class(at)
        } else if at < classes + kinds {
            Node::Kind(at - classes)
        } else if at < self.middle() {
            Node::Agent(at - classes - kinds)
        } else {
            Node::Middle
        }
    }

    /// Units that are too many at a node (above 0) or too few.
    pub(super) fn excess(&self, node: Node) -> i64 {
        match node {
            Node::Class(class) => i64::from(self.net.free[class as usize]),
            Node::Kind(_) => 0,
            Node::Agent(agent) => {
                let (bounds, load) = (self.net.bounds[agent as usize], self.net.load[agent as usize]);
                i64::from(load) - i64::from(load.clamp(bounds.low, bounds.high))
            }
            Node::Middle => self.middle,
        }
    }

    /// What an agent has of a class.
    pub(super) fn entry(&self, class: u32, agent: u32) -> Entry {
        let at = self.net.find(class, agent);
        self.net.entries.get(at as usize).copied().unwrap_or(Entry { class, agent, had: 0, has: 0, next: NONE })
    }

    pub(super) fn any_source(&self) -> bool {
        (0..self.potential.len() as u32).any(|at| self.excess(self.node(at)) > 0)
    }

    pub(super) fn can_give_to_middle(&self, agent: u32) -> bool {
        let (bounds, load) = (self.net.bounds[agent as usize], self.net.load[agent as usize]);
        bounds.low <= load && load < bounds.high
    }

    pub(super) fn can_take_from_middle(&self, agent: u32) -> bool {
        let (bounds, load) = (self.net.bounds[agent as usize], self.net.load[agent as usize]);
        bounds.low < load && load <= bounds.high
    }

    pub(super) fn cost(&self, class: u32, kind: u32) -> i64 {
        if self.net.is_far(class, kind) { FAR } else { 0 }
    }

    /// What it costs to take a unit of an entry from its agent, or to give it one back.
    pub(super) fn cost_to_take(&self, entry: u32) -> i64 {
        let entry = self.net.entries[entry as usize];
        i64::from(entry.has <= entry.had) - self.cost(entry.class, self.net.kind_of[entry.agent as usize])
    }

    /// Calls with each step from a node, but not with steps to kinds that were seen, and not to classes when all were; a kind of which
    /// the call says so is seen then.
    pub(super) fn each_step(&self, node: Node, seen: &mut Seen, mut found: impl FnMut(u32, i64) -> bool) -> usize {
        let mut steps = 1;
        let mut cursor = 0;
        if let Node::Agent(agent) = node
            && seen.classes == self.net.classes()
        {
            if self.can_give_to_middle(agent) {
                found(self.middle(), 0);
            }
            return steps;
        }
        if let Node::Class(class) = node {
            for at in self.net.had_of(class) {
                let entry = self.net.entries[at as usize];
                steps += 1;
                if entry.has < entry.had {
                    let cost = self.cost(class, self.net.kind_of[entry.agent as usize]) - 1;
                    found(self.agent(entry.agent), cost);
                }
            }
            for (word, &readers) in self.net.readers.row(class).iter().enumerate() {
                steps += 1;
                for kind in ones_of(readers & !seen.kinds.row(0)[word]).map(|bit| word as u32 * 64 + bit) {
                    steps += 1;
                    if found(self.kind(kind), self.cost(class, kind)) {
                        seen.kinds.set(0, kind);
                    }
                }
            }
            return steps;
        }
        while let Some((to, cost)) = self.next_step(node, &mut cursor) {
            steps += 1;
            found(to, cost);
        }
        steps
    }

    /// Where units can go in one step from a node beyond a cursor, and what that costs.
    pub(super) fn next_step(&self, node: Node, cursor: &mut u32) -> Option<(u32, i64)> {
        let net = &*self.net;
        match node {
            Node::Class(class) => {
                let had = net.had_of(class);
                while *cursor < had.len() as u32 {
                    let entry = net.entries[(had.start + *cursor) as usize];
                    *cursor += 1;
                    if entry.has < entry.had {
                        let cost = self.cost(class, net.kind_of[entry.agent as usize]) - 1;
                        return Some((self.agent(entry.agent), cost));
                    }
                }
                let kind = net.readers.next(class, *cursor - had.len() as u32)?;
                *cursor = kind + 1 + had.len() as u32;
                Some((self.kind(kind), self.cost(class, kind)))
            }
            Node::Kind(kind) => {
                let &agent = net.agents.of(kind).get(*cursor as usize)?;
                *cursor += 1;
                Some((self.agent(agent), 0))
            }
            Node::Agent(agent) => {
                // The middle first; then the entries, a cursor being one more than an entry.
                if *cursor == 0 {
                    *cursor = after(net.head(agent));
                    if self.can_give_to_middle(agent) {
                        return Some((self.middle(), 0));
                    }
                }
                while *cursor != NONE {
                    let at = *cursor - 1;
                    let entry = net.entries[at as usize];
                    *cursor = after(entry.next);
                    if entry.has > 0 {
                        return Some((entry.class, self.cost_to_take(at)));
                    }
                }
                None
            }
            Node::Middle => {
                while (*cursor as usize) < net.bounds.len() {
                    *cursor += 1;
                    if self.can_take_from_middle(*cursor - 1) {
                        return Some((self.agent(*cursor - 1), 0));
                    }
                }
                None
            }
        }
    }
}

/// The cursor of an agent at an entry.
fn after(entry: u32) -> u32 {
    if entry == NONE { NONE } else { entry + 1 }
}
