//! Who has what, and since when: counts what changed hands, and how long nobody had it.

use std::collections::{BTreeMap, BTreeSet};
use std::time::{SystemTime, UNIX_EPOCH};

/// A member says what it has now.
#[derive(Clone, Debug)]
pub struct News {
    /// When, in seconds of the wall clock, which all processes of a machine share.
    pub at: f64,
    /// Who: a process that comes back is another one, unless it is a static member.
    pub member: String,
    /// What it has.
    pub owns: BTreeSet<i32>,
    /// Whether it leads; only divvy's members say so.
    pub leads: bool,
    /// It is out: nothing more comes.
    pub is_over: bool,
}

/// The wall clock.
pub fn now() -> f64 {
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_secs_f64()
}

/// All that was said.
#[derive(Default)]
pub struct Ledger {
    /// What each member that is in has.
    pub members: BTreeMap<String, BTreeSet<i32>>,
    /// Who leads, as far as that is said.
    pub leader: Option<String>,
    partitions: BTreeMap<i32, Partition>,
    /// Partitions that came to somebody who did not have them last.
    pub moved: usize,
    /// Seconds in which partitions had no owner, added up.
    pub idle_s: f64,
}

#[derive(Default)]
struct Partition {
    last: String,
    given_up: Option<f64>,
}

impl Ledger {
    /// Counts from here.
    pub fn count_anew(&mut self) {
        (self.moved, self.idle_s) = (0, 0.0);
    }

    /// Takes note.
    pub fn note(&mut self, news: News) {
        let had = self.members.get(&news.member).cloned().unwrap_or_default();
        for partition in had.difference(&news.owns) {
            let partition = self.partitions.entry(*partition).or_default();
            if partition.last == news.member {
                partition.given_up = Some(news.at);
            }
        }
        for partition in news.owns.difference(&had) {
            let partition = self.partitions.entry(*partition).or_default();
            self.moved += usize::from(partition.last != news.member);
            self.idle_s += partition.given_up.take().map_or(0.0, |since| (news.at - since).max(0.0));
            partition.last.clone_from(&news.member);
        }
        if news.leads {
            self.leader = Some(news.member.clone());
        }
        if news.is_over {
            self.members.remove(&news.member);
        } else {
            self.members.insert(news.member, news.owns);
        }
    }

    /// So many members have everything, each partition once, and none has more than one more than another.
    pub fn is_settled(&self, members: usize, partitions: usize) -> bool {
        let all: BTreeSet<i32> = self.members.values().flatten().copied().collect();
        let count: usize = self.members.values().map(BTreeSet::len).sum();
        let least = partitions / members;
        self.members.len() == members
            && all.len() == partitions
            && count == partitions
            && self.members.values().all(|owns| owns.len() >= least)
    }
}
