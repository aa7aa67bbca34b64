//! One group of the coordinator: a pure state machine. It is told what happened and when, and says what to
//! store, what to answer and what to do; it has no clock, no randomness, no task and no I/O of its own.
//!
//! Where to look: the data of each state in `state.rs`, the two phases in `join.rs`, `rebalance.rs` and `sync.rs`, who
//! wins in `vote.rs`, time in `deadlines.rs`, what survives a crash in `persist.rs`, what waits for that in `held.rs`, what
//! nothing is done about on a full disk in `refusing.rs`; how far members have come in
//! `offsets.rs`, when that is forgotten in `expiry.rs` and `delete.rs`, and whose it is in `ownership.rs`.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::ids::{Digest, Generation, GroupId, MemberId, Protocol, ProtocolType, TopicName};
use crate::time::{Now, Timestamp, WallTime};

mod deadlines;
mod delete;
pub mod describe;
pub mod effects;
pub mod event;
mod expiry;
pub mod fact;
mod heartbeat;
mod held;
mod history;
mod instances;
mod invariants;
mod join;
mod leave;
mod led;
pub mod limits;
mod moves;
mod offsets;
mod ownership;
mod pending;
mod persist;
mod places;
mod plan_check;
mod pulse;
mod rebalance;
pub mod record;
mod refusing;
mod roster;
mod served;
pub mod settings;
mod state;
mod suspend;
mod sync;
pub mod trigger;
mod vote;
mod waiting;

pub use describe::{GroupDescription, GroupSummary, MemberDescription, StateName};
pub use effects::{Effects, Reply, Work};
pub use event::{Event, Input, Seq, Ticket, WorkId, WorkOutcome};
pub use fact::Fact;
pub use history::{GenerationOutcome, GenerationRecord};
pub(crate) use join::join_error;
pub use led::COORDINATOR;
pub use limits::GroupLimits;
pub use moves::count_moves;
pub(crate) use offsets::no_offset;
pub use persist::Persisted;
pub use record::{Record, RecordKey, StandIn, Suspension};
pub use settings::{Alias, CommitCheck, ForeignPlanCheck, GroupSettings, Lead, LeaderSelection, PlanCheck};
pub use trigger::Trigger;

use history::History;
use ownership::Ownership;
use places::Places;
use record::{OffsetRecord, PlanRecord};
use roster::Roster;
use state::State;

/// One group.
#[derive(Debug)]
pub struct Group {
    id: GroupId,
    limits: Arc<GroupLimits>,
    settings: Arc<GroupSettings>,
    state: State,
    roster: Roster,
    protocol_type: Option<ProtocolType>,
    /// The protocol of the present generation.
    protocol: Option<Protocol>,
    generation: Generation,
    leader: Option<MemberId>,
    /// The last plan that was accepted. In Stable it is the present generation's.
    plan: Option<PlanRecord>,
    /// Who of that plan is static.
    places: Places,
    offsets: BTreeMap<(TopicName, i32), OffsetRecord>,
    /// Who has which partition, for the check of commits.
    ownership: Ownership,
    suspensions: Vec<Suspension>,
    /// When the group came into its present state.
    since: WallTime,
    /// As of when suspensions count for what is at hand: as of the vote for the present generation, whatever has ended since.
    /// Once something failed all count that are known, unless everything has failed; so they do in a group that was read.
    judged_at: WallTime,
    /// What began the last rebalance.
    last_trigger: Option<Trigger>,
    history: History,
    /// Leaders' errors in a row: each doubles the hold before the next try.
    failures_in_row: u32,
    /// No join phase ends before.
    hold_until: Timestamp,
    /// The module whose failure holds it back; none if no module was to blame.
    failed_module: Option<(Protocol, Option<Digest>)>,
    /// The leader whose last plan was not accepted.
    failed_leader: Option<MemberId>,
    /// A foreign leader's plan that was handed out and is being looked at.
    questioned: Option<plan_check::Questioned>,
    /// The generation whose plan is being compared with the one before.
    comparing: Option<(WorkId, Generation)>,
    ledger: Ledger,
    /// What the coordinator knows as the leader.
    led: led::Led,
    /// What waits while the store refuses writes.
    refusing: refusing::Refusing,
    /// No deadline is earlier. It may be too early, never too late.
    wake: Option<Timestamp>,
}

/// What was handed to the store, and what waits for it.
#[derive(Debug, Default)]
struct Ledger {
    /// The records handed out so far.
    emitted: Seq,
    /// Those known to be durable.
    stored: Seq,
    /// Answers that wait for a record.
    held: held::Held,
    /// The last record that removed the whole group; what came before it means nothing any more.
    removed: Seq,
    /// The highest generation that may have been announced.
    announced: Generation,
    /// The highest generation that may be announced without storing anything.
    reserved: Generation,
}

