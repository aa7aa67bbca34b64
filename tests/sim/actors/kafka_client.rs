//! A model of Kafka's clients: joins, syncs and heartbeats in the versions of several eras, and what each does on each
//! error. Some have a fault of their own until the faults are over.

use bytes::Bytes;
use divvy::group::Reply;
use divvy::group::effects::{JoinReply, SyncReply};
use divvy::group::event::{CommittedOffset, LeaderResult, OfferedProtocol};
use divvy::ids::{MemberId, Protocol};
use divvy::wire::ErrorCode;

use super::kafka_kind::{Kind, Quirk};
use super::plans::{self, Place};
use super::{Actor, End, Request, Standing, Turn, Wish};
use crate::calls::{Call, Identity, Join};
use crate::network::Lane;

/// Where it is in the life of its group.
#[derive(Clone, PartialEq, Debug)]
enum State {
    Off,
    /// It joins then.
    Unjoined {
        at: u64,
    },
    Joining {
        tag: u64,
    },
    /// It has joined and sends SyncGroup then: a leader thinks first, and never sends twice what it thought.
    Thinking {
        at: u64,
        plan: Vec<(MemberId, Bytes)>,
    },
    Syncing {
        tag: u64,
    },
    Stable,
}

/// The client.
pub struct KafkaClient {
    kind: Kind,
    state: State,
    who: Identity,
    protocol: Protocol,
    owned: Vec<Place>,
    tags: u64,
    beat_at: u64,
    beating: Option<u64>,
    /// When the coordinator last said that the member is one.
    confirmed: u64,
    commit_at: u64,
    failures: u32,
    calm: bool,
    /// Whether this process reads the first topic alone.
    reads_little: bool,
}

/// How often a client commits, about.
const COMMIT_EVERY_MS: u64 = 2_000;

impl KafkaClient {
    pub fn new(kind: Kind) -> Self {
        Self {
            kind,
            state: State::Off,
            who: Identity::default(),
            protocol: Protocol::default(),
            owned: Vec::new(),
            tags: 0,
            beat_at: 0,
            beating: None,
            confirmed: 0,
            commit_at: 0,
            failures: 0,
            calm: false,
            reads_little: false,
        }
    }

    fn has(&self, quirk: Quirk) -> bool {
        self.kind.quirk == quirk && !self.calm
    }

    fn ask(&mut self, lane: Lane, call: Call, patience: u64, turn: &mut Turn<'_>) -> u64 {
        self.tags += 1;
        if self.has(Quirk::Repeats) {
            // Nobody waits for the second answer.
            let again = Request { lane: Lane::Prompt, tag: 0, call: call.clone(), patience };
            turn.wishes.push(Wish::Ask(Box::new(again)));
        }
        turn.wishes.push(Wish::Ask(Box::new(Request { lane, tag: self.tags, call, patience })));
        self.tags
    }

    fn join(&mut self, turn: &mut Turn<'_>) {
        let is_cooperative = self.kind.offers.contains(&"cooperative-sticky");
        let owned = if is_cooperative { self.owned.as_slice() } else { &[] };
        let metadata = plans::subscription(owned, self.who.generation, self.reads_little);
        let offer = |name: &&str| OfferedProtocol { name: (*name).into(), metadata: metadata.clone() };
        let join = Join {
            who: Identity { instance: self.kind.instance.clone(), ..self.who.clone() },
            client_id: self.kind.name.clone(),
            version: self.kind.version,
            session_ms: self.kind.session_ms,
            rebalance_ms: self.kind.rebalance_ms,
            protocol_type: "consumer",
            protocols: self.kind.offers.iter().map(offer).collect(),
            modules: None,
        };
        let patience =
            if self.has(Quirk::IsImpatient) { turn.dice.within(500, 4_000) } else { self.kind.rebalance_ms + 5_000 };
        let tag = self.ask(Lane::Main, join.into(), patience, turn);
        self.state = State::Joining { tag };
    }

    fn join_later(&mut self, turn: &mut Turn<'_>) {
        self.failures += 1;
        let wait = (100 << self.failures.min(4)).min(1_500);
        self.state = State::Unjoined { at: turn.now + turn.dice.within(wait / 2, wait) };
    }

    fn rejoin(&mut self, turn: &mut Turn<'_>) {
        // An eager client gives up its work first, which takes a while.
        let wait = turn.dice.tail(50, 2_000);
        self.state = State::Unjoined { at: turn.now + wait };
        if !self.kind.offers.contains(&"cooperative-sticky") {
            self.owned.clear();
        }
    }

    fn forget_id(&mut self) {
        self.who.member = MemberId::default();
        self.owned.clear();
    }

