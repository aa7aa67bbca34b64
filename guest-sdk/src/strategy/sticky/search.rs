//! Moves units along chains until every agent is within its bounds, with the fewest moves: a minimum cost flow, found by cheapest
//! paths (primal-dual, as Busacker and Gowen have it), many at a time (Dinic).
//!
//! Everybody keeps at first what it had and may have: no plan moves less. From there units go from where too many are to where too few
//! are, along chains in which each agent hands one of a class on and takes one of another, the chains with the fewest moves first. That
//! keeps the plan the best one for what is placed so far, so that in the end it is the best of all.
//!
//! One more node, the *middle*, stands for the units between the lower and the upper bounds: who has one can hand it on to who has not.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::limits::Work;
use super::network::{Entry, Network};
use super::tables::{Bits, NONE, ones_of};

/// What a partition in a far rack costs: more than all moves of a plan together.
const FAR: i64 = 1 << 25;

/// Not reached.
const AWAY: i64 = i64::MAX;

/// How a search ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum End {
    /// Everybody is within bounds.
    Balanced,
    /// The bounds cannot be kept.
    Stuck,
    /// The work was too much.
    Over,
}

/// A search in a network.
pub struct Search<'n, 'a> {
    pub net: &'n mut Network<'a>,
    /// Units that the middle has too many, or too few.
    middle: i64,
    /// What it costs to get to a node, at least; by it every step costs nothing or more.
    potential: Vec<i64>,
    /// Of the last look for cheapest paths.
    distance: Vec<i64>,
    /// Of the last look for free paths: steps from a source, and where to go on.
    step: Vec<u32>,
    cursor: Vec<u32>,
    queue: Vec<u32>,
}

impl<'n, 'a> Search<'n, 'a> {
    pub fn new(net: &'n mut Network<'a>, supply: u64) -> Self {
        let bounds = net.bounds.iter().zip(&net.load);
        let within: u64 = bounds.map(|(bounds, load)| u64::from(*load.clamp(&bounds.low, &bounds.high))).sum();
        let nodes = net.classes() + net.agents.keys() + net.bounds.len() + 1;
        Search {
            net,
            middle: within as i64 - supply as i64,
            potential: vec![0; nodes],
            distance: vec![AWAY; nodes],
            step: vec![NONE; nodes],
            cursor: vec![0; nodes],
            queue: Vec::new(),
        }
    }

    /// Moves what has to be moved.
    pub fn run(&mut self, work: &mut Work) -> End {
        loop {
            while self.free_paths(work) {
                self.augment(work);
            }
            if !self.any_source() {
                return End::Balanced;
            }
            let found = self.cheapest_paths(work);
            if work.is_over() {
                return End::Over;
            }
            if !found {
                return End::Stuck;
            }
        }
    }

    /// After a search that was stuck: whether units that are too many could have come to a class.
    pub fn reached_class(&self, class: u32) -> bool {
        self.distance[class as usize] != AWAY
    }

    /// Likewise to agents of a kind; each kind is one agent.
    pub fn reached_agent(&self, agent: u32) -> bool {
        self.distance[self.agent(agent) as usize] != AWAY
    }

    fn kind(&self, kind: u32) -> u32 {
        self.net.classes() as u32 + kind
    }

    fn agent(&self, agent: u32) -> u32 {
        (self.net.classes() + self.net.agents.keys()) as u32 + agent
    }

    fn middle(&self) -> u32 {
        self.potential.len() as u32 - 1
    }

