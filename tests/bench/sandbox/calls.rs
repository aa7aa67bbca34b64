//! One call: what an instance of its own costs a small group, and how soon one that never ends is stopped.

use std::path::Path;
use std::time::{Duration, Instant};

use anyhow::{Result, ensure};
use divvy::assignor::{Assignor, Budget, Call, Export, FaultKind};
use serde_json::Value;

use crate::report::{Bar, Report};
use crate::world::World;
use crate::{load, percentile, sandbox};

const SMALL_P50_US: f64 = 12.0;
const SMALL_P99_US: f64 = 20.0;
const INSTANCE_US: f64 = 5.0;
const LATE_MS: f64 = 10.0;
const DEADLINE: Duration = Duration::from_millis(50);

/// The first calls meet a cold slot.
const WARM_UP: usize = 100;

pub fn run(rounds: usize, report: &mut Report) -> Result<()> {
    report.scenario("call", "a fresh instance for each call");
    let sandbox = sandbox()?;
    let module = load(&sandbox, "roundrobin")?;
    let group = World::even(10, 12, 10).group(&*module, None, &Value::Null);
    let input = group.input();
    let call = Call::prepare(module.manifest(), &input)?;
    let mut times = timed(rounds, || {
        module.call(Export::Assign, call.request(), call.budget())?;
        Ok(())
    })?;
    report.figure("10 members x 10 topics x 12, p50", percentile(&mut times, 50), "us", Bar::Most(SMALL_P50_US));
    report.figure("10 members x 10 topics x 12, p99", percentile(&mut times, 99), "us", Bar::Most(SMALL_P99_US));
    // A module that does nothing: what is left is the instance, three calls of nothing, and its end.
    let idle = sandbox.load(&wat::parse_str(IDLE)?, Path::new("idle.wasm"))?;
    let budget = Budget { deadline: Duration::from_secs(1), max_output: 16 };
    let mut times = timed(rounds, || {
        idle.call(Export::Assign, b"", budget)?;
        Ok(())
    })?;
    report.figure("instantiate and drop, p50", percentile(&mut times, 50), "us", Bar::Most(INSTANCE_US));
    runaways(rounds / 400, report)
}

fn timed(rounds: usize, mut run: impl FnMut() -> Result<()>) -> Result<Vec<f64>> {
    let mut times = Vec::with_capacity(rounds);
    for round in 0..rounds + WARM_UP {
        let start = Instant::now();
        run()?;
        if round >= WARM_UP {
            times.push(start.elapsed().as_secs_f64() * 1e6);
        }
    }
    Ok(times)
}

const IDLE: &str = r#"(module
    (@custom "divvy.manifest" "{\"abi\": \"1.0\", \"name\": \"idle\"}")
    (memory (export "memory") 1)
    (func (export "divvy_abi_v1"))
    (func (export "divvy_alloc") (param i32) (result i32) (i32.const 1024))
    (func (export "divvy_assign") (param i32 i32) (result i64) (i64.const 0)))"#;

/// How much later than its deadline a call ends that would go on for ever.
fn runaways(rounds: usize, report: &mut Report) -> Result<()> {
    let sandbox = sandbox()?;
    let fill = "(drop (memory.grow (i32.const 1000))) (loop (memory.fill (i32.const 0) (i32.const 1) (i32.const 65536000)) (br 0)) unreachable";
    for (what, body, bar) in [
        ("a loop, stopped after its deadline, max", "(loop (br 0)) unreachable", Bar::Most(LATE_MS)),
        ("64 MiB filled for ever, stopped after its deadline, max", fill, Bar::None),
    ] {
        let text = IDLE.replace("(result i64) (i64.const 0)", &format!("(result i64) {body}"));
        let module = sandbox.load(&wat::parse_str(&text)?, Path::new("runaway.wasm"))?;
        let budget = Budget { deadline: DEADLINE, max_output: 16 };
        let mut late = Vec::new();
        for _ in 0..rounds.max(5) {
            let start = Instant::now();
            let fault = module.call(Export::Assign, b"", budget).err();
            late.push((start.elapsed().as_secs_f64() - DEADLINE.as_secs_f64()) * 1e3);
            ensure!(fault.is_some_and(|fault| fault.kind == FaultKind::Deadline), "{what}: it ended otherwise");
        }
        report.note(&what.replace("max", "p50"), percentile(&mut late, 50), "ms");
        report.figure(what, percentile(&mut late, 100), "ms", bar);
    }
    Ok(())
}
