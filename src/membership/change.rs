//! What changes while a member runs: what it says of itself reaches the group in one rejoin, a moment after the last of
//! several changes. What does not change what the group knows costs nothing, and neither does what is changed back.

use bytes::Bytes;
use serde_json::Value;

use super::Membership;
use super::config::{Config, Purpose};
use super::limits::{GATHER, LONGEST_GATHER};
use super::notice::Role;
use super::state::State;
use super::why::Cause;
use crate::ids::TopicName;
use crate::time::Timestamp;

/// A change.
#[derive(Clone, PartialEq, Debug)]
pub enum Change {
    /// A fact has that value now, or is none any more.
    Fact(String, Option<Value>),
    /// What the member says of itself, for types that have no form of their own; others pass it over.
    Metadata(Bytes),
    /// What the application gives the strategy when this member leads; type `consumer` passes it over.
    Context(Bytes),
    /// How far the worker has read the configuration, for type `connect`; others pass it over.
    ConfigOffset(i64),
}

/// What a JoinGroup says beside what the member had.
#[derive(PartialEq, Debug)]
pub(super) enum Said {
    Consumer { facts: std::collections::BTreeMap<String, Value>, topics: Vec<TopicName> },
    Other(Purpose),
    State(Bytes),
}

impl Said {
    pub(super) fn of(config: &Config) -> Self {
        match &config.purpose {
            Purpose::Topics(topics) | Purpose::Matching { topics, .. } => {
                Said::Consumer { facts: config.facts.clone(), topics: topics.clone() }
            }
            Purpose::Lead(_) => Said::State(Bytes::new()),
            Purpose::Connect { worker, .. } => Said::Other(Purpose::Connect { worker: worker.clone(), context: None }),
            Purpose::States { .. } => Said::State(config.state_metadata()),
        }
    }
}

/// Something that the group does not know yet.
#[derive(Clone, Copy, Debug)]
pub(super) struct Unsaid {
    first: Timestamp,
    last: Timestamp,
}

impl Unsaid {
    fn due(self) -> Timestamp {
        (self.last + GATHER).min(self.first + LONGEST_GATHER)
    }
}

impl Membership {
    pub(super) fn change(&mut self, change: Change) {
        if self.config.apply(change) {
            self.review_words();
        }
    }

    /// Something changed that goes into a JoinGroup: is there anything to tell now?
    pub(super) fn review_words(&mut self) {
        let now = self.now.mono;
        let first = self.unsaid.map_or(now, |it| it.first);
        self.unsaid = self.has_news().then_some(Unsaid { first, last: now });
    }

    /// When it is told, if the member is in a state to join again.
    pub(super) fn unsaid_at(&self) -> Option<Timestamp> {
        self.unsaid.filter(|_| matches!(self.state, State::Stable { .. })).map(Unsaid::due)
    }

    /// It is time: the member joins again, if there still is something.
    pub(super) fn tell_changes(&mut self) {
        if self.has_news() {
            self.give_up(Cause::Word.because("what it says of itself changed"));
        }
        self.unsaid = None;
    }

    fn has_news(&self) -> bool {
        let word = self.said.as_ref().is_some_and(|said| *said != Said::of(&self.config));
        // Only the leader's context is anybody's business.
        let planned = self.state.joined().filter(|it| it.role == Role::Leader).and_then(|it| it.basis.context.as_ref());
        word || planned.is_some_and(|planned| planned.as_ref() != self.config.purpose.context())
    }
}

impl Config {
    /// Whether that is a change.
    fn apply(&mut self, change: Change) -> bool {
        match (change, &mut self.purpose) {
            (Change::Fact(name, Some(value)), _) => self.facts.insert(name, value.clone()) != Some(value),
            (Change::Fact(name, None), _) => self.facts.remove(&name).is_some(),
            (Change::Metadata(new), Purpose::States { metadata, .. }) => replace(metadata, new),
            (Change::Context(new), Purpose::States { context, .. } | Purpose::Connect { context, .. }) => {
                replace(context, new)
            }
            (Change::ConfigOffset(new), Purpose::Connect { worker, .. }) => {
                std::mem::replace(&mut worker.config_offset, new) != new
            }
            (Change::Metadata(_) | Change::Context(_) | Change::ConfigOffset(_), _) => false,
        }
    }
}

fn replace(place: &mut Option<Bytes>, new: Bytes) -> bool {
    let changes = place.as_ref() != Some(&new);
    *place = Some(new);
    changes
}
