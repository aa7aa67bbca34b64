//! The whole grid for one strategy: a table of its slowest cells, the worst of all, and whether there is a cliff anywhere.

use std::collections::BTreeMap;
use std::io::{IsTerminal, Write};
use std::time::Duration;

use anyhow::{Context, Result};
use divvy::assignor::Assignor;
use serde_json::{Value, json};

use crate::grid::{AXES, Cell};
use crate::path;

/// No cell may take so many times as long as a neighbour. A step makes a group up to ten times as large.
const CLIFF: f64 = 20.0;

/// Times below this count as this: an instance and its first page faults, a clock tick, another process that is let in are as much,
/// and a rebalance, which waits for the network several times, cannot tell them apart.
const FLOOR: Duration = Duration::from_millis(1);

/// A cell is measured no longer than this if it was measured three times.
const MOST: Duration = Duration::from_millis(100);

/// Measures every so many cells, each so often at most, and prints.
pub fn run(
    name: &str,
    assignor: &dyn Assignor,
    config: &Value,
    (repeats, step): (usize, usize),
    is_json: bool,
) -> Result<()> {
    let mut times = BTreeMap::new();
    for cell in Cell::all().step_by(step) {
        let (group, _) = cell.group(assignor, config).with_context(|| format!("{name}, {cell}"))?;
        let parts = path::measure(&group, assignor, repeats, MOST).with_context(|| format!("{name}, {cell}"))?;
        times.insert(cell, parts.whole);
        if is_json {
            let parts =
                [parts.whole, parts.prepare, parts.call, parts.judge, parts.encode].map(|it| it.as_secs_f64() * 1e3);
            let coordinates: Vec<&str> = AXES.iter().zip(cell.0).map(|(axis, index)| axis[index]).collect();
            println!("{}", json!({ "strategy": name, "cell": coordinates, "ms": parts }));
        } else {
            if std::io::stderr().is_terminal() {
                eprint!("\r{name}: {} of {} cells", times.len(), Cell::count().div_ceil(step));
            }
        }
    }
    if !is_json {
        eprintln!();
        print(name, &times);
    }
    Ok(())
}

fn print(name: &str, times: &BTreeMap<Cell, Duration>) {
    println!("\n{name}: the slowest of {} cells by members (down) and topics (across), in ms", times.len());
    let head: String = AXES[1].iter().map(|topics| format!("{topics:>10}")).collect();
    println!("  {:>7} {head}", "");
    for (index, members) in AXES[0].iter().enumerate() {
        let slowest =
            |topics: usize| times.iter().filter(|(cell, _)| cell.0[..2] == [index, topics]).map(|it| *it.1).max();
        let row: String = (0..AXES[1].len()).map(|topics| format!("{:>10}", shown(slowest(topics)))).collect();
        println!("  {members:>7} {row}");
    }
    if let Some((cell, time)) = times.iter().max_by_key(|(_, time)| **time) {
        println!("  the worst cell: {} ms, {cell}", shown(Some(*time)));
    }
    let steps = times.iter().flat_map(|(cell, time)| {
        cell.neighbours().filter_map(|other| Some((*cell, *time, other, *times.get(&other)?)))
    });
    let steepness = |a: Duration, b: Duration| {
        let (less, more) = (a.min(b).max(FLOOR), a.max(b).max(FLOOR));
        more.as_secs_f64() / less.as_secs_f64()
    };
    let steepest = steps.max_by(|a, b| steepness(a.1, a.3).total_cmp(&steepness(b.1, b.3)));
    if let Some((one, time, other, of_other)) = steepest {
        let factor = steepness(time, of_other);
        let verdict = if factor <= CLIFF { "pass" } else { "FAIL" };
        println!("  the steepest step: {factor:.1} times, at most {CLIFF:.0}  {verdict}");
        println!("    {} ms, {one}", shown(Some(time)));
        println!("    {} ms, {other}", shown(Some(of_other)));
    }
    let _ = std::io::stdout().flush();
}

fn shown(time: Option<Duration>) -> String {
    time.map_or_else(|| "-".to_owned(), |time| format!("{:.2}", time.as_secs_f64() * 1e3))
}
