//! A shard: one task that runs many groups, so that none of them needs a lock of its own. Only plain heartbeats are
//! answered beside it (`pulse.rs`), when it is not at work.
//!
//! A turn: what has arrived is handled, then deadlines fire, then one batch goes to the store's thread. While that is
//! being stored the shard goes on; each group holds back by itself the answers that rest on it.

use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, MutexGuard, PoisonError};

use tokio::sync::mpsc::UnboundedReceiver;
use tokio::sync::oneshot;

use super::Handle;
use super::clock::Entropy;
use super::connection::Connection;
use super::facts::Teller;
use super::limits::{CHECKED_AT_ONCE_BYTES, LATE, MAX_REVIEWS_BEGUN, MAX_TURN, PROBE_PAUSE, RELOAD_PAUSE};
use super::messages::{Loading, Question, Request, Requests, ToShard};
use super::plan_maker::Review;
use super::pulse::Shared;
use super::spawn::{self, Loss};
use super::store_writer::StoreWriter;
use super::tickets::{Tickets, Waiting};
use crate::assignor::Assignor;
use crate::coordinator::Coordinator;
use crate::group::effects::{Author, PlanToCheck, PlansToCompare};
use crate::group::{Effects, Event, Record, Seq, Work, WorkId, WorkOutcome, count_moves};
use crate::ids::GroupId;
use crate::store::{Entry, StoreError};
use crate::text::Shown;
use crate::time::{Now, Timestamp, WallTime};

/// What a shard stands on.
pub(crate) struct Ground {
    /// Its number.
    pub(crate) number: usize,
    /// The server, and through it the way back to this shard.
    pub(crate) handle: Handle,
    /// The store's thread.
    pub(crate) store: StoreWriter,
    /// What it means when a helper is lost.
    pub(crate) loss: Loss,
}

/// The task's own state.
pub(crate) struct Shard {
    ground: Ground,
    coordinator: Shared,
    tickets: Tickets,
    teller: Teller,
    entropy: Entropy,
    turn: Turn,
    /// Groups that are being read anew; with a time: reading failed and is tried again then.
    reloads: HashMap<GroupId, Option<Timestamp>>,
    /// When the store is tried out next, if it refuses; the first shard does that for all.
    probe_at: Option<Timestamp>,
    reviews: Reviews,
}

/// Looks of led groups at their plans.
#[derive(Default)]
struct Reviews {
    waiting: VecDeque<(GroupId, WorkId)>,
    begun: usize,
}

/// What one turn brings to the store.
#[derive(Default)]
struct Turn {
    entries: Vec<Entry>,
    marks: Vec<(GroupId, Seq)>,
    flushes: Vec<oneshot::Sender<()>>,
    /// Connections that have answers to send.
    answered: Vec<Arc<Connection>>,
}

impl Shard {
    /// A shard whose groups are not loaded yet.
    pub(crate) fn new(ground: Ground, coordinator: Shared) -> Self {
        let teller = Teller { metrics: ground.handle.metrics().clone(), quiet: ground.handle.quiet().clone() };
        Self {
            ground,
            coordinator,
            teller,
            tickets: Tickets::default(),
            entropy: Entropy::new(),
            turn: Turn::default(),
            reloads: HashMap::new(),
            probe_at: None,
            reviews: Reviews::default(),
        }
    }

    /// Runs until nobody can tell it anything.
    pub(crate) async fn run(mut self, mut inbox: UnboundedReceiver<ToShard>) {
        let clock = self.ground.handle.clock();
        let mut arrived = Vec::new();
        let timer = tokio::time::sleep_until(clock.instant(clock.mono()));
        tokio::pin!(timer);
        let mut armed: Option<Timestamp> = None;
        loop {
            // A deadline that moved away, as each heartbeat moves one, is found again when the old one fires.
            if let Some(next) = self.next_deadline().filter(|next| armed.is_none_or(|armed| *next < armed)) {
                armed = Some(next);
                timer.as_mut().reset(clock.instant(next));
            }
            tokio::select! {
                biased;
                count = inbox.recv_many(&mut arrived, MAX_TURN) => if count == 0 { return },
                () = timer.as_mut(), if armed.is_some() => {}
            }
            let now = clock.now();
            if let Some(overdue) = armed.take_if(|at| *at <= now.mono) {
                self.forgive(now.mono - overdue);
            }
            for message in arrived.drain(..) {
                self.take(message, now);
            }
            self.deadlines(now);
            self.begin_reviews(now.wall);
            self.end_turn();
        }
    }

