//! Plays a life with one strategy: what happens is put on a line of time, and each rebalance that follows from it is gone
//! through as members and coordinator go through it (`round.rs`).

use divvy_guest::abi::{UNKNOWN_LAG, names};

use super::ledger::Turn;
use super::life::{Happening, Start, Step, grow, overlay};
use super::limits::MAX_CALLS_AGAIN;
use super::report::{Cost, Played, StepReport, Total};
use super::stage::{Due, Stage};
use super::subject::Subject;
use super::times::Times;
use super::work::Work;
use crate::ids::{Generation, Mode};
use crate::membership::played::Past;

/// Lives through all steps; why a strategy cannot be played is said instead.
pub(super) fn play(
    start: &Start,
    steps: &[Step],
    times: Times,
    subject: &Subject,
    progress: &dyn Fn(usize, usize),
) -> Result<Played, String> {
    let manifest = subject.assignor.manifest().clone();
    let work = Work::of(&manifest.protocol_type).map_err(|played| {
        let (name, serves) = (&subject.name, &manifest.protocol_type);
        format!("{name} serves type {serves}: {played}; `divvy assignor run` shows a single plan of it")
    })?;
    let mut stage = Stage::new(start, times, (subject, work), progress);
    let mut reports = stage.begin(start);
    for (number, step) in steps.iter().enumerate() {
        stage.number = number + 1;
        reports.push(stage.step(step));
    }
    let mut warnings = Vec::new();
    if manifest.needs.iter().any(|need| need == names::LAG) && stage.lags.is_empty() {
        let text = "it reads how far the group is behind: every lag counts as unknown, since no step says any (`lag TOPIC N,…`)";
        warnings.push(text.to_owned());
    }
    warnings.extend(nothing_stands_in(subject));
    Ok(Played {
        module: subject.name.clone(),
        protocol: stage.protocol.to_string(),
        digest: subject.assignor.digest().map(|digest| digest.to_string()),
        mode: if stage.mode == Mode::Eager { "eager" } else { "cooperative" },
        protocol_type: stage.protocol_type.to_string(),
        fallback: subject.fallback.as_ref().map(|it| it.manifest().protocol().to_string()),
        total: Total::of(&reports),
        steps: reports,
        warnings,
    })
}

/// Why the fall-back that was named is none for this strategy.
fn nothing_stands_in(subject: &Subject) -> Option<String> {
    let (own, other) = (subject.assignor.manifest(), subject.fallback.as_ref()?.manifest());
    let name = other.protocol();
    if own.protocol_type != other.protocol_type {
        return Some(format!("the fall-back {name} serves type {}: it does not stand in here", other.protocol_type));
    }
    (own.protocol() == name).then(|| format!("the fall-back {name} is this strategy itself: it does not stand in here"))
}

impl Stage<'_> {
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
            Happening::NewTopic(name, topic) if self.work.has_topics() => {
                self.topics.insert(name.clone(), topic.clone());
                self.topics_changed();
            }
            Happening::DropTopic(name) if self.work.has_topics() => {
                self.topics.remove(name);
                self.lags.remove(name);
                self.known.retain(|(topic, _), _| topic != name);
                self.topics_changed();
            }
            Happening::LoseRack(rack) => self.each_in(rack, true, |stage, at| stage.stop(at, now)),
            Happening::ReturnRack(rack) => self.each_in(rack, false, |stage, at| stage.put(now, Due::Returns(at))),
            Happening::Facts(name, facts) => self.each_of(name, |stage, at| {
                overlay(&mut stage.players[at].spec.facts, facts);
                // A worker says nothing of itself.
                if stage.work != Work::Tasks {
                    stage.put(now, Due::Speaks(at));
                }
            }),
            Happening::Subscribe(name, reads) => self.each_of(name, |stage, at| {
                stage.players[at].spec.reads = reads.clone();
                if stage.is_of_partitions() {
                    stage.put(now, Due::Speaks(at));
                }
            }),
            Happening::Lag(name, lags) => {
                let known = lags.iter().map(|lag| lag.unwrap_or(UNKNOWN_LAG)).collect();
                self.lags.insert(name.clone(), known);
            }
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

    fn topics_changed(&mut self) {
        self.review_topics();
        if self.work.has_topics() {
            self.config_offset += 1;
            self.put(self.now_ms, Due::Topics);
        }
    }
}
