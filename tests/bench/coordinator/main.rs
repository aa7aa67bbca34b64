//! The coordinator from outside: a server process under load, beside bare servers that show what the machine itself
//! allows, in one run. `cargo xtask bench coordinator [SCENARIO …] [--repeats N] [--disk FOLDER]
//! [--divvy FILE] [--json]`.
//!
//! Server and client share the machine, so *CPU of the server* is the better figure than rates and times; compare
//! ratios of one run alone. Each figure is a median of several runs in which the servers take turns.
#![allow(clippy::disallowed_methods, reason = "a benchmark reads the clock")]

use std::path::PathBuf;

use anyhow::{Context, Result};

mod bare;
mod churn;
mod closed_loop;
mod commits;
mod crew;
mod garbage;
mod heartbeats;
mod link;
mod many;
mod memory;
mod process;
mod rebalance;
mod report;
mod requests;
mod scenarios;
mod store;

use scenarios::Scenario;

/// What the command line says.
pub struct Options {
    /// How often everything is measured.
    pub repeats: usize,
    /// Where the stores are that have to sync: a folder on a disk.
    pub disk: PathBuf,
}

const SCENARIOS: &[Scenario<Options>] = &[
    Scenario { name: "heartbeats", run: heartbeats::run, is_long: false },
    Scenario { name: "rebalance", run: rebalance::run, is_long: false },
    Scenario { name: "store", run: store::run, is_long: false },
    Scenario { name: "churn", run: churn::run, is_long: false },
    Scenario { name: "commits", run: commits::run, is_long: false },
    Scenario { name: "memory", run: memory::run, is_long: false },
    Scenario { name: "idle", run: memory::idle, is_long: false },
    Scenario { name: "many", run: many::run, is_long: true },
    Scenario { name: "garbage", run: garbage::run, is_long: true },
];

fn main() -> Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    if let Some((first, rest)) = arguments.split_first()
        && first == "--bare"
    {
        return bare::run(rest);
    }
    let options = Options { repeats: 5, disk: PathBuf::from(env!("CARGO_TARGET_TMPDIR")) };
    scenarios::run(SCENARIOS, &arguments, options, |options, word, words| {
        let mut value = || words.next().with_context(|| format!("{word} needs a value"));
        match word {
            "--repeats" => options.repeats = value()?.parse().context("--repeats needs a number")?,
            "--disk" => options.disk = PathBuf::from(value()?),
            "--divvy" => process::measure(PathBuf::from(value()?)),
            _ => return Ok(false),
        }
        Ok(true)
    })
}
