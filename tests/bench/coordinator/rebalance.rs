//! A large group: how it forms, and one round after another because a follower subscribes to something else; beside a
//! server that counts the requests and sends the same bytes.

use std::time::{Duration, Instant};

use anyhow::{Result, bail, ensure};
use divvy::wire::ErrorCode;

use crate::Options;
use crate::bare::Log;
use crate::crew::{Crew, News};
use crate::process::{Seen, Server, Window};
use crate::report::{Bar, Report, median, ratio};
use crate::requests::{assignment, marked_assignment, subscription};

const MEMBERS: usize = 1_000;
const BYTES: usize = 1_024;
/// A member that looks for the rebalance does so this often.
const LOOK: Duration = Duration::from_micros(200);
const LIMIT: Duration = Duration::from_secs(60);

/// A server with its one group.
struct Stage {
    server: Server,
    crew: Crew,
    formation_ms: f64,
    formation_generation: i32,
    /// Each gave every member another state.
    rounds: Vec<Round>,
    /// Each gave every member the state that it had.
    still: Vec<Round>,
}

#[derive(Clone, Copy)]
struct Round {
    ms: f64,
    cpu_ms: f64,
    stored: f64,
    seen: Seen,
}

pub fn run(options: &Options, report: &mut Report) -> Result<()> {
    let (memory, redb) = (tempfile::tempdir()?, tempfile::Builder::new().tempdir_in(&options.disk)?);
    let (members, bytes) = (MEMBERS.to_string(), BYTES.to_string());
    let mut formations = [Vec::new(), Vec::new(), Vec::new()];
    // A group forms once in a server's life: the first repeats are for that alone.
    for _ in 1..options.repeats {
        let stages = [
            Stage::form(Server::bare(&["floor", &members, &bytes])?)?,
            Stage::form(Server::divvy(memory.path(), "memory", "")?)?,
            Stage::form(Server::divvy(redb.path(), "data", "")?)?,
        ];
        for (formations, stage) in formations.iter_mut().zip(&stages) {
            formations.push(stage.formation_ms);
        }
        drop(stages);
        std::fs::remove_dir_all(redb.path().join("data"))?;
    }
    let mut stages = [
        Stage::form(Server::bare(&["floor", &members, &bytes])?)?,
        Stage::form(Server::divvy(memory.path(), "memory", "")?)?,
        Stage::form(Server::divvy(redb.path(), "data", "")?)?,
    ];
    for (formations, stage) in formations.iter_mut().zip(&stages) {
        formations.push(stage.formation_ms);
    }
    let (mut log, mut writes) = (Log::begin(redb.path())?, Vec::new());
    for number in 0..options.repeats * 3 {
        for stage in &mut stages {
            stage.crew.decide(marked_assignment(BYTES, number as u64 + 1));
            let round = stage.round(2 * number)?;
            stage.rounds.push(round);
        }
        for stage in &mut stages {
            let round = stage.round(2 * number + 1)?;
            stage.still.push(round);
        }
        // What a log would write of a round: everybody's metadata and state.
        writes.push(log.write(2 * MEMBERS * BYTES)? * 1e3);
    }
    let [floor, memory, stored] = &stages;
    let what = format!("{MEMBERS} members on their own connections, {BYTES} B of metadata, {BYTES} B of state");
    report.scenario("rebalance", &what);
    for (name, stage) in ["floor", "memory", "redb"].into_iter().zip(&stages) {
        report.note(&format!("round: {name}"), median(&stage.all(|round| round.ms)), "ms");
        report.note(&format!("CPU of a round: {name}"), median(&stage.all(|round| round.cpu_ms)), "ms");
    }
    let (cpu, ms) = (|round: &Round| round.cpu_ms, |round: &Round| round.ms);
    report.figure("CPU of a round: memory/floor", ratio(&memory.all(cpu), &floor.all(cpu)), "", Bar::Most(1.2));
    report.figure("round: memory/floor", ratio(&memory.all(ms), &floor.all(ms)), "", Bar::Most(1.1));
    let write_ms = median(&writes);
    report.note("a bare synced write of a round's content", write_ms, "ms");
    report.note("bytes stored in a round: redb", median(&stored.all(|round| round.stored)), "B");
    let more = median(&stored.all(ms)) - 1.1 * median(&floor.all(ms));
    report.figure("(redb - 1.1 floor) / bare synced write", more / write_ms, "", Bar::Most(2.0));
    let still = |stage: &Stage, of: fn(&Round) -> f64| median(&stage.still.iter().map(of).collect::<Vec<_>>());
    report.note("bytes stored when no state changes: redb", still(stored, |round| round.stored), "B");
    let more = still(stored, ms) - 1.1 * still(floor, ms);
    report.note("(redb - 1.1 floor) / bare, when no state changes", more / write_ms, "");
    report.note("redb - memory", median(&stored.all(ms)) - median(&memory.all(ms)), "ms");
    report.note("redb - memory, when no state changes", still(stored, ms) - still(memory, ms), "ms");
    for (name, formations) in ["floor", "memory", "redb"].into_iter().zip(&formations) {
        report.note(&format!("formation: {name}"), median(formations), "ms");
    }
    report.figure("formation: memory/floor", ratio(&formations[1], &formations[0]), "", Bar::Most(1.3));
    let generations = f64::from(memory.formation_generation);
    report.figure("generations until all are in: memory", generations, "", Bar::Most(1.0));
    report.noise(&stages.iter().flat_map(|stage| stage.all(|round| round.seen.others)).collect::<Vec<_>>());
    Ok(())
}

