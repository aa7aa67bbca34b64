//! How often a group that is left alone rebalances.

use divvy::group::Fact;

use super::{Invariant, Scene, Seen};

/// What a member may cause once all is well: it comes back, its last process is given up, it joins without what others are
/// to have, it tells what changed, it offers its other module, it sees the last topic.
const REBALANCES_PER_MEMBER: usize = 6;

#[derive(Default)]
pub struct NoRejoinLoop {
    /// How many more there may be, once the faults are over.
    left: Option<usize>,
}

impl Invariant for NoRejoinLoop {
    fn sentence(&self) -> &'static str {
        "after the faults stop there are at most six rebalances for each member"
    }

    fn see(&mut self, seen: &Seen<'_>, _: &Scene<'_>) -> Result<(), String> {
        match (seen, &mut self.left) {
            (Seen::FaultsEnded { members }, left) => *left = Some(members * REBALANCES_PER_MEMBER),
            (Seen::Took(effects), Some(left)) => {
                let began = effects.facts.iter().filter(|fact| matches!(fact, Fact::RebalanceBegan(_))).count();
                *left = left.checked_sub(began).ok_or("there was one more")?;
            }
            _ => {}
        }
        Ok(())
    }
}
