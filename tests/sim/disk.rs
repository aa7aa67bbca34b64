//! The store's thread and its disk: what waits while a batch is written becomes the next batch, a batch may take long or
//! fail, and a crash keeps what it likes of what was not yet said to be durable.

use std::collections::{BTreeSet, VecDeque};

use divvy::group::{Record, Seq};
use divvy::ids::GroupId;
use divvy::store::{Entry, MemoryStore, Store};

use crate::dice::Dice;

/// What the store is asked for, in order.
enum Job {
    Turn(Vec<Entry>, Vec<(GroupId, Seq)>),
    Reload(GroupId),
}

/// What it says.
pub enum Said {
    Stored(Vec<(GroupId, Seq)>),
    Failed(Vec<GroupId>),
    Read(GroupId, Vec<Record>),
}

/// How a batch fails.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Failure {
    /// Nothing of it is kept.
    Lost,
    /// All of it is kept, and yet it is said to have failed.
    KeptUnsaid,
}

/// The disk with its queue.
pub struct Disk {
    store: MemoryStore,
    queue: VecDeque<Job>,
    /// The batch that is being written: so many jobs at the front.
    writing: usize,
    broken: BTreeSet<GroupId>,
    /// Of a hundred batches so many fail.
    pub failing_percent: u64,
    /// How long a batch takes, usually and at most.
    pub usual_ms: u64,
    pub worst_ms: u64,
}

impl Disk {
    pub fn new(usual_ms: u64, worst_ms: u64, failing_percent: u64) -> Self {
        Self {
            store: MemoryStore::new(),
            queue: VecDeque::new(),
            writing: 0,
            broken: BTreeSet::new(),
            failing_percent,
            usual_ms,
            worst_ms,
        }
    }

    pub fn turn(&mut self, entries: Vec<Entry>, marks: Vec<(GroupId, Seq)>) {
        self.queue.push_back(Job::Turn(entries, marks));
    }

    pub fn reload(&mut self, group: GroupId) {
        self.queue.push_back(Job::Reload(group));
    }

    /// Begins the next job, if nothing is being done: how long it will take.
    pub fn begin(&mut self, dice: &mut Dice) -> Option<u64> {
        if self.writing > 0 || self.queue.is_empty() {
            return None;
        }
        let turns = self.queue.iter().take_while(|job| matches!(job, Job::Turn(..))).count();
        self.writing = turns.max(1);
        Some(1 + dice.tail(self.usual_ms, self.worst_ms))
    }

    /// The job is done.
    pub fn end(&mut self, dice: &mut Dice) -> Vec<Said> {
        let jobs: Vec<Job> = self.queue.drain(..std::mem::take(&mut self.writing)).collect();
        let failure = dice.percent(self.failing_percent).then(|| dice.pick(&[Failure::Lost, Failure::KeptUnsaid]));
        let mut said = Vec::new();
        for job in jobs {
            match job {
                Job::Reload(group) => {
                    self.broken.remove(&group);
                    let records = self.store.load_group(&group).expect("memory can be read");
                    said.push(Said::Read(group, records));
                }
                Job::Turn(mut entries, mut marks) => {
                    marks.retain(|(group, _)| !self.broken.contains(group));
                    entries.retain(|entry| !matches!(entry, Entry::Group(group, _) if self.broken.contains(group)));
                    if failure != Some(Failure::Lost) {
                        self.store.append(&entries).expect("memory can be written");
                    }
                    said.push(match failure {
                        None => Said::Stored(marks),
                        Some(_) => Said::Failed(marks.into_iter().map(|(group, _)| group).collect()),
                    });
                }
            }
        }
        for said in &said {
            if let Said::Failed(groups) = said {
                self.broken.extend(groups.iter().cloned());
            }
        }
        said
    }

    /// The process died: of the batch on its way all or nothing is kept, of what waited behind it nothing.
    pub fn crash(&mut self, dice: &mut Dice) {
        let kept = dice.percent(50);
        for job in self.queue.drain(..).take(if kept { self.writing } else { 0 }) {
            if let Job::Turn(mut entries, _) = job {
                entries.retain(|entry| !matches!(entry, Entry::Group(group, _) if self.broken.contains(group)));
                self.store.append(&entries).expect("memory can be written");
            }
        }
        self.writing = 0;
        self.broken.clear();
    }

    /// From now on it is quick, and nothing fails: what it is writing is done in this time.
    pub fn heal(&mut self) -> Option<u64> {
        self.failing_percent = 0;
        self.worst_ms = self.usual_ms + 20;
        (self.writing > 0).then_some(self.worst_ms)
    }

    /// Whether the group is waiting to be read anew.
    pub fn is_read_anew(&self, group: &GroupId) -> bool {
        self.queue.iter().any(|job| matches!(job, Job::Reload(of) if of == group))
    }

    /// Whether everything that was asked for is done.
    pub fn is_idle(&self) -> bool {
        self.queue.is_empty() && self.broken.is_empty()
    }

    pub fn load(&mut self) -> Vec<(GroupId, Vec<Record>)> {
        self.store.load().expect("memory can be read").groups
    }
}
