//! A group that the coordinator leads (DESIGN 8, "Lead"): no member is its leader, so the plan of each generation is made
//! beside the shard, by a module of the coordinator's own, and unmodified clients are assigned by it too.
//!
//! Whoever leads has the leader's other duty as well: when what the plan was made from changes, the group rebalances
//! once. What may have changed is told; whether it concerns this plan says its fingerprint.

use std::sync::Arc;
use std::time::Duration;

use crate::ids::{Digest, MemberId};
use crate::time::{Now, Timestamp, WallTime};

use super::effects::{JoinedMember, PlanToMake, Work};
use super::event::{Fault, MadePlan, ModuleOffer, WorkId};
use super::limits::{
    FIRST_REST, GROUND_DEBOUNCE, LONGEST_GROUND_DEBOUNCE, LONGEST_PLAN, LONGEST_REST, PLAN_SHARE_OF_REBALANCE,
    REST_SPREAD_MS,
};
use super::settings::{GroupSettings, Lead};
use super::state::{Made, State, Submission, SubmittedPlan};
use super::suspend::{BUSY, cut, is_busy};
use super::trigger::GroundChange;
use super::trigger::Trigger;
use super::vote::Offers;
use super::{Group, Step};

/// The leader's id, on the wire too, of a group that the coordinator leads. The id of a member ends with sixteen digits,
/// so it is never a member's.
pub const COORDINATOR: &str = "divvy";

/// What the coordinator knows as a group's leader. Nothing of it is stored: a restored group looks once at everything.
#[derive(Debug, Default)]
pub(super) struct Led {
    /// The modules that the coordinator can run, the newest version of a name first.
    pub(super) modules: Arc<[ModuleOffer]>,
    /// The look that is to come.
    review: Option<Review>,
    /// The look that was asked for.
    reviewing: Option<Reviewing>,
    /// When the strategy wants to be called again.
    call_again_at: Option<Timestamp>,
    /// The last one that took the place of an earlier process and wants something else.
    replaced: Option<MemberId>,
    /// The module that is to make the plan that is awaited.
    chosen: Option<Digest>,
    /// How often in a row it was called at its own wish.
    calls_in_row: u32,
}

/// A look at what the plan was made from.
#[derive(Clone, Copy, Debug)]
struct Review {
    at: Timestamp,
    /// Further changes put it off until then.
    latest: Timestamp,
    cause: Cause,
}

/// A look that is waiting for its turn, or under way.
#[derive(Clone, Copy, Debug)]
struct Reviewing {
    work: WorkId,
    cause: Cause,
    /// Whether what it looks at was handed out: a later change is not in it.
    begun: bool,
}

/// What gave rise to a look.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Cause {
    /// A static member came back and says something else of itself.
    Member,
    /// The group was read from the store.
    Restart,
    /// Topics, racks or modules.
    Ground,
    /// The operator's settings.
    Settings,
}

impl Group {
    /// Whether the coordinator leads the generations to come. It makes up a plan for consumers only: a group of another type
    /// for which it has no module is led by its members until there is one.
    pub(super) fn is_led(&self) -> bool {
        self.settings.lead == Lead::Coordinator && (self.is_of_consumers() || self.has_module_for_all())
    }

    /// Whether it leads the present one.
    pub(super) fn is_led_now(&self) -> bool {
        self.leader.as_ref().is_some_and(|id| *id == COORDINATOR)
    }

    /// Whether the plan of the present generation is being made or stored.
    pub(super) fn is_made_here(&self) -> bool {
        let State::AwaitingSync(awaiting) = &self.state else { return false };
        matches!(awaiting.submission, Some(Submission::Making(_) | Submission::Storing(..)))
    }

    /// The modules that the coordinator can run: told to a group that it has just made or read.
    pub fn set_modules(&mut self, modules: Arc<[ModuleOffer]>) {
        self.led.modules = modules;
    }

    /// The operator has other limits.
    pub fn set_limits(&mut self, limits: Arc<super::GroupLimits>) {
        self.limits = limits;
        self.wake_if_over_size();
    }

    /// The operator's settings, as far as the group knows.
    pub fn settings(&self) -> &Arc<GroupSettings> {
        &self.settings
    }

