//! Sends units along the paths that were found.

use super::Search;
use super::steps::Node;
use crate::strategy::sticky::limits::Work;

/// A node on a path, and where its cursor was before the step from it.
struct Hop {
    node: u32,
    cursor: u32,
}

impl Search<'_, '_> {
    /// Sends as many units as possible along the paths that were found.
    pub(super) fn augment(&mut self, work: &mut Work) {
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
}
