//! Who writes. The epoch of a single writer is the generation of its plan, and here is exactly what is promised of it.
//!
//! To everybody, whatever clocks and sessions do: no epoch is granted to two members, and none after a higher one. A target
//! that refuses what is older than the newest epoch it has seen therefore never takes a replaced writer's word.
//!
//! And by time, as long as no two clocks run apart by more than a request takes (in a run there is one clock), and the
//! answer to JoinGroup takes no longer than a heartbeat interval: when the coordinator hands out a newer epoch, nobody believes
//! any more that it may write under an older one. A writer counts its session from the sending of the last heartbeat that
//! was answered, the coordinator from its arrival, which is later; before the first one is answered it takes an interval off.

use std::collections::BTreeMap;

use divvy::embedded::single_writer::Role;
use divvy::group::Reply;
use divvy::ids::MemberId;
use divvy::wire::ErrorCode;

use super::{Invariant, Scene, Seen};
use crate::calls::Call;

#[derive(Default)]
pub struct WriterFenced {
    /// Whom each epoch was granted to.
    granted: BTreeMap<i32, MemberId>,
}

impl Invariant for WriterFenced {
    fn sentence(&self) -> &'static str {
        "an epoch has one writer, and nobody writes under an older epoch once a newer one was granted"
    }

    fn see(&mut self, seen: &Seen<'_>, scene: &Scene<'_>) -> Result<(), String> {
        match seen {
            Seen::Took(effects) => {
                for (ticket, reply) in &effects.replies {
                    if let (Some(open), Reply::Sync(reply)) = (scene.open.get(ticket), reply)
                        && reply.error == ErrorCode::None
                        && let Call::Sync(request) = &open.call
                        && let Ok(Role { active: true, epoch, .. }) = Role::decode(&reply.state)
                    {
                        self.grant(epoch, &request.member)?;
                    }
                }
                Ok(())
            }
            Seen::Writes { writers } => {
                let Some((newest, to)) = self.granted.last_key_value() else { return Ok(()) };
                match writers.iter().find(|(_, epoch)| epoch < newest) {
                    Some((name, epoch)) => {
                        Err(format!("{name} writes under {epoch}, and {newest} was granted to {to}"))
                    }
                    None => Ok(()),
                }
            }
            _ => Ok(()),
        }
    }
}

impl WriterFenced {
    fn grant(&mut self, epoch: i32, to: &MemberId) -> Result<(), String> {
        let had = self.granted.entry(epoch).or_insert_with(|| to.clone());
        if had != to {
            return Err(format!("epoch {epoch} was granted to {had} and to {to}"));
        }
        match self.granted.last_key_value() {
            Some((newest, _)) if *newest > epoch => Err(format!("{to} is granted {epoch} after {newest}")),
            _ => Ok(()),
        }
    }
}
