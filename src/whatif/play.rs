//! Plays a life with one strategy: what happens is put on a line of time, and each rebalance that follows from it is gone
//! through as members and coordinator go through it (`round.rs`).

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use bytes::Bytes;

use super::ledger::{Ledger, Turn, Unit};
use super::life::{Happening, Reads, Spec, Start, Step, grow, overlay};
use super::limits::MAX_CALLS_AGAIN;
use super::report::{Cost, Played, StepReport, Total};
use super::subject::{Metered, Subject};
use super::times::Times;
use super::writer;
use crate::assignor::Assignor;
use crate::assignor::manifest::Copies;
use crate::ids::{Generation, InstanceId, MemberId, Mode, Protocol, ProtocolType, TopicName};
use crate::membership::Strategies;
use crate::membership::config::CONSUMER;
use crate::membership::lead::LastPlan;
use crate::membership::played::Past;
use crate::topics::Topic;
use divvy_guest::abi::names;

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
pub(super) struct Stage {
    pub(super) times: Times,
    pub(super) metered: Arc<Metered>,
    pub(super) strategies: Strategies,
    pub(super) subject: Subject,
    pub(super) protocol: Protocol,
    pub(super) protocol_type: ProtocolType,
    pub(super) mode: Mode,
    pub(super) topics: BTreeMap<TopicName, Topic>,
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
    tickets: u64,
    pub(super) now_ms: u64,
    pub(super) step: StepReport,
    /// Whether the last round changed anything.
    pub(super) has_changed: bool,
}

/// Lives through all steps; why a strategy cannot be played is said instead.
pub(super) fn play(start: &Start, steps: &[Step], times: Times, subject: &Subject) -> Result<Played, String> {
    let manifest = subject.assignor.manifest().clone();
    if manifest.protocol_type != CONSUMER && manifest.protocol_type != writer::TYPE {
        return Err(format!(
            "{} serves type {}: only types consumer and {} are played; its own `divvy assignor run` shows one plan",
            subject.name,
            manifest.protocol_type,
            writer::TYPE
        ));
    }
    let mut stage = Stage::new(start, times, subject);
    let mut reports = stage.begin(start);
    reports.extend(steps.iter().map(|step| stage.step(step)));
    let mut warnings = Vec::new();
    if manifest.needs.iter().any(|need| need == names::LAG) {
        warnings.push("it reads how far the group is behind: here every lag counts as unknown".to_owned());
    }
    Ok(Played {
        module: subject.name.clone(),
        protocol: stage.protocol.to_string(),
        digest: subject.assignor.digest().map(|digest| digest.to_string()),
        mode: if stage.mode == Mode::Eager { "eager" } else { "cooperative" },
        protocol_type: stage.protocol_type.to_string(),
        total: Total::of(&reports),
        steps: reports,
        warnings,
    })
}

impl Stage {
    fn new(start: &Start, times: Times, subject: &Subject) -> Self {
        let manifest = subject.assignor.manifest();
        let (protocol, protocol_type) = (manifest.protocol(), manifest.protocol_type());
        let (mode, copies) = (manifest.mode_under(&protocol, None), manifest.copies);
        let metered = Arc::new(Metered::new(subject.clone()));
        let topics = if protocol_type == CONSUMER { start.topics.0.clone() } else { writer::topics() };
        Self {
            times,
            strategies: Strategies::from_iter([Arc::clone(&metered) as Arc<dyn Assignor>]),
            metered,
            subject: subject.clone(),
            protocol,
            protocol_type,
            mode,
            topics,
            players: Vec::new(),
            roster: Vec::new(),
            ghosts: Vec::new(),
            leader: None,
            generation: Generation(0),
            last_plan: None,
            memo: None,
            call_again_ms: None,
            known: BTreeMap::new(),
            ledger: Ledger::new(copies == Copies::Many),
            queue: BTreeMap::new(),
            tickets: 0,
            now_ms: 0,
            step: StepReport::default(),
            has_changed: false,
        }
    }

