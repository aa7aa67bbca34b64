//! Everybody reads the same: members keep up to a quota and are filled round and round.

use std::collections::VecDeque;

use super::super::limits::Work;
use super::super::tables::{NONE, pair, second, sort};
use super::{Missing, Sheet};

/// Who still gets something.
struct Filling {
    /// Members with fewer than the lower quota, by id.
    under: Vec<u32>,
    /// Members with just the lower quota that may get one more, in the order in which they do.
    at_low: VecDeque<u32>,
    low: u32,
    high: u32,
}

/// Gives out everything.
pub fn fill(sheet: &mut Sheet, work: &mut Work) -> Result<(), Missing> {
    let (members, partitions) =
        (sheet.size.len() as u32, sheet.topics.iter().map(|topic| topic.partitions).sum::<u32>());
    if partitions == 0 {
        return Ok(());
    }
    let (low, over) = (partitions / members, partitions % members);
    let mut filling = Filling { under: Vec::new(), at_low: VecDeque::new(), low, high: partitions.div_ceil(members) };
    let mut gives_up = vec![0; members as usize];
    let mut above_low = 0;
    for member in 0..members {
        let owned = sheet.size[member as usize];
        if owned < low {
            filling.under.push(member);
        } else if owned >= filling.high && above_low < over {
            above_low += 1;
            if above_low == over {
                filling.at_low.clear();
            }
            gives_up[member as usize] = owned - filling.high;
        } else {
            gives_up[member as usize] = owned - low;
            if above_low < over {
                filling.at_low.push_back(member);
            }
        }
    }
    take_away(sheet, &mut gives_up);
    let mut unassigned = sheet.unassigned();
    if sheet.racks.is_some() {
        filling.near_first(sheet, &mut unassigned, work)?;
    }
    filling.round_and_round(sheet, &unassigned)
}

/// Members keep their first partitions by number, then by topic.
fn take_away(sheet: &mut Sheet, gives_up: &mut [u32]) {
    let mut owned: Vec<u64> = Vec::new();
    for topic in &sheet.topics {
        let of_owner =
            |&partition: &u32| gives_up.get(sheet.owner[partition as usize] as usize).is_some_and(|&up| up > 0);
        owned.extend(topic.partitions().filter(of_owner).map(|partition| pair(partition - topic.base, partition)));
    }
    sort(&mut owned);
    for partition in owned.into_iter().rev().map(second) {
        let owner = sheet.owner[partition as usize] as usize;
        if gives_up[owner] > 0 {
            gives_up[owner] -= 1;
            sheet.size[owner] -= 1;
            sheet.owner[partition as usize] = NONE;
        }
    }
}

impl Filling {
    /// Partitions with the fewest members near them come first, and go to members that are near.
    fn near_first(&mut self, sheet: &mut Sheet, unassigned: &mut Vec<u32>, work: &mut Work) -> Result<(), Missing> {
        let Some(racks) = sheet.racks.take() else { return Ok(()) };
        let position = |at: usize, partition: u32| pair(racks.members_near(partition), at as u32);
        let mut order: Vec<u64> =
            unassigned.iter().enumerate().map(|(at, &partition)| position(at, partition)).collect();
        sort(&mut order);
        let mut left = Vec::new();
        let mut next = 0;
        for partition in order.into_iter().map(|at| unassigned[second(at) as usize]) {
            if !work.spend(self.under.len() + self.at_low.len()) {
                return Err(Missing::TooLong);
            }
            let turn = (0..self.under.len()).map(|step| (next + step) % self.under.len());
            if let Some(at) = turn.into_iter().find(|&at| racks.is_near(self.under[at], partition)) {
                let member = self.under[at];
                let size = sheet.size[member as usize] + 1;
                next = at;
                if size >= self.low {
                    self.under.remove(at);
                    if size < self.high {
                        self.at_low.push_back(member);
                    }
                } else {
                    next += 1;
                }
                next = if self.under.is_empty() { 0 } else { next % self.under.len() };
                sheet.give(partition, member);
            } else if let Some(at) = self.at_low.iter().position(|&member| racks.is_near(member, partition)) {
                let member = self.at_low[at];
                if sheet.size[member as usize] + 1 == self.high {
                    self.at_low.remove(at);
                }
                sheet.give(partition, member);
            } else {
                left.push(partition);
            }
        }
        *unassigned = left;
        Ok(())
    }

    fn round_and_round(&mut self, sheet: &mut Sheet, unassigned: &[u32]) -> Result<(), Missing> {
        let mut at = 0;
        for &partition in unassigned {
            if at == self.under.len() {
                // Who reached the lower quota in this round has left it.
                self.under.retain(|&member| sheet.size[member as usize] < self.low);
                at = 0;
            }
            let member = match self.under.get(at) {
                Some(&member) => member,
                None => self.at_low.pop_front().ok_or(Missing::Fails)?,
            };
            at += usize::from(at < self.under.len());
            sheet.give(partition, member);
            if sheet.size[member as usize] == self.low {
                self.at_low.push_back(member);
            }
        }
        Ok(())
    }
}