    fn joined(&mut self, reply: JoinReply, turn: &mut Turn<'_>) {
        match reply.error {
            ErrorCode::None => self.enter(reply, turn),
            ErrorCode::MemberIdRequired => {
                self.who.member = reply.member;
                if self.has(Quirk::LeavesWithItsId) && turn.dice.percent(50) {
                    self.ask(Lane::Prompt, Call::leave(&self.who), 3_000, turn);
                    self.forget_id();
                    self.join_later(turn);
                } else {
                    self.join(turn);
                }
            }
            ErrorCode::UnknownMemberId => {
                self.forget_id();
                self.join_later(turn);
            }
            ErrorCode::FencedInstanceId => self.state = State::Off,
            ErrorCode::CoordinatorNotAvailable | ErrorCode::NotCoordinator if self.kind.forgets_its_id => {
                self.forget_id();
                self.join_later(turn);
            }
            _ => self.join_later(turn),
        }
    }

    fn enter(&mut self, reply: JoinReply, turn: &mut Turn<'_>) {
        self.failures = 0;
        self.who = Identity {
            member: reply.member.clone(),
            instance: self.kind.instance.clone(),
            generation: reply.generation,
        };
        self.protocol = reply.protocol.clone().unwrap_or_default();
        self.confirmed = turn.now;
        self.beat_at = turn.now + self.kind.heartbeat_ms;
        self.commit_at = turn.now + turn.dice.within(1, COMMIT_EVERY_MS);
        self.beating = None;
        let leads = reply.leader == reply.member && !reply.members.is_empty() && !reply.skip_assignment;
        let plan = match leads {
            false => Vec::new(),
            true if self.protocol == "cooperative-sticky" => plans::cooperative(&reply.members),
            true => plans::eager(&reply.members),
        };
        let thinks = if leads { turn.dice.tail(20, 1_500) } else { 0 };
        self.state = State::Thinking { at: turn.now + thinks, plan };
    }

    fn sync(&mut self, plan: Vec<(MemberId, Bytes)>, turn: &mut Turn<'_>) {
        if self.has(Quirk::NeverSyncs) {
            self.state = State::Stable;
            return;
        }
        let result = LeaderResult::Plan { states: plan, origin: None };
        let tag = self.ask(Lane::Main, Call::sync(&self.who, result), self.kind.rebalance_ms + 5_000, turn);
        self.state = State::Syncing { tag };
    }

    fn synced(&mut self, reply: SyncReply, turn: &mut Turn<'_>) {
        match reply.error {
            ErrorCode::None => {
                let given = plans::owned(&reply.state).unwrap_or_default();
                let revoked = self.owned.iter().any(|place| !given.contains(place));
                self.owned = given;
                self.confirmed = turn.now;
                self.state = State::Stable;
                if revoked && self.protocol == "cooperative-sticky" {
                    self.rejoin(turn);
                }
            }
            ErrorCode::UnknownMemberId => {
                self.forget_id();
                self.rejoin(turn);
            }
            ErrorCode::IllegalGeneration if self.kind.forgets_its_id => {
                self.forget_id();
                self.rejoin(turn);
            }
            ErrorCode::FencedInstanceId => self.state = State::Off,
            ErrorCode::RebalanceInProgress | ErrorCode::IllegalGeneration => self.rejoin(turn),
            _ => self.join_later(turn),
        }
    }

    fn beaten(&mut self, error: ErrorCode, turn: &mut Turn<'_>) {
        if !matches!(self.state, State::Stable | State::Thinking { .. } | State::Syncing { .. }) {
            return;
        }
        match error {
            ErrorCode::None => self.confirmed = turn.now,
            ErrorCode::RebalanceInProgress => {
                self.confirmed = turn.now;
                // A SyncGroup on its way says so by itself.
                if self.state == State::Stable {
                    self.rejoin(turn);
                }
            }
            ErrorCode::IllegalGeneration => {
                if self.kind.forgets_its_id {
                    self.forget_id();
                }
                self.rejoin(turn);
            }
            ErrorCode::UnknownMemberId => {
                self.forget_id();
                self.rejoin(turn);
            }
            ErrorCode::FencedInstanceId => self.state = State::Off,
            // The coordinator is looked for; the work goes on.
            _ => {}
        }
    }

    fn beat(&mut self, turn: &mut Turn<'_>) {
        self.beat_at = turn.now + self.kind.heartbeat_ms;
        let mut who = self.who.clone();
        if self.has(Quirk::LivesInThePast) && turn.dice.percent(30) {
            who.generation.0 -= 1;
        }
        let patience = self.kind.session_ms.min(3_000);
        self.beating = Some(self.ask(Lane::Prompt, Call::heartbeat(&who, None, None), patience, turn));
    }

