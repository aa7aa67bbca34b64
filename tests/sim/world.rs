//! A run: everything that happens, in the order of virtual time, on one thread, all chance from one seed.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, BinaryHeap};

use divvy::ids::GroupId;

use crate::actors::{Actor, End, Turn, Wish};
use crate::calls::{Call, shown};
use crate::dice::Dice;
use crate::film::Film;
use crate::invariants::{Seen, Stands, Works};
use crate::network::{Asked, Link, Network};
use crate::scenario::{GROUP, Scenario};
use crate::server::{Out, Server};
use crate::what::What;

/// How long a group rests after it became stable, to see whether it stays so.
const REST_MS: u64 = 25_000;

/// A run with more steps than this goes round in circles.
const STEPS_MAX: u64 = 400_000;

/// The world of a run.
pub struct World {
    seed: u64,
    now: u64,
    dice: Dice,
    drawn: u64,
    agenda: BinaryHeap<Reverse<(u64, u64)>>,
    items: BTreeMap<u64, What>,
    network: Network,
    server: Server,
    actors: Vec<(String, Box<dyn Actor>)>,
    /// When each member, and the server, is going to be woken.
    armed: Vec<Option<u64>>,
    server_armed: Option<u64>,
    /// Counts the server's processes: what was meant for an earlier one is lost.
    life: u64,
    commits: i64,
    faults_until: u64,
    fault_every_ms: u64,
    patience_ms: u64,
    steps: u64,
    over: bool,
}

impl World {
    pub fn new(seed: u64, film: Film) -> Self {
        let mut dice = Dice::new(seed);
        let scenario = Scenario::new(seed, &mut dice);
        let mut network = Network::default();
        network.latency_ms = scenario.latency_ms;
        let server = Server::new(scenario.config, GroupId::from(GROUP), scenario.disk, film);
        let mut world = Self {
            seed,
            now: 0,
            dice,
            drawn: 0,
            agenda: BinaryHeap::new(),
            items: BTreeMap::new(),
            network,
            server,
            armed: vec![None; scenario.actors.len()],
            actors: scenario.actors,
            server_armed: None,
            life: 0,
            commits: 0,
            faults_until: scenario.faults_until,
            fault_every_ms: scenario.fault_every_ms,
            patience_ms: scenario.patience_ms,
            steps: 0,
            over: false,
        };
        world.plan(0, What::ServerStarts);
        for who in 0..world.actors.len() {
            let at = world.dice.tail(500, 15_000);
            world.plan(at, What::Starts { who });
        }
        world.plan(1, What::Fault);
        world.plan(world.faults_until, What::FaultsEnd);
        world
    }

    /// Runs to its end, or until an invariant is broken: how.
    pub fn run(&mut self) -> Result<u64, String> {
        while !self.over {
            let Some(Reverse((at, number))) = self.agenda.pop() else { return Err("nothing is left to do".to_owned()) };
            let Some(what) = self.items.remove(&number) else { continue };
            self.now = at;
            self.steps += 1;
            self.happen(what);
            self.settle_step();
            if let Some(broken) = self.server.invariants.broken.take() {
                return Err(broken);
            }
            if self.steps > STEPS_MAX {
                return Err(format!("{STEPS_MAX} steps in {} s: the run goes round in circles", self.now / 1000));
            }
        }
        Ok(self.steps)
    }

    pub fn film(&self) -> &Film {
        &self.server.film
    }

    fn plan(&mut self, at: u64, what: What) {
        self.drawn += 1;
        self.agenda.push(Reverse((at.max(self.now), self.drawn)));
        self.items.insert(self.drawn, what);
    }

