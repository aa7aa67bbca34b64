//! All groups of one shard: routing, loading, deadlines, lists. Pure like the groups: one owner calls it with what
//! happened and when, and does what it says.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;
use std::time::Duration;

use crate::group::event::ModuleOffer;
use crate::group::{
    Effects, Event, GenerationRecord, Group, GroupDescription, GroupLimits, GroupSummary, Input, Lead, Record,
    StateName,
};
use crate::ids::{Generation, GroupId, TopicName};
use crate::time::{Now, Timestamp, WallTime};
use crate::wire::ErrorCode;

mod answers;
pub mod placement;
mod settings;
mod sweep;

pub use settings::SettingsBook;
use sweep::Sweep;

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
    groups: HashMap<GroupId, Group>,
    /// What waits for a group that is being read. While everything is being read, every group is in here on demand.
    loading: BTreeMap<GroupId, Vec<Waiting>>,
    all_loading: bool,
    /// When to look at a group again, and the same by group.
    schedule: BTreeSet<(Timestamp, GroupId)>,
    scheduled: HashMap<GroupId, Timestamp>,
    sweep: Sweep,
}

/// A request that waits for its group to be read.
#[derive(Debug)]
struct Waiting {
    /// None: what nobody waits for has time.
    until: Option<Timestamp>,
    event: Event,
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
            schedule: BTreeSet::new(),
            scheduled: HashMap::new(),
            sweep: Sweep::default(),
        }
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
        let blank = self.groups.get(group).map(Group::is_blank);
        // Of a group that was deleted and is on its way out of the store only the store's word is still news.
        let is_news = blank == Some(true) && answers::ticket(&event).is_none();
        if blank != Some(false)
            && !is_news
            && let Unknown::Answered(answer) = self.without_group(group, &event, now)
        {
            return match self.groups.get_mut(group) {
                Some(deleted) => deleted.hold(answer),
                None => answer,
            };
        }
        let failed = matches!(event, Event::StoreFailed);
        let Some(entry) = self.groups.get_mut(group) else { return Effects::default() };
        let effects = entry.handle(Input { event, now, entropy });
        if failed {
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
        if self.all_loading || self.loading.contains_key(group) {
            return None;
        }
        self.groups.get_mut(group)?.pulse(member, generation, now)
    }

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

    /// Does what is due: deadlines of groups, and of requests that waited too long for a group to be read.
    pub fn tick(&mut self, now: Now, mut draw: impl FnMut() -> u64) -> Vec<(GroupId, Effects)> {
        let mut all = self.give_up_waiting(now);
        let due = self.schedule.iter().take_while(|(at, _)| *at <= now.mono);
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

    /// Whether the store is still being read.
    pub fn is_all_loading(&self) -> bool {
        self.all_loading
    }

    /// All groups in order of their ids.
    pub fn list(&self) -> Vec<GroupSummary> {
        let present = self.groups.values().filter(|group| !group.is_blank());
        let mut all: Vec<GroupSummary> = present.map(Group::summary).collect();
        all.extend(self.loading.keys().map(initializing));
        all.sort_by(|a, b| a.id.cmp(&b.id));
        all
    }

    /// One group; none if it is not here.
    pub fn describe(&self, group: &GroupId, now: WallTime) -> Option<GroupDescription> {
        if let Some(group) = self.groups.get(group).filter(|group| !group.is_blank()) {
            return Some(group.describe(now));
        }
        self.is_loading(group).then(|| GroupDescription {
            summary: initializing(group),
            leader: None,
            plan_digest: None,
            members: Vec::new(),
            suspensions: Vec::new(),
            last_trigger: None,
            led: None,
        })
    }

    /// How far anybody has come with a topic: the highest commit of each partition that has one.
    pub fn ends(&self, topic: &TopicName) -> Vec<(i32, i64)> {
        let mut ends = BTreeMap::new();
        for (partition, offset) in self.groups.values().flat_map(|group| group.committed(topic)) {
            let end = ends.entry(partition).or_insert(offset);
            *end = offset.max(*end);
        }
        ends.into_iter().collect()
    }

    /// The last generations of a group, oldest first; none if it is not here.
    pub fn history(&self, group: &GroupId) -> Option<Vec<GenerationRecord>> {
        self.groups.get(group).map(Group::history)
    }

    fn is_loading(&self, group: &GroupId) -> bool {
        self.all_loading || self.loading.contains_key(group)
    }

    /// A request for a group that is being read: some are answered at once, the others wait.
    fn wait(&mut self, group: &GroupId, event: Event, now: Now) -> Effects {
        let until = Some(now.mono + self.config.load_wait);
        match event {
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
            Event::TopicsRemoved(_) => {
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

    fn give_up_waiting(&mut self, now: Now) -> Vec<(GroupId, Effects)> {
        let mut all = Vec::new();
        for (id, waiting) in &mut self.loading {
            for late in waiting.extract_if(.., |waiting| waiting.until.is_some_and(|until| until <= now.mono)) {
                all.push((id.clone(), answers::refused(&late.event, ErrorCode::CoordinatorLoadInProgress)));
            }
        }
        all
    }

    /// Some requests make a group, the others are answered without one.
    fn without_group(&mut self, group: &GroupId, event: &Event, now: Now) -> Unknown {
        let makes = match event {
            Event::Join(_, request) => request.member.as_str().is_empty(),
            Event::Commit(_, request) => request.generation < Generation(0),
            _ => false,
        };
        if !makes {
            return Unknown::Answered(answers::unknown_group(event));
        }
        if !self.groups.contains_key(group) {
            let settings = self.config.settings.of(group);
            let mut made = Group::new(group.clone(), self.limits.clone(), settings, now);
            made.set_modules(self.modules.clone());
            self.groups.insert(group.clone(), made);
        }
        Unknown::Made
    }

    fn restore(&mut self, id: &GroupId, records: Vec<Record>, now: Now) {
        if records.is_empty() {
            return;
        }
        let settings = self.config.settings.of(id);
        let mut group = Group::restore(id.clone(), records, self.limits.clone(), settings, now);
        group.set_modules(self.modules.clone());
        self.groups.insert(id.clone(), group);
        self.reschedule(id);
    }

    fn reschedule(&mut self, id: &GroupId) {
        let next = self.groups.get(id).and_then(Group::next_deadline);
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

fn initializing(id: &GroupId) -> GroupSummary {
    GroupSummary {
        id: id.clone(),
        state: StateName::Initialize,
        protocol_type: None,
        members: 0,
        generation: Generation::NONE,
        protocol: None,
    }
}
