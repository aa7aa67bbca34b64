//! A leader's other duty: the topics, their partitions and racks may change after the plan was made. It compares with
//! what the plan was made with, not with what it saw first, so a topic made in between is not missed (B44).

use std::collections::BTreeSet;
use std::sync::Arc;

use super::backoff::Backoff;
use super::config::Config;
use super::state::{State, Step};
use super::{Action, Membership, Notice, Role, Sent};
use crate::ids::TopicName;
use crate::time::Timestamp;
use crate::topics::TopicTable;

/// What is watched, and when it is looked at next.
#[derive(Debug)]
pub(super) struct Watch {
    names: Vec<TopicName>,
    due: Option<Timestamp>,
    flying: Option<u64>,
    backoff: Backoff,
    /// What the application knows to be missing.
    missing: BTreeSet<TopicName>,
}

impl Watch {
    /// A member looks once at its own topics, to say which are missing.
    pub(super) fn of_member(config: &Config, now: Timestamp) -> Self {
        let names = config.purpose.topics().to_vec();
        let due = (!names.is_empty()).then_some(now);
        Self { names, due, flying: None, backoff: Backoff::default(), missing: BTreeSet::new() }
    }

    /// A leader looks now, and then again and again, at all topics of its group.
    pub(super) fn lead(&mut self, names: Vec<TopicName>, now: Timestamp) {
        self.names = names;
        self.due = Some(now);
        self.flying = None;
    }

    /// Another one leads: it watches.
    pub(super) fn follow(&mut self) {
        self.due = None;
        self.flying = None;
    }

    pub(super) fn due(&self) -> Option<Timestamp> {
        self.due.filter(|_| self.flying.is_none())
    }

    /// Whether that was the question on its way.
    fn land(&mut self, sent: &Sent) -> bool {
        self.flying.take_if(|ticket| *ticket == sent.ticket).is_some()
    }

    pub(super) fn reset(&mut self) {
        self.flying = None;
    }
}

impl Membership {
    /// Asks for the topics that are watched.
    pub(super) fn look_at_topics(&mut self) {
        let sent = self.send();
        self.watch.flying = Some(sent.ticket);
        self.out.push(Action::FetchTopics(sent, self.watch.names.clone()));
    }

    pub(super) fn topics(&mut self, sent: &Sent, answer: Result<TopicTable, String>) {
        let Ok(table) = answer else { return self.topics_unanswered(sent) };
        if !self.watch.land(sent) {
            return;
        }
        self.watch.backoff.succeed();
        self.tell_missing(&table);
        let leads = self.state.joined().is_some_and(|it| it.role == Role::Leader);
        self.watch.due = leads.then(|| self.now.mono + self.dice.around(self.config.topics_interval));
        match &self.state {
            State::Planning { step: Step::Topics, .. } => self.start_strategy(Arc::new(table)),
            State::Stable { joined, .. } if leads => {
                let racks = self.racks_matter(&joined.protocol);
                match joined.basis.topics.as_ref().map(|planned| change(planned, &table, racks)) {
                    None => self.found_planned(table),
                    Some(None) => {}
                    Some(Some(change)) => self.give_up(change),
                }
            }
            _ => {}
        }
    }

    /// The plan is an earlier process's: what it was made with is taken for what there is, as Kafka's clients do.
    fn found_planned(&mut self, table: TopicTable) {
        if let State::Stable { joined, .. } = &mut self.state {
            joined.basis.topics = Some(Arc::new(table));
        }
    }

    /// They are asked for again, a little later.
    pub(super) fn topics_unanswered(&mut self, sent: &Sent) {
        if self.watch.land(sent) {
            self.watch.due = Some(self.now.mono + self.watch.backoff.fail(&mut self.dice));
        }
    }

    fn tell_missing(&mut self, table: &TopicTable) {
        let missing: BTreeSet<_> =
            self.watch.names.iter().filter(|it| table.get(it.as_str()).is_none()).cloned().collect();
        if missing != self.watch.missing {
            self.watch.missing.clone_from(&missing);
            if !missing.is_empty() {
                self.tell(Notice::TopicsMissing(missing.into_iter().collect()));
            }
        }
    }
}

/// Whether a broker's rack counts for the comparison.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Racks {
    /// The strategy reads them.
    Matter,
    /// It does not: a broker that goes and comes back (and takes its rack's name with it) costs no rebalance.
    Ignored,
}

/// The first difference that makes a plan stale, as a reason for the rejoin.
pub(super) fn change(planned: &TopicTable, now: &TopicTable, racks: Racks) -> Option<String> {
    let gone = planned.0.keys().find(|name| now.get(name.as_str()).is_none());
    if let Some(name) = gone {
        return Some(format!("topic {name} is gone"));
    }
    now.0.iter().find_map(|(name, topic)| match planned.get(name.as_str()) {
        None => Some(format!("topic {name} appeared with {} partitions", topic.partitions)),
        Some(before) if before.partitions != topic.partitions => {
            Some(format!("topic {name} has {} partitions instead of {}", topic.partitions, before.partitions))
        }
        Some(before) if racks == Racks::Matter && before.racks != topic.racks => {
            Some(format!("partitions of topic {name} moved to other racks"))
        }
        Some(_) => None,
    })
}