    fn happen(&mut self, what: What) {
        match what {
            What::Arrives { link, asked, call } => self.arrives(link, asked, *call),
            What::Answered { link, asked, reply } => {
                if let Some((who, tag)) = self.network.answered(link, asked) {
                    let name = &self.actors[who].0;
                    self.server.film.shot(self.now, || format!("{name} <- {}", shown(&reply)));
                    self.turn(who, |actor, turn| actor.answered(tag, reply, turn));
                }
            }
            What::PatienceEnds { link, asked } => {
                if self.network.waits(link, asked) {
                    self.hang_up(link);
                }
            }
            What::MemberHangsUp { link } => self.member_loses(link),
            What::ServerHangsUp { link } => {
                if self.network.gone_at_server(link) {
                    let out = self.server.gone(link, self.now, &mut self.dice);
                    self.carry(out);
                }
            }
            What::Probed { who, life, tag } => {
                let is_up = self.server.is_up() && life == self.life;
                self.turn(who, |actor, turn| actor.probed(tag, is_up, turn));
            }
            What::Wake { who } => {
                self.armed[who] = None;
                self.turn(who, |actor, turn| actor.wake(turn));
            }
            What::Starts { who } => {
                let name = &self.actors[who].0;
                self.server.film.shot(self.now, || format!("{name} starts"));
                self.turn(who, |actor, turn| actor.start(turn));
            }
            What::ServerWakes => {
                self.server_armed = None;
                if self.server.next_deadline().is_some_and(|at| at <= self.now) {
                    let out = self.server.tick(self.now, &mut self.dice);
                    self.carry(out);
                }
            }
            What::DiskDone { life } if life == self.life => {
                let out = self.server.disk_done(self.now, &mut self.dice);
                self.carry(out);
                self.server.compare(self.now);
            }
            What::WorkDone { life, id, outcome } if life == self.life => {
                let out = self.server.work_done(id, outcome, self.now, &mut self.dice);
                self.carry(out);
            }
            What::DiskDone { .. } | What::WorkDone { .. } => {}
            What::ServerStarts => {
                self.server.start();
                let at = self.now + self.dice.tail(50, 3_000);
                self.plan(at, What::ServerHasRead { life: self.life });
            }
            What::ServerHasRead { life } => {
                if life == self.life {
                    let out = self.server.loaded(self.now, &mut self.dice);
                    self.carry(out);
                }
            }
            What::Fault => self.fault(),
            What::FaultsEnd => self.faults_end(),
            What::Settles => {
                self.look(|members, works| Seen::Settled { members, works });
                self.plan(self.now + REST_MS, What::Ends);
            }
            What::Ends => {
                self.look(|members, works| Seen::Rested { members, works });
                self.over = true;
            }
        }
    }

    /// After each step: whoever wants to be woken is.
    fn settle_step(&mut self) {
        let members: Vec<_> =
            self.actors.iter().filter_map(|(name, actor)| Some((name.as_str(), actor.works_on()?))).collect();
        // To look at the group for every step would double what a run takes.
        let meets =
            |(at, (_, one)): (usize, &(_, &BTreeSet<_>))| members[..at].iter().any(|(_, it)| !it.is_disjoint(one));
        if members.iter().enumerate().any(meets) {
            self.server.see(Seen::Works { members: &members }, self.now);
        }
        let writers: Vec<_> =
            self.actors.iter().filter_map(|(name, actor)| Some((name.as_str(), actor.writes()?))).collect();
        if !writers.is_empty() {
            self.server.see(Seen::Writes { writers: &writers }, self.now);
        }
        for who in 0..self.actors.len() {
            let wakes_at = self.actors[who].1.wakes_at();
            if let Some(at) = wakes_at.filter(|at| self.armed[who].is_none_or(|armed| *at < armed)) {
                self.armed[who] = Some(at);
                self.plan(at, What::Wake { who });
            }
        }
        if let Some(at) = self.server.next_deadline().filter(|at| self.server_armed.is_none_or(|armed| *at < armed)) {
            self.server_armed = Some(at);
            self.plan(at, What::ServerWakes);
        }
        if let Some(after) = self.server.disk.begin(&mut self.dice) {
            self.plan(self.now + after, What::DiskDone { life: self.life });
        }
    }

    fn arrives(&mut self, link: Link, asked: Asked, call: Call) {
        if !self.server.is_up() {
            return;
        }
        let Some(who) = self.network.arrives(link, asked) else { return };
        let name = &self.actors[who].0;
        self.server.film.shot(self.now, || format!("{name} -> {call}"));
        let out = self.server.ask(link, asked, call, self.now, &mut self.dice);
        self.carry(out);
    }

    fn carry(&mut self, out: Out) {
        for (link, asked, reply) in out.answers {
            for (at, what) in self.network.answer(link, asked, reply, self.now, &mut self.dice) {
                self.plan(at, what);
            }
        }
        for (id, outcome) in out.done {
            let at = self.now + self.dice.tail(10, 800);
            self.plan(at, What::WorkDone { life: self.life, id, outcome });
        }
    }

