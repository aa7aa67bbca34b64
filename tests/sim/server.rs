//! The coordinator's shell: it carries requests to the real coordinator and effects to the store and the network, as the
//! server's shard does, and shows the invariants everything that passes.

use std::collections::BTreeMap;

use divvy::coordinator::{Coordinator, CoordinatorConfig};
use divvy::group::{
    Effects, Event, Fact, GroupDescription, Record, Reply, Ticket, Work, WorkId, WorkOutcome, count_moves,
};
use divvy::ids::GroupId;
use divvy::store::Entry;
use divvy::time::{Now, Timestamp, WallTime};
use divvy::wire::ErrorCode;

use crate::calls::{Call, shown};
use crate::dice::Dice;
use crate::disk::{Disk, Said};
use crate::film::Film;
use crate::invariants::{Invariants, Scene, Seen};
use crate::network::{Asked, Link};
use crate::work;

/// The wall's time when a run begins.
const WALL_MS: i64 = 1_700_000_000_000;

/// A request that the coordinator has not answered yet.
#[derive(Clone, Debug)]
pub struct Open {
    pub link: Link,
    pub asked: Asked,
    pub call: Call,
    pub at: u64,
}

/// The coordinator while its process lives, and what goes to and from it.
pub struct Server {
    config: CoordinatorConfig,
    pub group: GroupId,
    coordinator: Option<Coordinator>,
    pub disk: Disk,
    open: BTreeMap<Ticket, Open>,
    tickets: u64,
    pub invariants: Invariants,
    pub film: Film,
}

/// What a step of the server leads to.
#[derive(Default)]
pub struct Out {
    pub answers: Vec<(Link, Asked, Reply)>,
    pub done: Vec<(WorkId, WorkOutcome)>,
}

impl Server {
    pub fn new(config: CoordinatorConfig, group: GroupId, disk: Disk, film: Film) -> Self {
        let invariants = Invariants::new();
        Self { config, group, coordinator: None, disk, open: BTreeMap::new(), tickets: 0, invariants, film }
    }

    pub fn is_up(&self) -> bool {
        self.coordinator.is_some()
    }

    pub fn next_deadline(&self) -> Option<u64> {
        self.coordinator.as_ref().and_then(Coordinator::next_deadline).map(|at| at.0)
    }

    pub fn describe(&self, now: u64) -> Option<GroupDescription> {
        self.coordinator.as_ref()?.describe(&self.group, moment(now).wall)
    }

    /// The process starts: requests wait until the store is read.
    pub fn start(&mut self) {
        self.coordinator = Some(Coordinator::new(self.config.clone()));
    }

    /// The process dies with everything that it had not made durable.
    pub fn crash(&mut self, now: u64, dice: &mut Dice) {
        self.film.shot(now, || "the coordinator crashes".to_owned());
        self.coordinator = None;
        self.open.clear();
        self.disk.crash(dice);
        self.see(Seen::Crashed, now);
    }

    /// The store was read.
    pub fn loaded(&mut self, now: u64, dice: &mut Dice) -> Out {
        let groups = self.disk.load();
        let records: Vec<Record> = groups.iter().flat_map(|(_, records)| records.clone()).collect();
        self.film.shot(now, || format!("the coordinator has read {} records", records.len()));
        self.see(Seen::Read(&records), now);
        let mut out = Out::default();
        let Some(coordinator) = &mut self.coordinator else { return out };
        for (_, effects) in coordinator.loaded(groups, moment(now), || dice.draw()) {
            self.carry_out(effects, now, &mut out);
        }
        out
    }

    pub fn ask(&mut self, link: Link, asked: Asked, call: Call, now: u64, dice: &mut Dice) -> Out {
        self.tickets += 1;
        let ticket = Ticket(self.tickets);
        self.open.insert(ticket, Open { link, asked, call: call.clone(), at: now });
        self.see(Seen::Asked(ticket, &call), now);
        if let Some(error) = self.pulse(&call, now) {
            let mut out = Out::default();
            let effects = Effects { replies: vec![(ticket, Reply::Heartbeat(error))], ..Effects::default() };
            self.carry_out(effects, now, &mut out);
            return out;
        }
        self.give(call.with(ticket), now, dice)
    }

    /// The short way of plain heartbeats.
    fn pulse(&mut self, call: &Call, now: u64) -> Option<ErrorCode> {
        let Call::Heartbeat(request) = call else { return None };
        if request.instance.is_some() || request.modules.is_some() || request.wait.is_some() {
            return None;
        }
        let coordinator = self.coordinator.as_mut()?;
        coordinator.pulse(self.group.as_str(), request.member.as_str(), request.generation, Timestamp(now))
    }

    /// A connection is gone: whatever waits on it is told so.
    pub fn gone(&mut self, link: Link, now: u64, dice: &mut Dice) -> Out {
        let tickets: Vec<Ticket> = self.open.iter().filter(|(_, it)| it.link == link).map(|(it, _)| *it).collect();
        let mut out = Out::default();
        for ticket in tickets {
            self.open.remove(&ticket);
            self.see(Seen::Closed(ticket), now);
            let more = self.give(Event::Closed(ticket), now, dice);
            out.answers.extend(more.answers);
            out.done.extend(more.done);
        }
        out
    }

