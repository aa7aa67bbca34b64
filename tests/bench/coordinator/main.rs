//! The coordinator from outside: a server process under load, beside bare servers that show what the machine itself
//! allows, in one run. `cargo xtask bench coordinator [SCENARIO …] [--repeats N] [--disk FOLDER]
//! [--divvy FILE] [--json]`.
//!
//! Server and client share the machine, so *CPU of the server* is the better figure than rates and times; compare
//! ratios of one run alone. Each figure is a median of several runs in which the servers take turns.
#![allow(clippy::disallowed_methods, reason = "a benchmark reads the clock")]

use std::path::PathBuf;

use anyhow::{Context, Result, bail};

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
mod store;

use report::Report;

/// What the command line says.
pub struct Options {
    /// How often everything is measured.
    pub repeats: usize,
    /// Where the stores are that have to sync: a folder on a disk.
    pub disk: PathBuf,
}

struct Scenario {
    name: &'static str,
    run: fn(&Options, &mut Report) -> Result<()>,
    /// Only run when it is named: it takes minutes.
    is_long: bool,
}

const SCENARIOS: &[Scenario] = &[
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
    let mut options = Options { repeats: 5, disk: PathBuf::from(env!("CARGO_TARGET_TMPDIR")) };
    let (mut named, mut is_json) = (Vec::new(), false);
    let mut words = arguments.iter();
    while let Some(word) = words.next() {
        let mut value = || words.next().with_context(|| format!("{word} needs a value"));
        match word.as_str() {
            "--json" => is_json = true,
            "--repeats" => options.repeats = value()?.parse().context("--repeats needs a number")?,
            "--disk" => options.disk = PathBuf::from(value()?),
            "--divvy" => process::measure(PathBuf::from(value()?)),
            // cargo itself says so.
            "--bench" => {}
            name => match SCENARIOS.iter().find(|scenario| scenario.name == name) {
                Some(scenario) => named.push(scenario),
                None => {
                    let all: Vec<&str> = SCENARIOS.iter().map(|scenario| scenario.name).collect();
                    bail!("there is no scenario {name:?}; there are {}", all.join(", "));
                }
            },
        }
    }
    if named.is_empty() {
        named.extend(SCENARIOS.iter().filter(|scenario| !scenario.is_long));
    }
    let mut report = Report::new(is_json);
    for scenario in named {
        (scenario.run)(&options, &mut report).with_context(|| format!("scenario {}", scenario.name))?;
    }
    if report.missed() > 0 && !is_json {
        println!("\n{} bars were missed", report.missed());
    }
    Ok(())
}
