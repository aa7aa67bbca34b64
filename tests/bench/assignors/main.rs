//! How long plans take: `cargo xtask bench assignors [STRATEGY …] [--repeats N] [--json] [--peers] [--grid [--step N]]`.
//!
//! Without `--grid` the workloads that have bars, each with the parts of a leader's whole path; with it every cell of the grid,
//! a table for each strategy. Figures are medians of one run; on a machine that others use, compare ratios of one run alone.
#![allow(clippy::disallowed_methods, reason = "a benchmark reads the clock")]
#![allow(clippy::unwrap_used, reason = "a benchmark that cannot go on says so by ending")]

use anyhow::{Context, Result};

mod bars;
mod grid;
#[path = "../../modules/native.rs"]
mod native;
mod path;
mod peers;
#[path = "../coordinator/report.rs"]
#[allow(dead_code, reason = "the load on the coordinator tells more")]
mod report;
mod strategies;
mod table;
mod world;

use peers::Peers;
use report::Report;
use strategies::Strategies;

/// How often a workload is measured, unless it takes too long.
const REPEATS: usize = 15;

fn main() -> Result<()> {
    let (mut named, mut is_json, mut is_grid) = (Vec::new(), false, false);
    let (mut repeats, mut step) = (REPEATS, 1);
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let mut words = arguments.iter();
    while let Some(word) = words.next() {
        let mut number =
            || words.next().and_then(|word| word.parse().ok()).with_context(|| format!("{word} needs a number"));
        match word.as_str() {
            "--json" => is_json = true,
            "--grid" => is_grid = true,
            "--repeats" => repeats = number()?,
            "--step" => step = number()?,
            // cargo itself says the one; the other is for those who set the peers up.
            "--bench" | "--peers" => {}
            name => named.push(name.to_owned()),
        }
    }
    let strategies = Strategies::load(&named)?;
    strategies.refusing.iter().for_each(|(name, why)| eprintln!("{name} is not measured: {why}"));
    if is_grid {
        return strategies
            .iter()
            .try_for_each(|(name, module, config)| table::run(name, &**module, config, (repeats, step), is_json));
    }
    let mut report = Report::new(is_json);
    bars::run(&strategies, repeats, &Peers::of_environment()?, &mut report)?;
    report.bars();
    Ok(())
}
