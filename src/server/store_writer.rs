//! The store's thread: what several shards bring while it is busy becomes one durable batch.
//!
//! After a batch failed nothing more is written for its groups until they were read anew: records that were on their
//! way rest on records that may not exist.

use std::collections::HashSet;
use std::sync::mpsc::{Receiver, Sender, TryRecvError, channel};

use tokio::sync::mpsc::UnboundedSender;
use tokio::sync::oneshot;

use super::limits::MAX_BATCH_ENTRIES;
use super::metrics::Metrics;
use super::clock::Clock;
use super::messages::ToShard;
use crate::group::{Seq, Record};
use crate::ids::GroupId;
use crate::store::{Entry, Snapshot, Store, StoreError};

/// What the store's thread is asked for.
enum Job {
    /// A shard's turn.
    Turn { shard: usize, entries: Vec<Entry>, marks: Vec<(GroupId, Seq)> },
    /// Topics changed.
    Topics { entries: Vec<Entry>, done: oneshot::Sender<Result<(), StoreError>> },
    /// A group's records are wanted anew.
    Reload { shard: usize, group: GroupId },
    /// Everything asked before is to be done.
    Flush(oneshot::Sender<()>),
}

/// The way to the store's thread. It ends when the last of these is gone.
#[derive(Clone)]
pub(crate) struct StoreWriter(Sender<Job>);

impl StoreWriter {
    /// Makes a shard's turn durable; the shard is told.
    pub(crate) fn turn(&self, shard: usize, entries: Vec<Entry>, marks: Vec<(GroupId, Seq)>) {
        self.send(Job::Turn { shard, entries, marks });
    }

    /// Makes topics durable.
    pub(crate) async fn topics(&self, entries: Vec<Entry>) -> Result<(), StoreError> {
        let (done, answer) = oneshot::channel();
        self.send(Job::Topics { entries, done });
        answer.await.unwrap_or_else(|_| Err(StoreError { message: "the server is stopping".to_owned() }))
    }

    /// Reads a group anew; the shard is told.
    pub(crate) fn reload(&self, shard: usize, group: GroupId) {
        self.send(Job::Reload { shard, group });
    }

    /// Waits until everything asked before is done.
    pub(crate) async fn flush(&self) {
        let (done, answer) = oneshot::channel();
        self.send(Job::Flush(done));
        let _ = answer.await;
    }

    /// The thread outlives everybody who can send, unless it panicked; then the server is stopping and nobody waits.
    fn send(&self, job: Job) {
        let _ = self.0.send(job);
    }
}

/// The other end: run by the thread.
pub(crate) struct Jobs(Receiver<Job>);

/// Both ends.
pub(crate) fn queue() -> (StoreWriter, Jobs) {
    let (to, from) = channel();
    (StoreWriter(to), Jobs(from))
}

/// Who hears of what was stored.
pub(crate) struct Hearers {
    /// The shards, by number.
    pub(crate) shards: Vec<UnboundedSender<ToShard>>,
    /// How long batches take.
    pub(crate) metrics: Metrics,
    /// For that.
    pub(crate) clock: Clock,
}

/// Reads everything, tells it, then serves the queue until nobody can send any more.
pub(crate) fn run(
    mut store: Box<dyn Store>,
    jobs: Jobs,
    hearers: &Hearers,
    loaded: impl FnOnce(Snapshot),
) -> Result<(), StoreError> {
    loaded(store.load()?);
    let mut thread = Thread { store, hearers, broken: HashSet::new() };
    let mut next = jobs.0.recv().ok();
    while let Some(first) = next.take() {
        next = thread.batch(first, &jobs.0).or_else(|| jobs.0.recv().ok());
    }
    Ok(())
}

struct Thread<'a> {
    store: Box<dyn Store>,
    hearers: &'a Hearers,
    /// Groups with a failed batch that were not read anew yet.
    broken: HashSet<GroupId>,
}

impl Thread<'_> {
    /// Does one job, or one batch of all appends that wait; gives back the first job that is none.
    fn batch(&mut self, first: Job, jobs: &Receiver<Job>) -> Option<Job> {
        let (mut batch, mut turns, mut topics) = (Vec::new(), Vec::new(), Vec::new());
        let mut job = Some(first);
        let rest = loop {
            match job {
                Some(Job::Turn { shard, entries, marks }) => {
                    let (marks, entries) = self.without_broken(shard, marks, entries);
                    batch.extend(entries);
                    turns.push((shard, marks));
                }
                Some(Job::Topics { entries, done }) => {
                    batch.extend(entries);
                    topics.push(done);
                }
                other => break other,
            }
            if batch.len() >= MAX_BATCH_ENTRIES {
                break None;
            }
            job = match jobs.try_recv() {
                Ok(job) => Some(job),
                Err(TryRecvError::Empty | TryRecvError::Disconnected) => None,
            };
        };
        if !turns.is_empty() || !topics.is_empty() {
            self.append(&batch, turns, topics);
        }
        match rest? {
            Job::Reload { shard, group } => self.reload(shard, group),
            Job::Flush(done) => {
                let _ = done.send(());
            }
            appends @ (Job::Turn { .. } | Job::Topics { .. }) => return Some(appends),
        }
        None
    }

    /// Leaves out what rests on a failed batch; its groups were told already.
    fn without_broken(
        &self,
        _shard: usize,
        mut marks: Vec<(GroupId, Seq)>,
        mut entries: Vec<Entry>,
    ) -> (Vec<(GroupId, Seq)>, Vec<Entry>) {
        if !self.broken.is_empty() {
            marks.retain(|(group, _)| !self.broken.contains(group));
            entries.retain(|entry| !matches!(entry, Entry::Group(group, _) if self.broken.contains(group)));
        }
        (marks, entries)
    }

    fn append(
        &mut self,
        batch: &[Entry],
        turns: Vec<(usize, Vec<(GroupId, Seq)>)>,
        topics: Vec<oneshot::Sender<Result<(), StoreError>>>,
    ) {
        let began = self.hearers.clock.mono();
        let outcome = self.store.append(batch);
        self.hearers.metrics.store_batch(self.hearers.clock.mono() - began, batch.len(), outcome.is_ok());
        match &outcome {
            Ok(()) => turns.into_iter().for_each(|(shard, marks)| self.tell(shard, ToShard::Stored(marks))),
            Err(error) => {
                tracing::error!(%error, entries = batch.len(), "a batch was not stored; its groups are read anew");
                for (shard, marks) in turns {
                    let groups: Vec<GroupId> = marks.into_iter().map(|(group, _)| group).collect();
                    self.broken.extend(groups.iter().cloned());
                    self.tell(shard, ToShard::StoreFailed(groups));
                }
            }
        }
        for done in topics {
            let told = outcome.as_ref().map(|&()| ()).map_err(|error| StoreError { message: error.message.clone() });
            let _ = done.send(told);
        }
    }

    fn reload(&mut self, shard: usize, group: GroupId) {
        let records: Result<Vec<Record>, StoreError> = self.store.load_group(&group);
        if records.is_ok() {
            self.broken.remove(&group);
        }
        self.tell(shard, ToShard::Reloaded(group, records));
    }

    fn tell(&self, shard: usize, what: ToShard) {
        let _ = self.hearers.shards[shard].send(what);
    }
}
