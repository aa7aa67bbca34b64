//! A member's own state machine, pure like the group: it is told what happened and when, and says what to send, what
//! to run and what to tell the application. It has no clock, no socket and no task; [`crate::client`] is its shell.
//!
//! Three laws hold in every state. An answer is judged against the identity that its request was sent with, so a late
//! one changes nothing. A lost coordinator is found again with the generation kept: nobody rebalances for it. Work is
//! given up before the member joins again (under cooperative protocols: before others are given it), and told as lost as
//! soon as another member may have it.

mod answers;
pub mod backoff;
pub mod change;
pub mod config;
mod drain;
pub mod event;
mod heart;
pub mod lead;
pub mod leading;
mod leave;
pub mod limits;
mod listen;
mod metadata;
pub mod negotiate;
pub mod notice;
pub mod pattern;
mod places;
pub mod played;
mod returning;
mod seek;
mod share;
mod state;
#[cfg(test)]
mod tests;
mod turn;
pub mod user_data;
mod watch;
pub mod why;

use bytes::Bytes;

use backoff::{Backoff, Dice};
use change::{Said, Unsaid};
pub use config::{Config, Purpose, Rollout};
use drain::Wish;
use event::Sent;
pub use event::{Action, Event, Peer};
use heart::Heart;
use lead::{LastPlan, Rules};
use listen::Ear;
use metadata::Claim;
pub use negotiate::Strategies;
use negotiate::{Choice, Offer, Wishes};
pub use notice::{Assigned, Ending, Notice, Role, Share, StandIn};
pub use pattern::TopicPattern;
use places::Places;
use state::{Coordinator, Joined, Partitions, State};
use watch::Watch;
pub use why::Cause;
use why::Why;

use crate::ids::{Digest, Generation, MemberId, Protocol};
use crate::time::{Now, Timestamp};
use crate::wire::ErrorCode;

/// What one event caused, in the order in which it is to be done.
pub type Actions = Vec<Action>;

/// One member of one group, as it sees itself.
pub struct Membership {
    config: Config,
    /// Of the event at hand.
    now: Now,
    out: Actions,
    dice: Dice,
    tickets: u64,

    /// Empty until the coordinator gave one.
    member: MemberId,
    state: State,
    wish: Wish,
    coordinator: Coordinator,
    /// Whether it was ever found.
    was_let_in: bool,
    /// What the application was last told is wrong with the coordinator.
    trouble: Option<String>,
    seek_backoff: Backoff,
    join_backoff: Backoff,
    heart: Heart,
    ear: Ear,

    strategies: Strategies,
    /// What the member would offer now …
    offers: Vec<Offer>,
    /// What it has beyond the most that a member offers.
    left_out: Vec<Protocol>,
    /// … and what the coordinator was last told.
    offered: Vec<Offer>,
    rules: Rules,
    suspended: Vec<(Protocol, String)>,
    /// What the member had last, for stickiness.
    claim: Option<Claim>,
    /// What the application goes on with while the member is between two generations: only under cooperative protocols.
    held: Option<Claim>,
    /// Whether it was told to give that up.
    finishing: bool,
    /// What the last JoinGroup said that the member owns.
    brought: Partitions,
    /// The member's last state as it came.
    last_state: Option<Bytes>,
    /// Whether it may have taken the place of an earlier process, with a plan for what that one wanted.
    may_replace: bool,
    /// How often it found such a plan.
    again: u32,
    /// Whether a coordinator may have given it a place and could not say so yet: a lasting name has one with its first JoinGroup.
    may_be_let_in: bool,
    /// Its next JoinGroup removes everybody else.
    removes_others: bool,

    watch: Watch,
    /// A stable member joins again then, and why.
    rejoin: Option<(Timestamp, Why)>,
    /// What the last JoinGroup said of the member; none before the first.
    said: Option<Said>,
    /// What changed of that since.
    unsaid: Option<Unsaid>,
    /// How often it has joined again in a row for reasons of its own.
    rejoins: u32,
    last_plan: Option<LastPlan>,
    /// Who of that plan is static.
    places: Places,
    memo: Option<Bytes>,
}

