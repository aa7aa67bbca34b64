//! Whose silence counts.

use std::collections::BTreeMap;

use divvy::group::{Fact, Ticket};
use divvy::ids::MemberId;

use super::{Invariant, Scene, Seen};
use crate::calls::Call;
use crate::server::Open;

/// A newcomer's first join phase, after which it is given up although its request waits.
const FIRST_JOIN_MAX_MS: u64 = 300_000;

#[derive(Default)]
pub struct ParkedNotExpired {
    /// The request that each newcomer came with: it does not name it.
    newcomers: BTreeMap<MemberId, Ticket>,
    asked: Option<Ticket>,
}

impl Invariant for ParkedNotExpired {
    fn sentence(&self) -> &'static str {
        "no member is expired while a JoinGroup or SyncGroup of it waits for its answer"
    }

    fn see(&mut self, seen: &Seen<'_>, scene: &Scene<'_>) -> Result<(), String> {
        match seen {
            Seen::Asked(ticket, Call::Join(_)) => self.asked = Some(*ticket),
            Seen::Took(effects) => {
                let asked = self.asked.take();
                for fact in &effects.facts {
                    match fact {
                        Fact::Joined { member, .. } => {
                            self.newcomers.extend(asked.map(|ticket| (member.clone(), ticket)));
                        }
                        Fact::Removed { member, why: "session expired" } => {
                            if let Some(open) = self.waiting(member, scene) {
                                return Err(format!("{member} is expired; since {} waits {}", open.at, open.call));
                            }
                        }
                        _ => {}
                    }
                }
            }
            _ => {}
        }
        Ok(())
    }
}

impl ParkedNotExpired {
    fn waiting<'a>(&self, member: &MemberId, scene: &'a Scene<'_>) -> Option<&'a Open> {
        let first = self.newcomers.get(member).and_then(|ticket| scene.open.get(ticket));
        let named = scene.open.values().find(|open| open.call.parks() && open.call.member() == Some(member));
        first.or(named).filter(|open| scene.now - open.at < FIRST_JOIN_MAX_MS)
    }
}
