//! What a group waits for.

use divvy::group::StateName;

use super::{Invariant, Scene, Seen};

/// Nothing takes longer than a newcomer's first join phase.
const FARTHEST_MS: u64 = 300_000;

#[derive(Default)]
pub struct DeadlineExists;

impl Invariant for DeadlineExists {
    fn sentence(&self) -> &'static str {
        "no group waits for its members without a deadline"
    }

    fn see(&mut self, seen: &Seen<'_>, scene: &Scene<'_>) -> Result<(), String> {
        let (Seen::Took(_), Some(group)) = (seen, scene.group) else { return Ok(()) };
        let state = group.summary.state;
        let waits = match state {
            StateName::Joining => true,
            // When all have asked for their states, only the check of the plan and the store are waited for.
            StateName::AwaitingSync => {
                let asks = |id| scene.open.values().any(|it| it.call.parks() && it.call.member() == Some(id));
                !group.members.iter().all(|member| asks(&member.id))
            }
            StateName::Stable => !group.members.is_empty(),
            _ => false,
        };
        match scene.wakes_at {
            None if waits => Err(format!("a group in {state:?} is never woken")),
            Some(at) if waits && at > scene.now + FARTHEST_MS => Err(format!("{state:?} is woken at {at} only")),
            _ => Ok(()),
        }
    }
}