    // --- The plan

    /// A generation has begun; if the coordinator leads it, its plan is begun too.
    pub(super) fn lead_generation(&mut self, step: &mut Step) {
        self.led.reviewing = None;
        self.led.call_again_at = None;
        if !self.is_led_now() {
            return;
        }
        let Some(mut plan) = self.plan_to_make(step.now.wall) else { return };
        self.led.chosen = plan.assignor.as_ref().map(|module| module.digest);
        plan.last_states = self.last_states().map(|(id, state)| (id.clone(), state.0.clone())).collect();
        // Drawn, not counted: an answer to a group that was forgotten since must not fit its successor.
        let work = WorkId(step.entropy);
        if let State::AwaitingSync(awaiting) = &mut self.state {
            awaiting.submission = Some(Submission::Making(work));
            step.effects.work.push(Work::MakePlan(work, plan));
        }
    }

    /// What is to be planned, without the states of the last plan.
    fn plan_to_make(&self, now: WallTime) -> Option<PlanToMake> {
        let (protocol_type, protocol) = (self.protocol_type.clone()?, self.protocol.clone()?);
        let member = |(id, member): (&MemberId, &super::roster::Member)| JoinedMember {
            id: id.clone(),
            instance: member.instance.clone(),
            metadata: member.metadata(&protocol),
        };
        let members: Vec<JoinedMember> = self.roster.members.iter().map(member).collect();
        let shortest = self.roster.members.values().map(|member| member.rebalance_timeout).min().unwrap_or_default();
        Some(PlanToMake {
            group: self.id.clone(),
            assignor: self.own_module(&protocol, self.judged_at).cloned(),
            passed_over: self.suspended(self.judged_at),
            mode: self.settings.mode(&protocol),
            protocol_type,
            protocol,
            generation: self.generation,
            members,
            memo: self.plan.as_ref().and_then(|plan| plan.memo.clone()).map(|memo| memo.0),
            settings: Arc::clone(&self.settings),
            last_states: Vec::new(),
            now,
            budget: (shortest / PLAN_SHARE_OF_REBALANCE).min(LONGEST_PLAN),
        })
    }

    /// The coordinator's plan is there: it goes the way of every plan. Without one, it is a leader that failed.
    pub(super) fn plan_made(&mut self, id: WorkId, made: Result<MadePlan, Fault>, step: &mut Step) {
        let State::AwaitingSync(awaiting) = &mut self.state else { return };
        if !matches!(awaiting.submission, Some(Submission::Making(waiting)) if waiting == id) {
            return;
        }
        let plan = match made {
            Err(fault) => return self.leader_failed(cut(fault), step),
            Ok(plan) => plan,
        };
        // What only had no place is asked again soon, and not all groups that wait for one at the same moment.
        let was_busy = plan.origin.fault.as_ref().is_some_and(is_busy);
        let soon = was_busy.then(|| FIRST_REST + Duration::from_millis(step.entropy % REST_SPREAD_MS));
        let call_again = plan.call_again.into_iter().chain(soon).min().map(|asked| self.rest(asked));
        let states = plan.states.into_iter().map(|(id, state)| (id, super::record::State(state))).collect();
        let wall = |wait: Duration| i64::try_from(wait.as_millis()).unwrap_or(i64::MAX);
        let made = Made {
            served_by: plan.served_by,
            fingerprint: plan.fingerprint,
            call_again: call_again.map(|wait| WallTime(step.now.wall.0.saturating_add(wall(wait)))),
            chosen: self.led.chosen,
        };
        self.led.call_again_at = call_again.map(|wait| step.now.mono + wait);
        self.history.captured(plan.captured);
        self.accept(SubmittedPlan { states, origin: Some(*plan.origin), made: Some(made) }, step);
    }

    /// How long a strategy is left alone that wants to be called again after `asked`: one that always wants to must not
    /// keep its group from working.
    fn rest(&mut self, asked: Duration) -> Duration {
        let at_its_wish = matches!(self.last_trigger, Some(Trigger::CallAgain | Trigger::AskedAgain(_)));
        self.led.calls_in_row = if at_its_wish { self.led.calls_in_row.saturating_add(1) } else { 0 };
        asked.max((FIRST_REST * 2u32.pow(self.led.calls_in_row.min(16))).min(LONGEST_REST))
    }

