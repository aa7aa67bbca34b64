//! Takes back moves that were not needed. Copies that stay, copies that are new and loads are a flow of least cost, in which a cycle of
//! exchanges that costs less than nothing is cancelled until there is none: then no plan as even moves less.

use divvy_guest::prelude::*;

use crate::copies::Copies;

/// Groups are looked at up to so many pairs of a copy and a reader: beyond it the plan is as the steps before left it.
const MOST_PAIRS: usize = 500_000;

/// And so many looks at a pair there may be, as while evening out.
const LOOKS: usize = 16_000_000;

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
    let partitions: Vec<Partition> = run.partitions().collect();
    let copies = partitions.len() * held.most().min(readers.len());
    let has_room = copies.saturating_mul(readers.len()) <= MOST_PAIRS && readers.len() * readers.len() <= MOST_PAIRS;
    let Some(first) = partitions.first().filter(|_| has_room && racks.len() == readers.len()) else { return };
    let claimants = |&partition: &Partition| {
        (0..group.claim_layers())
            .filter_map(|layer| group.owner_before_in(layer, partition))
            .map(|member| member.index() as u32)
            .collect()
    };
    let claims = partitions.iter().map(claimants).collect();
    let share = (copies / readers.len()) as u32;
    let steps = Vec::new();
    let mut exchange = Exchange { held, readers, claims, first: first.index(), share, steps, looks: LOOKS };
    while exchange.may_gain() && exchange.cancel() {}
}

impl Exchange<'_> {
    fn was(&self, partition: usize, member: u32) -> bool {
        self.claims[partition - self.first].contains(&member)
    }

    fn partitions(&self) -> std::ops::Range<usize> {
        self.first..self.first + self.claims.len()
    }

    /// Whether a reader that claims a partition does not have it. Mostly the answer is no, and nothing else is to do.
    fn may_gain(&self) -> bool {
        self.partitions().any(|partition| {
            let holders = self.held.holders(partition);
            let has_new = holders.iter().any(|&holder| !self.was(partition, holder));
            has_new && self.claims[partition - self.first].iter().any(|claimant| !holders.contains(claimant))
        })
    }

    /// Finds a cycle that costs less than nothing and goes it.
    fn cancel(&mut self) -> bool {
        self.measure();
        let Some(cycle) = self.cycle() else { return false };
        let width = self.readers.len() + 1;
        for (&from, &to) in cycle.iter().zip(cycle.iter().cycle().skip(1)) {
            if let (Some(&giver), Some(&taker), Some((_, partition))) =
                (self.readers.get(from), self.readers.get(to), self.steps[from * width + to])
            {
                self.held.pass(partition, giver, taker);
            }
        }
        true
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

    /// Bellman and Ford's search, from everywhere at once: a circle of predecessors is a cycle that costs less than nothing.
    fn cycle(&mut self) -> Option<Vec<usize>> {
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
            let circle = circle(&before);
            if circle.is_some() || !is_better {
                return circle;
            }
        }
        None
    }
}

/// A circle among predecessors, in the order of the steps.
fn circle(before: &[Option<usize>]) -> Option<Vec<usize>> {
    // From which start a place was first come by.
    let mut seen = vec![None; before.len()];
    for start in 0..before.len() {
        let mut at = start;
        while seen[at].is_none() {
            seen[at] = Some(start);
            at = before[at].unwrap_or(at);
        }
        if seen[at] == Some(start) && before[at].is_some() {
            let mut circle = vec![at];
            let mut next = before[at]?;
            while next != at {
                circle.push(next);
                next = before[next]?;
            }
            circle.reverse();
            return Some(circle);
        }
    }
    None
}
