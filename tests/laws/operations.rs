//! S78: any sequence of operations of one to eight members, whose answers come late, twice or never, and the group keeps
//! its promises: one leader, who is a member; generations that only grow; an answer for every request; one generation's
//! states at a time; never more members than allowed once a join phase is over.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use divvy::group::event::*;
use divvy::group::{Effects, Fact, Group, GroupLimits, GroupSettings, Reply, StateName};
use divvy::ids::{Generation, GroupId, InstanceId, MemberId};
use divvy::time::{Now, Timestamp, WallTime};
use divvy::wire::ErrorCode;
use proptest::prelude::*;
use proptest::test_runner::FileFailurePersistence;

/// `group.max.size` of the law's group: some of the eight stay outside.
const SIZE_MAX: usize = 6;

/// What can be done. Members are numbers; the last three are static.
#[derive(Clone, Debug)]
enum Deed {
    Join {
        who: usize,
        offers: u8,
        from_v4: bool,
    },
    Sync {
        who: usize,
    },
    Heartbeat {
        who: usize,
        back: i32,
    },
    Leave {
        who: usize,
    },
    Commit {
        who: usize,
    },
    /// The last request once more, on another connection.
    Repeat {
        who: usize,
    },
    Close {
        who: usize,
    },
    /// The process forgets who it is.
    Restart {
        who: usize,
    },
    Wait {
        ms: u64,
    },
    /// Answers wait on the way from now on …
    Delay,
    /// … arrive …
    Arrive,
    /// … or never do.
    Lose,
    Stored,
}

fn deeds() -> impl Strategy<Value = (usize, Vec<Deed>)> {
    (1..=8usize).prop_flat_map(|members| {
        let who = 0..members;
        let deed = prop_oneof![
            8 => (who.clone(), 1..4u8, any::<bool>())
                .prop_map(|(who, offers, from_v4)| Deed::Join { who, offers, from_v4 }),
            8 => who.clone().prop_map(|who| Deed::Sync { who }),
            4 => (who.clone(), 0..2i32).prop_map(|(who, back)| Deed::Heartbeat { who, back }),
            1 => who.clone().prop_map(|who| Deed::Leave { who }),
            2 => who.clone().prop_map(|who| Deed::Commit { who }),
            2 => who.clone().prop_map(|who| Deed::Repeat { who }),
            1 => who.clone().prop_map(|who| Deed::Close { who }),
            1 => who.prop_map(|who| Deed::Restart { who }),
            4 => (0..8_000u64).prop_map(|ms| Deed::Wait { ms }),
            1 => Just(Deed::Delay),
            3 => Just(Deed::Arrive),
            1 => Just(Deed::Lose),
            6 => Just(Deed::Stored),
        ];
        (Just(members), prop::collection::vec(deed, 1..100))
    })
}

#[derive(Default, Clone)]
struct Known {
    id: MemberId,
    generation: Generation,
    last: Option<Event>,
    ticket: Option<Ticket>,
}

struct World {
    group: Group,
    now_ms: u64,
    drawn: u64,
    known: Vec<Known>,
    open: BTreeMap<Ticket, (usize, Event)>,
    answered: BTreeSet<Ticket>,
    upto: Seq,
    delays: bool,
    on_the_way: Vec<(usize, Reply)>,
    /// The newest generation of which states were handed out, and the newest that began.
    served: Generation,
    begun: Generation,
}

impl World {
    fn new(members: usize) -> Self {
        let limits = GroupLimits {
            initial_rebalance_delay: Duration::from_millis(500),
            max_size: SIZE_MAX,
            ..GroupLimits::default()
        };
        let settings = Arc::new(GroupSettings::default());
        Self {
            group: Group::new(GroupId::from("g"), Arc::new(limits), settings, Now::default()),
            now_ms: 0,
            drawn: 0,
            known: vec![Known::default(); members],
            open: BTreeMap::new(),
            answered: BTreeSet::new(),
            upto: Seq(0),
            delays: false,
            on_the_way: Vec::new(),
            served: Generation(0),
            begun: Generation(0),
        }
    }