    fn commit(&mut self, turn: &mut Turn<'_>) {
        self.commit_at = turn.now + turn.dice.within(1, 2 * COMMIT_EVERY_MS);
        let Some((topic, partition)) = self.owned.first().copied().filter(|(topic, _)| *topic == "clicks") else {
            return;
        };
        *turn.commits += 1;
        let offset = CommittedOffset {
            topic: topic.into(),
            partition,
            offset: *turn.commits,
            leader_epoch: -1,
            metadata: String::new(),
        };
        let mut who = self.who.clone();
        if self.has(Quirk::LivesInThePast) && turn.dice.percent(30) {
            who.generation.0 -= 1;
        }
        self.ask(Lane::Prompt, Call::commit(&who, vec![offset]), 3_000, turn);
    }

    fn is_in(&self) -> bool {
        matches!(self.state, State::Stable | State::Thinking { .. } | State::Syncing { .. })
    }
}

impl Actor for KafkaClient {
    fn start(&mut self, turn: &mut Turn<'_>) {
        if self.state == State::Off {
            self.who = Identity::default();
            self.owned.clear();
            self.reads_little = self.kind.wavers && !self.reads_little;
            self.state = State::Unjoined { at: turn.now };
        }
    }

    fn end(&mut self, how: End, turn: &mut Turn<'_>) {
        // A static member never says that it goes: it means to come back.
        if how == End::Leaves && self.is_in() && self.kind.instance.is_none() {
            self.ask(Lane::Prompt, Call::leave(&self.who), 3_000, turn);
        } else {
            turn.wishes.push(Wish::Hangup);
        }
        self.state = State::Off;
        self.who = Identity::default();
    }

    fn calm(&mut self, turn: &mut Turn<'_>) {
        self.calm = true;
        if self.kind.quirk == Quirk::NeverSyncs && self.state == State::Stable {
            self.rejoin(turn);
        }
    }

    fn wake(&mut self, turn: &mut Turn<'_>) {
        match &self.state {
            State::Unjoined { at } if *at <= turn.now => self.join(turn),
            State::Thinking { at, plan } if *at <= turn.now => {
                let plan = plan.clone();
                self.sync(plan, turn);
            }
            _ => {}
        }
        if !self.is_in() || self.has(Quirk::FallsSilent) {
            return;
        }
        if turn.now >= self.confirmed + self.kind.session_ms {
            // Nothing was confirmed for a whole session: the work may be another's.
            self.confirmed = turn.now;
            self.rejoin(turn);
        } else if self.beat_at <= turn.now && self.beating.is_none() {
            self.beat(turn);
        } else if self.state == State::Stable && self.commit_at <= turn.now {
            self.commit(turn);
        }
    }

    fn wakes_at(&self) -> Option<u64> {
        let beats = self.is_in() && !self.has(Quirk::FallsSilent);
        let beat = (beats && self.beating.is_none()).then_some(self.beat_at);
        let commit = (beats && self.state == State::Stable).then_some(self.commit_at);
        let lost = beats.then_some(self.confirmed + self.kind.session_ms);
        let own = match &self.state {
            State::Unjoined { at } | State::Thinking { at, .. } => Some(*at),
            _ => None,
        };
        [beat, commit, lost, own].into_iter().flatten().min()
    }

    fn answered(&mut self, tag: u64, reply: Reply, turn: &mut Turn<'_>) {
        match (reply, &self.state) {
            (Reply::Join(reply), State::Joining { tag: waits }) if *waits == tag => self.joined(reply, turn),
            (Reply::Sync(reply), State::Syncing { tag: waits }) if *waits == tag => self.synced(reply, turn),
            (Reply::Heartbeat(error), _) if self.beating == Some(tag) => {
                self.beating = None;
                self.beaten(error, turn);
            }
            _ => {}
        }
    }

    fn unanswered(&mut self, tag: u64, turn: &mut Turn<'_>) {
        if self.beating == Some(tag) {
            self.beating = None;
            self.beat_at = turn.now + 100;
        }
        match &self.state {
            State::Joining { tag: waits } if *waits == tag => self.join_later(turn),
            State::Syncing { tag: waits } if *waits == tag => self.join_later(turn),
            _ => {}
        }
    }

    fn probed(&mut self, _: u64, _: bool, _: &mut Turn<'_>) {}

    fn standing(&self) -> Standing {
        match self.state {
            State::Off => Standing::Gone,
            State::Stable => Standing::In { member: self.who.member.clone(), generation: self.who.generation },
            _ => Standing::Out,
        }
    }
}