impl Stage {
    fn form(server: Server) -> Result<Self> {
        let mut crew = Crew::connect(server.addr(), MEMBERS, assignment(BYTES))?;
        (0..MEMBERS).for_each(|at| crew.enlist(at, "bench", subscription(BYTES, at as u64)));
        let began = Instant::now();
        crew.form(0..MEMBERS, LIMIT)?;
        let formation_ms = began.elapsed().as_secs_f64() * 1e3;
        let formation_generation = crew.members()[0].generation;
        Ok(Self { server, crew, formation_ms, formation_generation, rounds: Vec::new(), still: Vec::new() })
    }

    fn all(&self, of: impl Fn(&Round) -> f64) -> Vec<f64> {
        self.rounds.iter().map(of).collect()
    }

    /// A follower joins with other metadata; another one looks until it hears of it; then all others join at once.
    fn round(&mut self, number: usize) -> Result<Round> {
        let leader = self.crew.members().iter().position(|member| member.leads).unwrap_or(0);
        let changed = (leader + 1 + number % (MEMBERS - 2)) % MEMBERS;
        let looks = (0..MEMBERS).find(|at| *at != leader && *at != changed).unwrap_or(0);
        let before = self.crew.members()[0].generation;
        self.crew.rewrite(changed, subscription(BYTES, (1 << 32) + number as u64));
        let stored = self.server.stored()?;
        let window = Window::open(&self.server)?;
        let began = Instant::now();
        self.crew.join(changed)?;
        self.crew.heartbeat(looks)?;
        let mut synced = 0;
        while synced < MEMBERS {
            let news = self.crew.news(began + LIMIT)?;
            if news.is_empty() {
                bail!("{synced} of {MEMBERS} came through a round; errors {:?}", self.crew.errors);
            }
            for (at, news) in news {
                match news {
                    News::Synced(_) => synced += 1,
                    News::Beat(ErrorCode::None) => self.crew.wake(at, LOOK),
                    News::Beat(_) => {
                        let others = (0..MEMBERS).filter(|other| *other != changed);
                        others.into_iter().try_for_each(|other| self.crew.join(other))?;
                    }
                    News::Due => self.crew.heartbeat(at)?,
                    News::Left(_) => {}
                }
            }
        }
        let ms = began.elapsed().as_secs_f64() * 1e3;
        let seen = window.close(&self.server)?;
        let stored = self.server.stored()? - stored;
        let generations: Vec<i32> = self.crew.members().iter().map(|member| member.generation).collect();
        ensure!(generations.iter().all(|it| *it == before + 1), "a round took more than one generation");
        Ok(Round { ms, cpu_ms: seen.cpu.as_secs_f64() * 1e3, stored, seen })
    }
}