    fn now(&self) -> Now {
        Now { mono: Timestamp(self.now_ms), wall: WallTime(self.now_ms as i64) }
    }

    fn ask(&mut self, who: usize, event: impl FnOnce(Ticket) -> Event) {
        self.drawn += 1;
        let ticket = Ticket(self.drawn);
        let event = event(ticket);
        self.open.insert(ticket, (who, event.clone()));
        self.known[who].ticket = Some(ticket);
        self.known[who].last = Some(event.clone());
        self.give(event);
    }

    fn give(&mut self, event: Event) {
        self.drawn += 1;
        let entropy = self.drawn.wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let effects = self.group.handle(Input { event, now: self.now(), entropy });
        self.judge(effects);
    }

    fn judge(&mut self, effects: Effects) {
        let described = self.group.describe(self.now().wall);
        for fact in &effects.facts {
            if let Fact::GenerationBegan { generation, leader, members, .. } = fact {
                assert!(*generation > self.begun, "{generation} after {}", self.begun);
                self.begun = *generation;
                assert!(*members <= SIZE_MAX, "{members} members");
                let leader = leader.as_ref().expect("a generation has a leader");
                let lasts = described.members.iter().any(|it| it.id == *leader);
                assert!(lasts, "{leader} leads and is no member");
            }
        }
        for (ticket, reply) in effects.replies {
            assert!(self.answered.insert(ticket), "{ticket:?} is answered twice");
            let Some((who, event)) = self.open.remove(&ticket) else { continue };
            if let (Event::Sync(_, request), Reply::Sync(sync)) = (&event, &reply)
                && sync.error == ErrorCode::None
            {
                assert!(request.generation >= self.served, "a state of {} after {}", request.generation, self.served);
                // One that waited for the store may be of the generation before: its member was told of no newer one.
                assert!(request.generation <= described.summary.generation);
                self.served = request.generation;
            }
            self.on_the_way.push((who, reply));
        }
        self.upto = self.upto.max(effects.upto);
        if matches!(described.summary.state, StateName::Stable | StateName::AwaitingSync) {
            assert!(described.leader.is_some(), "nobody leads {described:?}");
        }
        if !self.delays {
            self.arrive();
        }
    }

    /// What was answered reaches those who asked.
    fn arrive(&mut self) {
        for (who, reply) in std::mem::take(&mut self.on_the_way) {
            let Reply::Join(join) = reply else { continue };
            match join.error {
                ErrorCode::None => (self.known[who].id, self.known[who].generation) = (join.member, join.generation),
                ErrorCode::MemberIdRequired => self.known[who].id = join.member,
                ErrorCode::UnknownMemberId | ErrorCode::FencedInstanceId => self.known[who].id = MemberId::default(),
                _ => {}
            }
        }
    }

    fn run(&mut self, deed: Deed) {
        match deed {
            Deed::Join { who, offers, from_v4 } => self.join(who, offers, from_v4),
            Deed::Sync { who } => {
                let described = self.group.describe(self.now().wall);
                let state = Bytes::from(format!("{}", self.known[who].generation));
                let states = described.members.iter().map(|it| (it.id.clone(), state.clone())).collect();
                let (member, instance, generation) = self.identity(who);
                let result = LeaderResult::Plan { states, origin: None };
                let request = SyncRequest { member, instance, generation, protocol_type: None, protocol: None, result };
                self.ask(who, |ticket| Event::Sync(ticket, request));
            }
            Deed::Heartbeat { who, back } => {
                let (member, instance, generation) = self.identity(who);
                let generation = Generation(generation.0 - back);
                let request = HeartbeatRequest { member, instance, generation, modules: None, wait: None };
                self.ask(who, |ticket| Event::Heartbeat(ticket, request));
            }
            Deed::Leave { who } => {
                let (member, instance, _) = self.identity(who);
                let members = vec![Leaver { member, instance, reason: None }];
                self.known[who].id = MemberId::default();
                self.ask(who, |ticket| Event::Leave(ticket, LeaveRequest { members }));
            }
            Deed::Commit { who } => self.commit(who),
            Deed::Repeat { who } => {
                if let Some(event) = self.known[who].last.clone() {
                    self.ask(who, |ticket| again(event, ticket));
                }
            }
            Deed::Close { who } => {
                if let Some(ticket) = self.known[who].ticket
                    && self.open.remove(&ticket).is_some()
                {
                    self.give(Event::Closed(ticket));
                }
            }
            Deed::Restart { who } => self.known[who] = Known::default(),
            Deed::Wait { ms } => self.wait(ms),
            Deed::Delay => self.delays = true,
            Deed::Arrive => {
                self.delays = false;
                self.arrive();
            }
            Deed::Lose => self.on_the_way.clear(),
            Deed::Stored => self.give(Event::Stored(self.upto)),
        }
    }