impl Membership {
    /// A member that has not joined yet. It begins with its first event, which should tell it its strategies.
    pub fn new(config: Config, entropy: u64, now: Now) -> Self {
        let watch = Watch::of_member(&config, now.mono);
        let (rules, last_plan) = (config.rules.clone(), config.purpose.last_plan());
        Self {
            config,
            now,
            out: Vec::new(),
            dice: Dice::new(entropy),
            tickets: 0,
            member: MemberId::default(),
            state: State::Unjoined { join_at: now.mono, reason: Cause::Start.because("it starts") },
            wish: Wish::In,
            coordinator: Coordinator::NotFound { again_at: now.mono },
            was_let_in: false,
            trouble: None,
            seek_backoff: Backoff::default(),
            join_backoff: Backoff::default(),
            heart: Heart::default(),
            ear: Ear::default(),
            strategies: Strategies::from_iter([]),
            offers: Vec::new(),
            left_out: Vec::new(),
            offered: Vec::new(),
            rules,
            suspended: Vec::new(),
            claim: None,
            held: None,
            finishing: false,
            brought: Partitions::new(),
            last_state: None,
            may_replace: false,
            again: 0,
            may_be_let_in: false,
            removes_others: false,
            watch,
            rejoin: None,
            said: None,
            unsaid: None,
            rejoins: 0,
            last_plan,
            places: Places::default(),
            memo: None,
        }
    }

    /// Takes in what happened and says what to do, in order.
    pub fn handle(&mut self, event: Event, now: Now) -> Actions {
        self.now = now;
        if !matches!(self.state, State::Over) {
            self.doubt_when_due();
            self.take_in(event);
            self.turn();
        }
        std::mem::take(&mut self.out)
    }

    fn take_in(&mut self, event: Event) {
        match event {
            Event::Strategies(strategies) => self.learn_strategies(strategies),
            Event::CoordinatorFound(peer) => self.found(peer),
            Event::CoordinatorNotFound(reason) => self.not_found(reason),
            Event::CoordinatorRefuses(reason) => self.refused_entry(reason),
            Event::Joined(sent, answer) => self.joined(&sent, answer),
            Event::Synced(sent, answer) => self.synced(&sent, answer),
            Event::Beaten(sent, error) => self.beaten(&sent, error),
            Event::Heard(sent, error) => self.heard(&sent, error),
            Event::Unanswered(sent, reason) => self.unanswered(&sent, &reason),
            Event::Topics(sent, answer) => self.topics(&sent, answer),
            Event::Led(sent, led) => self.led(&sent, *led),
            Event::GivenUp(generation) => self.given_up(generation),
            Event::LeadBy(leading, rules) => self.lead_by(*leading, rules),
            Event::PlanAnew(reason) => self.plan_anew(reason),
            Event::TakeOver => self.take_over(),
            Event::Change(change) => self.change(change),
            Event::Drain => self.drain(),
            Event::Resume => self.resume(),
            Event::Leave => self.leave(),
            Event::LeaveDone(sent, error) => self.left(&sent, error),
            Event::CommitRefused(sent, error) => self.commit_refused(&sent, error),
            Event::Tick => {}
        }
    }

    /// Who the member is while it has a share: what a commit is sent with.
    pub fn identity(&self) -> Option<(MemberId, Generation)> {
        match &self.state {
            State::Stable { joined, .. } | State::GivingUp { joined, .. } => {
                Some((self.member.clone(), joined.generation))
            }
            _ => self.held.as_ref().map(|held| (self.member.clone(), held.generation)),
        }
    }

    /// The generation that the member is in, also while its plan is being made, or from which it has its share; -1 for none.
    pub fn generation(&self) -> Generation {
        let held = self.held.as_ref().map(|held| held.generation);
        self.state.joined().map(|it| it.generation).or(held).unwrap_or(Generation::NONE)
    }

    /// What the coordinator calls the member; empty before it gave it an id, and after it left.
    pub fn id(&self) -> &MemberId {
        &self.member
    }

    /// Whether the application has a share, be it nothing, or finishes one.
    pub fn has_share(&self) -> bool {
        self.holds()
    }

    /// Whether the member is out of its group because the application wanted that.
    pub fn is_drained(&self) -> bool {
        matches!(self.state, State::Drained)
    }

