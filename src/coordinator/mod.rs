//! All groups of one shard: routing, loading, deadlines, lists. Pure like the groups: one owner calls it with what
//! happened and when, and does what it says.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;
use std::time::Duration;

use crate::group::effects::PlanToMake;
use crate::group::event::ModuleOffer;
use crate::group::{Effects, Event, Fact, Group, GroupLimits, Input, Lead, WorkId};
use crate::ids::{Generation, GroupId};
use crate::time::{Now, Timestamp, WallTime};
use crate::wire::ErrorCode;

mod answers;
mod loading;
pub mod placement;
mod settings;
mod sweep;
mod views;

use loading::{Kept, Waiting};
pub use settings::SettingsBook;
use sweep::{GROUPS_AT_ONCE, Sweep};

/// What a coordinator is told at its start.
#[derive(Clone, Debug)]
pub struct CoordinatorConfig {
    /// The bounds of every group.
    pub limits: GroupLimits,
    /// `load.wait.ms`: how long a request may wait while its group is read from the store.
    pub load_wait: Duration,
    /// `load.heartbeat`: what a heartbeat gets meanwhile.
    pub heartbeat_while_loading: HeartbeatWhileLoading,
    /// The operator's settings.
    pub settings: SettingsBook,
}

/// The answer to a heartbeat while its group is read from the store.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum HeartbeatWhileLoading {
    /// 0: some clients leave their group on an error.
    #[default]
    Ok,
    /// 14, as the proposal has it.
    NotReady,
}

/// The groups of one shard.
#[derive(Debug)]
pub struct Coordinator {
    config: CoordinatorConfig,
    limits: Arc<GroupLimits>,
    /// The modules that the coordinator itself can run.
    modules: Arc<[ModuleOffer]>,
    /// Boxed: a table of groups is up to half empty, and is copied when it grows.
    groups: HashMap<GroupId, Box<Group>>,
    /// What waits for a group that is being read. While everything is being read, every group is in here on demand.
    loading: BTreeMap<GroupId, Vec<Waiting>>,
    all_loading: bool,
    /// Whether the store is known to refuse what is written.
    store_refuses: bool,
    /// What is kept of groups that are being read anew.
    kept: HashMap<GroupId, Kept>,
    /// When to look at a group again, and the same by group.
    schedule: BTreeSet<(Timestamp, GroupId)>,
    scheduled: HashMap<GroupId, Timestamp>,
    sweep: Sweep,
}

impl Coordinator {
    /// A coordinator that waits for its store to be read: [`Coordinator::loaded`].
    pub fn new(config: CoordinatorConfig) -> Self {
        Self {
            limits: Arc::new(config.limits.clone()),
            config,
            modules: Arc::default(),
            groups: HashMap::new(),
            loading: BTreeMap::new(),
            all_loading: true,
            store_refuses: false,
            kept: HashMap::new(),
            schedule: BTreeSet::new(),
            scheduled: HashMap::new(),
            sweep: Sweep::default(),
        }
    }

    /// The store is known to refuse what is written, or takes it again: then what waited for that is due.
    pub fn set_store_refuses(&mut self, refuses: bool) {
        self.store_refuses = refuses;
        self.groups.values_mut().for_each(|group| group.set_store_refuses(refuses));
        let all: Vec<GroupId> = self.groups.keys().cloned().collect();
        all.iter().for_each(|id| self.reschedule(id));
    }

    /// The modules that the coordinator itself can run, before any group is read.
    pub fn set_modules(&mut self, modules: Arc<[ModuleOffer]>) {
        self.modules = modules;
    }

    /// Gives an event to its group. The answers of requests that wait come out of later calls.
    pub fn handle(&mut self, group: &GroupId, event: Event, now: Now, entropy: u64) -> Effects {
        if let Some(answer) = answers::bad_group_id(group, &event) {
            return answer;
        }
        if self.is_loading(group) {
            return self.wait(group, event, now);
        }
        let blank = self.groups.get(group).map(|group| group.is_blank());
        // Of a group that was deleted and is on its way out of the store only the store's word is still news.
        let is_news = blank == Some(true) && answers::ticket(&event).is_none();
        if blank != Some(false)
            && !is_news
            && let Unknown::Answered(answer) = self.without_group(group, &event, now)
        {
            return match self.groups.get_mut(group) {
                Some(deleted) => {
                    let held = deleted.hold(answer, now.mono);
                    self.reschedule(group);
                    held
                }
                None => answer,
            };
        }
        let failed = matches!(event, Event::StoreFailed);
        let Some(entry) = self.groups.get_mut(group) else { return Effects::default() };
        let said = if failed { entry.said() } else { BTreeMap::new() };
        let effects = entry.handle(Input { event, now, entropy });
        if failed {
            let kept = Kept { owed: entry.owed().cloned(), said };
            self.kept.insert(group.clone(), kept);
            self.forget(group);
            self.loading.insert(group.clone(), Vec::new());
        } else if entry.is_vacant() {
            self.forget(group);
        } else {
            self.reschedule(group);
        }
        effects
    }

    /// Answers a plain heartbeat: see [`Group::pulse`]. None when it has to come as an event.
    pub fn pulse(&mut self, group: &str, member: &str, generation: Generation, now: Timestamp) -> Option<ErrorCode> {
        if self.all_loading || self.loading.contains_key(group) || group.is_empty() {
            return None;
        }
        self.groups.get_mut(group)?.pulse(member, generation, now)
    }

