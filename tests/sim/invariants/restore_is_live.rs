//! What comes back.

use divvy::group::{GroupDescription, StateName};

use super::{Invariant, Scene, Seen};

#[derive(Default)]
pub struct RestoreIsLive;

impl Invariant for RestoreIsLive {
    fn sentence(&self) -> &'static str {
        "a group that is read from the store is the group that was, once it had settled and all was stored"
    }

    fn see(&mut self, seen: &Seen<'_>, _: &Scene<'_>) -> Result<(), String> {
        let Seen::Compared { live, restored } = seen else { return Ok(()) };
        if !matches!(live.summary.state, StateName::Stable | StateName::Empty) {
            return Ok(());
        }
        // A group that nothing was ever stored of is not there.
        let Some(restored) = restored else { return Ok(()) };
        let (live, restored) = (lasting(live), lasting(restored));
        if live == restored { Ok(()) } else { Err(format!("it was\n    {live}\n  and came back as\n    {restored}")) }
    }
}

/// What outlives a process. Why the last rebalance began is not among it, nor what members announced since they joined.
fn lasting(group: &GroupDescription) -> String {
    let mut group = group.clone();
    group.last_trigger = None;
    for member in &mut group.members {
        member.offers.clear();
        member.modules = None;
    }
    format!("{group:?}")
}
