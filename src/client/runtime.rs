//! The task of a member: it carries events to the membership and does what the membership wants. It decides nothing.

use std::future::Future;
use std::sync::Arc;

use divvy_guest::abi::names;
use tokio::sync::{mpsc, oneshot};

use super::calls::Caller;
use super::commit::{self, Offset};
use super::coordinator::{Coordinator, Finder};
use super::error::{CommitError, FetchError};
use super::inbox::{Inbox, Input};
use super::journal::{self, Whose};
use super::metrics::Metrics;
use super::news::Note;
use super::shelf::Shelf;
use super::spawn::{Tasks, blocking};
use super::{clock, lag, topics};
use crate::assignor::CallError;
use crate::assignor::capture::LedBy;
use crate::ids::{Generation, MemberId, Protocol, TopicName};
use crate::membership::event::{JoinCall, Sent};
use crate::membership::lead::{LeadJob, Led};
use crate::membership::{Action, Event, Membership, Notice, Strategies};
use crate::sandbox::Captures;
use crate::text::Shown;
use crate::time::Timestamp;
use crate::wire::ErrorCode;

/// What goes to the application.
pub(super) enum News {
    /// From the membership.
    Notice(Notice),
    /// From the shelf of modules.
    Note(Note),
}

pub(super) struct Runtime {
    pub(super) membership: Membership,
    pub(super) caller: Arc<Caller>,
    pub(super) finder: Arc<Finder>,
    pub(super) shelf: Option<Shelf>,
    pub(super) inbox: Inbox,
    pub(super) news: mpsc::Sender<News>,
    pub(super) coordinator: Option<Arc<Coordinator>>,
    /// Requests to the coordinator: they end with the connection to it.
    pub(super) requests: Tasks,
    /// The search for it, plans that are being made, commits: they outlive it.
    pub(super) others: Tasks,
    pub(super) metrics: Metrics,
    /// Where the calls of strategies are recorded, if they are.
    pub(super) captures: Option<Captures>,
    /// Since when the application has no share, unless it wants none.
    pub(super) without_share_since: Option<Timestamp>,
}

/// Whether the member goes on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Life {
    On,
    Over,
}

impl Runtime {
    pub(super) async fn run(mut self, mut inputs: mpsc::UnboundedReceiver<Input>) {
        if self.shelf.is_none() && self.event(Event::Strategies(Strategies::from_iter([]))) == Life::Over {
            return;
        }
        loop {
            let input = tokio::select! {
                input = inputs.recv() => input,
                () = clock::until(self.membership.next_deadline()) => Some(Input::Event(Event::Tick)),
            };
            let Some(input) = input else { return };
            if self.take_in(input) == Life::Over {
                return;
            }
        }
    }

    fn take_in(&mut self, input: Input) -> Life {
        match input {
            Input::Event(event) => self.event(event),
            Input::Searched(Ok(coordinator)) => {
                let peer = coordinator.peer();
                self.coordinator = Some(Arc::new(coordinator));
                self.event(Event::CoordinatorFound(peer))
            }
            Input::Searched(Err(error)) if error.is_refusal() => {
                self.event(Event::CoordinatorRefuses(error.to_string()))
            }
            Input::Searched(Err(error)) => self.event(Event::CoordinatorNotFound(error.to_string())),
            Input::ModulesChanged => self.modules_changed(),
            Input::Commit(offsets, answer) => {
                self.commit(offsets, answer);
                Life::On
            }
            Input::Committed(partitions, answer) => {
                self.committed(partitions, answer);
                Life::On
            }
        }
    }

    fn event(&mut self, event: Event) -> Life {
        let mut life = Life::On;
        // What is lost, drained or failed is what the member was.
        let before = Whose::of(&self.membership);
        for action in self.membership.handle(event, clock::now()) {
            if self.perform(action, &before) == Life::Over {
                life = Life::Over;
            }
        }
        self.count_wait();
        life
    }

    fn count_wait(&mut self) {
        let now = clock::now().mono;
        if self.membership.is_drained() {
            self.without_share_since = None;
        } else if !self.membership.has_share() {
            self.without_share_since = self.without_share_since.or(Some(now));
        } else if let Some(since) = self.without_share_since.take() {
            self.metrics.waited(now - since);
        }
    }

    fn modules_changed(&mut self) -> Life {
        let Some(shelf) = &mut self.shelf else { return Life::On };
        let strategies = shelf.strategies();
        for note in shelf.news() {
            journal::write_of_module(&self.caller.group, &note);
            if self.tell(News::Note(note)) == Life::Over {
                return Life::Over;
            }
        }
        self.event(Event::Strategies(strategies))
    }

