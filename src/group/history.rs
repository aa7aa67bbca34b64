//! The last generations of a group: what began each, who led it, by which module, how long its phases took and how it
//! ended. Bounded, and stored with the plans, so that it costs no write of its own.

use std::collections::{BTreeMap, VecDeque};

use serde::{Deserialize, Serialize};

use crate::ids::{Digest, Generation, MemberId, Protocol};
use crate::time::{Now, WallTime};

use super::limits::GENERATIONS_REMEMBERED;
use super::{Group, Record, StandIn, Step};

/// One generation, as it went.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct GenerationRecord {
    /// Its number.
    pub generation: Generation,
    /// What began its rebalance, as a sentence.
    pub trigger: String,
    /// When its rebalance began.
    pub began: WallTime,
    /// How long the join phase took.
    pub join_ms: u64,
    /// How long its leader's plan took from the end of the join phase until it was accepted; none if none was.
    pub plan_ms: Option<u64>,
    /// The protocol chosen; none for the generation of a group that became empty.
    pub protocol: Option<Protocol>,
    /// The module that made the plan, when it is known.
    pub digest: Option<Digest>,
    /// Its leader.
    pub leader: Option<MemberId>,
    /// How many members it had.
    pub members: u32,
    /// How it ended.
    pub outcome: GenerationOutcome,
    /// What made its plan in place of a module that failed.
    #[serde(default)]
    pub stand_in: Option<StandIn>,
    /// How many partitions places had before it that are others' now or soon, those of members that left included; none if that
    /// is not known. What nobody wants any more has not moved.
    #[serde(default)]
    pub moved: Option<u32>,
    /// How the names of the files begin to which the coordinator recorded the calls of its strategies for it, if it did.
    #[serde(default)]
    pub captured: Option<Box<str>>,
}

/// What became of a generation.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum GenerationOutcome {
    /// Its leader's plan is awaited.
    Awaited,
    /// Its plan was accepted.
    Accepted,
    /// It had no valid plan: why.
    Failed(String),
    /// Another rebalance began before it had a plan.
    Superseded,
    /// Nobody was left.
    Empty,
}

/// The last generations.
#[derive(Clone, Debug, Default)]
pub(super) struct History {
    /// Those that were handed to the store, by their places there.
    stored: BTreeMap<u8, Box<GenerationRecord>>,
    /// Those that come with the next plan. One may stand for a stored one of which more is known by now.
    fresh: VecDeque<GenerationRecord>,
    /// When the rebalance that is under way, or was the last, began.
    began: Now,
    /// When the last join phase ended.
    joined: Now,
}

impl GenerationRecord {
    /// Its place among the stored generations: it takes that of one which is too old to be remembered. Below
    /// [`GENERATIONS_REMEMBERED`].
    pub fn slot(&self) -> u8 {
        u8::try_from(self.generation.0.rem_euclid(i32::from(GENERATIONS_REMEMBERED))).unwrap_or(0)
    }
}

impl History {
    /// A rebalance began. A generation that was waiting for its plan never gets one.
    pub(super) fn began(&mut self, now: Now) {
        self.began = now;
        self.ended(GenerationOutcome::Superseded);
    }

    /// The generation that was waiting for its plan gets none.
    pub(super) fn ended(&mut self, outcome: GenerationOutcome) {
        if let Some(last) = self.awaited() {
            last.outcome = outcome;
        }
    }

    /// The plan of this generation was accepted, and another rebalance began before anybody was told.
    pub(super) fn withdrawn(&mut self, generation: Generation) {
        self.amend(generation, |entry| entry.outcome = GenerationOutcome::Superseded);
    }

    /// So many partitions were taken from who had them. The store learns it with the next plan.
    pub(super) fn moved(&mut self, generation: Generation, moved: u32) {
        self.amend(generation, |entry| entry.moved = Some(moved));
    }

