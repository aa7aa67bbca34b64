//! What is forgotten after its time: offsets that nobody works with, and groups without any.
//!
//! Kafka's rules. The time of a group without members runs from its last member's going, so a group that rebalances for
//! long loses nothing (KAFKA-13636); a client that never was a member has its time from each commit; members in a stable
//! generation lose only what they no longer subscribe to. Everything else waits until more is known.

use std::collections::BTreeSet;

use bytes::Bytes;

use crate::embedded::consumer::SplitSubscription;
use crate::ids::TopicName;
use crate::time::WallTime;

use super::record::OffsetRecord;
use super::state::State;
use super::{Fact, Group, Step};

/// From when the retention runs.
enum Base {
    /// From this moment, for all offsets.
    Moment(WallTime),
    /// From each offset's commit.
    Commit,
}

/// The topics that a group's members want.
pub(super) enum Subscriptions<'a> {
    /// These.
    Known(BTreeSet<&'a str>),
    /// Somebody's cannot be read.
    Unknown,
}

impl<'a> Subscriptions<'a> {
    /// What members want who say this, each with what it says. Only the topics are read, which every version begins with.
    pub(super) fn of(said: impl Iterator<Item = Option<&'a Bytes>>) -> Self {
        let mut topics = BTreeSet::new();
        for said in said {
            let read = said.and_then(|said| SplitSubscription::new(said).and_then(|it| it.topics()).ok());
            let Some(read) = read else { return Subscriptions::Unknown };
            topics.extend(read);
        }
        Subscriptions::Known(topics)
    }

    /// Whether the topic is among them, as far as anybody can tell.
    pub(super) fn may_have(&self, topic: &str) -> bool {
        match self {
            Subscriptions::Known(topics) => topics.contains(topic),
            Subscriptions::Unknown => true,
        }
    }
}

impl Group {
    /// Forgets what has had its time. A group that is left without members and offsets goes as well.
    pub(super) fn sweep(&mut self, step: &mut Step) {
        if self.is_blank() {
            return;
        }
        let now = step.now.wall;
        let Some(expired) = self.expired_offsets(now) else { return };
        let is_last = expired.len() == self.offsets.len();
        if is_last && matches!(self.state, State::Empty) && self.may_go(now) {
            if !expired.is_empty() {
                step.fact(Fact::OffsetsExpired { partitions: expired.len() });
            }
            return self.remove("expired", step);
        }
        if !expired.is_empty() {
            let partitions = self.drop_offsets(expired, step);
            step.fact(Fact::OffsetsExpired { partitions });
        }
    }

    /// None: the group is in no state to lose anything.
    fn expired_offsets(&self, now: WallTime) -> Option<Vec<(TopicName, i32)>> {
        let (base, subscriptions) = match (&self.protocol_type, &self.state) {
            (None, _) => (Base::Commit, Subscriptions::Known(BTreeSet::new())),
            (Some(_), State::Empty) => (Base::Moment(self.since), Subscriptions::Known(BTreeSet::new())),
            (Some(_), State::Stable(_)) if self.is_consumer() => (Base::Commit, self.subscriptions()),
            (Some(_), _) => return None,
        };
        let retention = self.limits.offsets_retention;
        let is_due = |record: &OffsetRecord| match (record.expires, &base) {
            (Some(at), _) => at <= now,
            (None, Base::Moment(at)) => *at + retention <= now,
            (None, Base::Commit) => record.at + retention <= now,
        };
        let of_no_use = |topic: &TopicName| !subscriptions.may_have(topic.as_str());
        let expired = self.offsets.iter().filter(|((topic, _), record)| is_due(record) && of_no_use(topic));
        Some(expired.map(|(key, _)| key.clone()).collect())
    }

    /// Whether a group without members and offsets may be forgotten. Whoever has an id in hand is about to join. The
    /// generation of any type but `consumer` may be somebody's fencing token: it counts on for as long as offsets would
    /// have been kept.
    fn may_go(&self, now: WallTime) -> bool {
        let is_token = self.protocol_type.is_some() && !self.is_consumer();
        self.roster.pending.is_empty() && (!is_token || self.since + self.limits.offsets_retention <= now)
    }

    pub(super) fn is_consumer(&self) -> bool {
        self.protocol_type.as_ref().is_some_and(|kind| *kind == "consumer")
    }

    /// What the members want: what they say under the generation's protocol, or under their first while they have not
    /// agreed on one.
    pub(super) fn subscriptions(&self) -> Subscriptions<'_> {
        match self.is_consumer() {
            true => Subscriptions::of(self.wishes()),
            false => Subscriptions::Known(BTreeSet::new()),
        }
    }

    /// The same as it came, for each member; none for one that says nothing.
    pub(super) fn wishes(&self) -> impl Iterator<Item = Option<&Bytes>> {
        self.roster.members.values().map(|member| {
            let chosen = self.protocol.as_ref().and_then(|name| member.protocols.iter().find(|it| it.name == *name));
            chosen.or(member.protocols.first()).map(|it| &it.metadata)
        })
    }
}