    // --- What a plan was made from

    /// Topics, racks or modules may have changed.
    pub(super) fn ground_changed(&mut self, modules: Arc<[ModuleOffer]>, step: &mut Step) {
        self.led.modules = modules;
        self.look_soon(Cause::Ground, step.now.mono);
        // After a failure the next try is held back for the module that failed: another one may be there now.
        self.try_complete(step);
    }

    /// Other settings: where the coordinator leads it looks whether they concern the plan. Members of divvy's own learn
    /// them when they join, and a plan must name those that the coordinator has.
    pub(super) fn settings_changed(&mut self, settings: Arc<GroupSettings>, step: &mut Step) {
        if *self.settings == *settings {
            return;
        }
        self.settings = settings;
        if self.is_led() || self.is_led_now() {
            return self.look_soon(Cause::Settings, step.now.mono);
        }
        let know_settings = self.roster.members.values().any(|member| member.modules.is_some());
        if know_settings && matches!(self.state, State::Stable(_)) {
            self.rebalance(Trigger::SettingsChanged, step);
        }
    }

    /// A group that was read from the store looks once: much may have changed while nobody led it.
    pub(super) fn restore_led(&mut self, now: Now) {
        if self.is_led() || self.is_led_now() {
            self.look_soon(Cause::Restart, now.mono);
        }
        let call_again = self.plan.as_ref().and_then(|plan| plan.call_again);
        self.led.call_again_at = call_again.map(|at| {
            let left_ms = at.0.saturating_sub(now.wall.0);
            now.mono + Duration::from_millis(u64::try_from(left_ms).unwrap_or(0))
        });
    }

    /// A static member came back with other metadata: whether that concerns the plan is looked at now, since its client
    /// goes on with the share that it had.
    pub(super) fn look_at_replaced(&mut self, id: MemberId, step: &mut Step) {
        if self.is_led_now() {
            self.led.replaced = Some(id);
            self.look(Cause::Member, step);
        }
    }

    fn look_soon(&mut self, cause: Cause, now: Timestamp) {
        let before = self.led.review;
        let latest = before.map_or(now + LONGEST_GROUND_DEBOUNCE, |review| review.latest);
        let cause = before.map_or(cause, |review| review.cause.max(cause));
        self.led.review = Some(Review { at: (now + GROUND_DEBOUNCE).min(latest), latest, cause });
        self.arm_led();
    }

    /// Sees to it that the group is woken for its duties as a leader.
    pub(super) fn arm_led(&mut self) {
        self.led_ends().into_iter().for_each(|at| self.wake_by(at));
    }

    /// The next moment at which the leader's duty calls.
    pub(super) fn led_ends(&self) -> Option<Timestamp> {
        match &self.state {
            State::Stable(_) if self.is_led() || self.is_led_now() => {
                self.led.review.map(|review| review.at).into_iter().chain(self.led.call_again_at).min()
            }
            State::AwaitingSync(awaiting) => {
                matches!(awaiting.submission, Some(Submission::Making(_))).then_some(awaiting.deadline)
            }
            _ => None,
        }
    }

    pub(super) fn led_deadlines(&mut self, step: &mut Step) {
        let now = step.now.mono;
        if self.led_ends().is_none_or(|at| at > now) {
            return;
        }
        if matches!(self.state, State::AwaitingSync(_)) {
            return self.leader_failed(self.too_slow(), step);
        }
        if self.led.call_again_at.take_if(|at| *at <= now).is_some() {
            // Where something stood in, it is the strategy itself that is to be asked.
            let stands_in = self.plan.as_ref().is_some_and(|plan| plan.stand_in.is_some());
            let trigger = match self.protocol.clone().filter(|_| stands_in) {
                Some(protocol) => Trigger::AskedAgain(protocol),
                None => Trigger::CallAgain,
            };
            return self.rebalance(trigger, step);
        }
        if let Some(review) = self.led.review.take_if(|review| review.at <= now) {
            self.look(review.cause, step);
        }
    }

