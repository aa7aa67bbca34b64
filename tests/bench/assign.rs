//! How long a plan takes: a module's call beside the same code without a sandbox, and the parts of a leader's whole path.
//!
//! `cargo xtask bench assign` builds the modules and runs it. Every figure is a median of one run on this machine.
#![allow(clippy::disallowed_methods, reason = "a benchmark reads the clock")]
#![allow(clippy::unwrap_used, reason = "a benchmark that cannot go on says so by ending")]

use std::fs;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use divvy::assignor::{Assignor, Call, EncodedPlan, Export, LeaderInput, MemberInput, check_plan, lead};
use divvy::embedded::consumer::{Subscription, Tail};
use divvy::ids::{Generation, GroupId, Mode, Protocol, ProtocolType, TopicName};
use divvy::sandbox::{Module, Sandbox, SandboxLimits};
use divvy::topics::{Topic, TopicTable};
use native::native;

#[path = "../modules/native.rs"]
mod native;

const MIB: f64 = (1 << 20) as f64;

fn main() {
    let sandbox = Sandbox::new(SandboxLimits::default()).unwrap();
    small(&sandbox);
    large(&sandbox);
}

/// What most groups are: a call must cost nothing.
fn small(sandbox: &Sandbox) {
    let group = Group::new(10, 12, 10);
    let module = module(sandbox, "range");
    println!("10 members, 10 topics of 12 partitions: range, a fresh instance for each call");
    let [in_sandbox, natively] = compare(&group, &*module, &native("range"), 2_000);
    bar("call of the module, p50", in_sandbox, Duration::from_micros(20));
    beside(natively, in_sandbox);
    println!();
}

/// Kafka's largest test of an assignor.
fn large(sandbox: &Sandbox) {
    let group = Group::new(500, 2_000, 2_000);
    let module = module(sandbox, "roundrobin");
    println!("2,000 members, 500 topics of 2,000 partitions (1,000,000 in all): roundrobin");
    let [in_sandbox, natively] = compare(&group, &*module, &native("roundrobin"), 41);
    bar("call of the module", in_sandbox, Duration::from_millis(2));
    beside(natively, in_sandbox);
    let peak = module.last_call().map_or(0, |stats| stats.memory_peak) as f64 / MIB;
    println!("  {:<40} {peak:>9.1} MiB   bar 8 MiB    {}", "memory of the module", verdict(peak <= 8.0));
    let parts = group.path(&*module, 21);
    for (name, time) in ["decode, claims and request", "call", "verdict", "encode"].into_iter().zip(parts) {
        line(&format!("leader path: {name}"), time);
    }
    bar("leader path together", parts.iter().sum(), Duration::from_millis(60));
    line("coordinator: check of the encoded plan", group.check(&*module, 11));
}

fn module(sandbox: &Sandbox, name: &str) -> Arc<Module> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("assignors").join(format!("{name}.wasm"));
    let bytes = fs::read(&path).unwrap_or_else(|error| panic!("{}: {error}: run cargo xtask guests", path.display()));
    sandbox.load(&bytes, &path).unwrap()
}

/// The median call of each; they take turns, so that a busy machine is unfair to both.
fn compare(group: &Group, module: &dyn Assignor, native: &dyn Assignor, rounds: usize) -> [Duration; 2] {
    let input = group.input();
    let call = Call::prepare(module.manifest(), &input).unwrap();
    let mut times = [Vec::new(), Vec::new()];
    for _ in 0..rounds {
        for (assignor, times) in [module, native].into_iter().zip(&mut times) {
            let start = Instant::now();
            let reply = assignor.call(Export::Assign, call.request(), call.budget());
            times.push(start.elapsed());
            drop(reply.unwrap());
        }
    }
    times.map(median)
}

fn line(what: &str, time: Duration) {
    println!("  {what:<40} {:>12}", shown(time));
}

