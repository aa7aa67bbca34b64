//! What a roll-out leaves behind.

use divvy::group::{Fact, GroupDescription};

use super::{Invariant, Scene, Seen};

/// Every member of divvy's that offers this one has the other one too when the faults are over.
const OFFERED: &str = "even@1";
const BEST: &str = "even@2";

#[derive(Default)]
pub struct BestProtocol {
    has_failed: bool,
}

impl Invariant for BestProtocol {
    fn sentence(&self) -> &'static str {
        "after the faults stop the group is under the best protocol that all its members can run, whatever files came and went \
         around a restart"
    }

    fn see(&mut self, seen: &Seen<'_>, scene: &Scene<'_>) -> Result<(), String> {
        match seen {
            Seen::Took(effects) => {
                self.has_failed |= effects.facts.iter().any(|fact| matches!(fact, Fact::Suspended { .. }));
                Ok(())
            }
            // What is passed over is tried again when something happens, and nothing does.
            Seen::Settled { .. } | Seen::Rested { .. } if !self.has_failed => scene.group.map_or(Ok(()), judge),
            _ => Ok(()),
        }
    }
}

fn judge(group: &GroupDescription) -> Result<(), String> {
    let can_run =
        |modules: &Vec<_>| modules.iter().any(|it: &divvy::group::event::ModuleOffer| it.protocol == *OFFERED);
    let all_can = group.members.iter().all(|member| member.modules.as_ref().is_some_and(can_run));
    if group.members.is_empty() || group.led.is_some() || !all_can {
        return Ok(());
    }
    match &group.summary.protocol {
        Some(protocol) if *protocol == *BEST => Ok(()),
        protocol => Err(format!("it is under {protocol:?}: {group:?}")),
    }
}