    fn perform(&mut self, action: Action, before: &Whose) -> Life {
        match action {
            Action::FindCoordinator => self.find_coordinator(),
            Action::Join(sent, call) => self.request(sent, async move |to, by, sent| {
                let call = complete(call).await;
                let answer = match call.removes_others {
                    true => by.take_over(&to.main(), &sent, &call).await?,
                    false => by.join(&to.main(), &sent, &call).await?,
                };
                Ok(Event::Joined(sent, answer))
            }),
            Action::Sync(sent, call) => self.request(sent, async move |to, by, sent| {
                let answer = by.sync(&to.main(), &sent, &call).await?;
                Ok(Event::Synced(sent, answer))
            }),
            Action::Heartbeat(sent, modules) => {
                let metrics = self.metrics.clone();
                self.request(sent, async move |to, by, sent| {
                    let beat = async { by.heartbeat(&*to.prompt().await?, &sent, modules).await };
                    let answer = beat.await.inspect_err(|_| metrics.heartbeat_missed())?;
                    Ok(Event::Beaten(sent, answer))
                });
            }
            Action::Listen(sent, wait) => self.request(sent, async move |to, by, sent| {
                let connection = to.ear().await?;
                let answer = by.listen(&connection, &sent, wait).await?;
                to.keep_ear(connection);
                Ok(Event::Heard(sent, answer))
            }),
            Action::FetchTopics(sent, look) => self.request(sent, async move |to, _, sent| {
                // A cluster of the topics alone that is away takes nobody out of the group.
                let answer = match to.about_topics().await {
                    Ok(connection) => topics::fetch(&connection, &look).await,
                    Err(reason) => Err(reason),
                };
                Ok(Event::Topics(sent, answer))
            }),
            Action::Leave(sent, how) => self.request(sent, async move |to, by, sent| {
                let answer = by.leave(&*to.prompt().await?, &sent, how).await?;
                Ok(Event::LeaveDone(sent, answer))
            }),
            Action::Lead(sent, job) => self.lead(sent, *job),
            Action::Tell(notice) => {
                let whose = before.or(&self.membership);
                journal::write(&self.caller.group, &whose, &notice);
                let peer = self.coordinator.as_ref().map(|coordinator| coordinator.peer());
                journal::warn_of_first_epoch(&self.caller.group, &notice, peer);
                self.shelf.iter().for_each(|shelf| shelf.note(&notice));
                match &notice {
                    Notice::Assigned(assigned) => self.metrics.assigned(assigned),
                    Notice::Fault { fault, .. } => self.metrics.module_failed(fault.kind),
                    _ => {}
                }
                let last = matches!(notice, Notice::Failed { .. } | Notice::Ended(_));
                let told = self.tell(News::Notice(notice));
                return if last { Life::Over } else { told };
            }
        }
        Life::On
    }

    /// An application that does not take its news does no work either: its member ends, and its session soon after.
    fn tell(&self, news: News) -> Life {
        match self.news.try_send(news) {
            Ok(()) => Life::On,
            Err(_) => Life::Over,
        }
    }

    fn find_coordinator(&mut self) {
        // Whatever is still on its way to the last one is given up with its connections.
        self.requests = Tasks::default();
        self.coordinator = None;
        let (finder, inbox) = (Arc::clone(&self.finder), self.inbox.clone());
        self.others.start(async move {
            inbox.put(Input::Searched(finder.find().await));
        });
    }

    /// Sends a request in a task of its own; without an answer the membership learns why.
    fn request<F>(&mut self, sent: Sent, send: impl FnOnce(Arc<Coordinator>, Arc<Caller>, Sent) -> F)
    where
        F: Future<Output = Result<Event, String>> + Send + 'static,
    {
        let inbox = self.inbox.clone();
        let Some(coordinator) = self.coordinator.clone() else {
            inbox.event(Event::Unanswered(sent, "the coordinator is being looked for".to_owned()));
            return;
        };
        let answer = send(coordinator, Arc::clone(&self.caller), sent.clone());
        self.requests.start(async move {
            let event = answer.await.unwrap_or_else(|reason| Event::Unanswered(sent, reason));
            inbox.event(event);
        });
    }

