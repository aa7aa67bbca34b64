//! What is checked of a leader's plan, and when. A divvy leader's is held against every rule before it is handed out. A
//! foreign leader's is looked at for what no member survives, on its way: its members do not wait for that, unless the
//! operator wants such a plan refused. States of types that nobody here can read stay opaque.

use crate::ids::{Generation, MemberId, Mode, TopicName};

use super::effects::{Asked, Author, PlanToCheck, Work};
use super::event::{Checked, WorkId};
use super::settings::ForeignPlanCheck;
use super::state::{State, Submission, SubmittedPlan};
use super::trigger::Trigger;
use super::{Fact, Group, Step};

/// The protocol type whose states can be read whoever wrote them.
const READABLE: &str = "consumer";

/// A plan that was handed out while it is being looked at.
#[derive(Debug)]
pub(super) struct Questioned {
    pub work: WorkId,
    generation: Generation,
    leader: MemberId,
}

impl Group {
    /// A plan whose leader says nothing of it.
    pub(super) fn submit_foreign(&mut self, plan: SubmittedPlan, step: &mut Step) {
        let is_readable = self.protocol_type.as_ref().is_some_and(|kind| *kind == READABLE);
        let check = if is_readable { self.settings.plan_check_foreign } else { ForeignPlanCheck::Off };
        match check {
            ForeignPlanCheck::Off => self.accept(plan, step),
            ForeignPlanCheck::Warn => {
                let leader = self.leader.clone().unwrap_or_default();
                self.questioned =
                    self.start_check(&plan, step).map(|work| Questioned { work, generation: self.generation, leader });
                self.accept(plan, step);
            }
            ForeignPlanCheck::Enforce => {
                let Some(work) = self.start_check(&plan, step) else { return };
                if let State::AwaitingSync(awaiting) = &mut self.state {
                    awaiting.submission = Some(Submission::Checking(work, Box::new(plan)));
                }
            }
        }
    }

    /// Has a plan checked beside the shard.
    pub(super) fn start_check(&self, plan: &SubmittedPlan, step: &mut Step) -> Option<WorkId> {
        let (protocol_type, protocol) = (self.protocol_type.clone()?, self.protocol.clone()?);
        // Drawn, not counted: an answer to a group that was forgotten since must not fit its successor.
        let work = WorkId(step.entropy);
        let author = if plan.origin.is_some() { Author::Divvy } else { Author::Foreign };
        let origin = plan.origin.as_ref();
        let mode = Mode::of_kafkas(&protocol).or(origin.map(|it| it.mode)).unwrap_or_default();
        let asked = origin.filter(|it| it.digest.is_some()).and_then(|it| it.asked_ms).map(|now_ms| {
            Box::new(Asked {
                generation: self.generation,
                settings: self.settings.clone(),
                memo: self.plan.as_ref().and_then(|plan| plan.memo.clone()).map(|memo| memo.0),
                now_ms,
                instances: self.roster.members.values().map(|member| member.instance.clone()).collect(),
            })
        });
        let check = PlanToCheck {
            author,
            asked,
            digest: origin.and_then(|it| it.digest),
            members: self.roster.members.iter().map(|(id, member)| (id.clone(), member.metadata(&protocol))).collect(),
            states: plan.states.iter().map(|(id, state)| (id.clone(), state.0.clone())).collect(),
            topics: origin.map(|it| it.topics.clone()).unwrap_or_default(),
            copies: origin.map_or(1, |it| it.copies),
            complete: origin.is_some_and(|it| it.complete),
            mode,
            protocol_type,
            protocol,
        };
        step.effects.work.push(Work::CheckPlan(work, check));
        Some(work)
    }

    /// The verdict on a plan that was handed out long since.
    pub(super) fn question(&mut self, verdict: Result<Checked, String>, step: &mut Step) {
        let Some(Questioned { generation, leader, .. }) = self.questioned.take() else { return };
        if let Err(reason) = verdict {
            step.fact(Fact::PlanQuestioned { generation, leader, reason });
        }
    }

    /// A plan that is older than its topics gets one follow-up. If the next one differs as well, its leader sees other
    /// topics than the coordinator does, and rebalancing again would help nobody.
    pub(super) fn topics_changed(&self, topic: TopicName) -> Option<Trigger> {
        let again = matches!(self.last_trigger, Some(Trigger::TopicsChanged(_)));
        (!again).then_some(Trigger::TopicsChanged(topic))
    }
}