/// One step of the machine: the moment, and what it causes.
struct Step {
    now: Now,
    entropy: u64,
    effects: Effects,
}

impl Group {
    /// A group that nobody has joined yet.
    pub fn new(id: GroupId, limits: Arc<GroupLimits>, settings: Arc<GroupSettings>, now: Now) -> Self {
        Self {
            id,
            limits,
            settings,
            state: State::Empty,
            roster: Roster::default(),
            protocol_type: None,
            protocol: None,
            generation: Generation(0),
            leader: None,
            plan: None,
            places: Places::default(),
            offsets: BTreeMap::new(),
            ownership: Ownership::default(),
            suspensions: Vec::new(),
            since: now.wall,
            judged_at: now.wall,
            last_trigger: None,
            history: History::default(),
            failures_in_row: 0,
            hold_until: Timestamp::default(),
            failed_module: None,
            failed_leader: None,
            questioned: None,
            comparing: None,
            ledger: Ledger::default(),
            led: led::Led::default(),
            refusing: refusing::Refusing::default(),
            wake: None,
        }
    }

    /// Takes one input and says what it causes. Never fails: a peer's fault is an answer with an error code.
    pub fn handle(&mut self, input: Input) -> Effects {
        let Input { event, now, entropy } = input;
        let mut step = Step { now, entropy, effects: Effects::default() };
        match event {
            Event::Join(ticket, request) => self.join(ticket, request, &mut step),
            Event::Sync(ticket, request) => self.sync(ticket, request, &mut step),
            Event::Heartbeat(ticket, request) => self.heartbeat(ticket, request, &mut step),
            Event::Leave(ticket, request) => self.leave(ticket, request, &mut step),
            Event::Commit(ticket, request) => self.commit(ticket, request, &mut step),
            Event::Fetch(ticket, request) => self.fetch(ticket, request, &mut step),
            Event::DeleteGroup(ticket) => self.delete(ticket, &mut step),
            Event::DeleteOffsets(ticket, request) => self.delete_offsets(ticket, request, &mut step),
            Event::TopicsRemoved(topics, upto) => self.topics_removed(&topics, upto, &mut step),
            Event::Sweep => self.sweep(&mut step),
            Event::Closed(ticket) => self.closed(ticket, &mut step),
            Event::Tick => self.tick(&mut step),
            Event::Stored(upto) => self.stored(upto, &mut step),
            Event::StoreFailed => self.store_failed(&mut step),
            Event::WorkDone(id, outcome) => self.work_done(id, outcome, &mut step),
            Event::GroundChanged(modules) => self.ground_changed(modules, &mut step),
            Event::SettingsChanged(settings) => self.settings_changed(settings, &mut step),
        }
        step.effects.upto = self.ledger.emitted;
        self.check();
        step.effects
    }

    /// When to send [`Event::Tick`] at the latest. A tick that comes too early does nothing.
    pub fn next_deadline(&self) -> Option<Timestamp> {
        self.wake
    }

    /// The group's id.
    pub fn id(&self) -> &GroupId {
        &self.id
    }

    /// Whether nothing would be lost by forgetting the group: nobody is in it, nothing is stored of it, and nothing of it
    /// is on its way to the store.
    pub fn is_vacant(&self) -> bool {
        self.is_blank() && self.ledger.held.is_empty() && self.ledger.stored == self.ledger.emitted
    }

    /// Whether the group is none to the world: nobody has used it yet, or it was deleted and that is being stored.
    pub fn is_blank(&self) -> bool {
        matches!(self.state, State::Empty)
            && self.roster.pending.is_empty()
            && self.ledger.emitted == self.ledger.removed
            && self.ledger.reserved == Generation(0)
            && self.offsets.is_empty()
    }

    fn set_state(&mut self, state: State, step: &mut Step) {
        let (from, to) = (self.state.name(), state.name());
        self.state = state;
        self.since = step.now.wall;
        if from != to {
            step.fact(Fact::StateChanged { from: from.proposal(), to: to.proposal() });
        }
    }

    /// Makes sure that the group is woken by then.
    fn wake_by(&mut self, at: Timestamp) {
        self.wake = Some(self.wake.map_or(at, |wake| wake.min(at)));
    }

    /// Makes sure that a session that ends then is looked at.
    fn session_ends(&mut self, at: Timestamp) {
        self.roster.note_session_end(at);
        self.wake_by(at);
    }
}

impl Step {
    fn fact(&mut self, fact: Fact) {
        self.effects.facts.push(fact);
    }
}
