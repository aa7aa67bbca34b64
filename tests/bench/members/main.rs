//! Members as a fleet runs them: a rolling restart, a leader that dies, a thousand in one process, one partition that
//! changes hands; on divvy and on a Kafka broker, beside the strategies that Java and librdkafka bring.
//! `cargo xtask bench members [SCENARIO …] [--restarts N] [--json]`, which starts the broker and says where the peers are.
#![allow(clippy::disallowed_methods, reason = "a benchmark reads the clock")]

use anyhow::{Context, Result, bail};

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
mod site;
mod theirs;
mod thousand;

use report::Report;

/// What the command line says.
pub struct Options {
    /// How many of the fifty are restarted.
    pub restarts: usize,
    /// How often the other things are measured.
    pub repeats: usize,
}

struct Scenario {
    name: &'static str,
    run: fn(&Options, &mut Report) -> Result<()>,
}

const SCENARIOS: &[Scenario] = &[
    Scenario { name: "handover", run: handover::run },
    Scenario { name: "thousand", run: thousand::run },
    Scenario { name: "failover", run: failover::run },
    Scenario { name: "restart", run: restart::run },
];

fn main() -> Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    if let Some((first, rest)) = arguments.split_first()
        && first == "--thousand"
    {
        return thousand::members(rest);
    }
    let mut options = Options { restarts: restart::MEMBERS, repeats: 20 };
    let (mut named, mut is_json) = (Vec::new(), false);
    let mut words = arguments.iter();
    while let Some(word) = words.next() {
        let mut value = || -> Result<usize> {
            let value = words.next().with_context(|| format!("{word} needs a number"))?;
            value.parse().with_context(|| format!("{word} needs a number"))
        };
        match word.as_str() {
            "--json" => is_json = true,
            "--restarts" => options.restarts = value()?.min(restart::MEMBERS),
            "--repeats" => options.repeats = value()?,
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
        named.extend(SCENARIOS);
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
