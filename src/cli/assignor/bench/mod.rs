//! `divvy assignor bench`: what a strategy costs and what its plans are worth, beside those that divvy ships.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::Result;
use clap::{Args, ValueEnum};
use serde::Serialize;
use serde_json::json;

use crate::assignor::manifest::{Manifest, Shape};
use crate::assignor::{Assignor, native_range};
use crate::cli::failure::{Failure, Kind};
use crate::cli::files;
use crate::cli::modules::Modules;
use crate::cli::output::{Output, aside, plain, table};
use crate::cli::progress::Progress;
use crate::sandbox::{Module, Sandbox, SandboxLimits};
use measure::Subject;

mod measure;

/// Measure a strategy on standard groups, beside those that divvy ships.
#[derive(Args, Debug)]
#[command(after_help = "\
Each group is planned three times: fresh, after one more has joined, after one has left again. What is shown:
  FUEL     instructions of a call, the same on every machine and in every run
  MS       the median of several calls, each in a fresh instance
  MEMORY   the most that a call had
  MOVES    partitions that somebody else gets although their owner is still there; of states those that differ
  BALANCE  how many partitions the largest share has above the smallest
The others are the modules of the --assignors folder that have the same shape and type; where there is none, the range that is
built in, whose cost is not measured.")]
pub struct Bench {
    /// The module
    #[arg(value_name = "FILE.wasm")]
    module: PathBuf,
    /// Only these groups [default: all]
    #[arg(long = "group", value_enum, value_delimiter = ',')]
    groups: Vec<Size>,
    /// Only these beside it, by name [default: all of its shape and type]
    #[arg(long, value_name = "NAME", value_delimiter = ',', conflicts_with = "alone")]
    beside: Vec<String>,
    /// Measure nothing beside it
    #[arg(long)]
    alone: bool,
    #[command(flatten)]
    modules: Modules,
}

/// A standard group.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
enum Size {
    /// 10 members, 10 topics of 12 partitions
    Small,
    /// 100 members, 1,000 partitions
    Medium,
    /// 1,000 members, 100,000 partitions
    Large,
}

/// Members, topics, partitions of each topic.
#[derive(Clone, Copy, Debug)]
pub struct Dimensions(pub usize, pub usize, pub u32);

impl Size {
    fn dimensions(self) -> Dimensions {
        match self {
            Size::Small => Dimensions(10, 10, 12),
            Size::Medium => Dimensions(100, 10, 100),
            Size::Large => Dimensions(1_000, 100, 1_000),
        }
    }

    fn name(self, shape: Shape) -> &'static str {
        match (self, shape) {
            (Size::Small, Shape::Partitions) => "10 members, 120 partitions",
            (Size::Medium, Shape::Partitions) => "100 members, 1,000 partitions",
            (Size::Large, Shape::Partitions) => "1,000 members, 100,000 partitions",
            (Size::Small, Shape::States) => "10 members",
            (Size::Medium, Shape::States) => "100 members",
            (Size::Large, Shape::States) => "1,000 members",
        }
    }

    /// How often each call is measured.
    fn times(self) -> usize {
        match self {
            Size::Small => 101,
            Size::Medium => 31,
            Size::Large => 5,
        }
    }
}

/// A row.
#[derive(Debug, Serialize)]
struct Row {
    group: &'static str,
    step: &'static str,
    strategy: String,
    #[serde(flatten)]
    measured: measure::Measured,
}

/// A strategy that has no plan of a group.
#[derive(Debug, Serialize)]
struct Without {
    strategy: String,
    group: &'static str,
    why: String,
}

