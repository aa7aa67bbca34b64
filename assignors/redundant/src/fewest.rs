//! Takes back moves that were not needed. Copies that stay, copies that are new and loads are a flow of least cost, in which a cycle of
//! exchanges that costs less than nothing is cancelled until there is none: then no plan as even moves less.

use divvy_guest::prelude::*;

use crate::copies::Copies;

/// Groups are looked at up to so many pairs of a copy and a reader: beyond it the plan is as the steps before left it.
const MOST_PAIRS: usize = 500_000;

/// And so many looks at a pair there may be, as while evening out.
const LOOKS: usize = 4_000_000;

/// A step from one reader to another: what it costs, and the partition that goes.
type Step = Option<(i32, usize)>;

struct Exchange<'h> {
    held: &'h mut Copies,
    /// Member indexes of the readers. One place behind them stands for nobody: through it one reader more has the larger share.
    readers: Vec<u32>,
    /// For each partition, from the first on, its claimants.
    claims: Vec<Vec<u32>>,
    first: usize,
    share: u32,
    /// How many copies could stay if each were looked at alone, and how many do.
    most_kept: usize,
    kept: usize,
    steps: Vec<Step>,
    looks: usize,
}

/// Exchanges copies in a group of equal readers, no two in one rack, without making it less even.
pub fn settle(group: &Group<'_>, held: &mut Copies) {
    let mut runs = group.runs();
    let (Some(run), None) = (runs.next(), runs.next()) else { return };
    let readers: Vec<u32> = run.subscribers().iter().map(|reader| reader.index() as u32).collect();
    let mut racks: Vec<u32> = readers.iter().map(|&reader| held.racks[reader as usize]).collect();
    racks.sort_unstable();
    racks.dedup();
    let copies = run.partitions().len() * held.most().min(readers.len());
    let has_room = copies.saturating_mul(readers.len()) <= MOST_PAIRS && readers.len() * readers.len() <= MOST_PAIRS;
    if !has_room || group.claim_layers() == 0 || racks.len() < readers.len() || readers.len() <= held.most() {
        return;
    }
    let mut claimants = Vec::new();
    let mut claimed = vec![0_usize; held.loads.len()];
    let (mut at_most, mut kept) = (0, 0);
    for partition in run.partitions() {
        claimants_of(group, partition, &mut claimants);
        at_most += claimants.len().min(held.most());
        claimants.iter().for_each(|&claimant| claimed[claimant as usize] += 1);
        let holders = held.holders(partition.index()).iter();
        kept += holders.filter(|&holder| claimants.contains(holder)).count();
    }
    // Nobody keeps more than its share, and only so many keep one more.
    let (share, larger) = (copies / readers.len(), copies % readers.len());
    let in_shares: usize = claimed.iter().map(|&claimed| claimed.min(share)).sum();
    let in_larger = claimed.iter().filter(|&&claimed| claimed > share).count().min(larger);
    let most_kept = at_most.min(in_shares + in_larger);
    if kept >= most_kept {
        return;
    }
    let claims = |partition: Partition| {
        claimants_of(group, partition, &mut claimants);
        claimants.clone()
    };
    let claims = run.partitions().map(claims).collect();
    let (first, share, steps) = (run.partitions().start(), share as u32, Vec::new());
    let mut exchange = Exchange { held, readers, claims, first, share, most_kept, kept, steps, looks: LOOKS };
    while exchange.kept < exchange.most_kept && exchange.cancel() {}
}

/// Who claims a partition.
fn claimants_of(group: &Group<'_>, partition: Partition, into: &mut Vec<u32>) {
    into.clear();
    let claims = (0..group.claim_layers()).filter_map(|layer| group.owner_before_in(layer, partition));
    into.extend(claims.map(|member| member.index() as u32));
}

impl Exchange<'_> {
    fn was(&self, partition: usize, member: u32) -> bool {
        self.claims[partition - self.first].contains(&member)
    }

    fn partitions(&self) -> std::ops::Range<usize> {
        self.first..self.first + self.claims.len()
    }

    /// Finds cycles that cost less than nothing and goes them; says whether there were any.
    fn cancel(&mut self) -> bool {
        self.measure();
        let width = self.readers.len() + 1;
        let cycles = self.cycles();
        for cycle in &cycles {
            for (&from, &to) in cycle.iter().zip(cycle.iter().cycle().skip(1)) {
                if let (Some(&giver), Some(&taker), Some((_, partition))) =
                    (self.readers.get(from), self.readers.get(to), self.steps[from * width + to])
                {
                    self.kept += usize::from(self.was(partition, taker));
                    self.kept -= usize::from(self.was(partition, giver));
                    self.held.pass(partition, giver, taker);
                }
            }
        }
        !cycles.is_empty()
    }

    /// What each step costs at least: 1 when a copy moves that could stay, -1 when one comes back.
    fn measure(&mut self) {
        let nobody = self.readers.len();
        let width = nobody + 1;
        let mut steps = vec![None; width * width];
        let mut place = vec![0; self.held.loads.len()];
        self.readers.iter().enumerate().for_each(|(at, &reader)| place[reader as usize] = at);
        for partition in self.partitions() {
            let holders = self.held.holders(partition);
            self.looks = self.looks.saturating_sub(holders.len() * nobody);
            for (to, &taker) in self.readers.iter().enumerate().filter(|(_, taker)| !holders.contains(taker)) {
                let back = i32::from(self.was(partition, taker));
                for &giver in holders {
                    let cost = i32::from(self.was(partition, giver)) - back;
                    let step: &mut Step = &mut steps[place[giver as usize] * width + to];
                    if step.is_none_or(|step| cost <= step.0) {
                        *step = Some((cost, partition));
                    }
                }
            }
        }
        for (at, &reader) in self.readers.iter().enumerate() {
            match self.held.loads[reader as usize] > self.share {
                true => steps[nobody * width + at] = Some((0, 0)),
                false => steps[at * width + nobody] = Some((0, 0)),
            }
        }
        self.steps = steps;
    }

    /// Bellman and Ford's search, from everywhere at once: a circle of predecessors is a cycle that costs less than nothing. Circles
    /// have no reader in common, so that all of them can be gone.
    fn cycles(&mut self) -> Vec<Vec<usize>> {
        let width = self.readers.len() + 1;
        let mut costs = vec![0; width];
        let mut before = vec![None; width];
        while self.looks > 0 {
            self.looks = self.looks.saturating_sub(width * width);
            let mut is_better = false;
            for (at, step) in self.steps.iter().enumerate() {
                let (from, to) = (at / width, at % width);
                if let Some((cost, _)) = step
                    && costs[from] + cost < costs[to]
                {
                    costs[to] = costs[from] + cost;
                    before[to] = Some(from);
                    is_better = true;
                }
            }
            let circles = circles(&before);
            if !circles.is_empty() || !is_better {
                return circles;
            }
        }
        Vec::new()
    }
}

/// The circles among predecessors, each in the order of its steps.
fn circles(before: &[Option<usize>]) -> Vec<Vec<usize>> {
    let mut circles = Vec::new();
    // From which start a place was first come by.
    let mut seen = vec![None; before.len()];
    for start in 0..before.len() {
        let mut way = Vec::new();
        let mut at = start;
        while seen[at].is_none() {
            seen[at] = Some(start);
            way.push(at);
            at = before[at].unwrap_or(at);
        }
        if seen[at] == Some(start)
            && before[at].is_some()
            && let Some(begin) = way.iter().position(|&place| place == at)
        {
            circles.push(way[begin..].iter().rev().copied().collect());
        }
    }
    circles
}
