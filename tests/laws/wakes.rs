//! A group is woken for what is to be done, and for nothing else: a tick may be a look at many.

use std::sync::Arc;
use std::time::Duration;

use divvy::coordinator::{Coordinator, CoordinatorConfig, HeartbeatWhileLoading, SettingsBook};
use divvy::group::event::{
    IdHandshake, JoinRequest, LeaderResult, MadePlan, OfferedProtocol, SkipAssignment, SyncRequest,
};
use divvy::group::{
    Effects, Event, Group, GroupLimits, GroupSettings, Input, Lead, Reply, Ticket, Work, WorkId, WorkOutcome,
};
use divvy::ids::{Generation, GroupId, MemberId};
use divvy::time::{Now, Timestamp, WallTime};

const SESSION_MS: u64 = 45_000;

struct World {
    group: Group,
    now_ms: u64,
    inputs: u64,
}

impl World {
    /// A group with one member, whose plan is accepted at the end of the first join phase.
    fn stable() -> (Self, MemberId, Generation) {
        let (limits, settings) = (Arc::new(GroupLimits::default()), Arc::new(GroupSettings::default()));
        let group = Group::new("g".into(), limits, settings, Now::default());
        let mut world = Self { group, now_ms: 0, inputs: 0 };
        world.give(Event::Join(Ticket(0), join(IdHandshake::None)));
        world.now_ms = 3_000;
        let replies = world.give(Event::Tick);
        let [Reply::Join(joined)] = replies.as_slice() else { panic!("{replies:?}") };
        let (member, generation) = (joined.member.clone(), joined.generation);
        let result = LeaderResult::Plan { states: Vec::new(), origin: None };
        let sync = SyncRequest {
            member: member.clone(),
            instance: None,
            generation,
            protocol_type: None,
            protocol: None,
            result,
        };
        world.give(Event::Sync(Ticket(0), sync));
        (world, member, generation)
    }

    fn give(&mut self, event: Event) -> Vec<Reply> {
        self.inputs += 1;
        let now = Now { mono: Timestamp(self.now_ms), wall: WallTime::default() };
        let effects = self.group.handle(Input { event, now, entropy: self.inputs });
        let mut replies: Vec<Reply> = effects.replies.into_iter().map(|(_, reply)| reply).collect();
        if !effects.records.is_empty() {
            replies.extend(self.give(Event::Stored(effects.upto)));
        }
        for work in effects.work {
            let Work::CheckPlan(id, _) = work else { panic!("{work:?}") };
            replies.extend(self.give(Event::WorkDone(id, WorkOutcome::PlanChecked(Ok(Default::default())))));
        }
        replies
    }

    /// Lets time pass, a millisecond in which the group wants to be woken after the other, and says how often it was.
    fn ticks_until(&mut self, end_ms: u64) -> u32 {
        let mut ticks = 0;
        while let Some(at) = self.group.next_deadline().filter(|at| at.0 <= end_ms) {
            self.now_ms = self.now_ms.max(at.0);
            self.give(Event::Tick);
            ticks += 1;
        }
        self.now_ms = end_ms;
        ticks
    }
}

fn join(handshake: IdHandshake) -> JoinRequest {
    JoinRequest {
        member: MemberId::default(),
        instance: None,
        client_id: "c".into(),
        client_host: "h".into(),
        session_timeout: Duration::from_millis(SESSION_MS),
        rebalance_timeout: Duration::from_secs(60),
        protocol_type: "consumer".into(),
        protocols: [OfferedProtocol { name: "range".into(), metadata: Default::default() }].into(),
        handshake,
        skip_assignment: SkipAssignment::Unknown,
        modules: None,
        reason: None,
    }
}

#[test]
fn an_id_that_is_never_used_wakes_a_group_that_does_not_join_once() {
    let (mut world, member, generation) = World::stable();
    let start = world.now_ms;
    for _ in 0..100 {
        world.now_ms += 1;
        world.give(Event::Join(Ticket(1), join(IdHandshake::Required)));
    }
    let ticks = world.ticks_until(start + 10_000);
    assert!(ticks <= 1, "but for one look whether the store was in time there is nothing to do: {ticks} ticks");
    assert!(world.group.pulse(member.as_str(), generation, Timestamp(world.now_ms)).is_some());
    let ticks = world.ticks_until(start + 50_000);
    assert!(ticks <= 101, "100 ids and a look at one member: {ticks} ticks");
}

#[test]
fn a_heartbeat_is_not_a_look_at_sessions_for_each_tick() {
    let (mut world, member, generation) = World::stable();
    let mut ticks = 0;
    for second in 4..=130 {
        ticks += world.ticks_until(second * 1_000);
        let now = Timestamp(world.now_ms);
        assert!(world.group.pulse(member.as_str(), generation, now).is_some(), "it is answered without an event");
    }
    assert!(ticks <= 3, "a session of 45 s is looked at each 44 s: {ticks} ticks in 127 s");
}