impl Bench {
    /// Prints a table for each group.
    pub fn run(self, output: &Output) -> Result<()> {
        let sandbox = Sandbox::new(SandboxLimits::of_author())?;
        let module = sandbox.load(&files::module(&self.module)?, &self.module);
        let module = module.map_err(|error| Failure::of(Kind::Failed, error.to_string()))?;
        let others = if self.alone { Vec::new() } else { self.others(&module, &sandbox)? };
        let sizes = if self.groups.is_empty() { Size::value_variants() } else { &self.groups };
        let mut progress = Progress::new("measuring", sizes.len() * (1 + others.len()));
        let subjects = std::iter::once(&module).chain(&others).map(|module| Subject::module(module));
        let mut subjects: Vec<Subject<'_>> = subjects.collect::<Result<_, _>>()?;
        if others.is_empty() && !self.alone && is_alike(native_range().manifest(), module.manifest()) {
            subjects.push(Subject::native(native_range()));
        }
        let (mut rows, mut without) = (Vec::new(), Vec::new());
        for size in sizes {
            let (before, group) = (rows.len(), size.name(module.manifest().shape));
            for subject in &subjects {
                let strategy = named(subject.assignor);
                match subject.steps(size.dimensions(), size.times()) {
                    Ok(steps) => rows.extend(steps.into_iter().map(|(step, measured)| Row {
                        group,
                        step,
                        strategy: strategy.clone(),
                        measured,
                    })),
                    Err(why) if subject.assignor.digest() == Some(module.digest()) => {
                        return Err(Failure::of(Kind::Failed, format!("{}: {why}", self.module.display())));
                    }
                    Err(why) => without.push(Without { strategy, group, why }),
                }
                progress.step();
            }
            // Step by step, so that the strategies stand one below the other.
            rows[before..].sort_by_key(|row| measure::STEPS.iter().position(|step| *step == row.step));
        }
        drop(progress);
        output.print(&json!({ "rows": rows, "without": without }), || text(&rows, &without))
    }

    /// The modules that can be compared with it, by name.
    fn others(&self, module: &Module, sandbox: &Sandbox) -> Result<Vec<Arc<Module>>> {
        let Some(folder) = self.modules.found()? else {
            aside("no folder of strategies to compare it with: --assignors names one");
            return Ok(Vec::new());
        };
        let (ours, manifest) = (module.digest(), module.manifest());
        let is_wanted = |other: &Arc<Module>| {
            let their = other.manifest();
            let is_named = self.beside.is_empty() || self.beside.contains(&their.name);
            is_named && is_alike(their, manifest) && other.digest() != ours
        };
        let load = |path: PathBuf| sandbox.load(&files::module(&path).ok()?, &path).ok();
        let mut others: Vec<_> = wasm_files(&folder).into_iter().filter_map(load).filter(is_wanted).collect();
        others.sort_by_key(|module| module.protocol().to_string());
        Ok(others)
    }
}

/// Whether two strategies can plan the same groups.
fn is_alike(a: &Manifest, b: &Manifest) -> bool {
    a.shape == b.shape && a.protocol_type == b.protocol_type
}

/// The name under which members offer it.
fn named(assignor: &dyn Assignor) -> String {
    let built_in = if assignor.digest().is_none() { " (built in)" } else { "" };
    format!("{}{built_in}", assignor.manifest().protocol())
}

fn wasm_files(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).into_iter().flatten();
    let paths = entries.filter_map(|entry| entry.ok().map(|entry| entry.path()));
    paths.filter(|path| path.extension().is_some_and(|extension| extension == "wasm")).collect()
}

fn text(rows: &[Row], without: &[Without]) -> String {
    let mut parts = Vec::new();
    for of_group in rows.chunk_by(|a, b| a.group == b.group) {
        let group = of_group.first().map_or("", |row| row.group);
        let head = ["STEP", "STRATEGY", "FUEL", "MS", "MEMORY", "MOVES", "BALANCE"];
        parts.push(format!("{group}\n{}", table(&head, of_group.iter().map(cells))));
    }
    let mut named: Vec<&str> = Vec::new();
    for Without { strategy, why, .. } in without {
        // Once for all groups: it is its settings that are missing.
        if !named.contains(&strategy.as_str()) {
            named.push(strategy);
            parts.push(plain(&format!("{strategy} has no plan: {why}")));
        }
    }
    parts.join("\n\n")
}

fn cells(row: &Row) -> Vec<String> {
    let dash = || "-".to_owned();
    let measured = &row.measured;
    vec![
        row.step.to_owned(),
        row.strategy.clone(),
        measured.fuel.map_or_else(dash, |fuel| grouped(usize::try_from(fuel).unwrap_or(usize::MAX))),
        measured.ms.map_or_else(dash, |ms| format!("{ms:.3}")),
        measured.memory_bytes.map_or_else(dash, |bytes| format!("{:.1} MiB", bytes as f64 / f64::from(1 << 20))),
        measured.moves.map_or_else(dash, grouped),
        measured.balance.map_or_else(dash, grouped),
    ]
}

/// `1,234,567`.
fn grouped(number: usize) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_read_in_threes() {
        assert_eq!([0, 999, 1_000, 1_234_567].map(grouped), ["0", "999", "1,000", "1,234,567"]);
    }
}
