//! What a crash may take.

use std::collections::BTreeMap;

use bytes::Bytes;
use divvy::group::{Record, Reply, Ticket};
use divvy::ids::{Generation, MemberId};
use divvy::wire::ErrorCode;

use super::{Invariant, Scene, Seen};
use crate::calls::Call;

#[derive(Default)]
pub struct AcknowledgedSurvives {
    /// The place of each commit in the order in which the coordinator took them; offsets are unique in a run.
    order: BTreeMap<i64, u64>,
    /// For each partition the last commit that was acknowledged.
    committed: BTreeMap<i32, u64>,
    /// The newest generation whose states were handed out, and who got what.
    generation: Generation,
    states: BTreeMap<MemberId, Bytes>,
}

impl Invariant for AcknowledgedSurvives {
    fn sentence(&self) -> &'static str {
        "a commit that was acknowledged and a generation that was handed out survive any crash"
    }

    fn see(&mut self, seen: &Seen<'_>, scene: &Scene<'_>) -> Result<(), String> {
        match seen {
            Seen::Asked(_, Call::Commit(request)) => {
                let place = self.order.len() as u64;
                self.order.extend(request.offsets.iter().map(|it| (it.offset, place)));
                Ok(())
            }
            Seen::Took(effects) => {
                effects.replies.iter().for_each(|(ticket, reply)| self.acknowledged(*ticket, reply, scene));
                Ok(())
            }
            Seen::Read(records) => self.read(records),
            _ => Ok(()),
        }
    }
}

impl AcknowledgedSurvives {
    fn acknowledged(&mut self, ticket: Ticket, reply: &Reply, scene: &Scene<'_>) {
        let Some(open) = scene.open.get(&ticket) else { return };
        match (&open.call, reply) {
            (Call::Commit(request), Reply::Commit(answers)) => {
                for (offset, (_, partition, error)) in request.offsets.iter().zip(answers) {
                    if *error == ErrorCode::None {
                        let place = self.order.get(&offset.offset).copied().unwrap_or_default();
                        let last = self.committed.entry(*partition).or_default();
                        *last = place.max(*last);
                    }
                }
            }
            (Call::Sync(request), Reply::Sync(reply)) if reply.error == ErrorCode::None => {
                if request.generation > self.generation {
                    self.generation = request.generation;
                    self.states.clear();
                }
                if request.generation == self.generation {
                    self.states.insert(request.member.clone(), reply.state.clone());
                }
            }
            _ => {}
        }
    }

    fn read(&self, records: &[Record]) -> Result<(), String> {
        for (partition, place) in &self.committed {
            let stored = records.iter().find_map(|record| match record {
                Record::Offset(it) if it.offset.partition == *partition => Some(it.offset.offset),
                _ => None,
            });
            let Some(stored) = stored else { return Err(format!("no offset of partition {partition} came back")) };
            if self.order.get(&stored).is_none_or(|it| it < place) {
                return Err(format!("partition {partition} came back at {stored}, from before an acknowledged commit"));
            }
        }
        let generation = records.iter().find_map(|record| match record {
            Record::Header(header) => Some(header.generation),
            _ => None,
        });
        if generation.unwrap_or_default() < self.generation {
            return Err(format!("generation {} was handed out, {generation:?} came back", self.generation));
        }
        self.same_states(generation, records)
    }

    /// Who has a state of the generation that came back gets the same one if it asks again.
    fn same_states(&self, generation: Option<Generation>, records: &[Record]) -> Result<(), String> {
        if generation != Some(self.generation) {
            return Ok(());
        }
        let plan = records.iter().find_map(|record| match record {
            Record::Plan(plan) => Some(plan),
            _ => None,
        });
        for (member, had) in &self.states {
            let stored = plan.iter().flat_map(|plan| &plan.states).find(|(id, _)| id == member);
            if let Some((_, stored)) = stored.filter(|(_, stored)| stored.0 != had) {
                return Err(format!(
                    "{member} had {had:?} in generation {}, {:?} came back",
                    self.generation, stored.0
                ));
            }
        }
        Ok(())
    }
}
