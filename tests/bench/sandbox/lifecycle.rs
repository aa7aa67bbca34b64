//! From a file to a module that serves: dropped into a watched folder, and out of the cache of compiled code.

use std::fs;
use std::path::PathBuf;
use std::sync::mpsc::channel;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use divvy::assignor::{Assignor, Call, Export};
use divvy::sandbox::{Catalog, CatalogConfig, Sandbox, SandboxLimits};
use serde_json::Value;

use crate::report::{Bar, Report};
use crate::world::World;
use crate::{percentile, sandbox, shipped};

const SERVING_MS: f64 = 150.0;
const FROM_CACHE_US: f64 = 150.0;
/// Longer than any file takes.
const PATIENCE: Duration = Duration::from_secs(30);

pub fn run(rounds: usize, report: &mut Report) -> Result<()> {
    report.scenario("serving", "a new file in a watched folder, its 50 ms of quiet included");
    let child =
        SandboxLimits { compiler: Some(PathBuf::from(env!("CARGO_BIN_EXE_divvy"))), ..SandboxLimits::default() };
    let bar = Bar::Most(SERVING_MS);
    dropped("compiled by a child, as divvy does", Sandbox::new(child)?, rounds / 800, bar, report)?;
    dropped("compiled in this process", sandbox()?, rounds / 800, Bar::None, report)?;
    from_cache(rounds / 20, report)
}

/// Replaces a file by one with other bytes, and waits until these serve.
fn dropped(what: &str, sandbox: Sandbox, rounds: usize, bar: Bar, report: &mut Report) -> Result<()> {
    let folder = tempfile::tempdir()?;
    let bytes = shipped("roundrobin")?;
    let catalog = Catalog::open(sandbox, CatalogConfig::new(vec![folder.path().to_owned()]))?;
    let (tell, told) = channel();
    // It lives as long as the catalog, which nobody else has.
    catalog.on_change(Box::new(move || _ = tell.send(()))).for_good();
    let mut times = Vec::new();
    for round in 0..u32::try_from(rounds.max(5))? {
        // A custom section more: another file, and the same work.
        let other = [&bytes[..], &[0, 6, 1, b'n'], &round.to_le_bytes()].concat();
        let start = Instant::now();
        fs::write(folder.path().join("roundrobin.wasm"), &other)?;
        while catalog.modules().first().is_none_or(|module| **module.bytes() != other) {
            told.recv_timeout(PATIENCE).context("the file never served")?;
        }
        times.push(start.elapsed().as_secs_f64() * 1e3);
    }
    report.figure(&format!("{what}, p50"), percentile(&mut times, 50), "ms", bar);
    report.note(&format!("{what}, max"), percentile(&mut times, 100), "ms");
    Ok(())
}

/// All that a process does with a module that it compiled before: reads its bytes, finds its code, calls it.
fn from_cache(rounds: usize, report: &mut Report) -> Result<()> {
    report.scenario("cold start", "from the bytes of a module whose code is in the cache to its first reply");
    let folder = tempfile::tempdir()?;
    let sandbox = sandbox()?.with_code_cache(folder.path().join("compiled"));
    for name in ["hello", "roundrobin", "cooperative-sticky"] {
        let bytes = if name == "hello" { fs::read(crate::hello())? } else { shipped(name)? };
        let path = PathBuf::from(format!("{name}.wasm"));
        let first = sandbox.load(&bytes, &path)?;
        let group = World::even(1, 3, 2).group(&*first, None, &Value::Null);
        let input = group.input();
        let call = Call::prepare(first.manifest(), &input)?;
        let mut times = Vec::new();
        for _ in 0..rounds.max(100) {
            let start = Instant::now();
            let module = sandbox.load(&bytes, &path)?;
            module.call(Export::Assign, call.request(), call.budget())?;
            times.push(start.elapsed().as_secs_f64() * 1e6);
            ensure!(module.is_from_cache(), "{name} was compiled again");
        }
        let bar = if name == "hello" { Bar::Most(FROM_CACHE_US) } else { Bar::None };
        report.figure(&format!("{name}, {} KB, p50", bytes.len() / 1000), percentile(&mut times, 50), "us", bar);
    }
    Ok(())
}
