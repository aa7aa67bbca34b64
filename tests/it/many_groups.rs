//! B65: programs that name a new group at each start leave tens of thousands of dead ones. Through the coordinator and a
//! store in memory, with a clock that only moves when told.

use std::time::{Duration, Instant};

use bytes::Bytes;
use divvy::coordinator::{Coordinator, CoordinatorConfig, HeartbeatWhileLoading, SettingsBook};
use divvy::group::event::*;
use divvy::group::{Effects, GroupLimits, Record, Reply, StateName};
use divvy::ids::GroupId;
use divvy::store::{Entry, MemoryStore, Snapshot, Store};
use divvy::time::{Now, Timestamp, WallTime};
use divvy::wire::ErrorCode;

const RETENTION: Duration = Duration::from_secs(60);
const CHECK: Duration = Duration::from_secs(10);

/// As many as the report has with `DIVVY_GROUPS=50000`.
fn count() -> usize {
    std::env::var("DIVVY_GROUPS").map_or(5_000, |number| number.parse().unwrap())
}

struct Shard {
    coordinator: Coordinator,
    store: MemoryStore,
    now_ms: u64,
    tickets: u64,
}

impl Shard {
    /// A coordinator on what the store has.
    fn start(mut store: MemoryStore, now_ms: u64) -> Self {
        let limits = GroupLimits {
            initial_rebalance_delay: Duration::ZERO,
            offsets_retention: RETENTION,
            offsets_check_interval: CHECK,
            ..GroupLimits::default()
        };
        let config = CoordinatorConfig {
            limits,
            load_wait: Duration::from_secs(5),
            heartbeat_while_loading: HeartbeatWhileLoading::Ok,
            settings: SettingsBook::default(),
        };
        let loaded = store.load().unwrap().groups;
        let mut shard = Self { coordinator: Coordinator::new(config), store, now_ms, tickets: 0 };
        assert!(shard.coordinator.loaded(loaded, shard.now(), || 0).is_empty());
        shard
    }

    fn now(&self) -> Now {
        Now { mono: Timestamp(self.now_ms), wall: WallTime(self.now_ms.cast_signed()) }
    }

    /// Tells a group something, makes durable what it wants, and gives back its answers.
    fn tell(&mut self, group: &GroupId, event: impl FnOnce(Ticket) -> Event) -> Vec<Reply> {
        self.tickets += 1;
        let (ticket, now) = (Ticket(self.tickets), self.now());
        let effects = self.coordinator.handle(group, event(ticket), now, self.tickets);
        self.took_effect(group, effects)
    }

    fn took_effect(&mut self, group: &GroupId, effects: Effects) -> Vec<Reply> {
        let mut replies: Vec<Reply> = effects.replies.into_iter().map(|(_, reply)| reply).collect();
        if !effects.records.is_empty() {
            let entry = |record: Record| Entry::Group(group.clone(), record);
            self.store.append(&effects.records.into_iter().map(entry).collect::<Vec<_>>()).unwrap();
            let now = self.now();
            let stored = self.coordinator.handle(group, Event::Stored(effects.upto), now, 0);
            replies.extend(self.took_effect(group, stored));
        }
        replies
    }

    fn tick(&mut self) -> Vec<(GroupId, Vec<Reply>)> {
        let (now, entropy) = (self.now(), self.tickets);
        let due = self.coordinator.tick(now, || entropy);
        due.into_iter().map(|(group, effects)| (group.clone(), self.took_effect(&group, effects))).collect()
    }

    /// Lets time pass.
    fn wait(&mut self, wait: Duration) {
        let end = Timestamp(self.now_ms) + wait;
        while let Some(at) = self.coordinator.next_deadline().filter(|at| *at <= end) {
            self.now_ms = self.now_ms.max(at.0);
            self.tick();
        }
        self.now_ms = end.0;
    }

