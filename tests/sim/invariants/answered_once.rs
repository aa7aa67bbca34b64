//! Who gets an answer.

use std::collections::BTreeSet;

use divvy::group::{Reply, Ticket};

use super::{Invariant, Scene, Seen};
use crate::calls::Call;

/// A request may wait for as long as a newcomer's first join phase, and not a second longer.
const WAITS_MAX_MS: u64 = 301_000;

#[derive(Default)]
pub struct AnsweredOnce {
    waiting: BTreeSet<Ticket>,
    closed: BTreeSet<Ticket>,
}

impl Invariant for AnsweredOnce {
    fn sentence(&self) -> &'static str {
        "every request is answered exactly once, with its own kind of answer, unless its connection closes first"
    }

    fn see(&mut self, seen: &Seen<'_>, scene: &Scene<'_>) -> Result<(), String> {
        match seen {
            Seen::Asked(ticket, _) => {
                self.waiting.insert(*ticket);
            }
            Seen::Closed(ticket) => {
                self.waiting.remove(ticket);
                self.closed.insert(*ticket);
            }
            Seen::Crashed => self.waiting.clear(),
            Seen::Failed => {
                if let Some(left) = self.waiting.first() {
                    return Err(format!("{left:?} got no answer when the group was forgotten"));
                }
            }
            Seen::Took(effects) => {
                for (ticket, reply) in &effects.replies {
                    // What was on its way when the connection closed may still be answered, once.
                    if !self.waiting.remove(ticket) && !self.closed.remove(ticket) {
                        return Err(format!("{ticket:?} is answered a second time"));
                    }
                    if let Some(open) = scene.open.get(ticket).filter(|open| !fits(&open.call, reply)) {
                        return Err(format!("{} is answered with {reply:?}", open.call));
                    }
                }
            }
            Seen::Settled { .. } | Seen::Rested { .. } => {
                let old = scene.open.values().find(|open| scene.now - open.at > WAITS_MAX_MS);
                if let Some(open) = old {
                    return Err(format!("since {} waits {}", open.at, open.call));
                }
            }
            _ => {}
        }
        Ok(())
    }
}

fn fits(call: &Call, reply: &Reply) -> bool {
    matches!(
        (call, reply),
        (Call::Join(_), Reply::Join(_))
            | (Call::Sync(_), Reply::Sync(_))
            | (Call::Heartbeat(_), Reply::Heartbeat(_))
            | (Call::Leave(_), Reply::Leave(_))
            | (Call::Commit(_), Reply::Commit(_))
    )
}
