//! The retention's rounds: every group is asked now and then what of it has had its time.

use crate::group::{Effects, Event};
use crate::ids::{GroupId, TopicName};
use crate::time::{Now, Timestamp, WallTime};

use super::Coordinator;

/// Groups that are looked at in one go: fifty thousand would keep the shard from its heartbeats for a while.
pub(super) const GROUPS_AT_ONCE: usize = 1000;

/// A map that has room for more than so many times its entries gives some of it back after a round.
const ROOM: usize = 4;

/// Where the present round is.
#[derive(Debug, Default)]
pub(super) struct Sweep {
    /// When the next round begins; none until the store was read.
    next: Option<Timestamp>,
    /// The groups of this round that were not looked at yet, and when some of them last were.
    left: Vec<GroupId>,
    at: Timestamp,
}

impl Coordinator {
    /// The first round begins an interval from now.
    pub(super) fn arm_sweep(&mut self, now: Now) {
        self.sweep.next = Some(now.mono + self.limits.offsets_check_interval);
    }

    /// When there is something to look at.
    pub(super) fn next_sweep(&self) -> Option<Timestamp> {
        if self.sweep.left.is_empty() { self.sweep.next } else { Some(self.sweep.at) }
    }

    /// Looks at some groups, if it is time.
    pub(super) fn sweep(&mut self, now: Now) -> Vec<(GroupId, Effects)> {
        if self.sweep.left.is_empty() {
            if self.sweep.next.is_none_or(|at| at > now.mono) {
                return Vec::new();
            }
            self.arm_sweep(now);
            self.sweep.left = self.groups.keys().cloned().collect();
        }
        self.sweep.at = now.mono;
        let from = self.sweep.left.len().saturating_sub(GROUPS_AT_ONCE);
        let some = self.sweep.left.split_off(from);
        if self.sweep.left.is_empty() {
            self.sweep.left = Vec::new();
            self.give_room_back();
        }
        // Nothing about it is random, and nobody waits for an answer.
        some.into_iter().map(|id| (id.clone(), self.handle(&id, Event::Sweep, now, 0))).collect()
    }

    /// These topics are gone: so are their offsets; with a time, those that were committed by then.
    pub fn topics_removed(
        &mut self,
        topics: &[TopicName],
        upto: Option<WallTime>,
        now: Now,
    ) -> Vec<(GroupId, Effects)> {
        let concerned = self.groups.iter().filter(|(_, group)| group.has_offsets_of(topics));
        let mut concerned: Vec<GroupId> = concerned.map(|(id, _)| id.clone()).collect();
        concerned.extend(self.loading.keys().cloned());
        let removed = |id: GroupId| {
            let effects = self.handle(&id, Event::TopicsRemoved(topics.to_vec(), upto), now, 0);
            (id, effects)
        };
        concerned.into_iter().map(removed).collect()
    }

    fn give_room_back(&mut self) {
        if self.groups.capacity() > ROOM * self.groups.len() {
            self.groups.shrink_to(2 * self.groups.len());
        }
        if self.scheduled.capacity() > ROOM * self.scheduled.len() {
            self.scheduled.shrink_to(2 * self.scheduled.len());
        }
    }
}
