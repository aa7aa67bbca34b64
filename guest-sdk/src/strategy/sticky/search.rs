//! Moves units along chains until every agent is within its bounds, with the fewest moves: a minimum cost flow, found by cheapest
//! paths (primal-dual, as Busacker and Gowen have it), many at a time (Dinic).
//!
//! Everybody keeps at first what it had and may have: no plan moves less. From there units go from where too many are to where too few
//! are, along chains in which each agent hands one of a class on and takes one of another, the chains with the fewest moves first. That
//! keeps the plan the best one for what is placed so far, so that in the end it is the best of all.
//!
//! One more node, the *middle*, stands for the units between the lower and the upper bounds: who has one can hand it on to who has not.

mod send;
mod steps;

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::limits::Work;
use super::network::Network;
use super::tables::{Bits, NONE};
use steps::{Node, Seen};

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
}
