//! Which state a member gets.

use std::collections::BTreeMap;

use bytes::Bytes;
use divvy::group::event::LeaderResult;
use divvy::group::{Fact, Reply};
use divvy::ids::{Generation, MemberId};
use divvy::wire::ErrorCode;

use super::{Invariant, Scene, Seen};
use crate::calls::Call;

/// What a member gets that the plan leaves out.
const NOTHING: [u8; 10] = [0, 0, 0, 0, 0, 0, 0xff, 0xff, 0xff, 0xff];

/// A plan as its leader brought it.
type Plan = BTreeMap<MemberId, Bytes>;

#[derive(Default)]
pub struct StateOfGeneration {
    /// The plans that came in for each generation: a leader may bring its plan more than once.
    plans: BTreeMap<Generation, Vec<Plan>>,
    /// The earlier ids of a static member: its state was made for one of them.
    replaced: BTreeMap<MemberId, MemberId>,
    /// The generation that each member was last told.
    told: BTreeMap<MemberId, Generation>,
}

impl Invariant for StateOfGeneration {
    fn sentence(&self) -> &'static str {
        "a state that is handed out belongs to the generation named, and all states of a generation to one plan"
    }

    fn see(&mut self, seen: &Seen<'_>, scene: &Scene<'_>) -> Result<(), String> {
        match seen {
            Seen::Asked(_, Call::Sync(request)) => {
                let leads = scene.group.is_some_and(|group| group.leader.as_ref() == Some(&request.member));
                if let LeaderResult::Plan { states, .. } = &request.result
                    && leads
                {
                    let mut plan = Plan::new();
                    for (id, state) in states {
                        plan.entry(id.clone()).or_insert_with(|| state.clone());
                    }
                    self.plans.entry(request.generation).or_default().push(plan);
                }
                Ok(())
            }
            // The coordinator itself leads.
            Seen::Made(made) => {
                let generation = scene.group.map(|group| group.summary.generation).unwrap_or_default();
                self.plans.entry(generation).or_default().push(made.states.iter().cloned().collect());
                Ok(())
            }
            Seen::Took(effects) => {
                for fact in &effects.facts {
                    if let Fact::Replaced { old, new } = fact {
                        self.replaced.insert(new.clone(), old.clone());
                    }
                }
                for (ticket, reply) in &effects.replies {
                    if let Reply::Join(reply) = reply
                        && reply.error == ErrorCode::None
                    {
                        self.told.insert(reply.member.clone(), reply.generation);
                    }
                    if let (Some(open), Reply::Sync(reply)) = (scene.open.get(ticket), reply)
                        && reply.error == ErrorCode::None
                        && let Call::Sync(request) = &open.call
                    {
                        self.handed(&request.member, request.generation, &reply.state, scene)?;
                    }
                }
                Ok(())
            }
            _ => Ok(()),
        }
    }
}

impl StateOfGeneration {
    fn handed(&mut self, to: &MemberId, of: Generation, state: &Bytes, scene: &Scene<'_>) -> Result<(), String> {
        if let Some(group) = scene.group.filter(|group| group.summary.generation < of) {
            return Err(format!("{to} gets a state of {of}, but the group is in {}", group.summary.generation));
        }
        // A state that waited for the store may be of the generation before the present one, and then comes first.
        if let Some(newer) = self.told.get(to).filter(|told| **told > of) {
            return Err(format!("{to} gets a state of {of}, and knows of {newer}"));
        }
        let plans = self.plans.entry(of).or_default();
        // What one member got rules out the plans that would have given it something else.
        let replaced = &self.replaced;
        plans.retain(|plan| {
            let ids = std::iter::successors(Some(to), |id| replaced.get(*id));
            let made = ids.take(1 + replaced.len()).find_map(|id| plan.get(id));
            made.map_or(&NOTHING[..], |state| &state[..]) == &state[..]
        });
        if plans.is_empty() {
            return Err(format!("no plan of generation {of} gives {to} the state {state:?}, and the others theirs"));
        }
        Ok(())
    }
}