    /// The process did not run for a while (a suspended machine, a full processor): members could not be heard.
    fn forgive(&mut self, lateness: std::time::Duration) {
        if lateness > LATE {
            tracing::warn!(
                late_ms = lateness.as_millis(),
                shard = self.ground.number,
                "the shard ran late; sessions are extended"
            );
            lock(&self.coordinator).forgive(lateness);
        }
    }

    fn next_deadline(&self) -> Option<Timestamp> {
        let groups = lock(&self.coordinator).next_deadline();
        groups.into_iter().chain(self.probe_at).chain(self.reloads.values().copied().flatten()).min()
    }

    fn take(&mut self, message: ToShard, now: Now) {
        match message {
            ToShard::Requests(connection, Requests::One(request), _memory) => self.request(&connection, request, now),
            ToShard::Requests(connection, Requests::Many(requests), _memory) => {
                requests.into_iter().for_each(|request| self.request(&connection, request, now));
            }
            ToShard::Gone(tickets) => {
                for ticket in tickets {
                    if let Some(waiting) = self.tickets.redeem(ticket) {
                        self.handle(&waiting.group, Event::Closed(ticket), now);
                    }
                }
            }
            ToShard::Loaded(groups) => self.load(groups, now),
            ToShard::Stored(marks) => {
                marks.into_iter().for_each(|(group, upto)| self.handle(&group, Event::Stored(upto), now));
            }
            ToShard::StoreFailed(groups) => groups.into_iter().for_each(|group| self.store_failed(group, now)),
            ToShard::StoreRefuses(refuses) => {
                lock(&self.coordinator).set_store_refuses(refuses);
                self.probe_at = (refuses && self.ground.number == 0).then(|| now.mono + PROBE_PAUSE);
            }
            ToShard::Reloaded(group, records) => self.reloaded(group, records, now),
            ToShard::WorkDone(group, id, outcome) => {
                if matches!(outcome, WorkOutcome::PlanReviewed(_)) {
                    self.reviews.begun -= 1;
                }
                self.handle(&group, Event::WorkDone(id, outcome), now);
            }
            ToShard::TopicsRemoved(topics, upto) => {
                let done = lock(&self.coordinator).topics_removed(&topics, upto, now);
                done.into_iter().for_each(|(group, effects)| self.carry_out(&group, effects));
            }
            ToShard::GroundChanged(modules) => {
                let told = lock(&self.coordinator).ground_changed(modules, now, || self.entropy.draw());
                told.into_iter().for_each(|(group, effects)| self.carry_out(&group, effects));
            }
            ToShard::Reconfigured(settings) => {
                let (limits, book) = *settings;
                let told = lock(&self.coordinator).reconfigured(limits, book, now, || self.entropy.draw());
                told.into_iter().for_each(|(group, effects)| self.carry_out(&group, effects));
            }
            ToShard::Ask(question) => self.show(question, now.wall),
            ToShard::Flush(done) => self.turn.flushes.push(done),
        }
    }

    fn request(&mut self, connection: &Arc<Connection>, request: Request, now: Now) {
        let Request { place, part, group, what } = request;
        let waiting = Waiting { connection: Arc::clone(connection), place, part, group: group.clone() };
        let ticket = self.tickets.issue(waiting);
        self.handle(&group, what.with(ticket), now);
        let parked = self.tickets.get(ticket).is_some();
        if parked && !connection.park(place, self.ground.number, ticket) {
            self.tickets.redeem(ticket);
            self.handle(&group, Event::Closed(ticket), now);
        }
    }

    fn handle(&mut self, group: &GroupId, event: Event, now: Now) {
        let entropy = self.entropy.draw();
        let effects = lock(&self.coordinator).handle(group, event, now, entropy);
        self.carry_out(group, effects);
    }

