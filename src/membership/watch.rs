//! Topics that come, go and change. Every member looks at its own when it begins, to say which are missing; one with a pattern
//! again and again, for what it matches. And it is a leader's other duty: topics, their partitions and racks may change
//! after the plan was made. It compares with what the plan was made with, not with what it saw first, so a topic made in
//! between is not missed (B44).

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use super::backoff::Backoff;
use super::change::Said;
use super::config::{Config, Purpose};
use super::event::Look;
use super::limits::{GATHER, LONGEST_LOOK, LOOK_PER_PARTITION, LOOKS_IN_SILENCE};
use super::state::{State, Step};
use super::why::Cause;
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
    /// Why there was no answer, as far as the application was told.
    trouble: Option<String>,
    /// When a look last ended, well or not.
    looked: Option<Timestamp>,
    /// Whether a topic of the plan was missing when it was last looked at.
    doubts: bool,
}

impl Watch {
    /// A member looks once at its own topics, to say which are missing; with a pattern again and again at all.
    pub(super) fn of_member(config: &Config, now: Timestamp) -> Self {
        let names = config.purpose.topics().to_vec();
        let due = (!names.is_empty() || is_pattern(&config.purpose)).then_some(now);
        let (backoff, missing) = (Backoff::default(), BTreeSet::new());
        Self { names, due, flying: None, backoff, missing, trouble: None, looked: None, doubts: false }
    }

    /// A leader looks now, and then again and again, at all topics of its group.
    pub(super) fn lead(&mut self, names: Vec<TopicName>, now: Timestamp) {
        self.names = names;
        self.due = Some(now);
        self.flying = None;
        self.doubts = false;
    }

    /// Nobody needs to know anything.
    pub(super) fn stop(&mut self) {
        self.due = None;
        self.flying = None;
    }

    pub(super) fn due(&self) -> Option<Timestamp> {
        self.due.filter(|_| self.flying.is_none())
    }

    pub(super) fn is_looking(&self) -> bool {
        self.flying.is_some()
    }

    /// Whether that was the question on its way.
    fn land(&mut self, sent: &Sent, now: Timestamp) -> bool {
        let ours = self.flying.take_if(|ticket| *ticket == sent.ticket).is_some();
        if ours {
            self.looked = Some(now);
        }
        ours
    }

    /// The coordinator is gone, and with it what was asked there.
    pub(super) fn reset(&mut self) {
        self.flying = None;
        self.backoff.succeed();
    }
}

fn is_pattern(purpose: &Purpose) -> bool {
    matches!(purpose, Purpose::Matching { .. })
}

impl Membership {
    /// Begins to watch as a newcomer does.
    pub(super) fn watch_own(&mut self) {
        self.watch = Watch::of_member(&self.config, self.now.mono);
    }

    /// Another one leads, and watches; a pattern is everybody's own to watch.
    pub(super) fn watch_followed(&mut self) {
        self.watch.stop();
        if is_pattern(&self.config.purpose) {
            self.watch.due = Some(self.now.mono + self.dice.around(self.config.topics_interval));
        }
    }

    /// Whether a member looks which topics its pattern matches before it joins: when somebody has found a new topic and
    /// caused a rebalance, all others find it now, and not in rebalances of their own.
    pub(super) fn looks_first(&self) -> bool {
        let is_fresh = self.watch.looked.is_some_and(|at| at + GATHER > self.now.mono);
        is_pattern(&self.config.purpose) && !is_fresh
    }

    /// Asks for the topics that are watched.
    pub(super) fn look_at_topics(&mut self) {
        let sent = self.send();
        self.watch.flying = Some(sent.ticket);
        let look = match is_pattern(&self.config.purpose) {
            true => Look::AtAll,
            false => Look::At(self.watch.names.clone()),
        };
        self.out.push(Action::FetchTopics(sent, look));
    }