    /// Whoever makes plans has too much to do: no module is to blame.
    fn too_slow(&self) -> Fault {
        Fault {
            protocol: self.protocol.clone().unwrap_or_default(),
            digest: None,
            kind: BUSY.to_owned(),
            message: "the coordinator did not get to the plan within the rebalance timeout".to_owned(),
        }
    }

    fn look(&mut self, cause: Cause, step: &mut Step) {
        if self.is_led() != self.is_led_now() {
            let trigger = match (cause, self.protocol.clone()) {
                (Cause::Ground | Cause::Restart, Some(protocol))
                    if self.settings.lead == Lead::Coordinator && !self.is_of_consumers() =>
                {
                    let is_gone = self.is_led_now();
                    let change = if is_gone { GroundChange::Gone } else { GroundChange::Module };
                    Trigger::GroundChanged(change(protocol))
                }
                _ => Trigger::SettingsChanged,
            };
            return self.rebalance(trigger, step);
        }
        if let Some(better) = self.better_at_hand() {
            return self.rebalance(self.named_by_cause(better, cause), step);
        }
        // One that still waits for its turn will see this change too.
        if let Some(waiting) = self.led.reviewing.as_mut().filter(|it| !it.begun) {
            waiting.cause = waiting.cause.max(cause);
            return;
        }
        let work = WorkId(step.entropy);
        self.led.reviewing = Some(Reviewing { work, cause, begun: false });
        step.effects.work.push(Work::ReviewPlan(work));
    }

    /// Why something better is at hand: what a look found is news, of which it knows what it is.
    fn named_by_cause(&self, better: Trigger, cause: Cause) -> Trigger {
        match better {
            Trigger::RolledOut(_) | Trigger::Suspended(_) if cause == Cause::Settings => Trigger::SettingsChanged,
            // The rebalance that a failure asks for may have been lost with the process.
            Trigger::Suspended(_) if cause == Cause::Restart => better,
            // What failed long since was left then, if anything could take over: what can now has just come.
            Trigger::RolledOut(_) | Trigger::Suspended(_) => {
                let served = self.vote(Offers::AsAnnounced, self.protocol.as_ref(), self.judged_at);
                Trigger::GroundChanged(GroundChange::Module(served.unwrap_or_default()))
            }
            _ => better,
        }
    }

    /// The turn of a look has come: what it looks at, if it is still wanted. It is no part of the work that the group asks
    /// for: one change of the topics is a look at every led group, and nobody could hold the members of all.
    pub fn plan_to_review(&mut self, id: WorkId, now: WallTime) -> Option<PlanToMake> {
        self.led.reviewing.as_mut().filter(|it| it.work == id)?.begun = true;
        self.plan_to_make(now)
    }

    /// From what a plan would be made now: if that is something else, the group gets a new one.
    pub(super) fn plan_reviewed(&mut self, id: WorkId, fingerprint: u64, step: &mut Step) {
        let Some(Reviewing { cause, .. }) = self.led.reviewing.take_if(|it| it.work == id) else { return };
        let State::Stable(_) = &self.state else { return };
        let (Some(plan), Some(protocol)) = (&self.plan, &self.protocol) else { return };
        if plan.fingerprint == Some(fingerprint) {
            return;
        }
        let module = self.own_module(protocol, self.judged_at).map(|module| module.digest);
        // What made the plan is another one where something stands in.
        let chosen = if plan.stand_in.is_some() { plan.chosen.as_deref().copied() } else { plan.digest };
        let trigger = match (cause, self.led.replaced.take()) {
            (Cause::Member, Some(id)) => Trigger::MetadataChanged(id),
            (Cause::Settings, _) => Trigger::SettingsChanged,
            _ if module.is_none() && chosen.is_some() => Trigger::GroundChanged(GroundChange::Gone(protocol.clone())),
            _ if module != chosen => Trigger::GroundChanged(GroundChange::Module(protocol.clone())),
            _ => Trigger::GroundChanged(GroundChange::Topics),
        };
        self.rebalance(trigger, step);
    }
}
