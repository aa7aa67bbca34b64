#![allow(warnings)]
#![allow(clippy::all)]
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};
use divvy::assignor::{Assignor, Call, Column, Export, LeaderInput, MemberInput, lead};
use divvy::assignor::case::{Shares, shares};
use divvy::embedded::consumer::{Subscription, Tail, TopicPartitions};
use divvy::ids::{Generation, GroupId, Mode, Protocol, ProtocolType, TopicName};
use divvy::sandbox::{Module, Sandbox, SandboxLimits};
use divvy::topics::{Topic, TopicTable};

fn module(sandbox: &Sandbox, name: &str) -> Arc<Module> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("assignors").join(format!("{name}.wasm"));
    let bytes = fs::read(&path).unwrap();
    sandbox.load(&bytes, &path).unwrap()
}

struct G { topics: Vec<(String, u32)>, members: Vec<(String, Vec<usize>)>, owned: Shares, config: serde_json::Value, lag: bool }

impl G {
    fn run(&self, module: &Arc<Module>, rounds: usize) -> (Vec<[f64; 4]>, f64, Shares) {
        let sub = |m: &(String, Vec<usize>)| {
            let empty = BTreeMap::new();
            let owned = self.owned.get(&m.0).unwrap_or(&empty);
            let tail = Tail { owned: owned.iter().map(|(t, p)| TopicPartitions { topic: t.as_str(), partitions: p.iter().copied().collect() }).collect(), generation: 5, ..Tail::default() };
            Subscription { version: 3, topics: m.1.iter().map(|&t| self.topics[t].0.as_str()).collect(), tail }.encode()
        };
        let members: Vec<MemberInput> = self.members.iter().map(|m| MemberInput { id: m.0.as_str().into(), instance: None, metadata: sub(m).into() }).collect();
        let table = TopicTable(self.topics.iter().map(|(n, p)| (TopicName::from(n.as_str()), Topic { partitions: *p, racks: Vec::new() })).collect());
        let group: GroupId = "bench".into();
        let protocol: Protocol = "bench".into();
        let pt: ProtocolType = "consumer".into();
        let mut x = 1u64;
        let columns = if self.lag { vec![Column { name: "lag".into(), values: self.topics.iter().map(|(n, p)| (TopicName::from(n.as_str()), (0..*p).map(|_| { x = x.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407); if (x >> 40) % 4 == 0 { 0 } else { (x >> 33) % 100000 } }).collect())).collect() }] } else { vec![] };
        let input = LeaderInput { group: &group, generation: Generation(6), protocol: &protocol, mode: Mode::Eager, protocol_type: &pt, members: &members, topics: &table, columns: &columns, config: &self.config, context: None, memo: None, now_ms: 0, budget_ms: Duration::from_secs(20) };
        let mut times = Vec::new();
        let mut last = None;
        for _ in 0..rounds {
            let t0 = Instant::now();
            let call = Call::prepare(module.manifest(), &input).unwrap();
            let t1 = Instant::now();
            let reply = module.call(Export::Assign, call.request(), call.budget()).unwrap();
            let t2 = Instant::now();
            let verdict = call.judge(&reply).unwrap();
            let t3 = Instant::now();
            let plan = call.plan(&verdict);
            let t4 = Instant::now();
            times.push([t1 - t0, t2 - t1, t3 - t2, t4 - t3].map(|d| d.as_secs_f64() * 1e3));
            last = Some(plan);
        }
        let peak = module.last_call().map_or(0, |stats| stats.memory_peak) as f64 / (1 << 20) as f64;
        (times, peak, shares(&last.unwrap()).unwrap())
    }
}

fn med(times: &[[f64; 4]]) -> ([f64; 4], f64) {
    let m = |f: &dyn Fn(&[f64; 4]) -> f64| { let mut v: Vec<f64> = times.iter().map(|t| f(t)).collect(); v.sort_by(f64::total_cmp); v[v.len() / 2] };
    ([m(&|t| t[0]), m(&|t| t[1]), m(&|t| t[2]), m(&|t| t[3])], m(&|t| t.iter().sum()))
}