    fn node(&self, at: u32) -> Node {
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
    fn excess(&self, node: Node) -> i64 {
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
    fn entry(&self, class: u32, agent: u32) -> Entry {
        let at = self.net.find(class, agent);
        self.net.entries.get(at as usize).copied().unwrap_or(Entry { class, agent, had: 0, has: 0, next: NONE })
    }

    fn any_source(&self) -> bool {
        (0..self.potential.len() as u32).any(|at| self.excess(self.node(at)) > 0)
    }

    fn can_give_to_middle(&self, agent: u32) -> bool {
        let (bounds, load) = (self.net.bounds[agent as usize], self.net.load[agent as usize]);
        bounds.low <= load && load < bounds.high
    }

    fn can_take_from_middle(&self, agent: u32) -> bool {
        let (bounds, load) = (self.net.bounds[agent as usize], self.net.load[agent as usize]);
        bounds.low < load && load <= bounds.high
    }

    fn cost(&self, class: u32, kind: u32) -> i64 {
        if self.net.is_far(class, kind) { FAR } else { 0 }
    }

    /// What it costs to take a unit of an entry from its agent, or to give it one back.
    fn cost_to_take(&self, entry: u32) -> i64 {
        let entry = self.net.entries[entry as usize];
        i64::from(entry.has <= entry.had) - self.cost(entry.class, self.net.kind_of[entry.agent as usize])
    }

    /// Calls with each step from a node, but not with steps to kinds that were seen, and not to classes when all were; a kind of which
    /// the call says so is seen then.
    fn each_step(&self, node: Node, seen: &mut Seen, mut found: impl FnMut(u32, i64) -> bool) -> usize {
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

    /// Looks for paths without cost from where too many units are to where too few are, in the fewest steps.
    fn free_paths(&mut self, work: &mut Work) -> bool {
        self.step.fill(NONE);
        self.cursor.fill(0);
        let mut seen = Seen { kinds: Bits::new(1, self.net.agents.keys()), classes: 0 };
        let mut queue = std::mem::take(&mut self.queue);
        queue.clear();
        for at in 0..self.potential.len() as u32 {
            if self.excess(self.node(at)) > 0 {
                self.step[at as usize] = 0;
                seen.classes += usize::from((at as usize) < self.net.classes());
                queue.push(at);
            }
        }
        let mut next = 0;
        let mut last = u32::MAX;
        let mut step = std::mem::take(&mut self.step);
        while let Some(&at) = queue.get(next) {
            next += 1;
            let node = self.node(at);
            let steps = step[at as usize];
            if steps >= last {
                break;
            }
            if self.excess(node) < 0 {
                last = steps;
                continue;
            }
            let mut classes = 0;
            let walked = self.each_step(node, &mut seen, |to, cost| {
                let free = cost + self.potential[at as usize] == self.potential[to as usize];
                if free && step[to as usize] == NONE {
                    step[to as usize] = steps + 1;
                    classes += usize::from((to as usize) < self.net.classes());
                    queue.push(to);
                }
                free
            });
            seen.classes += classes;
            if !work.spend(walked) {
                break;
            }
        }
        (self.step, self.queue) = (step, queue);
        last != u32::MAX && !work.is_over()
    }

    /// Sends as many units as possible along the paths that were found.
    fn augment(&mut self, work: &mut Work) {
        let mut path: Vec<Hop> = Vec::new();
        for source in 0..self.potential.len() as u32 {
            while self.step[source as usize] == 0 && self.excess(self.node(source)) > 0 {
                if !self.find_path(source, &mut path, work) {
                    break;
                }
                self.send(&path);
                for hop in &path {
                    self.cursor[hop.node as usize] = hop.cursor;
                }
            }
        }
    }

    /// A path of free steps to where units are wanted, never twice to where there is none.
    fn find_path(&mut self, source: u32, path: &mut Vec<Hop>, work: &mut Work) -> bool {
        path.clear();
        path.push(Hop { node: source, cursor: self.cursor[source as usize] });
        while let Some(&Hop { node: at, .. }) = path.last() {
            if self.excess(self.node(at)) < 0 {
                return true;
            }
            let mut cursor = self.cursor[at as usize];
            path.last_mut().into_iter().for_each(|hop| hop.cursor = cursor);
            let mut found = None;
            let mut steps = 1;
            while let Some((to, cost)) = self.next_step(self.node(at), &mut cursor) {
                let free = cost + self.potential[at as usize] == self.potential[to as usize];
                if free && self.step[to as usize] == self.step[at as usize] + 1 {
                    found = Some(to);
                    break;
                }
                path.last_mut().into_iter().for_each(|hop| hop.cursor = cursor);
                steps += 1;
            }
            self.cursor[at as usize] = cursor;
            match found {
                Some(to) => path.push(Hop { node: to, cursor: self.cursor[to as usize] }),
                None => {
                    path.pop();
                }
            }
            if !work.spend(steps) {
                return false;
            }
        }
        false
    }

    /// Sends as many units along a path as fit.
    fn send(&mut self, path: &[Hop]) {
        let node = |at: usize| path.get(at).map(|hop| self.node(hop.node));
        let (Some(source), Some(sink)) = (node(0), path.last().map(|hop| self.node(hop.node))) else { return };
        let mut units = self.excess(source).min(-self.excess(sink));
        let mut puts = Vec::new();
        let mut takes = Vec::new();
        for at in 1..path.len() {
            match (node(at - 1), node(at)) {
                (Some(Node::Class(class)), Some(Node::Agent(agent))) => {
                    let entry = self.entry(class, agent);
                    units = units.min(i64::from(entry.had - entry.has));
                    puts.push((class, agent));
                }
                (Some(Node::Kind(_)), Some(Node::Agent(agent))) => {
                    if let Some(Node::Class(class)) = at.checked_sub(2).and_then(node) {
                        puts.push((class, agent));
                    }
                }
                (Some(Node::Agent(agent)), Some(Node::Class(class))) => {
                    let entry = self.entry(class, agent);
                    let most = if entry.has > entry.had { entry.has - entry.had } else { entry.has };
                    units = units.min(i64::from(most));
                    takes.push((class, agent));
                }
                (Some(Node::Agent(agent)), Some(Node::Middle)) => {
                    let (bounds, load) = (self.net.bounds[agent as usize], self.net.load[agent as usize]);
                    units = units.min(i64::from(bounds.high - load));
                }
                (Some(Node::Middle), Some(Node::Agent(agent))) => {
                    let (bounds, load) = (self.net.bounds[agent as usize], self.net.load[agent as usize]);
                    units = units.min(i64::from(load - bounds.low));
                }
                _ => {}
            }
        }
        let nodes: Vec<Node> = path.iter().map(|hop| self.node(hop.node)).collect();
        let units = units as u32;
        for hops in nodes.windows(2) {
            match hops {
                [Node::Agent(agent), Node::Middle] => self.net.load[*agent as usize] += units,
                [Node::Middle, Node::Agent(agent)] => self.net.load[*agent as usize] -= units,
                _ => {}
            }
        }
        takes.into_iter().for_each(|(class, agent)| self.net.take(class, agent, units));
        puts.into_iter().for_each(|(class, agent)| self.net.put(class, agent, units));
        self.change(source, -i64::from(units));
        self.change(sink, i64::from(units));
    }

    /// Where a path begins and where it ends, what is there changes.
    fn change(&mut self, node: Node, units: i64) {
        let add = |to: &mut u32| *to = (i64::from(*to) + units) as u32;
        match node {
            Node::Class(class) => add(&mut self.net.free[class as usize]),
            Node::Agent(agent) => add(&mut self.net.load[agent as usize]),
            Node::Middle => self.middle += units,
            Node::Kind(_) => {}
        }
    }

    /// Looks for the cheapest paths, and makes them free. There may be none.
    fn cheapest_paths(&mut self, work: &mut Work) -> bool {
        let mut distance = std::mem::take(&mut self.distance);
        distance.fill(AWAY);
        let mut seen = Seen { kinds: Bits::new(1, self.net.agents.keys()), classes: 0 };
        let mut heap = BinaryHeap::new();
        for at in 0..self.potential.len() as u32 {
            if self.excess(self.node(at)) > 0 {
                distance[at as usize] = 0;
                heap.push((Reverse(0_i64), at));
            }
        }
        let mut nearest = None;
        while let Some((Reverse(far), at)) = heap.pop() {
            if far > distance[at as usize] {
                continue;
            }
            let node = self.node(at);
            if nearest.is_some_and(|nearest| far > nearest) {
                break;
            }
            if self.excess(node) < 0 {
                nearest = Some(far);
                continue;
            }
            match node {
                Node::Kind(kind) => seen.kinds.set(0, kind),
                Node::Class(_) => seen.classes += 1,
                Node::Agent(_) | Node::Middle => {}
            }
            let walked = self.each_step(node, &mut seen, |to, cost| {
                let there = far + cost + self.potential[at as usize] - self.potential[to as usize];
                if there < distance[to as usize] {
                    distance[to as usize] = there;
                    heap.push((Reverse(there), to));
                }
                false
            });
            if !work.spend(walked) {
                break;
            }
        }
        if let Some(nearest) = nearest {
            self.potential.iter_mut().zip(&distance).for_each(|(potential, far)| *potential += nearest.min(*far));
        }
        self.distance = distance;
        nearest.is_some()
    }

    /// Where units can go in one step from a node beyond a cursor, and what that costs.
    fn next_step(&self, node: Node, cursor: &mut u32) -> Option<(u32, i64)> {
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

/// Where nothing new is to be found.
struct Seen {
    kinds: Bits,
    classes: usize,
}

/// A node on a path, and where its cursor was before the step from it.
struct Hop {
    node: u32,
    cursor: u32,
}

/// The cursor of an agent at an entry.
fn after(entry: u32) -> u32 {
    if entry == NONE { NONE } else { entry + 1 }
}

/// Where units are on their way.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Node {
    Class(u32),
    Kind(u32),
    Agent(u32),
    Middle,
}
