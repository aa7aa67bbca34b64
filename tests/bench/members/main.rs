//! Members as a fleet runs them: a rolling restart, a leader that dies, a thousand in one process, one partition that
//! changes hands; on divvy and on a Kafka broker, beside the strategies that Java and librdkafka bring.
//! `cargo xtask bench members [SCENARIO …] [--restarts N] [--json]`, which starts the broker and says where the peers are.
#![allow(clippy::disallowed_methods, reason = "a benchmark reads the clock")]

use anyhow::{Context, Result};

mod crew;
mod failover;
mod handover;
mod ledger;
mod ours;
#[allow(dead_code, reason = "the coordinator's measurements need more of it")]
#[path = "../coordinator/process.rs"]
mod process;
#[allow(dead_code, reason = "the coordinator's measurements need more of it")]
#[path = "../coordinator/report.rs"]
mod report;
mod restart;
#[path = "../coordinator/scenarios.rs"]
mod scenarios;
mod site;
mod theirs;
mod thousand;

use scenarios::Scenario;

/// What the command line says.
pub struct Options {
    /// How many of the fifty are restarted.
    pub restarts: usize,
    /// How often the other things are measured.
    pub repeats: usize,
}

const SCENARIOS: &[Scenario<Options>] = &[
    Scenario { name: "handover", run: handover::run, is_long: false },
    Scenario { name: "thousand", run: thousand::run, is_long: false },
    Scenario { name: "failover", run: failover::run, is_long: false },
    Scenario { name: "restart", run: restart::run, is_long: false },
];

fn main() -> Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    if let Some((first, rest)) = arguments.split_first()
        && first == "--thousand"
    {
        return thousand::members(rest);
    }
    let options = Options { restarts: restart::MEMBERS, repeats: 20 };
    scenarios::run(SCENARIOS, &arguments, options, |options, word, words| {
        let mut value = || -> Result<usize> {
            let value = words.next().with_context(|| format!("{word} needs a number"))?;
            value.parse().with_context(|| format!("{word} needs a number"))
        };
        match word {
            "--restarts" => options.restarts = value()?.min(restart::MEMBERS),
            "--repeats" => options.repeats = value()?,
            _ => return Ok(false),
        }
        Ok(true)
    })
}
