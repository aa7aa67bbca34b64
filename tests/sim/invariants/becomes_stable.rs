//! What faults leave behind.

use divvy::group::{Fact, StateName};

use super::{Invariant, Scene, Seen};
use crate::actors::Standing;

#[derive(Default)]
pub struct BecomesStable {
    settled: bool,
}

impl Invariant for BecomesStable {
    fn sentence(&self) -> &'static str {
        "after the faults stop the group becomes stable within its timeouts, with all that live, and stays so"
    }

    fn see(&mut self, seen: &Seen<'_>, scene: &Scene<'_>) -> Result<(), String> {
        match seen {
            Seen::Settled { members, .. } => {
                self.settled = true;
                stands(members, scene)
            }
            Seen::Rested { members, .. } => stands(members, scene),
            Seen::Took(effects) if self.settled => {
                let began = effects.facts.iter().find_map(|fact| match fact {
                    Fact::RebalanceBegan(trigger) => Some(trigger),
                    _ => None,
                });
                began.map_or(Ok(()), |trigger| Err(format!("a rebalance began although nothing happened: {trigger}")))
            }
            _ => Ok(()),
        }
    }
}

fn stands(members: &[(String, Standing)], scene: &Scene<'_>) -> Result<(), String> {
    let live: Vec<_> = members.iter().filter(|(_, standing)| *standing != Standing::Gone).collect();
    let Some(group) = scene.group else {
        return if live.is_empty() { Ok(()) } else { Err("the group does not exist".to_owned()) };
    };
    let wanted = if live.is_empty() { StateName::Empty } else { StateName::Stable };
    if group.summary.state != wanted {
        return Err(format!("the group is {:?}: {group:?}", group.summary.state));
    }
    for (name, standing) in &live {
        let Standing::In { member, generation } = standing else {
            return Err(format!("{name} is in no generation"));
        };
        if *generation != group.summary.generation || !group.members.iter().any(|it| it.id == *member) {
            return Err(format!("{name} is {member} in {generation}, the group in {}", group.summary.generation));
        }
    }
    if group.members.len() != live.len() {
        let ids: Vec<_> = group.members.iter().map(|it| it.id.as_str()).collect();
        return Err(format!("{} live, but the group has {ids:?}", live.len()));
    }
    Ok(())
}