    /// What the member offers, most wanted first.
    pub fn offers(&self) -> &[Offer] {
        &self.offers
    }

    /// The modules behind the offers, as they are announced to a divvy coordinator.
    pub fn modules(&self) -> Vec<(Protocol, Digest)> {
        modules(&self.offers)
    }

    /// What the member says in its next request.
    fn send(&mut self) -> Sent {
        self.tickets += 1;
        let generation = self.state.joined().map_or(Generation::NONE, |it| it.generation);
        Sent { ticket: self.tickets, generation, member: self.member.clone() }
    }

    fn tell(&mut self, notice: Notice) {
        self.out.push(Action::Tell(notice));
    }

    fn over(&mut self, last: Notice) {
        self.tell(last);
        self.state = State::Over;
    }

    /// The coordinator's answer ends the member. Whoever is fenced has no place any more: it is another's.
    fn fail_by(&mut self, error: ErrorCode, reason: String) {
        if error == ErrorCode::FencedInstanceId {
            self.member = MemberId::default();
        }
        self.fail(reason);
    }

    /// The member is out for good: what it had is another's soon.
    fn fail(&mut self, reason: String) {
        let ending = self.ends_by_failing(&reason);
        self.lose_share(&reason);
        self.over(Notice::Failed { reason, ending });
    }

    /// The folders hold other modules now. The last module of a running member is not given up, though its file is gone: a
    /// file that is deleted and copied anew would end the member, or have the group wait for it.
    fn learn_strategies(&mut self, strategies: Strategies) {
        if self.offers.is_empty() || !self.choose(&strategies).offers.is_empty() {
            self.strategies = strategies;
            self.review_offers();
        }
    }

    fn choose(&self, strategies: &Strategies) -> Choice {
        if let Some(leading) = self.leading() {
            return Choice { offers: leading.offers(strategies), left_out: Vec::new() };
        }
        let wishes = Wishes { operator: &self.rules.assignors, member: &self.config.assignors };
        negotiate::offers(strategies, &self.config.purpose.protocol_type(), wishes)
    }

    /// The strategies or the operator's wishes changed: does that change what this member offers?
    fn review_offers(&mut self) {
        let Choice { offers, left_out } = self.choose(&self.strategies);
        if offers != self.offers {
            self.offers = offers;
            self.tell(Notice::OffersChanged(self.offers.clone()));
        }
        if left_out != self.left_out {
            self.left_out = left_out;
            self.tell(Notice::OffersLeftOut(self.left_out.clone()));
        }
        self.announce();
    }

    /// Brings changed offers to the group (DESIGN 7.2): a divvy coordinator is told in a heartbeat and rebalances once
    /// for everybody; any other learns them at the next rebalance, or at a rejoin that is spread over the fleet.
    fn announce(&mut self) {
        if self.state.joined().is_none() || self.offers == self.offered {
            return;
        }
        match (&self.coordinator, self.config.rollout) {
            (Coordinator::Known(Peer::Divvy), _) => self.heart.announce(self.offers.clone()),
            // Nobody loses by a rebalance where the module that failed left somebody without.
            (Coordinator::Known(Peer::Other), _) if self.state.joined().is_some_and(Joined::is_served_barely) => {
                self.rejoin =
                    Some((self.now.mono, Cause::Modules.because("another module may do what the last one failed at")));
            }
            (Coordinator::Known(Peer::Other), Rollout::Eager { within }) if self.rejoin.is_none() => {
                let at = self.now.mono + self.dice.below(within);
                self.rejoin = Some((at, Cause::Modules.because("its modules changed")));
            }
            _ => {}
        }
    }

    /// The plan that this member's last SyncGroup brought was accepted: it is the fall-back of the next one.
    fn remember_plan(&mut self, states: LastPlan, memo: Option<Bytes>) {
        self.last_plan = Some(states);
        self.memo = memo;
    }

    /// Another member led: what this one remembers is no longer what the group did last.
    fn forget_plan(&mut self) {
        self.last_plan = None;
        self.places = Places::default();
        self.memo = None;
    }
}

fn modules(offers: &[Offer]) -> Vec<(Protocol, Digest)> {
    offers.iter().filter_map(|it| it.digest.map(|digest| (it.protocol.clone(), digest))).collect()
}
