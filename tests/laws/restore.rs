//! The law of the store: restoring all records so far gives what the live group has, whatever members, time, the store
//! and the connections did before. And while they do: every request is answered exactly once, generations never go back.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use divvy::group::effects::PlanToMake;
use divvy::group::event::*;
use divvy::group::{Effects, Fact, Group, GroupLimits, GroupSettings, Lead, Record, RecordKey, Reply, StateName, Work};
use divvy::ids::{Digest, Generation, GroupId, MemberId};
use divvy::time::{Now, Timestamp, WallTime};
use divvy::wire::ErrorCode;
use proptest::prelude::*;

/// Something that a world can do to a group. Members are numbers.
#[derive(Clone, Debug)]
enum Deed {
    Join { who: usize, offers: u8, handshake: bool, divvy: bool },
    Sync { who: usize, fails: bool, fault: bool },
    Heartbeat { who: usize, news: Option<u8>, waits: bool },
    Leave { who: usize },
    Commit { who: usize, partition: i32, keep_ms: Option<u64> },
    DeleteGroup { who: usize },
    DeleteOffset { who: usize, partition: i32 },
    TopicRemoved,
    Sweep,
    Close { who: usize },
    Wait { ms: u64 },
    StoreCatchesUp,
    StoreFails,
    PlanRefused,
    PlanMade { fails: bool, fault: bool },
    GroundChanges { to: u8 },
    LeadChanges,
    DiskChanges,
    Crash,
}

fn deeds() -> impl Strategy<Value = Vec<Deed>> {
    let who = 0..5usize;
    let deed = prop_oneof![
        6 => (who.clone(), 1..8u8, any::<bool>(), any::<bool>())
            .prop_map(|(who, offers, handshake, divvy)| Deed::Join { who, offers, handshake, divvy }),
        8 => (who.clone(), prop::bool::weighted(0.1), prop::bool::weighted(0.1))
            .prop_map(|(who, fails, fault)| Deed::Sync { who, fails, fault }),
        4 => (who.clone(), prop::option::of(1..8u8), any::<bool>())
            .prop_map(|(who, news, waits)| Deed::Heartbeat { who, news, waits }),
        1 => who.clone().prop_map(|who| Deed::Leave { who }),
        2 => (who.clone(), 0..3i32, prop::option::weighted(0.2, 0..20_000u64))
            .prop_map(|(who, partition, keep_ms)| Deed::Commit { who, partition, keep_ms }),
        1 => who.clone().prop_map(|who| Deed::DeleteGroup { who }),
        1 => (who.clone(), 0..3i32).prop_map(|(who, partition)| Deed::DeleteOffset { who, partition }),
        1 => Just(Deed::TopicRemoved),
        1 => Just(Deed::Sweep),
        1 => who.prop_map(|who| Deed::Close { who }),
        4 => (0..8_000u64).prop_map(|ms| Deed::Wait { ms }),
        6 => Just(Deed::StoreCatchesUp),
        1 => Just(Deed::StoreFails),
        1 => Just(Deed::PlanRefused),
        4 => (prop::bool::weighted(0.1), prop::bool::weighted(0.1))
            .prop_map(|(fails, fault)| Deed::PlanMade { fails, fault }),
        2 => (0..4u8).prop_map(|to| Deed::GroundChanges { to }),
        1 => Just(Deed::LeadChanges),
        1 => Just(Deed::DiskChanges),
        1 => Just(Deed::Crash),
    ];
    prop::collection::vec(deed, 1..120)
}

#[derive(Default, Clone)]
struct Known {
    id: MemberId,
    generation: Generation,
    ticket: Option<Ticket>,
}

struct World {
    group: Group,
    limits: Arc<GroupLimits>,
    settings: Arc<GroupSettings>,
    now_ms: u64,
    drawn: u64,
    known: Vec<Known>,
    open: BTreeMap<Ticket, usize>,
    answered: BTreeSet<Ticket>,
    stored: BTreeMap<RecordKey, Record>,
    unstored: Vec<Record>,
    upto: Seq,
    checks: Vec<WorkId>,
    last_heartbeat: Option<ErrorCode>,
    plans: Vec<(WorkId, PlanToMake)>,
    reviews: Vec<WorkId>,
    ground: u8,
    /// Whether the store is known to refuse.
    refuses: bool,
    /// The newest generation that anybody was ever told.
    announced: Generation,
}