fn bar(what: &str, time: Duration, most: Duration) {
    println!("  {what:<40} {:>12}   bar {:<8} {}", shown(time), shown(most), verdict(time <= most));
}

fn beside(native: Duration, module: Duration) {
    let ratio = module.as_secs_f64() / native.as_secs_f64();
    println!("  {:<40} {:>12}   wasm/native {ratio:.2}", "the same without a sandbox", shown(native));
}

fn verdict(holds: bool) -> &'static str {
    if holds { "pass" } else { "FAIL" }
}

fn shown(time: Duration) -> String {
    match time.as_secs_f64() * 1e6 {
        us if us < 1000.0 => format!("{us:.1} us"),
        us => format!("{:.2} ms", us / 1000.0),
    }
}

fn median(mut times: Vec<Duration>) -> Duration {
    times.sort_unstable();
    times[times.len() / 2]
}

struct Group {
    group: GroupId,
    protocol: Protocol,
    protocol_type: ProtocolType,
    members: Vec<MemberInput>,
    topics: TopicTable,
}

impl Group {
    fn new(topics: usize, partitions: u32, members: usize) -> Self {
        let names: Vec<_> = (0..topics).map(|topic| format!("topic-{topic:04}")).collect();
        let topics = names.iter().map(String::as_str).collect();
        let metadata = Subscription { version: 3, topics, tail: Tail::default() }.encode();
        let topic = Topic { partitions, racks: Vec::new() };
        // Each member's metadata is memory of its own, as it is in a JoinGroup answer.
        let member = |member: usize| MemberInput {
            id: format!("consumer-bench-{member:05}").into(),
            instance: None,
            metadata: metadata.clone().into(),
        };
        Self {
            group: "bench".into(),
            protocol: "bench".into(),
            protocol_type: "consumer".into(),
            members: (0..members).map(member).collect(),
            topics: TopicTable(names.into_iter().map(|name| (TopicName::from(name), topic.clone())).collect()),
        }
    }

    fn input(&self) -> LeaderInput<'_> {
        LeaderInput {
            group: &self.group,
            generation: Generation(1),
            protocol: &self.protocol,
            mode: Mode::Eager,
            protocol_type: &self.protocol_type,
            members: &self.members,
            topics: &self.topics,
            columns: &[],
            config: &serde_json::Value::Null,
            context: None,
            memo: None,
            now_ms: 0,
            budget_ms: Duration::from_secs(1),
        }
    }

    /// The median check of a coordinator.
    fn check(&self, assignor: &dyn Assignor, rounds: usize) -> Duration {
        let plan = lead(assignor, &self.input()).unwrap();
        let members: Vec<_> = self.members.iter().map(|member| (member.id.clone(), member.metadata.clone())).collect();
        let check = |_| {
            let start = Instant::now();
            let encoded = EncodedPlan {
                protocol_type: &self.protocol_type,
                members: &members,
                states: &plan.states,
                topics: &plan.topics,
                copies: plan.copies,
                complete: plan.complete,
                mode: plan.mode,
            };
            check_plan(&encoded).unwrap();
            start.elapsed()
        };
        median((0..rounds).map(check).collect())
    }

    /// The medians of decode, call, verdict and encode.
    fn path(&self, assignor: &dyn Assignor, rounds: usize) -> [Duration; 4] {
        let input = self.input();
        let mut times = [const { Vec::new() }; 4];
        for _ in 0..rounds {
            let start = Instant::now();
            let call = Call::prepare(assignor.manifest(), &input).unwrap();
            let prepared = Instant::now();
            let reply = assignor.call(Export::Assign, call.request(), call.budget()).unwrap();
            let called = Instant::now();
            let verdict = call.judge(&reply).unwrap();
            let judged = Instant::now();
            let plan = call.plan(&verdict);
            let parts = [prepared - start, called - prepared, judged - called, judged.elapsed()];
            times.iter_mut().zip(parts).for_each(|(times, part)| times.push(part));
            drop(plan);
        }
        times.map(median)
    }
}
