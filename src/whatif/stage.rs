//! A group that lives: its processes, its places, its work, and what is to come.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use bytes::Bytes;

use super::ledger::{Ledger, Turn, Unit};
use super::life::{Reads, Spec, Start};
use super::report::StepReport;
use super::subject::{Metered, Subject};
use super::times::Times;
use super::work::Work;
use crate::assignor::Assignor;
use crate::assignor::manifest::Copies;
use crate::ids::{Generation, InstanceId, MemberId, Mode, Protocol, ProtocolType, TopicName};
use crate::membership::Strategies;
use crate::membership::lead::LastPlan;
use crate::membership::played::Past;
use crate::topics::Topic;

/// A process, or the place of one.
#[derive(Debug)]
pub(super) struct Player {
    pub(super) spec: Spec,
    pub(super) id: MemberId,
    /// How often it was started.
    pub(super) born: u32,
    pub(super) is_up: bool,
    /// Whether it went for good, so that nobody misses what it alone has read.
    pub(super) has_left: bool,
    pub(super) past: Past,
    /// What the last plan gave it.
    pub(super) share: BTreeSet<Unit>,
}

/// What comes at its time.
#[derive(Clone, PartialEq, Debug)]
pub(super) enum Due {
    /// A process joins as a new member.
    Joins(usize),
    /// A member leaves.
    Leaves(usize),
    /// A process ends and keeps its place.
    Stops(usize),
    /// A process is back.
    Returns(usize),
    /// A session ends.
    SessionOver(MemberId),
    /// A member has something new to say.
    Speaks(usize),
    /// The leader sees other topics.
    Topics,
    /// The leader is to ask its strategy again.
    AsksAgain,
}

/// A place that is kept for nobody, until then.
#[derive(Debug)]
pub(super) struct Ghost {
    pub(super) player: usize,
    pub(super) id: MemberId,
    pub(super) until_ms: u64,
}

/// A group that lives.
pub(super) struct Stage<'p> {
    pub(super) times: Times,
    pub(super) metered: Arc<Metered>,
    pub(super) strategies: Strategies,
    pub(super) subject: Subject,
    pub(super) protocol: Protocol,
    pub(super) protocol_type: ProtocolType,
    pub(super) mode: Mode,
    pub(super) work: Work,
    /// How far workers have read their configuration: it grows with each change of the connectors.
    pub(super) config_offset: i64,
    pub(super) topics: BTreeMap<TopicName, Topic>,
    /// How far the group is behind, as far as that was said.
    pub(super) lags: BTreeMap<TopicName, Vec<u64>>,
    pub(super) players: Vec<Player>,
    /// Who is in the group and there, in the order of joining.
    pub(super) roster: Vec<usize>,
    pub(super) ghosts: Vec<Ghost>,
    pub(super) leader: Option<usize>,
    pub(super) generation: Generation,
    pub(super) last_plan: Option<LastPlan>,
    pub(super) memo: Option<Bytes>,
    pub(super) call_again_ms: Option<u64>,
    /// Who had what by the last plan that gave it to anybody.
    pub(super) known: BTreeMap<Unit, Vec<usize>>,
    pub(super) ledger: Ledger,
    pub(super) queue: BTreeMap<(u64, u64), Due>,
    pub(super) tickets: u64,
    pub(super) now_ms: u64,
    pub(super) step: StepReport,
    /// Who is told of each generation: the number of the step, and that of its generation.
    pub(super) progress: &'p dyn Fn(usize, usize),
    /// The number of the step.
    pub(super) number: usize,
    /// Whether the last round changed anything.
    pub(super) has_changed: bool,
}