    pub(super) fn topics(&mut self, sent: &Sent, answer: Result<TopicTable, String>) {
        let mut table = match answer {
            Ok(table) => table,
            Err(reason) => return self.topics_refused(sent, reason),
        };
        if !self.watch.land(sent, self.now.mono) {
            return;
        }
        self.watch.backoff.succeed();
        self.watch.trouble = None;
        let leads = self.state.joined().is_some_and(|it| it.role == Role::Leader);
        let has_pattern = is_pattern(&self.config.purpose);
        let pause =
            self.dice.around(self.config.topics_interval.max(if has_pattern { size(&table) } else { Duration::ZERO }));
        self.watch.due = (leads || has_pattern).then(|| self.now.mono + pause);
        if has_pattern {
            self.match_topics(&table);
            table.0.retain(|name, _| self.watch.names.binary_search(name).is_ok());
        }
        self.tell_missing(&table);
        match &self.state {
            State::Planning { step: Step::Topics, .. } => self.start_strategy(Arc::new(table)),
            State::Stable { .. } if leads => self.compare_with_plan(table),
            State::Syncing { .. } if leads => self.found_planned(table),
            _ => {}
        }
    }

    /// A plan whose topics changed is made anew. That one is gone is believed when it is seen twice: a broker that starts
    /// may not know all topics yet.
    fn compare_with_plan(&mut self, table: TopicTable) {
        let State::Stable { joined, .. } = &self.state else { return };
        let Some(planned) = &joined.basis.topics else { return self.found_planned(table) };
        let is_gone = planned.0.keys().any(|name| table.get(name.as_str()).is_none());
        let change = change(planned, &table, self.racks_matter(&joined.protocol));
        let doubted = std::mem::replace(&mut self.watch.doubts, is_gone);
        match change {
            Some(_) if is_gone && !doubted => self.watch.due = Some(self.now.mono + GATHER / 2),
            Some(change) => self.give_up(Cause::Topics.because(change)),
            None => {}
        }
    }

    /// What the pattern matches is what the member subscribes to. A member of a group looks once more before it believes
    /// in a change: a broker that starts may not know all topics yet.
    fn match_topics(&mut self, table: &TopicTable) {
        let Purpose::Matching { pattern, topics } = &mut self.config.purpose else { return };
        let matching: Vec<TopicName> = table.0.keys().filter(|name| pattern.matches(name.as_str())).cloned().collect();
        if *topics == matching {
            return;
        }
        *topics = matching;
        if self.said.is_some() {
            self.watch.due = Some(self.now.mono + GATHER / 2);
        }
        self.review_words();
    }

    /// Tells what the pattern matches, with the JoinGroup that says it, unless the last one said the same.
    pub(super) fn tell_matching(&mut self) {
        let Purpose::Matching { topics, .. } = &self.config.purpose else { return };
        if !matches!(&self.said, Some(Said::Consumer { topics: said, .. }) if said == topics) {
            self.tell(Notice::Matching(topics.clone()));
        }
    }

    /// The plan is an earlier process's: what it was made with is taken for what there is when it is first looked, as Kafka's
    /// clients do. That may be before SyncGroup is answered, and no later look will do: what grows between the two would never
    /// be noticed.
    fn found_planned(&mut self, table: TopicTable) {
        if let State::Syncing { joined, .. } | State::Stable { joined, .. } = &mut self.state {
            joined.basis.topics.get_or_insert_with(|| Arc::new(table));
        }
    }

    /// They are asked for again. Without them a leader has no plan, so the reason is told once it is more than a connection
    /// that broke: a cluster of the topics alone may have a login of its own.
    fn topics_refused(&mut self, sent: &Sent, reason: String) {
        self.topics_unanswered(sent);
        if self.watch.backoff.in_a_row() >= LOOKS_IN_SILENCE && self.watch.trouble.as_ref() != Some(&reason) {
            self.watch.trouble = Some(reason.clone());
            self.tell(Notice::TopicsUnknown { reason });
        }
    }

    /// They are asked for again, a little later.
    pub(super) fn topics_unanswered(&mut self, sent: &Sent) {
        if self.watch.land(sent, self.now.mono) {
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

/// How long a look at so much is not repeated.
fn size(table: &TopicTable) -> Duration {
    let partitions = table.0.values().fold(0_u32, |sum, topic| sum.saturating_add(topic.partitions));
    LOOK_PER_PARTITION.saturating_mul(partitions).min(LONGEST_LOOK)
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
