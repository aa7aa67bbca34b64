//! What must be true in every run: each invariant has a file, a name and a sentence, and looks at everything that passes
//! between the coordinator, its store and its members. Safety is judged after each step, liveness after the faults.

use std::collections::{BTreeMap, BTreeSet};

use divvy::group::event::MadePlan;
use divvy::group::{Effects, GroupDescription, Record, Ticket};

use crate::actors::{Partition, Standing};
use crate::calls::Call;
use crate::server::Open;

mod acknowledged_survives;
mod answered_once;
mod becomes_stable;
mod best_protocol;
mod cause_named;
mod deadline_exists;
mod generation_never_back;
mod no_lost_partition;
mod no_rejoin_loop;
mod nothing_dropped;
mod one_leader;
mod one_owner;
mod one_worker;
mod parked_not_expired;
mod restore_is_live;
mod state_of_generation;
mod writer_fenced;

/// A member by its name, and where it stands.
pub type Stands = (String, Standing);

/// A member of divvy's by its name, and what its application works on.
pub type Works<'a> = (&'a str, &'a BTreeSet<Partition>);

/// Something that passed.
pub enum Seen<'a> {
    /// A request reached the coordinator.
    Asked(Ticket, &'a Call),
    /// A request's connection is gone, and the coordinator is about to be told.
    Closed(Ticket),
    /// One step of the coordinator; what it answers is still open in the scene.
    Took(&'a Effects),
    /// The coordinator is about to be given the plan that it asked for itself.
    Made(&'a MadePlan),
    /// A batch was not stored: the group was told, and is gone until it is read anew.
    Failed,
    /// The process died.
    Crashed,
    /// This is what the store knows of the group, which begins anew with it.
    Read(&'a [Record]),
    /// Nothing is on its way to the store: the group as it is, and as it would come back.
    Compared { live: &'a GroupDescription, restored: Option<&'a GroupDescription> },
    /// What the applications of divvy's members work on.
    Works { members: &'a [Works<'a>] },
    /// Which of divvy's members believe that they are the writer, and under which epoch.
    Writes { writers: &'a [(&'a str, i32)] },
    /// What one of them worked on when it was told its new share, and what it works on now.
    Assigned { name: &'a str, had: &'a BTreeSet<Partition>, has: &'a BTreeSet<Partition> },
    /// Nothing goes wrong from now on.
    FaultsEnded { members: usize },
    /// The faults are over, and all have had the time that their timeouts give them.
    Settled { members: &'a [Stands], works: &'a [Works<'a>] },
    /// Nothing has happened since then but heartbeats and commits.
    Rested { members: &'a [Stands], works: &'a [Works<'a>] },
}

/// How things stand when something passed.
pub struct Scene<'a> {
    pub now: u64,
    /// The group, if the coordinator runs and has it.
    pub group: Option<&'a GroupDescription>,
    /// The requests that are not answered yet.
    pub open: &'a BTreeMap<Ticket, Open>,
    /// When the coordinator wants to be woken.
    pub wakes_at: Option<u64>,
}

/// One of them.
pub trait Invariant {
    /// What is always true.
    fn sentence(&self) -> &'static str;

    /// Takes in what passed; an error says how the sentence is broken.
    fn see(&mut self, seen: &Seen<'_>, scene: &Scene<'_>) -> Result<(), String>;
}

/// All of them.
pub struct Invariants {
    all: Vec<(&'static str, Box<dyn Invariant>)>,
    /// The first that was broken, and how.
    pub broken: Option<String>,
}

macro_rules! all {
    ($($name:ident: $invariant:ident;)*) => {
        vec![$((stringify!($name), Box::new($name::$invariant::default()) as Box<dyn Invariant>)),*]
    };
}

impl Invariants {
    pub fn new() -> Self {
        let all = all! {
            acknowledged_survives: AcknowledgedSurvives;
            answered_once: AnsweredOnce;
            becomes_stable: BecomesStable;
            best_protocol: BestProtocol;
            cause_named: CauseNamed;
            deadline_exists: DeadlineExists;
            generation_never_back: GenerationNeverBack;
            no_lost_partition: NoLostPartition;
            no_rejoin_loop: NoRejoinLoop;
            nothing_dropped: NothingDropped;
            one_leader: OneLeader;
            one_owner: OneOwner;
            one_worker: OneWorker;
            parked_not_expired: ParkedNotExpired;
            restore_is_live: RestoreIsLive;
            state_of_generation: StateOfGeneration;
            writer_fenced: WriterFenced;
        };
        Self { all, broken: None }
    }

    pub fn see(&mut self, seen: &Seen<'_>, scene: &Scene<'_>) {
        for (name, invariant) in &mut self.all {
            if let Err(how) = invariant.see(seen, scene)
                && self.broken.is_none()
            {
                self.broken = Some(format!("{name}: {}\n  but {how}", invariant.sentence()));
            }
        }
    }
}