    fn carry_out(&mut self, group: &GroupId, effects: Effects) {
        if !effects.records.is_empty() {
            self.turn.entries.extend(effects.records.into_iter().map(|record| Entry::Group(group.clone(), record)));
            match self.turn.marks.last_mut() {
                Some((last, upto)) if last == group => *upto = effects.upto,
                _ => self.turn.marks.push((group.clone(), effects.upto)),
            }
        }
        for (ticket, reply) in effects.replies {
            if let Some(waiting) = self.tickets.redeem(ticket) {
                let Waiting { connection, place, part, .. } = waiting;
                if connection.fill(place, part, reply) {
                    self.turn.answered.push(connection);
                }
            }
        }
        for work in effects.work {
            match work {
                Work::CheckPlan(id, plan) => self.check_plan(group.clone(), id, plan),
                Work::MakePlan(id, plan) => {
                    let handle = &self.ground.handle;
                    handle.plan_maker().begin(handle, self.ground.number, group.clone(), id, plan);
                }
                Work::ReviewPlan(id) => self.reviews.waiting.push_back((group.clone(), id)),
                Work::ComparePlans(id, plans) => self.compare_plans(group.clone(), id, plans),
            }
        }
        for fact in &effects.facts {
            self.teller.tell(group, fact);
        }
    }

    /// The next reviews, as far as there is room: each that ends makes some.
    fn begin_reviews(&mut self, now: WallTime) {
        let (handle, number) = (&self.ground.handle, self.ground.number);
        while self.reviews.begun < MAX_REVIEWS_BEGUN {
            let Some((group, id)) = self.reviews.waiting.pop_front() else { return };
            let Some(plan) = lock(&self.coordinator).plan_to_review(&group, id, now) else { continue };
            self.reviews.begun += 1;
            handle.plan_maker().review(Review { handle: handle.clone(), shard: number, group, id, plan });
        }
    }

    /// A plan may have a million partitions: it is checked beside the shard. A foreign plan of a few members, which every
    /// rebalance of unmodified clients brings, costs less than to wake a thread for it.
    fn check_plan(&self, group: GroupId, id: WorkId, plan: PlanToCheck) {
        let (handle, number) = (self.ground.handle.clone(), self.ground.number);
        let is_small = plan.author == Author::Foreign && plan.bytes() <= CHECKED_AT_ONCE_BYTES;
        let check = move || {
            let module = plan.digest.and_then(|digest| handle.modules().by_digest(&digest));
            let module = module.as_deref().map(|module| module as &dyn Assignor);
            let verdict = super::plan_check::verdict(&group, &plan, handle.topics().view().table(), module);
            handle.tell(number, ToShard::WorkDone(group, id, WorkOutcome::PlanChecked(verdict)));
        };
        self.beside("plan check", is_small, check);
    }

    /// What a plan moved is only of interest to people: nobody waits for it.
    fn compare_plans(&self, group: GroupId, id: WorkId, plans: PlansToCompare) {
        let (handle, number) = (self.ground.handle.clone(), self.ground.number);
        let is_small = plans.bytes() <= CHECKED_AT_ONCE_BYTES;
        let compare = move || {
            let outcome = WorkOutcome::PlansCompared(count_moves(&plans));
            handle.tell(number, ToShard::WorkDone(group, id, outcome));
        };
        self.beside("plan comparison", is_small, compare);
    }

    /// Does it beside the shard, unless it costs less than to wake a thread for it.
    fn beside(&self, name: &'static str, is_small: bool, work: impl FnOnce() + Send + 'static) {
        if is_small { work() } else { spawn::blocking(name, self.ground.loss.clone(), work) }
    }

    fn load(&mut self, groups: Vec<(GroupId, Vec<Record>)>, now: Now) {
        tracing::info!(shard = self.ground.number, groups = groups.len(), "groups loaded");
        let loaded = lock(&self.coordinator).loaded(groups, now, || self.entropy.draw());
        for (group, effects) in loaded {
            self.carry_out(&group, effects);
        }
    }