impl World {
    fn new() -> Self {
        let limits = Arc::new(GroupLimits {
            initial_rebalance_delay: Duration::from_millis(500),
            offsets_retention: Duration::from_secs(10),
            ..Default::default()
        });
        let settings = Arc::new(GroupSettings::default());
        Self {
            group: Group::new(GroupId::from("g"), limits.clone(), settings.clone(), Now::default()),
            limits,
            settings,
            now_ms: 0,
            drawn: 0,
            known: vec![Known::default(); 5],
            open: BTreeMap::new(),
            answered: BTreeSet::new(),
            stored: BTreeMap::new(),
            unstored: Vec::new(),
            upto: Seq(0),
            checks: Vec::new(),
            last_heartbeat: None,
            plans: Vec::new(),
            reviews: Vec::new(),
            ground: 0,
            refuses: false,
            announced: Generation(0),
        }
    }

    fn now(&self) -> Now {
        Now { mono: Timestamp(self.now_ms), wall: WallTime(self.now_ms as i64) }
    }

    fn draw(&mut self) -> u64 {
        self.drawn += 1;
        self.drawn.wrapping_mul(0x9e37_79b9_7f4a_7c15)
    }

    fn ask(&mut self, who: usize, event: impl FnOnce(Ticket) -> Event) {
        self.drawn += 1;
        let ticket = Ticket(self.drawn);
        self.open.insert(ticket, who);
        self.known[who].ticket = Some(ticket);
        self.give(event(ticket));
    }

    fn give(&mut self, event: Event) {
        let input = Input { event, now: self.now(), entropy: self.draw() };
        let keeps = self.refuses && self.group.summary().state == StateName::Stable;
        let effects = self.group.handle(input);
        let begins = effects.facts.iter().any(|fact| matches!(fact, Fact::RebalanceBegan(_)));
        assert!(!(keeps && begins), "a rebalance that could not be stored");
        self.took_effect(effects);
    }

    fn took_effect(&mut self, effects: Effects) {
        if effects.records.contains(&Record::Removed) {
            // The next group of this name counts from the beginning: nobody can hold a generation of the old one.
            self.announced = Generation(0);
        }
        for fact in &effects.facts {
            // Also after a crash: a generation that was announced and never stored does not come back as another one.
            if let Fact::GenerationBegan { generation, .. } = fact {
                assert!(*generation > self.announced, "generation {generation} after {}", self.announced);
            }
        }
        for (ticket, reply) in effects.replies {
            assert!(self.answered.insert(ticket), "{ticket:?} is answered twice");
            if let Reply::Heartbeat(error) = reply {
                self.last_heartbeat = Some(error);
            }
            let Some(who) = self.open.remove(&ticket) else { continue };
            let Reply::Join(join) = reply else { continue };
            if join.error == ErrorCode::None || join.error == ErrorCode::MemberIdRequired {
                self.known[who].id = join.member;
            } else if join.error == ErrorCode::UnknownMemberId {
                self.known[who].id = MemberId::default();
            }
            if join.error == ErrorCode::None {
                // An answer that waited for the store while the group was deleted is one of the old group's.
                if join.generation <= self.group.summary().generation {
                    self.announced = self.announced.max(join.generation);
                }
                self.known[who].generation = join.generation;
            }
        }
        self.unstored.extend(effects.records);
        self.upto = self.upto.max(effects.upto);
        for work in effects.work {
            match work {
                Work::CheckPlan(id, _) => self.checks.push(id),
                Work::MakePlan(id, plan) => self.plans.push((id, plan)),
                Work::ReviewPlan(id) => self.reviews.push(id),
                Work::ComparePlans(..) => {}
            }
        }
    }