fn group(members: usize, topics: usize, parts: u32, model: &str, config: serde_json::Value, lag: bool) -> G {
    let total = parts as usize;
    let per = (total / topics) as u32; let extra = total % topics;
    let t: Vec<(String, u32)> = (0..topics).map(|i| (format!("topic-{i:05}"), per + u32::from(i < extra))).collect();
    let reads = |m: usize| -> Vec<usize> { match model {
        "homo" => (0..topics).collect(),
        "disjoint" => { let b = 5.min(topics).min(members.max(1)); (0..topics).filter(|t| t % b == m % b).collect() }
        "nested" => { let k = 1 + (m * topics) / members; (0..k.max(1)).collect() }
        "narrow" => if m == 0 { vec![0] } else { (0..topics).collect() },
        "random" => { let mut x = m as u64 + 7; (0..topics).filter(|_| { x = x.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407); (x >> 62) == 0 }).collect() }
        _ => panic!() } };
    G { topics: t, members: (0..members).map(|m| (format!("member-{m:06}"), reads(m))).collect(), owned: Shares::new(), config, lag }
}

fn main() {
    let args: Vec<String> = std::env::args().skip(1).filter(|a| a != "--bench").collect();
    let sandbox = Sandbox::new(SandboxLimits { ..SandboxLimits::default() }).unwrap();
    let grid = args.first().is_some_and(|a| a == "grid");
    let names: Vec<(&str, serde_json::Value)> = vec![("uniform", serde_json::json!({})), ("uniform", serde_json::json!({"spread": true})), ("weighted", serde_json::json!({})), ("lag-aware", serde_json::json!({})), ("lag-aware", serde_json::json!({"scope": "topic", "max_count_skew": 2}))];
    let cells: Vec<(usize, usize, u32, &str)> = if grid {
        let mut c = vec![];
        for m in [5, 50, 500, 5000] { for t in [5, 50, 500, 5000] { for p in [5000u32, 20000] { for model in ["homo", "disjoint", "nested"] { c.push((m, t, p, model)); } } } }
        c
    } else { vec![(100, 10, 1000, "homo"), (1000, 100, 10_000, "homo"), (1000, 100, 10_000, "random"), (10_000, 1000, 500_000, "homo"), (10_000, 1000, 500_000, "disjoint"), (2000, 500, 1_000_000, "homo"), (2000, 500, 1_000_000, "narrow"), (500, 100, 20_000, "disjoint"), (5000, 5000, 20_000, "nested")] };
    for (name, config) in &names {
        if let Some(only) = args.get(1) { if !format!("{name}{config}").contains(only.as_str()) { continue; } }
        let module = module(&sandbox, name);
        for &(m, t, p, model) in &cells {
            let mut g = group(m, t, p, model, config.clone(), *name == "lag-aware");
            let rounds = if grid { 3 } else if p >= 500_000 { 5 } else { 15 };
            let (times, peak, fresh) = g.run(&module, rounds);
            let (parts, all) = med(&times);
            print!("{name:<10}{config:<40} {m:>6}m {t:>5}t {p:>8}p {model:<9} fresh all {all:8.2} call {:8.2} {peak:5.1}M", parts[1]);
            g.owned = fresh.clone();
            let (times, peak, _) = g.run(&module, rounds);
            let (parts, all) = med(&times);
            print!(" | stable {all:8.2} {:8.2} {peak:5.1}M", parts[1]);
            let reads = g.members[m / 2].1.clone();
            g.members.push((format!("member-zz{m:06}"), reads));
            let (times, peak, _) = g.run(&module, rounds);
            let (parts, all) = med(&times);
            print!(" | join {all:8.2} {:8.2} {peak:5.1}M", parts[1]);
            g.members.pop();
            let keep: Vec<_> = g.members.iter().enumerate().filter(|(i, _)| i % 10 != 3).map(|x| x.1.clone()).collect();
            g.members = keep;
            let (times, peak, _) = g.run(&module, rounds);
            let (parts, all) = med(&times);
            print!(" | leave10% {all:8.2} {:8.2} {peak:5.1}M", parts[1]);
            for (_, n) in g.topics.iter_mut() { *n += 1; }
            let (times, peak, _) = g.run(&module, rounds);
            let (parts, all) = med(&times);
            println!(" | grown {all:8.2} {:8.2} {peak:5.1}M", parts[1]);
        }
    }
}
