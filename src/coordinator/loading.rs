//! Initialize: groups that are being read from the store, and what waits for them meanwhile.

use std::collections::BTreeMap;

use super::{Coordinator, HeartbeatWhileLoading, answers};
use crate::group::event::ModuleOffer;
use crate::group::{Effects, Event, Group, Record, Trigger};
use crate::ids::{GroupId, MemberId};
use crate::time::{Now, Timestamp};
use crate::wire::ErrorCode;

/// A request that waits for its group to be read.
#[derive(Debug)]
pub(super) struct Waiting {
    /// None: what nobody waits for has time.
    pub(super) until: Option<Timestamp>,
    pub(super) event: Event,
}

/// What is kept of a group while it is read anew.
#[derive(Debug, Default)]
pub(super) struct Kept {
    /// The rebalance that waits for the store.
    pub(super) owed: Option<Trigger>,
    /// What its members said that they can run.
    pub(super) said: BTreeMap<MemberId, Vec<ModuleOffer>>,
}

impl Coordinator {
    /// The store was read: these are the groups. What waited runs now.
    pub fn loaded(
        &mut self,
        groups: Vec<(GroupId, Vec<Record>)>,
        now: Now,
        mut draw: impl FnMut() -> u64,
    ) -> Vec<(GroupId, Effects)> {
        self.all_loading = false;
        self.arm_sweep(now);
        for (id, records) in groups {
            self.restore(&id, records, now);
        }
        let waiting: Vec<GroupId> = self.loading.keys().cloned().collect();
        waiting.into_iter().map(|id| (id.clone(), self.run_waiting(&id, now, &mut draw))).collect()
    }

    /// One group was read anew after its records could not be stored.
    pub fn reloaded(&mut self, group: &GroupId, records: Vec<Record>, now: Now, draw: impl FnMut() -> u64) -> Effects {
        self.restore(group, records, now);
        self.run_waiting(group, now, draw)
    }

    /// Whether the store is still being read.
    pub fn is_all_loading(&self) -> bool {
        self.all_loading
    }

    pub(super) fn is_loading(&self, group: &GroupId) -> bool {
        self.all_loading || self.loading.contains_key(group)
    }

    /// A request for a group that is being read: some are answered at once, the others wait.
    pub(super) fn wait(&mut self, group: &GroupId, event: Event, now: Now) -> Effects {
        let until = Some(now.mono + self.config.load_wait);
        match event {
            // A member that has something to say says it again: nobody would know it.
            Event::Heartbeat(ticket, request) if request.modules.is_some() => {
                answers::heartbeat(ticket, ErrorCode::CoordinatorLoadInProgress)
            }
            Event::Heartbeat(ticket, _) => {
                let error = match self.config.heartbeat_while_loading {
                    HeartbeatWhileLoading::Ok => ErrorCode::None,
                    HeartbeatWhileLoading::NotReady => ErrorCode::CoordinatorLoadInProgress,
                };
                answers::heartbeat(ticket, error)
            }
            // Some clients have no branch for 14 in SyncGroup and die of it.
            Event::Sync(ticket, _) => answers::sync(ticket, ErrorCode::RebalanceInProgress),
            Event::Closed(ticket) => {
                if let Some(waiting) = self.loading.get_mut(group) {
                    waiting.retain(|waiting| answers::ticket(&waiting.event) != Some(ticket));
                }
                Effects::default()
            }
            Event::Join(..)
            | Event::Leave(..)
            | Event::Commit(..)
            | Event::Fetch(..)
            | Event::DeleteGroup(_)
            | Event::DeleteOffsets(..) => {
                self.loading.entry(group.clone()).or_default().push(Waiting { until, event });
                Effects::default()
            }
            Event::TopicsRemoved(..) => {
                self.loading.entry(group.clone()).or_default().push(Waiting { until: None, event });
                Effects::default()
            }
            // A group that is read gets the settings and the modules of that moment.
            Event::GroundChanged(_) | Event::SettingsChanged(_) => Effects::default(),
            Event::Tick | Event::Sweep | Event::Stored(_) | Event::StoreFailed | Event::WorkDone(..) => {
                Effects::default()
            }
        }
    }

    fn run_waiting(&mut self, group: &GroupId, now: Now, mut draw: impl FnMut() -> u64) -> Effects {
        let mut all = Effects::default();
        let waiting = self.loading.remove(group).unwrap_or_default();
        for waiting in waiting {
            let more = self.handle(group, waiting.event, now, draw());
            all.records.extend(more.records);
            all.replies.extend(more.replies);
            all.work.extend(more.work);
            all.facts.extend(more.facts);
            all.upto = all.upto.max(more.upto);
        }
        all
    }

    pub(super) fn give_up_waiting(&mut self, now: Now) -> Vec<(GroupId, Effects)> {
        let mut all = Vec::new();
        for (id, waiting) in &mut self.loading {
            for late in waiting.extract_if(.., |waiting| waiting.until.is_some_and(|until| until <= now.mono)) {
                all.push((id.clone(), answers::refused(&late.event, ErrorCode::CoordinatorLoadInProgress)));
            }
        }
        all
    }

    fn restore(&mut self, id: &GroupId, records: Vec<Record>, now: Now) {
        let Kept { owed, said } = self.kept.remove(id).unwrap_or_default();
        if records.is_empty() {
            return;
        }
        let settings = self.config.settings.of(id);
        let mut group = Group::restore(id.clone(), records, self.limits.clone(), settings, now);
        group.set_modules(self.modules.clone());
        group.recall(said);
        owed.into_iter().for_each(|trigger| group.owe(trigger));
        group.set_store_refuses(self.store_refuses);
        self.groups.insert(id.clone(), Box::new(group));
        self.reschedule(id);
    }
}