    /// A process that joins a group of its own, commits one offset and leaves.
    fn short_life(&mut self, group: &GroupId) {
        assert!(self.tell(group, |ticket| Event::Join(ticket, join())).is_empty());
        let answers = self.tick();
        let Some(Reply::Join(joined)) = answers.iter().flat_map(|(_, replies)| replies).next() else {
            panic!("{answers:?}");
        };
        let (member, generation) = (joined.member.clone(), joined.generation);
        let states = vec![(member.clone(), Bytes::from_static(b"all"))];
        let sync = SyncRequest {
            member: member.clone(),
            instance: None,
            generation,
            protocol_type: None,
            protocol: None,
            result: LeaderResult::Plan { states, origin: None },
        };
        self.tell(group, |ticket| Event::Sync(ticket, sync));
        let offset =
            CommittedOffset { topic: "t".into(), partition: 0, offset: 1, leader_epoch: -1, metadata: String::new() };
        let commit = CommitRequest {
            member: member.clone(),
            instance: None,
            generation,
            retention: None,
            offsets: vec![offset],
        };
        let committed = self.tell(group, |ticket| Event::Commit(ticket, commit));
        assert_eq!(committed, [Reply::Commit(vec![("t".into(), 0, ErrorCode::None)])]);
        let members = vec![Leaver { member, instance: None, reason: None }];
        self.tell(group, |ticket| Event::Leave(ticket, LeaveRequest { members }));
    }
}

fn join() -> JoinRequest {
    JoinRequest {
        member: Default::default(),
        instance: None,
        client_id: "app".into(),
        client_host: "/127.0.0.1".into(),
        session_timeout: Duration::from_secs(45),
        rebalance_timeout: Duration::from_secs(300),
        protocol_type: "consumer".into(),
        protocols: [OfferedProtocol { name: "range".into(), metadata: Bytes::from_static(b"\0\0\0\0\0\0") }].into(),
        handshake: IdHandshake::None,
        skip_assignment: SkipAssignment::Understood,
        modules: None,
        reason: None,
    }
}

/// Says what a step took, and what the process has: for whoever measures with many groups.
fn told(what: &str, began: Instant) {
    let pages = std::fs::read_to_string("/proc/self/statm").unwrap_or_default();
    let resident: u64 = pages.split(' ').nth(1).and_then(|pages| pages.parse().ok()).unwrap_or(0);
    eprintln!("{what}: {} ms, {} MiB resident", began.elapsed().as_millis(), (resident * 4096) >> 20);
}

#[test]
#[allow(clippy::disallowed_methods, reason = "it is shown, and nothing depends on it")]
fn b65_thousands_of_dead_groups_are_listed_read_again_and_forgotten() {
    let groups: Vec<GroupId> = (0..count()).map(|number| GroupId::from(format!("app-{number:05}"))).collect();
    let mut shard = Shard::start(MemoryStore::new(), 0);
    let began = Instant::now();
    groups.iter().for_each(|group| shard.short_life(group));
    told("lived", began);
    let (store, now_ms) = (shard.store.clone(), shard.now_ms);
    drop(shard);

    let began = Instant::now();
    let mut shard = Shard::start(store, now_ms + 20_000);
    told("read again", began);
    let began = Instant::now();
    let listed = shard.coordinator.list();
    told("listed", began);
    assert_eq!(listed.len(), groups.len());
    assert!(listed.iter().all(|group| group.state == StateName::Empty && group.members == 0));
    assert!(shard.coordinator.describe(&groups[7], shard.now().wall).is_some());

    // A minute after they became empty, restart or not; one that is used again stays.
    shard.short_life(&groups[7]);
    let began = Instant::now();
    shard.wait(Duration::from_secs(50));
    told("forgotten", began);
    let left: Vec<GroupId> = shard.coordinator.list().into_iter().map(|group| group.id).collect();
    assert_eq!(left, [groups[7].clone()]);
    assert_eq!(shard.store.load().unwrap().groups.len(), 1);
    shard.wait(Duration::from_secs(30));
    assert_eq!(shard.coordinator.list(), []);
    assert_eq!(shard.store.load().unwrap(), Snapshot::default());

    // As many again find the memory of the first.
    let began = Instant::now();
    groups.iter().for_each(|group| shard.short_life(group));
    told("lived again", began);
}