    /// A piece of work is done.
    pub fn work_done(&mut self, id: WorkId, outcome: WorkOutcome, now: u64, dice: &mut Dice) -> Out {
        if let WorkOutcome::PlanMade(Ok(made)) = &outcome {
            self.see(Seen::Made(made), now);
        }
        self.give(Event::WorkDone(id, outcome), now, dice)
    }

    pub fn tick(&mut self, now: u64, dice: &mut Dice) -> Out {
        let mut out = Out::default();
        let Some(coordinator) = &mut self.coordinator else { return out };
        for (_, effects) in coordinator.tick(moment(now), || dice.draw()) {
            self.carry_out(effects, now, &mut out);
        }
        out
    }

    /// The store has done a job.
    pub fn disk_done(&mut self, now: u64, dice: &mut Dice) -> Out {
        let mut out = Out::default();
        for said in self.disk.end(dice) {
            let more = self.said(said, now, dice);
            out.answers.extend(more.answers);
            out.done.extend(more.done);
        }
        out
    }

    fn said(&mut self, said: Said, now: u64, dice: &mut Dice) -> Out {
        let mut out = Out::default();
        match said {
            Said::Stored(marks) => {
                for (_, upto) in marks {
                    let more = self.give(Event::Stored(upto), now, dice);
                    out.answers.extend(more.answers);
                    out.done.extend(more.done);
                }
            }
            Said::Failed(groups) => {
                // Several turns of one failed batch may tell of the same group.
                if groups.is_empty() || self.disk.is_read_anew(&self.group) {
                    return out;
                }
                self.film.shot(now, || "a batch was not stored".to_owned());
                out = self.give(Event::StoreFailed, now, dice);
                self.see(Seen::Failed, now);
                self.disk.reload(self.group.clone());
            }
            Said::Read(group, records) => {
                self.film.shot(now, || format!("the group is read anew: {} records", records.len()));
                self.see(Seen::Read(&records), now);
                let Some(coordinator) = &mut self.coordinator else { return out };
                let effects = coordinator.reloaded(&group, records, moment(now), || dice.draw());
                self.carry_out(effects, now, &mut out);
            }
        }
        out
    }

    fn give(&mut self, event: Event, now: u64, dice: &mut Dice) -> Out {
        let mut out = Out::default();
        let Some(coordinator) = &mut self.coordinator else { return out };
        let entropy = dice.draw();
        let effects = coordinator.handle(&self.group, event, moment(now), entropy);
        self.carry_out(effects, now, &mut out);
        out
    }

    fn carry_out(&mut self, effects: Effects, now: u64, out: &mut Out) {
        for fact in &effects.facts {
            match fact {
                Fact::GenerationBegan { .. } => self.film.scene(now, &format!("      * {fact:?}")),
                _ => self.film.shot(now, || format!("      * {fact:?}")),
            }
        }
        self.see(Seen::Took(&effects), now);
        for (ticket, reply) in effects.replies {
            if let Some(open) = self.open.remove(&ticket) {
                self.film.shot(now, || format!("      ticket {} gets {}", ticket.0, shown(&reply)));
                out.answers.push((open.link, open.asked, reply));
            }
        }
        if !effects.records.is_empty() {
            let entries = effects.records.into_iter().map(|it| Entry::Group(self.group.clone(), it)).collect();
            self.disk.turn(entries, vec![(self.group.clone(), effects.upto)]);
        }
        for work in effects.work {
            match work {
                Work::CheckPlan(id, plan) => out.done.push((id, WorkOutcome::PlanChecked(work::verdict(&plan)))),
                Work::MakePlan(id, plan) => out.done.push((id, WorkOutcome::PlanMade(work::make(&plan)))),
                Work::ReviewPlan(id) => out.done.push((id, WorkOutcome::PlanReviewed(work::FINGERPRINT))),
                Work::ComparePlans(id, plans) => {
                    // At once and without a throw of the dice: kept seeds go on as they were.
                    let Some(coordinator) = &mut self.coordinator else { continue };
                    let outcome = WorkOutcome::PlansCompared(count_moves(&plans));
                    let effects = coordinator.handle(&self.group, Event::WorkDone(id, outcome), moment(now), 0);
                    self.carry_out(effects, now, out);
                }
            }
        }
    }

    /// Shows the invariants something.
    pub fn see(&mut self, seen: Seen<'_>, now: u64) {
        let group = self.describe(now);
        let scene = Scene { now, group: group.as_ref(), open: &self.open, wakes_at: self.next_deadline() };
        self.invariants.see(&seen, &scene);
    }

    /// What would come back if the process died now, and what is there: only while nothing is on its way to the disk.
    pub fn compare(&mut self, now: u64) {
        if !self.disk.is_idle() || self.coordinator.is_none() {
            return;
        }
        let Some(live) = self.describe(now) else { return };
        let mut restored = Coordinator::new(self.config.clone());
        let _ = restored.loaded(self.disk.load(), moment(now), || 0);
        let restored = restored.describe(&self.group, moment(now).wall);
        self.see(Seen::Compared { live: &live, restored: restored.as_ref() }, now);
    }
}

/// A moment of virtual time, with both its faces.
pub fn moment(now: u64) -> Now {
    Now { mono: Timestamp(now), wall: WallTime(WALL_MS + now as i64) }
}