    /// Strategies block: they run beside this task, which goes on beating.
    fn lead(&mut self, sent: Sent, mut job: LeadJob) {
        let (inbox, coordinator, metrics) = (self.inbox.clone(), self.coordinator.clone(), self.metrics.clone());
        let (group, captures) = (job.group.clone(), self.captures.clone());
        self.others.start(async move {
            if let Some(coordinator) = coordinator.filter(|_| job.needs(names::LAG)) {
                job.columns.push(lag::column(&coordinator, &job.group, &job.topics).await);
            }
            let (began, strategies) = (clock::now().mono, job.strategies.clone());
            match blocking(move || run(&job, captures.as_ref())).await {
                Some(led) => {
                    let took = clock::now().mono - began;
                    metrics.module_called(took);
                    if let Some(made) = strategies.iter().find(|it| led.digest.is_some() && it.digest() == led.digest) {
                        made.planned(took);
                    }
                    // As a text in quotes: names of other members are in it.
                    for text in led.plan.iter().flat_map(|plan| plan.warnings()) {
                        tracing::warn!(
                            group = group.as_str(),
                            generation = sent.generation.0,
                            text,
                            "the plan's strategy warns"
                        );
                    }
                    inbox.event(Event::Led(sent, Box::new(led)));
                }
                // The coordinator's own timeout ends this generation.
                None => tracing::error!(
                    generation = sent.generation.0,
                    "the plan's thread panicked: this is a bug in divvy"
                ),
            }
        });
    }

    fn commit(&mut self, offsets: Vec<Offset>, answer: oneshot::Sender<Result<(), CommitError>>) {
        let (Some(identity), coordinator) = (self.membership.identity(), self.coordinator.clone()) else {
            // Nobody listens any more if the application gave up waiting.
            let _ = answer.send(Err(CommitError::NotAssigned));
            return;
        };
        let (caller, inbox, metrics) = (Arc::clone(&self.caller), self.inbox.clone(), self.metrics.clone());
        self.others.start(async move {
            let by = identity.clone();
            let result = match coordinator {
                None => Err(CommitError::Unanswered("the coordinator is being looked for".to_owned())),
                Some(coordinator) => match coordinator.prompt().await {
                    Ok(connection) => {
                        let whose = (&caller.group, caller.instance.as_ref());
                        commit::commit(&connection, whose, identity, &offsets).await
                    }
                    Err(reason) => Err(CommitError::Unanswered(reason)),
                },
            };
            metrics.committed(&result);
            if let Err(CommitError::Refused { error, .. }) = &result {
                inbox.event(commit_refused(by, *error));
            }
            let _ = answer.send(result);
        });
    }

    fn committed(
        &mut self,
        partitions: Vec<(TopicName, Vec<i32>)>,
        answer: oneshot::Sender<Result<Vec<Offset>, FetchError>>,
    ) {
        let (caller, coordinator) = (Arc::clone(&self.caller), self.coordinator.clone());
        self.others.start(async move {
            let connection = match coordinator {
                None => Err("the coordinator is being looked for".to_owned()),
                Some(coordinator) => coordinator.prompt().await,
            };
            let result = match connection {
                Ok(connection) => commit::committed(&connection, &caller.group, &partitions).await,
                Err(reason) => Err(FetchError::Unanswered(reason)),
            };
            // Nobody listens any more if the application gave up waiting.
            let _ = answer.send(result);
        });
    }
}

/// Makes the plan, recorded if that is wanted.
fn run(job: &LeadJob, captures: Option<&Captures>) -> Led {
    let Some(captures) = captures else { return job.run() };
    let tape = captures.tape();
    let led = job.run_on(Some(&tape));
    let by = if job.leading.is_some() { LedBy::Lead } else { LedBy::Leader };
    captures.keep(tape, by, &led);
    led
}

/// What the coordinator says of the generation that the commit was sent in, for the membership to judge.
fn commit_refused((member, generation): (MemberId, Generation), error: ErrorCode) -> Event {
    // Commits are not the membership's requests: they have no ticket.
    Event::CommitRefused(Sent { ticket: 0, generation, member }, error)
}

/// Asks the strategies what they add to the member's metadata, if any has a word.
async fn complete(call: JoinCall) -> JoinCall {
    let asked = call.clone();
    let failed = |protocol: &Protocol, error: &CallError| {
        let error = Shown(error);
        tracing::warn!(%protocol, %error, "the strategy's divvy_user_data failed: the member joins without it");
    };
    match call.asks {
        Some(_) => blocking(move || asked.complete(failed)).await.unwrap_or(call),
        None => call,
    }
}
