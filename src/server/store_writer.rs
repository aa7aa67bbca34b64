//! The store's thread: what several shards bring while it is busy becomes one durable batch. A store that never blocks
//! needs no thread: it is used where its work comes up.
//!
//! After a batch failed nothing more is written for its groups until they were read anew: records that were on their
//! way rest on records that may not exist.

use std::collections::HashSet;
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::oneshot;

use super::Handle;
use super::limits::MAX_BATCH_ENTRIES;
use super::messages::ToShard;
use crate::group::{Record, Seq};
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
    /// Somebody wants to know whether batches are still refused.
    Probe(oneshot::Sender<Result<(), StoreError>>),
    /// Everything asked before is to be done.
    Flush(oneshot::Sender<Flushed>),
    /// The thread is to end.
    Stop,
}

/// How things are when everything asked before is done.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Flushed {
    /// Batches that failed so far.
    failures: u64,
    /// Whether all groups were read anew that a failed batch was about.
    is_whole: bool,
}

/// A moment at which all that shards know of their groups was durable, or on its way.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Whole(u64);

/// The way to the store.
#[derive(Clone)]
pub(crate) struct StoreWriter {
    way: Arc<Mutex<Way>>,
    /// Whether the last batch failed.
    failing: Arc<AtomicBool>,
}

enum Way {
    /// Its thread does what is asked, in that order.
    Thread(Sender<Job>),
    /// Whoever asks does it.
    Here(Box<Keeper>),
    Closed,
}

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

    /// Makes topics durable; nobody waits for it.
    pub(crate) fn topics_soon(&self, entries: Vec<Entry>) {
        let (done, _) = oneshot::channel();
        self.send(Job::Topics { entries, done });
    }

    /// Reads a group anew; the shard is told.
    pub(crate) fn reload(&self, shard: usize, group: GroupId) {
        self.send(Job::Reload { shard, group });
    }

    /// Why the store refuses writes, if it does. Once one failed it is tried out, so that a full disk is not told of when
    /// there is room again and nobody writes.
    pub(crate) async fn trouble(&self) -> Option<StoreError> {
        if !self.failing.load(Ordering::Relaxed) {
            return None;
        }
        let (done, answer) = oneshot::channel();
        self.send(Job::Probe(done));
        answer.await.ok()?.err()
    }

    /// Tries out whether the store takes what is written again; all shards are told if it does.
    pub(crate) fn probe(&self) {
        let (done, _) = oneshot::channel();
        self.send(Job::Probe(done));
    }

    /// Waits until everything asked before is done.
    pub(crate) async fn flush(&self) {
        let (done, answer) = oneshot::channel();
        self.send(Job::Flush(done));
        let _ = answer.await;
    }

    /// Waits likewise; none if a batch failed, and what it was about is not yet with its shard as the store has it.
    pub(crate) async fn whole(&self) -> Option<Whole> {
        let (done, answer) = oneshot::channel();
        self.send(Job::Flush(done));
        answer.await.ok().filter(|flushed| flushed.is_whole).map(|flushed| Whole(flushed.failures))
    }

    /// Waits likewise; whether no batch failed since then.
    pub(crate) async fn stored_all_since(&self, then: Whole) -> bool {
        self.whole().await == Some(then)
    }

    /// Ends the thread when everything asked before is done.
    pub(crate) fn stop(&self) {
        self.send(Job::Stop);
    }

    /// The store outlives everybody who can send, unless the server is stopping; then nobody waits.
    fn send(&self, job: Job) {
        let mut way = self.way();
        match (&mut *way, job) {
            (Way::Thread(thread), job) => drop(thread.send(job)),
            // With it goes its handle of the server, which holds this way.
            (Way::Here(_), Job::Stop) => *way = Way::Closed,
            (Way::Here(keeper), job) => drop(keeper.does(job, || None)),
            (Way::Closed, _) => {}
        }
    }

    fn way(&self) -> MutexGuard<'_, Way> {
        self.way.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The other end: run by the thread.
pub(crate) struct Jobs(Receiver<Job>, StoreWriter);

/// Both ends.
pub(crate) fn queue() -> (StoreWriter, Jobs) {
    let (to, from) = channel();
    let way = StoreWriter { way: Arc::new(Mutex::new(Way::Thread(to))), failing: Arc::default() };
    (way.clone(), Jobs(from, way))
}

/// Reads everything, tells it, then serves the queue until it is told to stop, or nothing ever waits in it.
pub(crate) fn run(
    mut store: Box<dyn Store>,
    Jobs(jobs, way): Jobs,
    handle: &Handle,
    loaded: impl FnOnce(Snapshot),
) -> Result<(), StoreError> {
    loaded(store.load()?);
    let is_instant = store.is_instant();
    let mut keeper =
        Keeper { store, handle: handle.clone(), broken: HashSet::new(), failing: way.failing.clone(), failures: 0 };
    if is_instant {
        // Nobody brings anything while what was brought before is done.
        let mut way = way.way();
        let is_over = keeper.serve(&jobs, || jobs.try_recv().ok()).is_break();
        *way = if is_over { Way::Closed } else { Way::Here(Box::new(keeper)) };
    } else {
        drop(way);
        let _ = keeper.serve(&jobs, || jobs.recv().ok());
    }
    Ok(())
}

