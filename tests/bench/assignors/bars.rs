//! What was promised: each workload beside its bar, for each strategy that it is about.

use std::time::Duration;

use anyhow::{Context, Result};
use divvy::assignor::{Assignor, EncodedPlan, Plan, check_plan};
use serde_json::Value;

use crate::native::native;
use crate::path::{self, Parts, median};
use crate::peers::Peers;
use crate::report::{Bar, Report};
use crate::strategies::Strategies;
use crate::world::{Group, World};

const MIB: f64 = (1 << 20) as f64;

/// No call is measured for longer, if it was measured three times.
const MOST: Duration = Duration::from_secs(5);

/// What the sandbox may cost the smallest group, in microseconds.
const SMALLEST_CALL_US: f64 = 20.0;

/// What a whole plan of the largest group may take in the guest's memory, in MiB.
const MEMORY_MIB: f64 = 32.0;

/// Which strategies a workload has a bar for.
enum About {
    /// All of them.
    Every,
    /// These; the others are measured without.
    Only(&'static [&'static str]),
}

struct Workload {
    name: &'static str,
    world: fn() -> World,
    /// Whether the members have a plan already, and the last one joins.
    one_joins: bool,
    about: About,
    most_ms: f64,
    shows_memory: bool,
}

const STICKY: About = About::Only(&["cooperative-sticky"]);
const UNIFORM: About = About::Only(&["uniform"]);

const WORKLOADS: &[Workload] = &[
    Workload {
        name: "1M x 2,000 fresh",
        world: million,
        one_joins: false,
        about: STICKY,
        most_ms: 50.0,
        shows_memory: true,
    },
    Workload {
        name: "1M x 2,000 one joins",
        world: million,
        one_joins: true,
        about: STICKY,
        most_ms: 100.0,
        shows_memory: true,
    },
    Workload {
        name: "1M x 2,000 one narrow",
        world: narrow,
        one_joins: false,
        about: STICKY,
        most_ms: 300.0,
        shows_memory: true,
    },
    Workload {
        name: "1M x 2,000 all but one topic, one joins",
        world: all_but_one,
        one_joins: true,
        about: About::Only(&[]),
        most_ms: 0.0,
        shows_memory: true,
    },
    Workload {
        name: "20k x 500 halves one joins",
        world: halves,
        one_joins: true,
        about: STICKY,
        most_ms: 30.0,
        shows_memory: false,
    },
    Workload {
        name: "10k x 1,000 fresh",
        world: middle,
        one_joins: false,
        about: About::Every,
        most_ms: 5.0,
        shows_memory: false,
    },
    Workload {
        name: "10k x 1,000 one joins",
        world: middle,
        one_joins: true,
        about: About::Every,
        most_ms: 5.0,
        shows_memory: false,
    },
    Workload {
        name: "500k x 10,000 alike",
        world: alike,
        one_joins: false,
        about: UNIFORM,
        most_ms: 30.0,
        shows_memory: false,
    },
    Workload {
        name: "500k x 10,000 alike one joins",
        world: alike,
        one_joins: true,
        about: About::Only(&[]),
        most_ms: 0.0,
        shows_memory: false,
    },
    Workload {
        name: "500k x 10,000 five kinds",
        world: kinds,
        one_joins: false,
        about: UNIFORM,
        most_ms: 150.0,
        shows_memory: false,
    },
    Workload {
        name: "1k x 100 fresh",
        world: typical,
        one_joins: false,
        about: About::Every,
        most_ms: 0.3,
        shows_memory: false,
    },
    Workload {
        name: "1k x 100 one joins",
        world: typical,
        one_joins: true,
        about: About::Every,
        most_ms: 0.3,
        shows_memory: false,
    },
];

/// Kafka's largest test of an assignor.
fn million() -> World {
    World::even(500, 2_000, 2_000)
}

/// The same, but that the last member reads one topic.
fn narrow() -> World {
    World { reads: vec![(0..500).collect(), vec![0]], last_read: Some(1), ..million() }
}

/// The same with as many subscriptions as there are topics: each leaves another one out, and everybody may have some of all others.
fn all_but_one() -> World {
    let but = |left_out: usize| (0..500).filter(|&topic| topic != left_out).collect();
    World { reads: (0..500).map(but).collect(), ..million() }
}

/// Kafka's test of two halves: every fourth member reads the first half of the topics, the others the second.
fn halves() -> World {
    let half = |from: usize| (from..from + 50).collect();
    World { reads: vec![half(0), half(50), half(50), half(50)], ..World::even(100, 200, 500) }
}

fn middle() -> World {
    World::even(100, 100, 1_000)
}

/// The largest group of Kafka's own benchmark.
fn alike() -> World {
    World::even(1_000, 500, 10_000)
}