    fn turn(&mut self, who: usize, event: impl FnOnce(&mut dyn Actor, &mut Turn<'_>)) {
        let mut turn = Turn { now: self.now, dice: &mut self.dice, wishes: Vec::new(), commits: &mut self.commits };
        event(&mut *self.actors[who].1, &mut turn);
        for wish in turn.wishes {
            self.grant(who, wish);
        }
    }

    fn grant(&mut self, who: usize, wish: Wish) {
        match wish {
            Wish::Ask(request) => {
                let lane = request.lane;
                let planned = self.network.ask(who, *request, self.now, &mut self.dice);
                planned.into_iter().for_each(|(at, what)| self.plan(at, what));
                if !self.server.is_up() {
                    // Nobody listens: the connection is refused.
                    if let Some(link) = self.network.of(who, lane) {
                        self.plan(self.now + 1, What::MemberHangsUp { link });
                        self.network.gone_at_server(link);
                    }
                }
            }
            Wish::Probe { tag } => {
                let at = self.now + 1 + self.dice.tail(self.network.latency_ms, 300);
                self.plan(at, What::Probed { who, life: self.life, tag });
            }
            Wish::Show { had, has } => {
                let name = &self.actors[who].0;
                self.server.film.shot(self.now, || format!("{name} had {had:?}, has {has:?}"));
                self.server.see(Seen::Assigned { name, had: &had, has: &has }, self.now);
            }
            Wish::Hangup => {
                for link in self.network.links_of(who) {
                    self.network.gone_at_member(link);
                    let at = self.now + self.dice.tail(5, 5_000);
                    self.plan(at, What::ServerHangsUp { link });
                }
            }
        }
    }

    /// A member gives a connection up; the server learns of it some time.
    fn hang_up(&mut self, link: Link) {
        let at = self.now + self.dice.tail(5, 5_000);
        self.plan(at, What::ServerHangsUp { link });
        self.member_loses(link);
    }

    fn member_loses(&mut self, link: Link) {
        let Some((who, tags)) = self.network.gone_at_member(link) else { return };
        let name = &self.actors[who].0;
        self.server.film.shot(self.now, || format!("{name} loses a connection with {} requests on it", tags.len()));
        for tag in tags {
            self.turn(who, |actor, turn| actor.unanswered(tag, turn));
        }
    }

    fn fault(&mut self) {
        if self.now >= self.faults_until {
            return;
        }
        let next = self.now + self.dice.within(1, 2 * self.fault_every_ms);
        self.plan(next, What::Fault);
        match self.dice.within(0, 99) {
            0..45 => self.cut(),
            45..60 => self.stall(),
            60..75 => self.member_ends(),
            75..85 if self.server.is_up() => self.crash(),
            _ => {}
        }
    }

    /// A connection breaks; each end learns of it in its own time.
    fn cut(&mut self) {
        let links = self.network.all();
        if links.is_empty() {
            return;
        }
        let link = self.dice.pick(&links);
        let (member, server) = (self.dice.tail(20, 2_000), self.dice.tail(20, 5_000));
        self.plan(self.now + member, What::MemberHangsUp { link });
        self.plan(self.now + server, What::ServerHangsUp { link });
    }

    /// A connection goes dead without a sign: only the member's own patience ends it.
    fn stall(&mut self) {
        let links = self.network.all();
        if !links.is_empty() {
            let link = self.dice.pick(&links);
            self.network.stall(link);
        }
    }

    fn member_ends(&mut self) {
        let who = self.dice.within(0, self.actors.len() as u64 - 1) as usize;
        let how = self.dice.pick(&[End::Leaves, End::Dies]);
        let name = &self.actors[who].0;
        self.server.film.shot(self.now, || format!("{name} ends: {how:?}"));
        self.turn(who, |actor, turn| actor.end(how, turn));
        if self.dice.percent(85) {
            let at = self.now + self.dice.within(100, 15_000);
            self.plan(at.min(self.faults_until), What::Starts { who });
        }
    }

    fn crash(&mut self) {
        self.life += 1;
        self.server.crash(self.now, &mut self.dice);
        self.server_armed = None;
        for link in self.network.all() {
            self.network.gone_at_server(link);
            let at = self.now + self.dice.tail(20, 2_000);
            self.plan(at, What::MemberHangsUp { link });
        }
        let at = self.now + self.dice.tail(500, 12_000);
        self.plan(at, What::ServerStarts);
    }

    fn faults_end(&mut self) {
        self.server.film.shot(self.now, || "the faults are over".to_owned());
        self.server.see(Seen::FaultsEnded { members: self.actors.len() }, self.now);
        if let Some(after) = self.server.disk.heal() {
            self.plan(self.now + after, What::DiskDone { life: self.life });
        }
        for who in 0..self.actors.len() {
            self.turn(who, |actor, turn| actor.calm(turn));
        }
        self.plan(self.now + self.patience_ms, What::Settles);
    }

    /// Shows where everybody stands.
    fn look(&mut self, seen: impl for<'a> Fn(&'a [Stands], &'a [Works<'a>]) -> Seen<'a>) {
        let members: Vec<Stands> = self.actors.iter().map(|(name, actor)| (name.clone(), actor.standing())).collect();
        let works: Vec<Works<'_>> =
            self.actors.iter().filter_map(|(name, actor)| Some((name.as_str(), actor.works_on()?))).collect();
        self.server.film.shot(self.now, || format!("it has settled: {members:?}, {works:?}"));
        self.server.see(seen(&members, &works), self.now);
    }

    /// How to see this run again.
    pub fn repeat(&self) -> String {
        format!("DIVVY_SEED={} cargo test --workspace --test sim -- --nocapture a_seed_of_ones_own", self.seed)
    }
}