    /// All join an empty group; or the group runs already, and after a look at it its members come to offer the strategy.
    fn begin(&mut self, start: &Start) -> Vec<StepReport> {
        let runs = self.is_of_partitions() && start.members.iter().any(|spec| !spec.has.is_empty());
        self.open(if runs { "as it is" } else { "all join" }.to_owned());
        let mut reports = Vec::new();
        for spec in &start.members {
            let player = self.enter(spec.clone());
            if runs {
                self.goes_on(player);
            } else {
                self.put(self.now_ms, Due::Joins(player));
            }
        }
        self.review_topics();
        if runs {
            self.generation = Generation(1);
            self.leader = self.roster.first().copied();
            reports.push(self.close());
            self.open("all offer the strategy".to_owned());
            self.put(self.now_ms, Due::AsksAgain);
        }
        self.live();
        self.call_again(None);
        reports.push(self.close());
        reports
    }

    /// A member that has its share since before.
    fn goes_on(&mut self, at: usize) {
        let player = &mut self.players[at];
        (player.is_up, player.born) = (true, 1);
        let has = player.spec.has.clone();
        player.share = has.iter().flat_map(|(topic, all)| all.iter().map(|number| (topic.clone(), *number))).collect();
        player.past = Past { had: Some((Generation(1), has)), last_state: None };
        for unit in &player.share {
            self.known.entry(unit.clone()).or_default().push(at);
            self.ledger.turn(self.now_ms, Turn::Begins, at, unit.clone());
        }
        self.roster.push(at);
    }

    fn step(&mut self, step: &Step) -> StepReport {
        self.now_ms += self.times.between_ms;
        self.open(step.title.clone());
        let mut wait_ms = None;
        step.happenings.iter().for_each(|happening| self.happen(happening));
        self.review_topics();
        self.live();
        for happening in &step.happenings {
            match happening {
                Happening::RollingRestart(away) => {
                    for at in self.roster.clone() {
                        self.restart(at, *away);
                        self.live();
                    }
                }
                Happening::Wait(ms) => wait_ms = Some(wait_ms.unwrap_or(0) + ms),
                _ => {}
            }
        }
        self.call_again(wait_ms);
        self.close()
    }

    /// A strategy that wanted to be called again is, until that changes nothing any more, or for as long as is waited.
    fn call_again(&mut self, wait_ms: Option<u64>) {
        let until = wait_ms.map(|ms| self.now_ms + ms);
        for _ in 0..MAX_CALLS_AGAIN {
            let Some(after) = self.call_again_ms else { break };
            let due = self.now_ms + after.max(1);
            let wanted = match until {
                Some(until) => due <= until,
                None => self.has_changed && self.step.rebalances > 0 || self.ledger.unowned() > 0,
            };
            if !wanted || self.roster.is_empty() {
                break;
            }
            self.put(due, Due::AsksAgain);
            self.live();
        }
        if let Some(until) = until {
            self.now_ms = self.now_ms.max(until);
        }
    }

    fn open(&mut self, title: String) {
        self.ledger.close(self.now_ms);
        self.ledger.skip(self.now_ms);
        (self.ledger.unowned_ms, self.ledger.doubled_ms) = (0, 0);
        self.has_changed = false;
        self.step = StepReport { title, at_ms: self.now_ms, ..StepReport::default() };
        self.review_topics();
    }

    fn close(&mut self) -> StepReport {
        self.ledger.close(self.now_ms);
        let mut step = std::mem::take(&mut self.step);
        step.took_ms = self.now_ms - step.at_ms;
        (step.unowned_ms, step.doubled_ms) = (self.ledger.unowned_ms, self.ledger.doubled_ms);
        step.after = self.after();
        step.cost = Cost::from(self.metered.bill());
        step
    }