impl<'p> Stage<'p> {
    pub(super) fn new(
        start: &Start,
        times: Times,
        (subject, work): (&Subject, Work),
        progress: &'p dyn Fn(usize, usize),
    ) -> Self {
        let manifest = subject.assignor.manifest();
        let (protocol, protocol_type) = (manifest.protocol(), manifest.protocol_type());
        let (mode, copies) = (manifest.mode_under(&protocol, None), manifest.copies);
        let metered = Arc::new(Metered::new(subject.clone()));
        Self {
            times,
            strategies: Strategies::from_iter(
                [Arc::clone(&metered) as Arc<dyn Assignor>].into_iter().chain(subject.fallback.clone()),
            ),
            metered,
            subject: subject.clone(),
            protocol,
            protocol_type,
            mode,
            work,
            config_offset: 1,
            topics: work.topics(&start.topics.0),
            lags: BTreeMap::new(),
            players: Vec::new(),
            roster: Vec::new(),
            ghosts: Vec::new(),
            leader: None,
            generation: Generation(0),
            last_plan: None,
            memo: None,
            call_again_ms: None,
            known: BTreeMap::new(),
            ledger: Ledger::new(copies == Copies::Many, work.first()),
            queue: BTreeMap::new(),
            tickets: 0,
            now_ms: 0,
            step: StepReport::default(),
            progress,
            number: 0,
            has_changed: false,
        }
    }

    /// The process is gone; the coordinator does not know it yet.
    pub(super) fn stop(&mut self, at: usize, now_ms: u64) {
        self.drop_work(at, now_ms);
        self.roster.retain(|it| *it != at);
        let player = &mut self.players[at];
        player.is_up = false;
        let until_ms = now_ms + self.times.session_ms;
        let id = player.id.clone();
        self.ghosts.push(Ghost { player: at, id: id.clone(), until_ms });
        self.put(until_ms, Due::SessionOver(id));
    }

    /// A member stops with all that it has.
    pub(super) fn drop_work(&mut self, at: usize, now_ms: u64) {
        for unit in std::mem::take(&mut self.players[at].share) {
            self.ledger.turn(now_ms, Turn::Ends, at, unit);
        }
    }

    /// What anybody reads is missed when nobody has it.
    pub(super) fn review_topics(&mut self) {
        let mut read = BTreeSet::new();
        let players = || self.players.iter().filter(|player| !player.has_left);
        for player in players() {
            if let Reads::These(topics) = &player.spec.reads {
                read.extend(topics.iter().cloned());
            }
        }
        let all = !self.is_of_partitions() || players().any(|player| player.spec.reads == Reads::All);
        self.ledger.know(&self.topics, |name| all || read.contains(name), self.now_ms);
    }

    pub(super) fn enter(&mut self, spec: Spec) -> usize {
        let (id, share) = (MemberId::from(spec.name.as_str()), BTreeSet::new());
        self.players.push(Player { spec, id, born: 0, is_up: false, has_left: false, past: Past::default(), share });
        self.players.len() - 1
    }

    pub(super) fn put(&mut self, at_ms: u64, due: Due) {
        self.tickets += 1;
        self.queue.insert((at_ms, self.tickets), due);
    }

    pub(super) fn each_of(&mut self, name: &str, mut act: impl FnMut(&mut Self, usize)) {
        if let Some(at) = self.players.iter().position(|player| player.spec.name == name) {
            act(self, at);
        }
    }

    pub(super) fn each_in(&mut self, rack: &str, is_up: bool, mut act: impl FnMut(&mut Self, usize)) {
        let fits = |player: &Player| player.is_up == is_up && player.spec.rack() == Some(rack);
        let all: Vec<usize> = (0..self.players.len()).filter(|at| fits(&self.players[*at])).collect();
        all.into_iter().for_each(|at| act(self, at));
    }

    /// Whether the group's work is partitions of topics.
    pub(super) fn is_of_partitions(&self) -> bool {
        self.work == Work::Partitions
    }

    /// The lasting name of a member.
    pub(super) fn instance(&self, at: usize) -> Option<InstanceId> {
        let spec = &self.players[at].spec;
        spec.is_static.then(|| InstanceId::from(spec.name.as_str()))
    }
}