#[test]
fn a_session_ends_to_the_millisecond_however_often_it_was_renewed() {
    let (mut world, member, generation) = World::stable();
    for second in [20, 40, 60, 61] {
        world.ticks_until(second * 1_000);
        assert!(world.group.pulse(member.as_str(), generation, Timestamp(world.now_ms)).is_some());
    }
    world.ticks_until(61_000 + SESSION_MS - 1);
    assert_eq!(world.group.summary().members, 1);
    world.ticks_until(61_000 + SESSION_MS);
    assert_eq!(world.group.summary().members, 0);
}

/// The coordinator leads groups with one member each, in the first generation of each.
struct Led {
    coordinator: Coordinator,
    now_ms: u64,
    drawn: u64,
}

impl Led {
    fn groups(count: usize) -> Self {
        let settings = GroupSettings { lead: Lead::Coordinator, ..GroupSettings::default() };
        let config = CoordinatorConfig {
            limits: GroupLimits::default(),
            load_wait: Duration::from_secs(5),
            heartbeat_while_loading: HeartbeatWhileLoading::Ok,
            settings: SettingsBook::new([("*".to_owned(), settings)]),
        };
        let mut led = Self { coordinator: Coordinator::new(config), now_ms: 0, drawn: 0 };
        led.coordinator.loaded(Vec::new(), led.now(), || 0);
        for number in 0..count {
            led.give(&GroupId::from(format!("g{number:05}")), Event::Join(Ticket(0), join(IdHandshake::None)));
        }
        led.now_ms = 3_000;
        while led.coordinator.next_deadline().is_some_and(|at| at.0 <= led.now_ms) {
            for (group, effects) in led.tick() {
                led.follow(&group, effects);
            }
        }
        led
    }

    fn now(&self) -> Now {
        Now { mono: Timestamp(self.now_ms), wall: WallTime::default() }
    }

    fn tick(&mut self) -> Vec<(GroupId, Effects)> {
        let (now, drawn) = (self.now(), &mut self.drawn);
        self.coordinator.tick(now, || {
            *drawn += 1;
            *drawn
        })
    }

    fn change_topics(&mut self) {
        self.coordinator.ground_changed(
            Arc::default(),
            Now { mono: Timestamp(self.now_ms), wall: WallTime::default() },
            || 0,
        );
    }

    fn give(&mut self, group: &GroupId, event: Event) {
        self.drawn += 1;
        let effects = self.coordinator.handle(group, event, self.now(), self.drawn);
        self.follow(group, effects);
    }

    fn follow(&mut self, group: &GroupId, effects: Effects) {
        if !effects.records.is_empty() {
            self.give(group, Event::Stored(effects.upto));
        }
        for work in effects.work {
            let Work::MakePlan(id, plan) = work else { panic!("{work:?}") };
            assert!(plan.last_states.is_empty());
            let states = plan.members.iter().map(|member| (member.id.clone(), "state".into())).collect();
            let (origin, fingerprint) = (Box::default(), 1);
            let made = MadePlan { served_by: None, states, origin, fingerprint, call_again: None, captured: None };
            self.give(group, Event::WorkDone(id, WorkOutcome::PlanMade(Ok(made))));
        }
    }

    /// The reviews that groups ask for in one tick, a second after the last change.
    fn reviews(&mut self) -> Vec<(GroupId, WorkId)> {
        self.now_ms += 1_000;
        let asked = |(group, effects): (GroupId, Effects)| match effects.work.as_slice() {
            [] => None,
            [Work::ReviewPlan(id)] => Some((group, *id)),
            other => panic!("{other:?}"),
        };
        self.tick().into_iter().filter_map(asked).collect()
    }
}

#[test]
fn a_change_of_the_topics_keeps_a_shard_busy_with_some_of_its_groups_at_once() {
    let mut led = Led::groups(2_500);
    led.change_topics();
    let mut asked = Vec::new();
    for some in [1_000, 1_000, 500] {
        let now = led.reviews();
        assert_eq!(now.len(), some);
        asked.extend(now);
    }
    asked.sort();
    asked.dedup_by(|(a, _), (b, _)| a == b);
    assert_eq!(asked.len(), 2_500, "each once");
}

#[test]
fn a_review_that_waits_for_its_turn_is_not_asked_for_again() {
    let mut led = Led::groups(1);
    let wall = WallTime::default();
    led.change_topics();
    let [(group, id)] = &led.reviews()[..] else { panic!("one group") };
    led.change_topics();
    assert_eq!(led.reviews(), [], "it has not begun: it will see the second change as well");
    let plan = led.coordinator.plan_to_review(group, *id, wall).expect("its turn has come");
    assert_eq!((plan.members.len(), plan.last_states.len()), (1, 0), "the last plan's states are no part of it");
    led.change_topics();
    let [(_, second)] = &led.reviews()[..] else { panic!("the first has begun without the third change") };
    assert!(led.coordinator.plan_to_review(group, *id, wall).is_none(), "the second takes its place");
    assert!(led.coordinator.plan_to_review(group, *second, wall).is_some());
}