    /// More is known of a generation. One that was stored comes again with the next plan.
    fn amend(&mut self, generation: Generation, change: impl FnOnce(&mut GenerationRecord)) {
        if let Some(entry) = self.fresh.iter_mut().find(|entry| entry.generation == generation) {
            change(entry);
        } else if let Some(stored) = self.stored.values().find(|entry| entry.generation == generation) {
            let mut entry = GenerationRecord::clone(stored);
            change(&mut entry);
            self.push(entry);
        }
    }

    /// The calls for the plan that is awaited were recorded.
    pub(super) fn captured(&mut self, captured: Option<String>) {
        if let Some(last) = self.awaited() {
            last.captured = captured.map(String::into_boxed_str);
        }
    }

    fn awaited(&mut self) -> Option<&mut GenerationRecord> {
        self.fresh.iter_mut().find(|entry| entry.outcome == GenerationOutcome::Awaited)
    }

    fn push(&mut self, entry: GenerationRecord) {
        self.fresh.retain(|older| older.slot() != entry.slot());
        self.fresh.push_back(entry);
    }

    /// One that was stored, or is being handed to the store.
    pub(super) fn restore(&mut self, entry: GenerationRecord) {
        self.stored.insert(entry.slot(), Box::new(entry));
    }

    /// What began the last generation.
    pub(super) fn last_trigger(&self) -> Option<&str> {
        let all = self.fresh.iter().chain(self.stored.values().map(Box::as_ref));
        all.max_by_key(|entry| entry.generation).map(|entry| entry.trigger.as_str())
    }

    /// Those that were handed to the store, oldest first.
    pub(super) fn stored(&self) -> Vec<GenerationRecord> {
        in_order(self.stored.values().map(Box::as_ref))
    }
}

fn in_order<'a>(entries: impl Iterator<Item = &'a GenerationRecord>) -> Vec<GenerationRecord> {
    let mut all: Vec<GenerationRecord> = entries.cloned().collect();
    all.sort_by_key(|entry| entry.generation);
    all
}

impl Group {
    /// The last generations, oldest first.
    pub fn history(&self) -> Vec<GenerationRecord> {
        let mut by_place: BTreeMap<u8, &GenerationRecord> =
            self.history.stored.iter().map(|(place, entry)| (*place, &**entry)).collect();
        by_place.extend(self.history.fresh.iter().map(|entry| (entry.slot(), entry)));
        in_order(by_place.into_values())
    }

    /// A join phase ended with this generation.
    pub(super) fn remember_generation(&mut self, outcome: GenerationOutcome, now: Now) {
        let began = self.history.began;
        self.history.joined = now;
        self.history.push(GenerationRecord {
            generation: self.generation,
            trigger: self.last_trigger.as_ref().map(ToString::to_string).unwrap_or_default(),
            began: began.wall,
            join_ms: now.mono.0.saturating_sub(began.mono.0),
            plan_ms: None,
            protocol: self.protocol.clone(),
            digest: None,
            leader: self.leader.clone(),
            members: u32::try_from(self.roster.members.len()).unwrap_or(u32::MAX),
            outcome,
            stand_in: None,
            moved: None,
            captured: None,
        });
    }

    /// Its plan was accepted.
    pub(super) fn remember_plan(&mut self, now: Now) {
        let (digest, stand_in) = self.plan.as_ref().map(|it| (it.digest, it.stand_in.clone())).unwrap_or_default();
        let took = now.mono.0.saturating_sub(self.history.joined.mono.0);
        if let Some(last) = self.history.awaited() {
            last.outcome = GenerationOutcome::Accepted;
            (last.plan_ms, last.digest, last.stand_in) = (Some(took), digest, stand_in);
        }
    }

    /// Hands what the store does not have yet to it, with a plan or with the last member's leaving.
    pub(super) fn emit_history(&mut self, step: &mut Step) {
        for entry in std::mem::take(&mut self.history.fresh) {
            self.history.restore(entry.clone());
            self.emit(Record::Generation(entry), step);
        }
    }
}

#[cfg(test)]
mod tests;
