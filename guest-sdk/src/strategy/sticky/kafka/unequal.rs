//! Members read different topics: what is free goes to whoever has least, and then partition after partition moves to somebody who has
//! at least two less, until none can.

use super::super::limits::Work;
use super::super::tables::{NONE, pair, second, sort};
use super::{Missing, Sheet, Topic};

/// Gives out everything.
pub fn fill(sheet: &mut Sheet, work: &mut Work) -> Result<(), Missing> {
    // Topics with the fewest readers first, then by name.
    let mut order: Vec<u64> =
        (0..).zip(&sheet.topics).map(|(at, topic)| pair(topic.readers.len() as u32, at)).collect();
    sort(&mut order);
    let mut topics: Vec<Option<Topic>> = std::mem::take(&mut sheet.topics).into_iter().map(Some).collect();
    sheet.topics = order.into_iter().filter_map(|at| topics[second(at) as usize].take()).collect();
    let anybody_had_something = sheet.size.iter().any(|&size| size > 0);
    let unassigned = sheet.unassigned();
    give_to_the_least(sheet, &unassigned, work)?;
    let mut moves = Moves::new(sheet);
    let before = (sheet.owner.clone(), sheet.size.clone());
    let score = moves.score(sheet);
    moves.perform(sheet, &unassigned, work)?;
    let all: Vec<u32> = sheet.topics.iter().flat_map(Topic::partitions).collect();
    let moved = moves.perform(sheet, &all, work)?;
    if anybody_had_something && moved && moves.score(sheet) >= score {
        (sheet.owner, sheet.size) = before;
    }
    Ok(())
}

fn give_to_the_least(sheet: &mut Sheet, unassigned: &[u32], work: &mut Work) -> Result<(), Missing> {
    for near in [true, false] {
        if near && sheet.racks.is_none() {
            continue;
        }
        for at in 0..sheet.topics.len() {
            for partition in sheet.topics[at].partitions() {
                if sheet.owner[partition as usize] != NONE {
                    continue;
                }
                let racks = sheet.racks.as_ref().filter(|_| near);
                let readers = sheet.topics[at].readers.iter().copied();
                let may = readers.filter(|&reader| racks.is_none_or(|racks| racks.fits(reader, partition)));
                let least = may.min_by_key(|&reader| (sheet.size[reader as usize], reader));
                if !work.spend(sheet.topics[at].readers.len()) {
                    return Err(Missing::TooLong);
                }
                if let Some(member) = least {
                    sheet.give(partition, member);
                }
            }
        }
    }
    debug_assert!(unassigned.iter().all(|&partition| sheet.owner[partition as usize] != NONE));
    Ok(())
}

/// What moved so far.
struct Moves {
    /// By partition its topic, and from whom it moved, if it did.
    topic_of: Vec<u32>,
    from: Vec<u32>,
    /// Members that can give or take something.
    takes_part: Vec<bool>,
    is_balanced: Option<bool>,
}

impl Moves {
    fn new(sheet: &Sheet) -> Self {
        let mut topic_of = vec![NONE; sheet.owner.len()];
        let mut takes_part = vec![false; sheet.size.len()];
        for (at, topic) in (0..).zip(&sheet.topics) {
            topic_of[topic.base as usize..][..topic.partitions as usize].fill(at);
            if topic.readers.len() > 1 {
                topic.readers.iter().for_each(|&reader| takes_part[reader as usize] = true);
            }
        }
        Moves { topic_of, from: vec![NONE; sheet.owner.len()], takes_part, is_balanced: None }
    }

    /// Moves these partitions, one after another and over and over, while that makes the plan more even.
    fn perform(&mut self, sheet: &mut Sheet, partitions: &[u32], work: &mut Work) -> Result<bool, Missing> {
        let mut moved = false;
        loop {
            let mut again = false;
            for &partition in partitions {
                let topic = &sheet.topics[self.topic_of[partition as usize] as usize];
                if topic.readers.len() < 2 {
                    continue;
                }
                if self.is_balanced(sheet, work) {
                    break;
                }
                let topic = &sheet.topics[self.topic_of[partition as usize] as usize];
                let least = topic.readers.iter().copied().min_by_key(|&reader| (sheet.size[reader as usize], reader));
                let owner = sheet.owner[partition as usize];
                if !work.spend(topic.readers.len()) {
                    return Err(Missing::TooLong);
                }
                if let Some(least) = least.filter(|&to| sheet.size[owner as usize] > sheet.size[to as usize] + 1) {
                    self.shift(sheet, partition, least, work);
                    (moved, again) = (true, true);
                }
            }
            if !again {
                return Ok(moved);
            }
        }
    }

    /// Moves a partition, or instead of it one of its topic that moved the other way before.
    fn shift(&mut self, sheet: &mut Sheet, partition: u32, to: u32, work: &mut Work) {
        let from = match self.from[partition as usize] {
            NONE => sheet.owner[partition as usize],
            first => first,
        };
        let topic = &sheet.topics[self.topic_of[partition as usize] as usize];
        let back = |&other: &u32| self.from[other as usize] == to && sheet.owner[other as usize] == from;
        let partition = topic.partitions().find(back).unwrap_or(partition);
        work.spend(topic.partitions as usize);
        let owner = sheet.owner[partition as usize];
        let origin = &mut self.from[partition as usize];
        *origin = match *origin {
            NONE => owner,
            first if first == to => NONE,
            first => first,
        };
        sheet.size[owner as usize] -= 1;
        sheet.give(partition, to);
        self.is_balanced = None;
    }

    /// Whether no partition can move to a reader that has at least two less than its owner.
    fn is_balanced(&mut self, sheet: &Sheet, work: &mut Work) -> bool {
        if let Some(known) = self.is_balanced {
            return known;
        }
        let sizes =
            || sheet.size.iter().zip(&self.takes_part).filter(|(_, takes_part)| **takes_part).map(|size| *size.0);
        let even = sizes().max().unwrap_or(0) <= sizes().min().unwrap_or(0).saturating_add(1);
        let balanced = even
            || sheet.topics.iter().filter(|topic| topic.readers.len() > 1).all(|topic| {
                work.spend(topic.readers.len() + topic.partitions as usize);
                let least = topic.readers.iter().map(|&reader| sheet.size[reader as usize]).min().unwrap_or(0);
                let owners = topic.partitions().map(|partition| sheet.owner[partition as usize]);
                owners.map(|owner| sheet.size[owner as usize]).all(|size| size <= least + 1)
            });
        self.is_balanced = Some(balanced);
        balanced
    }

    /// The sum of all differences between two members: the lower, the more even.
    fn score(&self, sheet: &Sheet) -> u64 {
        let sizes = sheet.size.iter().zip(&self.takes_part).filter(|(_, takes_part)| **takes_part);
        let mut sizes: Vec<u64> = sizes.map(|size| pair(0, *size.0)).collect();
        sort(&mut sizes);
        let mut below = 0;
        let mut score = 0;
        for (count, size) in (0..).zip(sizes) {
            score += size * count - below;
            below += size;
        }
        score
    }
}