    fn run(&mut self, deed: Deed) {
        match deed {
            Deed::Join { who, offers, handshake, divvy } => self.join(who, offers, handshake, divvy),
            Deed::Sync { who, fails, fault } => self.sync(who, fails, fault),
            Deed::Heartbeat { who, news, waits } => {
                let wait = waits.then_some(Duration::from_secs(9));
                let Known { id: member, generation, .. } = self.known[who].clone();
                let modules = news.map(modules);
                let now = self.now().mono;
                let is_plain = modules.is_none() && wait.is_none();
                let pulsed = if is_plain { self.group.pulse(member.as_str(), generation, now) } else { None };
                let before = format!("{:?}", self.group);
                self.ask(who, |ticket| {
                    Event::Heartbeat(ticket, HeartbeatRequest { member, instance: None, generation, modules, wait })
                });
                // A plain heartbeat says and does the same by itself: as an event it changes nothing more.
                if let Some(error) = pulsed {
                    assert_eq!(self.last_heartbeat, Some(error));
                    assert_eq!(format!("{:?}", self.group), before);
                }
            }
            Deed::DiskChanges => {
                self.refuses = !self.refuses;
                self.group.set_store_refuses(self.refuses);
            }
            Deed::Leave { who } => {
                let member = std::mem::take(&mut self.known[who].id);
                let members = vec![Leaver { member, instance: None, reason: None }];
                self.ask(who, |ticket| Event::Leave(ticket, LeaveRequest { members }));
            }
            Deed::DeleteGroup { who } => self.ask(who, Event::DeleteGroup),
            Deed::DeleteOffset { who, partition } => {
                let partitions = vec![("t".into(), partition)];
                self.ask(who, |ticket| Event::DeleteOffsets(ticket, DeleteOffsetsRequest { partitions }));
            }
            Deed::TopicRemoved => self.give(Event::TopicsRemoved(vec!["t".into()], None)),
            Deed::Sweep => self.give(Event::Sweep),
            Deed::Commit { who, partition, keep_ms } => {
                let Known { id: member, generation, .. } = self.known[who].clone();
                let offset = self.drawn as i64;
                let retention = keep_ms.map(Duration::from_millis);
                let offsets = vec![CommittedOffset {
                    topic: "t".into(),
                    partition,
                    offset,
                    leader_epoch: -1,
                    metadata: String::new(),
                }];
                self.ask(who, |ticket| {
                    Event::Commit(ticket, CommitRequest { member, instance: None, generation, retention, offsets })
                });
            }
            Deed::Close { who } => {
                let Some(ticket) = self.known[who].ticket.filter(|ticket| self.open.contains_key(ticket)) else {
                    return;
                };
                self.open.remove(&ticket);
                self.give(Event::Closed(ticket));
            }
            Deed::Wait { ms } => self.wait(ms),
            Deed::StoreCatchesUp => self.catch_up(),
            Deed::StoreFails => self.reload(true),
            Deed::PlanRefused => {
                for id in std::mem::take(&mut self.checks) {
                    self.give(Event::WorkDone(id, WorkOutcome::PlanChecked(Err("a rule".to_owned()))));
                }
            }
            Deed::PlanMade { fails, fault } => self.make(fails, fault),
            Deed::GroundChanges { to } => {
                self.ground = to;
                self.give(Event::GroundChanged(modules(to).into()));
            }
            Deed::LeadChanges => {
                let lead = if self.settings.lead == Lead::Members { Lead::Coordinator } else { Lead::Members };
                self.settings = Arc::new(GroupSettings { lead, ..GroupSettings::default() });
                self.give(Event::SettingsChanged(self.settings.clone()));
            }
            Deed::Crash => self.reload(false),
        }
    }

    /// The coordinator's own work comes to an end.
    fn make(&mut self, fails: bool, fault: bool) {
        for (id, plan) in std::mem::take(&mut self.plans) {
            let broken = Fault {
                protocol: plan.protocol.clone(),
                digest: Some(Digest([self.ground; 32])),
                kind: "trap".to_owned(),
                message: "unreachable".to_owned(),
            };
            let made = MadePlan {
                served_by: None,
                captured: None,
                states: plan.members.iter().map(|it| (it.id.clone(), Bytes::from_static(b"led"))).collect(),
                origin: Box::new(PlanOrigin { fault: fault.then(|| broken.clone()), ..Default::default() }),
                fingerprint: self.ground.into(),
                call_again: fault.then_some(Duration::from_secs(20)),
            };
            let outcome = if fails { Err(broken) } else { Ok(made) };
            self.give(Event::WorkDone(id, WorkOutcome::PlanMade(outcome)));
        }
        for id in std::mem::take(&mut self.reviews) {
            self.give(Event::WorkDone(id, WorkOutcome::PlanReviewed(self.ground.into())));
        }
    }

    fn join(&mut self, who: usize, offers: u8, handshake: bool, divvy: bool) {
        let request = JoinRequest {
            skip_assignment: SkipAssignment::Understood,
            member: self.known[who].id.clone(),
            instance: None,
            client_id: format!("m{who}").into(),
            client_host: "".into(),
            session_timeout: Duration::from_secs(8),
            rebalance_timeout: Duration::from_secs(12),
            protocol_type: "consumer".into(),
            protocols: protocols(offers).into(),
            handshake: if handshake { IdHandshake::Required } else { IdHandshake::None },
            modules: divvy.then(|| modules(offers)),
            reason: None,
        };
        self.ask(who, |ticket| Event::Join(ticket, request));
    }

