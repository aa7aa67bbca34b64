//! What the sandbox costs: `cargo xtask bench sandbox [--rounds N] [--json]`. Each figure that something was promised of stands
//! beside its bar; on a machine that others use, compare ratios of one run alone.
#![allow(clippy::disallowed_methods, reason = "a benchmark reads the clock")]
#![allow(clippy::unwrap_used, reason = "a benchmark that cannot go on says so by ending")]

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::{Context, Result, bail};
use divvy::sandbox::{Module, Sandbox, SandboxLimits};

mod calls;
mod lifecycle;
#[path = "../../modules/native.rs"]
#[allow(dead_code, reason = "all strategies are listed there")]
mod native;
#[path = "../assignors/path.rs"]
#[allow(dead_code, reason = "the whole path of a leader is measured elsewhere")]
mod path;
mod ratios;
#[path = "../coordinator/report.rs"]
#[allow(dead_code, reason = "the load on the coordinator tells more")]
mod report;
#[path = "../assignors/world.rs"]
#[allow(dead_code, reason = "the assignors' benchmark knows more groups")]
mod world;

use report::{Bar, Report};

/// How often a figure of microseconds is taken; those of milliseconds are taken a hundredth as often.
const ROUNDS: usize = 20_000;

/// What a first strategy may weigh.
const HELLO_KB: f64 = 100.0;

fn main() -> Result<()> {
    let (mut rounds, mut is_json) = (ROUNDS, false);
    let mut words = std::env::args().skip(1);
    while let Some(word) = words.next() {
        match word.as_str() {
            "--json" => is_json = true,
            "--rounds" => {
                let number = words.next().and_then(|word| word.parse().ok());
                rounds = number.filter(|rounds| *rounds >= 100).context("--rounds needs a number from 100")?;
            }
            // cargo says so itself.
            "--bench" => {}
            other => bail!("there is no {other}; there are --rounds N and --json"),
        }
    }
    let mut report = Report::new(is_json);
    calls::run(rounds, &mut report)?;
    lifecycle::run(rounds, &mut report)?;
    ratios::run(rounds, &mut report)?;
    report.scenario("size", "the strategy of the SDK's first page");
    let hello = fs::metadata(hello()).context("target/guests/hello.wasm: run cargo xtask guests")?;
    report.figure("hello.wasm", hello.len() as f64 / 1e3, "KB", Bar::Most(HELLO_KB));
    report.bars();
    Ok(())
}

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn hello() -> PathBuf {
    root().join("target/guests/hello.wasm")
}

/// The bytes of an assignor of this repository.
fn shipped(name: &str) -> Result<Vec<u8>> {
    let path = root().join("assignors").join(format!("{name}.wasm"));
    fs::read(&path).with_context(|| format!("{}: run cargo xtask guests", path.display()))
}

fn load(sandbox: &Sandbox, name: &str) -> Result<Arc<Module>> {
    Ok(sandbox.load(&shipped(name)?, &root().join("assignors").join(format!("{name}.wasm")))?)
}

fn sandbox() -> Result<Sandbox> {
    Ok(Sandbox::new(SandboxLimits::default())?)
}

/// The value below which so many of a hundred are.
fn percentile(times: &mut [f64], of_hundred: usize) -> f64 {
    times.sort_unstable_by(f64::total_cmp);
    times.get((times.len() * of_hundred / 100).min(times.len().saturating_sub(1))).copied().unwrap_or(f64::NAN)
}