    fn happen(&mut self, happening: &Happening) {
        let now = self.now_ms;
        match happening {
            Happening::Join(spec) => {
                let at = self.enter(spec.clone());
                self.put(now, Due::Joins(at));
            }
            Happening::Leave(name) => self.each_of(name, |stage, at| {
                stage.players[at].has_left = true;
                stage.put(now + stage.times.drain_ms, Due::Leaves(at));
            }),
            Happening::Crash(name, back) => self.each_of(name, |stage, at| {
                stage.stop(at, now);
                if let Some(back) = back {
                    stage.put(now + back, Due::Returns(at));
                }
            }),
            Happening::Back(name) => self.each_of(name, |stage, at| stage.put(now, Due::Returns(at))),
            Happening::Restart(name, away) => self.each_of(name, |stage, at| stage.restart(at, *away)),
            Happening::Partitions(name, count) => {
                if let Some(topic) = self.topics.get_mut(name) {
                    grow(topic, *count);
                }
                self.topics_changed();
            }
            Happening::NewTopic(name, topic) if self.is_of_partitions() => {
                self.topics.insert(name.clone(), topic.clone());
                self.topics_changed();
            }
            Happening::DropTopic(name) if self.is_of_partitions() => {
                self.topics.remove(name);
                self.known.retain(|(topic, _), _| topic != name);
                self.topics_changed();
            }
            Happening::LoseRack(rack) => self.each_in(rack, true, |stage, at| stage.stop(at, now)),
            Happening::ReturnRack(rack) => self.each_in(rack, false, |stage, at| stage.put(now, Due::Returns(at))),
            Happening::Facts(name, facts) => self.each_of(name, |stage, at| {
                overlay(&mut stage.players[at].spec.facts, facts);
                stage.put(now, Due::Speaks(at));
            }),
            Happening::Subscribe(name, reads) => self.each_of(name, |stage, at| {
                stage.players[at].spec.reads = reads.clone();
                if stage.is_of_partitions() {
                    stage.put(now, Due::Speaks(at));
                }
            }),
            // Types without topics take no notice of them; the other two have their turn when the rest is over.
            Happening::NewTopic(..) | Happening::DropTopic(_) => {}
            Happening::RollingRestart(_) | Happening::Wait(_) => {}
        }
    }

    /// In good order: everything is finished first. Only a lasting name is kept for it meanwhile.
    fn restart(&mut self, at: usize, away_ms: Option<u64>) {
        let down = self.now_ms + self.times.drain_ms;
        let is_static = self.players[at].spec.is_static;
        self.put(down, if is_static { Due::Stops(at) } else { Due::Leaves(at) });
        self.put(down + away_ms.unwrap_or(self.times.away_ms).max(1), Due::Returns(at));
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

    fn topics_changed(&mut self) {
        self.review_topics();
        if self.is_of_partitions() {
            self.put(self.now_ms, Due::Topics);
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

    fn enter(&mut self, spec: Spec) -> usize {
        let (id, share) = (MemberId::from(spec.name.as_str()), BTreeSet::new());
        self.players.push(Player { spec, id, born: 0, is_up: false, has_left: false, past: Past::default(), share });
        self.players.len() - 1
    }

    pub(super) fn put(&mut self, at_ms: u64, due: Due) {
        self.tickets += 1;
        self.queue.insert((at_ms, self.tickets), due);
    }

    fn each_of(&mut self, name: &str, mut act: impl FnMut(&mut Self, usize)) {
        if let Some(at) = self.players.iter().position(|player| player.spec.name == name) {
            act(self, at);
        }
    }

    fn each_in(&mut self, rack: &str, is_up: bool, mut act: impl FnMut(&mut Self, usize)) {
        let fits = |player: &Player| player.is_up == is_up && player.spec.rack() == Some(rack);
        let all: Vec<usize> = (0..self.players.len()).filter(|at| fits(&self.players[*at])).collect();
        all.into_iter().for_each(|at| act(self, at));
    }

    /// Whether the group's work is partitions of topics.
    pub(super) fn is_of_partitions(&self) -> bool {
        self.protocol_type == CONSUMER
    }

    /// The lasting name of a member.
    pub(super) fn instance(&self, at: usize) -> Option<InstanceId> {
        let spec = &self.players[at].spec;
        spec.is_static.then(|| InstanceId::from(spec.name.as_str()))
    }
}