    fn sync(&mut self, who: usize, fails: bool, fault: bool) {
        let Known { id: member, generation, .. } = self.known[who].clone();
        let described = self.group.describe(self.now().wall);
        let states = described.members.iter().map(|m| (m.id.clone(), Bytes::from(format!("{generation}")))).collect();
        let broken = Fault {
            protocol: described.summary.protocol.unwrap_or_default(),
            digest: Some(Digest([1; 32])),
            kind: "trap".to_owned(),
            message: "unreachable".to_owned(),
        };
        let result = if fails {
            LeaderResult::Error(broken)
        } else {
            let fault = fault.then_some(broken);
            let origin = PlanOrigin {
                digest: Some(Digest([1; 32])),
                settings_hash: self.settings.hash(),
                copies: 1,
                complete: true,
                fault,
                ..Default::default()
            };
            LeaderResult::Plan { states, origin: who.is_multiple_of(2).then_some(origin) }
        };
        let request = SyncRequest { member, instance: None, generation, protocol_type: None, protocol: None, result };
        self.ask(who, |ticket| Event::Sync(ticket, request));
        if !self.checks.is_empty() && !fault {
            for id in std::mem::take(&mut self.checks) {
                self.give(Event::WorkDone(id, WorkOutcome::PlanChecked(Ok(Checked::default()))));
            }
        }
    }

    fn wait(&mut self, ms: u64) {
        let end = self.now_ms + ms;
        while let Some(at) = self.group.next_deadline().filter(|at| at.0 <= end) {
            self.now_ms = self.now_ms.max(at.0);
            let before = self.group.next_deadline();
            self.give(Event::Tick);
            assert!(
                self.group.next_deadline().is_none_or(|next| next.0 > self.now_ms),
                "a tick at {before:?} leaves work"
            );
        }
        self.now_ms = end;
    }

    fn catch_up(&mut self) {
        for record in std::mem::take(&mut self.unstored) {
            match record {
                Record::Removed => self.stored.clear(),
                Record::OffsetRemoved(..) => drop(self.stored.remove(&record.key())),
                _ => drop(self.stored.insert(record.key(), record)),
            }
        }
        let upto = self.upto;
        self.give(Event::Stored(upto));
        if self.unstored.is_empty() {
            self.compare();
        }
    }

    /// The store failed, or the whole process died: what is durable is all there is.
    fn reload(&mut self, politely: bool) {
        if politely {
            self.give(Event::StoreFailed);
            assert!(self.open.is_empty(), "nobody answers {:?}", self.open);
        }
        self.unstored.clear();
        self.checks.clear();
        self.plans.clear();
        self.reviews.clear();
        self.open.clear();
        self.upto = Seq(0);
        self.group = self.restored();
        self.group.set_store_refuses(self.refuses);
    }

    fn restored(&self) -> Group {
        let records: Vec<Record> = self.stored.values().cloned().collect();
        Group::restore(GroupId::from("g"), records, self.limits.clone(), self.settings.clone(), self.now())
    }

    fn compare(&self) {
        let (live, restored) = (self.group.persisted(), self.restored().persisted());
        assert_eq!(live.offsets, restored.offsets);
        assert_eq!(live.plan, restored.plan);
        assert_eq!(live.suspensions, restored.suspensions);
        assert_eq!(live.reserved, restored.reserved);
        let settled = matches!(self.group.summary().state, StateName::Stable | StateName::Empty);
        if settled && self.stored.contains_key(&RecordKey::Header) {
            assert_eq!(live.header, restored.header);
        }
    }
}

/// Protocols by bits: a, b, c.
fn protocols(bits: u8) -> Vec<OfferedProtocol> {
    let named = [(1, "a"), (2, "b"), (4, "c")].into_iter().filter(|(bit, _)| bits & bit != 0);
    named.map(|(_, name)| OfferedProtocol { name: name.into(), metadata: Bytes::from_static(b"m") }).collect()
}

fn modules(bits: u8) -> Vec<ModuleOffer> {
    protocols(bits).into_iter().map(|it| ModuleOffer { protocol: it.name, digest: Digest([bits; 32]) }).collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2_000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn restoring_all_records_gives_the_live_group(deeds in deeds()) {
        let mut world = World::new();
        for deed in deeds {
            world.run(deed);
        }
        world.refuses = false;
        world.group.set_store_refuses(false);
        // Left alone, the group comes to rest: whoever is silent is removed, and nobody's request stays open.
        for _ in 0..80 {
            world.catch_up();
            world.run(Deed::PlanRefused);
            world.make(false, false);
            world.wait(10_000);
        }
        world.catch_up();
        prop_assert!(world.open.is_empty(), "nobody answers {:?}", world.open);
        prop_assert_eq!(world.group.summary().members, 0);
        prop_assert_eq!(world.group.summary().state, StateName::Empty);
    }
}