    /// Crash-only: the group answers what waits, is forgotten, and comes back as the store knows it.
    fn store_failed(&mut self, group: GroupId, now: Now) {
        // Several turns of one failed batch may tell of the same group.
        if self.reloads.insert(group.clone(), None).is_some() {
            return;
        }
        self.turn.forget(&group);
        self.handle(&group, Event::StoreFailed, now);
        self.ground.store.reload(self.ground.number, group);
    }

    fn reloaded(&mut self, group: GroupId, records: Result<Vec<Record>, StoreError>, now: Now) {
        match records {
            Ok(records) => {
                self.reloads.remove(&group);
                let effects = lock(&self.coordinator).reloaded(&group, records, now, || self.entropy.draw());
                self.carry_out(&group, effects);
            }
            Err(error) => {
                if let Some(left_out) = self.ground.handle.quiet().allows("not_read") {
                    let group = Shown(&group);
                    tracing::error!(%error, %group, left_out, "a group cannot be read; it is tried again");
                }
                self.reloads.insert(group, Some(now.mono + RELOAD_PAUSE));
            }
        }
    }

    fn deadlines(&mut self, now: Now) {
        let is_due = |coordinator: &Coordinator| coordinator.next_deadline().is_some_and(|at| at <= now.mono);
        let mut coordinator = lock(&self.coordinator);
        let done = if is_due(&coordinator) { coordinator.tick(now, || self.entropy.draw()) } else { Vec::new() };
        drop(coordinator);
        for (group, effects) in done {
            self.carry_out(&group, effects);
        }
        if let Some(at) = self.probe_at.as_mut().filter(|at| **at <= now.mono) {
            *at = now.mono + PROBE_PAUSE;
            self.ground.store.probe();
        }
        for (group, at) in &mut self.reloads {
            if at.take_if(|at| *at <= now.mono).is_some() {
                self.ground.store.reload(self.ground.number, group.clone());
            }
        }
    }

    fn show(&self, question: Question, now: WallTime) {
        let coordinator = lock(&self.coordinator);
        let loaded = if coordinator.is_all_loading() { Err(Loading) } else { Ok(()) };
        match question {
            Question::List(answer) => drop(answer.send(loaded.map(|()| coordinator.list()))),
            Question::Describe(group, answer) => drop(answer.send(loaded.map(|()| coordinator.describe(&group, now)))),
            Question::History(group, answer) => drop(answer.send(loaded.map(|()| coordinator.history(&group)))),
            Question::DescribeAll(answer) => {
                let all = || coordinator.list().iter().filter_map(|line| coordinator.describe(&line.id, now)).collect();
                drop(answer.send(loaded.map(|()| all())));
            }
            Question::Ends(topic, answer) => drop(answer.send(coordinator.ends(&topic))),
            Question::Committed(group, topics, answer) => drop(answer.send(coordinator.committed(&group, topics))),
        }
    }

    fn end_turn(&mut self) {
        self.turn.answered.drain(..).for_each(|connection| connection.flush(&self.ground.handle));
        if !self.turn.entries.is_empty() {
            let (entries, marks) = (std::mem::take(&mut self.turn.entries), std::mem::take(&mut self.turn.marks));
            self.ground.store.turn(self.ground.number, entries, marks);
        }
        for done in self.turn.flushes.drain(..) {
            let (store, handle, number) = (self.ground.store.clone(), self.ground.handle.clone(), self.ground.number);
            spawn::task("flush", self.ground.loss.clone(), async move {
                store.flush().await;
                // Behind what the store told the shard meanwhile: answers that rest on it are out when this is answered.
                let (answer, answered) = oneshot::channel();
                handle.tell(number, ToShard::Ask(Question::List(answer)));
                let _ = answered.await;
                let _ = done.send(());
            });
        }
    }
}

/// Nobody holds it across a wait. What panics under it ends the server.
fn lock(coordinator: &Shared) -> MutexGuard<'_, Coordinator> {
    coordinator.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Turn {
    /// Drops what rests on records that may not exist.
    fn forget(&mut self, group: &GroupId) {
        self.entries.retain(|entry| !matches!(entry, Entry::Group(of, _) if of == group));
        self.marks.retain(|(of, _)| of != group);
    }
}
