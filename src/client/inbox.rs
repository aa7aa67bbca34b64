//! What reaches a member's task. The channel has no bound of its own: it holds at most one entry for each request on its
//! way, each commit that somebody awaits, each wish of the application, and each change of the folders, which the catalog
//! debounces.

use std::fmt;

use tokio::sync::{mpsc, oneshot};

use super::commit::Offset;
use super::coordinator::Coordinator;
use super::error::{CommitError, FetchError, Unreachable};
use crate::ids::{Generation, TopicName};
use crate::membership::Event;

/// What the task is told.
pub(super) enum Input {
    /// For the membership as it is.
    Event(Event),
    /// The search for the coordinator ended.
    Searched(Result<Coordinator, Unreachable>),
    /// The folders of modules changed.
    ModulesChanged,
    /// The application commits.
    Commit(Vec<Offset>, oneshot::Sender<Result<(), CommitError>>),
    /// It asks what is committed.
    Committed(Vec<(TopicName, Vec<i32>)>, oneshot::Sender<Result<Vec<Offset>, FetchError>>),
}

/// Where to tell it.
#[derive(Clone)]
pub(super) struct Inbox(mpsc::UnboundedSender<Input>);

impl fmt::Debug for Inbox {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Inbox")
    }
}

impl Inbox {
    pub(super) fn new() -> (Self, mpsc::UnboundedReceiver<Input>) {
        let (inbox, inputs) = mpsc::unbounded_channel();
        (Self(inbox), inputs)
    }

    /// Says whether the member still lives.
    pub(super) fn put(&self, input: Input) -> bool {
        self.0.send(input).is_ok()
    }

    pub(super) fn event(&self, event: Event) -> bool {
        self.put(Input::Event(event))
    }

    pub(super) fn given_up(&self, generation: Generation) {
        self.event(Event::GivenUp(generation));
    }
}