    fn identity(&self, who: usize) -> (MemberId, Option<InstanceId>, Generation) {
        (self.known[who].id.clone(), instance(who), self.known[who].generation)
    }

    fn join(&mut self, who: usize, offers: u8, from_v4: bool) {
        let named = [(1, "a"), (2, "b")].into_iter().filter(|(bit, _)| offers & bit != 0);
        let offered = |(_, name): (u8, &str)| OfferedProtocol { name: name.into(), metadata: Bytes::new() };
        let from_v4 = from_v4 || instance(who).is_some();
        let request = JoinRequest {
            member: self.known[who].id.clone(),
            instance: instance(who),
            client_id: format!("m{who}").into(),
            client_host: "".into(),
            session_timeout: Duration::from_secs(8),
            rebalance_timeout: Duration::from_secs(12),
            protocol_type: "consumer".into(),
            protocols: named.map(offered).collect(),
            handshake: if from_v4 { IdHandshake::Required } else { IdHandshake::None },
            modules: None,
            skip_assignment: SkipAssignment::Unknown,
            reason: None,
        };
        self.ask(who, |ticket| Event::Join(ticket, request));
    }

    fn commit(&mut self, who: usize) {
        let (member, instance, generation) = self.identity(who);
        let offset = CommittedOffset {
            topic: "t".into(),
            partition: 0,
            offset: self.drawn as i64,
            leader_epoch: -1,
            metadata: String::new(),
        };
        let request = CommitRequest { member, instance, generation, offsets: vec![offset], retention: None };
        self.ask(who, |ticket| Event::Commit(ticket, request));
    }

    fn wait(&mut self, ms: u64) {
        let end = self.now_ms + ms;
        while let Some(at) = self.group.next_deadline().filter(|at| at.0 <= end) {
            self.now_ms = self.now_ms.max(at.0);
            self.give(Event::Tick);
            let next = self.group.next_deadline();
            assert!(next.is_none_or(|next| next.0 > self.now_ms), "a tick at {at:?} leaves work at {next:?}");
        }
        self.now_ms = end;
    }
}

fn instance(who: usize) -> Option<InstanceId> {
    (who >= 5).then(|| InstanceId::from(format!("i{who}")))
}

/// The same request under another ticket.
fn again(event: Event, ticket: Ticket) -> Event {
    match event {
        Event::Join(_, request) => Event::Join(ticket, request),
        Event::Sync(_, request) => Event::Sync(ticket, request),
        Event::Heartbeat(_, request) => Event::Heartbeat(ticket, request),
        Event::Leave(_, request) => Event::Leave(ticket, request),
        Event::Commit(_, request) => Event::Commit(ticket, request),
        other => other,
    }
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 2_000,
        failure_persistence: Some(Box::new(FileFailurePersistence::Direct("tests/laws/operations.kept"))),
        ..ProptestConfig::default()
    })]

    #[test]
    fn no_sequence_of_operations_breaks_a_group((members, deeds) in deeds()) {
        let mut world = World::new(members);
        for deed in deeds {
            world.run(deed);
        }
        // Left alone, everybody is out in the end, and nobody waits.
        for _ in 0..80 {
            world.run(Deed::Stored);
            world.wait(10_000);
        }
        world.run(Deed::Stored);
        prop_assert!(world.open.is_empty(), "nobody answers {:?}", world.open);
        prop_assert_eq!(world.group.summary().members, 0);
    }
}