/// Who has the store.
struct Keeper {
    store: Box<dyn Store>,
    handle: Handle,
    /// Groups with a failed batch that were not read anew yet.
    broken: HashSet<GroupId>,
    /// Whether the last batch failed: told once, and once when it is over.
    failing: Arc<AtomicBool>,
    /// How many batches failed.
    failures: u64,
}

impl Keeper {
    /// Does what comes until it is told to stop, or nothing comes any more.
    fn serve(&mut self, jobs: &Receiver<Job>, come: impl Fn() -> Option<Job>) -> ControlFlow<()> {
        let mut next = come();
        while let Some(job) = next {
            next = self.does(job, || jobs.try_recv().ok())?.or_else(&come);
        }
        ControlFlow::Continue(())
    }

    /// Does a job, and with it what else waits; gives back what it took and did not do. Break: it is told to stop.
    fn does(&mut self, job: Job, waiting: impl FnMut() -> Option<Job>) -> ControlFlow<(), Option<Job>> {
        match job {
            Job::Turn { .. } | Job::Topics { .. } => return ControlFlow::Continue(self.batch(job, waiting)),
            Job::Reload { shard, group } => self.reload(shard, group),
            Job::Probe(done) => drop(done.send(self.probe())),
            Job::Flush(done) => {
                let _ = done.send(Flushed { failures: self.failures, is_whole: self.broken.is_empty() });
            }
            Job::Stop => return ControlFlow::Break(()),
        }
        ControlFlow::Continue(None)
    }

    /// Makes one batch of all appends that wait; gives back the first job that is none.
    fn batch(&mut self, first: Job, mut waiting: impl FnMut() -> Option<Job>) -> Option<Job> {
        let (mut batch, mut turns, mut topics) = (Vec::new(), Vec::new(), Vec::new());
        let mut next = Some(first);
        let rest = loop {
            match next {
                Some(Job::Turn { shard, entries, marks }) => {
                    let (entries, marks) = self.without_broken(entries, marks);
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
            next = waiting();
        };
        self.append(&batch, turns, topics);
        rest
    }

    /// Leaves out what rests on a failed batch; its groups were told already.
    fn without_broken(
        &self,
        mut entries: Vec<Entry>,
        mut marks: Vec<(GroupId, Seq)>,
    ) -> (Vec<Entry>, Vec<(GroupId, Seq)>) {
        if !self.broken.is_empty() {
            marks.retain(|(group, _)| !self.broken.contains(group));
            entries.retain(|entry| !matches!(entry, Entry::Group(group, _) if self.broken.contains(group)));
        }
        (entries, marks)
    }

    fn append(
        &mut self,
        batch: &[Entry],
        turns: Vec<(usize, Vec<(GroupId, Seq)>)>,
        topics: Vec<oneshot::Sender<Result<(), StoreError>>>,
    ) {
        let began = self.handle.clock().mono();
        let outcome = self.store.append(batch);
        self.handle.metrics().store_batch(self.handle.clock().mono() - began, batch.len(), outcome.is_ok());
        match &outcome {
            Ok(()) => {
                self.stored_again();
                turns.into_iter().for_each(|(shard, marks)| self.tell(shard, ToShard::Stored(marks)));
            }
            Err(error) => {
                self.failures += 1;
                let is_new = !self.failing.swap(true, Ordering::Relaxed);
                if let (true, Some(left_out)) = (is_new, self.handle.quiet().allows("not_stored")) {
                    let entries = batch.len();
                    tracing::error!(%error, entries, left_out, "a batch was not stored; its groups are read anew");
                }
                if is_new {
                    self.tell_all(true);
                }
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

    fn stored_again(&self) {
        if !self.failing.swap(false, Ordering::Relaxed) {
            return;
        }
        if self.handle.quiet().allows("stored_again").is_some() {
            tracing::info!("the store takes batches again");
        }
        self.tell_all(false);
    }

    fn tell_all(&self, refuses: bool) {
        (0..self.handle.shards()).for_each(|shard| self.tell(shard, ToShard::StoreRefuses(refuses)));
    }

    fn probe(&mut self) -> Result<(), StoreError> {
        if self.failing.load(Ordering::Relaxed) {
            self.store.probe()?;
            self.stored_again();
        }
        Ok(())
    }

    fn reload(&mut self, shard: usize, group: GroupId) {
        let records: Result<Vec<Record>, StoreError> = self.store.load_group(&group);
        if records.is_ok() {
            self.broken.remove(&group);
        }
        self.tell(shard, ToShard::Reloaded(group, records));
    }

    fn tell(&self, shard: usize, what: ToShard) {
        self.handle.tell(shard, what);
    }
}