/// The same with members of five kinds, each of which reads other topics.
fn kinds() -> World {
    World { reads: (0..5).map(|kind| (kind * 200..(kind + 1) * 200).collect()).collect(), ..alike() }
}

fn typical() -> World {
    World::even(10, 100, 100)
}

impl Workload {
    fn plan_before(&self, assignor: &dyn Assignor, config: &Value) -> Result<Option<Plan>> {
        let world = (self.world)();
        let before = World { members: world.members - 1, ..world };
        let plan = || before.group(assignor, None, config).plan(assignor);
        Ok(if self.one_joins { Some(plan()?) } else { None })
    }

    fn group(&self, assignor: &dyn Assignor, config: &Value) -> Result<Group> {
        let last = self.plan_before(assignor, config)?;
        Ok((self.world)().group(assignor, last.as_ref(), config))
    }

    fn bar(&self, strategy: &str) -> Bar {
        match self.about {
            About::Every => Bar::Most(self.most_ms),
            About::Only(named) if named.contains(&strategy) => Bar::Most(self.most_ms),
            About::Only(_) => Bar::None,
        }
    }
}

/// Measures all of them, for the strategies that are there.
pub fn run(strategies: &Strategies, repeats: usize, peers: &Peers, report: &mut Report) -> Result<()> {
    smallest(strategies, report)?;
    for workload in WORKLOADS {
        report.scenario(workload.name, "the whole path of a leader, through the sandbox");
        for (name, module, config) in strategies.iter() {
            let group = workload.group(&**module, config).with_context(|| format!("{name}, {}", workload.name))?;
            let parts = path::measure(&group, &**module, repeats, MOST)?;
            show(workload, name, &parts, report);
            if workload.shows_memory {
                let peak = module.last_call().map_or(0, |stats| stats.memory_peak) as f64 / MIB;
                report.figure(&format!("{name}: memory of the module"), peak, "MiB", Bar::Most(MEMORY_MIB));
            }
            peers.beside(name, workload.name, &group, &parts, report)?;
        }
    }
    checked(strategies, report)
}

fn show(workload: &Workload, name: &str, parts: &Parts, report: &mut Report) {
    report.figure(name, ms(parts.whole), "ms", workload.bar(name));
    for (part, time) in [
        ("decode, claims, request", parts.prepare),
        ("call", parts.call),
        ("verdict, withholding", parts.judge),
        ("encode", parts.encode),
    ] {
        report.note(&format!("{name}: {part}"), ms(time), "ms");
    }
}

/// What most groups are: a call must cost nothing. Beside it the same code without a sandbox, also for the largest group.
fn smallest(strategies: &Strategies, report: &mut Report) -> Result<()> {
    for (what, world, rounds) in [
        ("10 members, 10 topics of 12 partitions", World::even(10, 12, 10), 2_000),
        ("2,000 members, 500 topics of 2,000 partitions", million(), 15),
    ] {
        report.scenario(what, "the call alone, a fresh instance for each, and the same code without a sandbox");
        for (name, module, config) in strategies.iter() {
            let native = native(name);
            let group = world.group(&**module, None, config);
            let [sandboxed, natively] = path::compare(&group, [&**module, &native], rounds)?;
            let is_bare = name == "range" && world.members == 10;
            let bar = if is_bare { Bar::Most(SMALLEST_CALL_US) } else { Bar::None };
            report.figure(name, us(sandboxed), "us", bar);
            report.note(&format!("{name}: wasm / native"), sandboxed.as_secs_f64() / natively.as_secs_f64(), "");
        }
    }
    Ok(())
}

/// What a coordinator does with the largest plan before it stores it.
fn checked(strategies: &Strategies, report: &mut Report) -> Result<()> {
    report.scenario("1M x 2,000 checked", "a coordinator's check of the encoded plan, one member joins");
    let workload = &WORKLOADS[1];
    for (name, module, config) in strategies.iter() {
        let group = workload.group(&**module, config)?;
        let plan = group.plan(&**module)?;
        let members: Vec<_> = group.members.iter().map(|it| (it.id.clone(), it.metadata.clone())).collect();
        let input = group.input();
        let check = |_| {
            let start = std::time::Instant::now();
            let encoded = EncodedPlan {
                protocol_type: input.protocol_type,
                members: &members,
                states: &plan.states,
                topics: &plan.topics,
                copies: plan.copies,
                complete: plan.complete,
                mode: plan.mode,
            };
            check_plan(&encoded).map(|()| start.elapsed()).map_err(anyhow::Error::msg)
        };
        let times = (0..7).map(check).collect::<Result<Vec<_>>>()?;
        report.note(name, ms(median(times)), "ms");
    }
    Ok(())
}

fn ms(time: Duration) -> f64 {
    time.as_secs_f64() * 1e3
}

fn us(time: Duration) -> f64 {
    time.as_secs_f64() * 1e6
}