    /// Does what is due, for so many groups at once that the others are not kept waiting: deadlines of groups, and of requests that waited too long for a group to be read.
    pub fn tick(&mut self, now: Now, mut draw: impl FnMut() -> u64) -> Vec<(GroupId, Effects)> {
        let mut all = self.give_up_waiting(now);
        let due = self.schedule.iter().take_while(|(at, _)| *at <= now.mono).take(GROUPS_AT_ONCE);
        let due: Vec<(Timestamp, GroupId)> = due.cloned().collect();
        for (at, id) in due {
            self.schedule.remove(&(at, id.clone()));
            self.scheduled.remove(&id);
            let effects = self.handle(&id, Event::Tick, now, draw());
            all.push((id, effects));
        }
        all.extend(self.sweep(now));
        all
    }

    /// When to call [`Coordinator::tick`] at the latest.
    pub fn next_deadline(&self) -> Option<Timestamp> {
        let waiting = self.loading.values().flatten().filter_map(|waiting| waiting.until);
        self.schedule.first().map(|(at, _)| *at).into_iter().chain(waiting).chain(self.next_sweep()).min()
    }

    /// Topics, racks or the coordinator's own modules may have changed: the groups that it leads are told.
    pub fn ground_changed(
        &mut self,
        modules: Arc<[ModuleOffer]>,
        now: Now,
        mut draw: impl FnMut() -> u64,
    ) -> Vec<(GroupId, Effects)> {
        self.modules = modules;
        let led = self.groups.values().filter(|group| group.settings().lead == Lead::Coordinator);
        let told = led.map(|group| (Event::GroundChanged(self.modules.clone()), group.id().clone())).collect();
        self.tell(told, now, &mut draw)
    }

    /// The turn of a review has come: see [`Group::plan_to_review`].
    pub fn plan_to_review(&mut self, group: &GroupId, id: WorkId, now: WallTime) -> Option<PlanToMake> {
        self.groups.get_mut(group)?.plan_to_review(id, now)
    }

    /// The operator has other limits and settings: the groups whose settings are others now are told.
    pub fn reconfigured(
        &mut self,
        limits: GroupLimits,
        settings: SettingsBook,
        now: Now,
        mut draw: impl FnMut() -> u64,
    ) -> Vec<(GroupId, Effects)> {
        self.limits = Arc::new(limits.clone());
        self.config.limits = limits;
        self.config.settings = settings;
        let mut told = Vec::new();
        for (id, group) in &mut self.groups {
            group.set_limits(self.limits.clone());
            group.set_modules(self.modules.clone());
            let settings = self.config.settings.of(id);
            if **group.settings() != *settings {
                told.push((Event::SettingsChanged(settings), id.clone()));
            }
        }
        let all: Vec<GroupId> = self.groups.keys().cloned().collect();
        all.iter().for_each(|id| self.reschedule(id));
        self.arm_sweep(now);
        self.tell(told, now, &mut draw)
    }

    /// Tells groups, in the order of their ids: the same input always gives the same answer.
    fn tell(
        &mut self,
        mut told: Vec<(Event, GroupId)>,
        now: Now,
        draw: &mut impl FnMut() -> u64,
    ) -> Vec<(GroupId, Effects)> {
        told.sort_by(|(_, a), (_, b)| a.cmp(b));
        told.into_iter().map(|(event, id)| (id.clone(), self.handle(&id, event, now, draw()))).collect()
    }

    /// The shard itself was late: members' silence is measured without that.
    pub fn forgive(&mut self, lateness: Duration) {
        self.groups.values_mut().for_each(|group| group.forgive(lateness));
    }

    /// Some requests make a group, the others are answered without one.
    fn without_group(&mut self, group: &GroupId, event: &Event, now: Now) -> Unknown {
        let makes = match event {
            Event::Join(_, request) => request.member.as_str().is_empty(),
            Event::Commit(_, request) => request.generation < Generation(0),
            _ => false,
        };
        if !makes {
            if let Event::Join(_, request) = event
                && let Some(reason) = self.limits.session_refusal(request.session_timeout)
            {
                let (error, client_id) = (ErrorCode::InvalidSessionTimeout, request.client_id.clone());
                let told = Fact::Refused { api: "JoinGroup", client_id, error, reason };
                return Unknown::Answered(Effects { facts: vec![told], ..answers::refused(event, error) });
            }
            return Unknown::Answered(answers::unknown_group(event));
        }
        if !self.groups.contains_key(group) {
            let settings = self.config.settings.of(group);
            let mut made = Group::new(group.clone(), self.limits.clone(), settings, now);
            made.set_modules(self.modules.clone());
            made.set_store_refuses(self.store_refuses);
            self.groups.insert(group.clone(), Box::new(made));
        }
        Unknown::Made
    }

    fn reschedule(&mut self, id: &GroupId) {
        let next = self.groups.get(id).and_then(|group| group.next_deadline());
        let now = self.scheduled.get(id).copied();
        if next == now {
            return;
        }
        if let Some(old) = now {
            self.schedule.remove(&(old, id.clone()));
            self.scheduled.remove(id);
        }
        if let Some(next) = next {
            self.schedule.insert((next, id.clone()));
            self.scheduled.insert(id.clone(), next);
        }
    }

    fn forget(&mut self, id: &GroupId) {
        self.groups.remove(id);
        if let Some(at) = self.scheduled.remove(id) {
            self.schedule.remove(&(at, id.clone()));
        }
    }
}

/// What became of a request for a group that is not here.
enum Unknown {
    Answered(Effects),
    Made,
}
