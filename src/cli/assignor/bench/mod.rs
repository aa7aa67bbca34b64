//! `divvy assignor bench`: what a strategy costs and what its plans are worth, beside those that divvy ships.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::Result;
use clap::{Args, ValueEnum};
use serde::Serialize;
use serde_json::json;

use crate::assignor::manifest::{Manifest, Shape};
use crate::assignor::native_range;
use crate::cli::failure::{Failure, Kind};
use crate::cli::files;
use crate::cli::modules::{Modules, usual_places};
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
built in, whose cost is not measured. Two modules of one name and version are told apart by their digests.")]
pub struct Bench {
    /// The module
    #[arg(value_name = "FILE.wasm")]
    module: PathBuf,
    /// Only these groups [default: all]
    #[arg(long = "group", value_enum, value_delimiter = ',')]
    groups: Vec<Size>,
    /// Only these beside it, by name or NAME@VERSION [default: all of its shape and type]
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
    digest: Option<String>,
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
        let (others, wants_native) = if self.alone { (Vec::new(), false) } else { self.others(&module, &sandbox)? };
        let sizes = if self.groups.is_empty() { Size::value_variants() } else { &self.groups };
        let mut progress = Progress::new("measuring", sizes.len() * (1 + others.len()));
        let subjects = std::iter::once(&module).chain(&others).map(|module| Subject::module(module));
        let mut subjects: Vec<Subject<'_>> = subjects.collect::<Result<_, _>>()?;
        if wants_native {
            subjects.push(Subject::native(native_range()));
        }
        let names = told_apart(&subjects);
        let (mut rows, mut without) = (Vec::new(), Vec::new());
        for size in sizes {
            let (before, group) = (rows.len(), size.name(module.manifest().shape));
            for (subject, strategy) in subjects.iter().zip(&names) {
                let strategy = strategy.clone();
                match subject.steps(size.dimensions(), size.times()) {
                    Ok(steps) => rows.extend(steps.into_iter().map(|(step, measured)| Row {
                        group,
                        step,
                        strategy: strategy.clone(),
                        digest: subject.assignor.digest().map(|it| it.to_string()),
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

    /// The modules that can be compared with it, by name; and whether the range that is built in is one of them.
    fn others(&self, module: &Module, sandbox: &Sandbox) -> Result<(Vec<Arc<Module>>, bool)> {
        let folder = self.modules.found()?;
        let load = |path: PathBuf| sandbox.load(&files::module(&path).ok()?, &path).ok();
        let all: Vec<_> = folder.iter().flat_map(|folder| wasm_files(folder)).filter_map(load).collect();
        let manifest = module.manifest();
        for name in &self.beside {
            self.check_named(name, &all, manifest, folder.as_deref())?;
        }
        let is_wanted = |their: &Manifest| {
            let is_named = self.beside.is_empty() || self.beside.iter().any(|name| their.is_called(name));
            is_named && is_alike(their, manifest)
        };
        let mut others = all;
        others.retain(|other| is_wanted(other.manifest()) && other.digest() != module.digest());
        others.sort_by_key(|module| module.protocol().to_string());
        let native = native_range().manifest();
        let is_missing = match self.beside.is_empty() {
            true => others.is_empty(),
            false => !others.iter().any(|other| other.manifest().name == native.name),
        };
        if self.beside.is_empty() && others.is_empty() {
            aside(&match &folder {
                Some(folder) => format!(
                    "{} has nothing else of shape {} and type {} to compare it with: --assignors names another folder",
                    folder.display(),
                    json!(manifest.shape).as_str().unwrap_or_default(),
                    manifest.protocol_type
                ),
                None => no_folder(),
            });
        }
        Ok((others, is_missing && is_wanted(native)))
    }

    /// A name that stands for nothing to compare with is a mistake.
    fn check_named(&self, name: &str, all: &[Arc<Module>], ours: &Manifest, folder: Option<&Path>) -> Result<()> {
        let native = native_range().manifest();
        let known = all.iter().map(|it| it.manifest()).chain([native, ours]);
        let called: Vec<&Manifest> = known.filter(|it| it.is_called(name)).collect();
        if called.iter().any(|it| is_alike(it, ours)) {
            return Ok(());
        }
        if let Some(other) = called.first() {
            let text = format!(
                "--beside {name}: it plans groups of another shape or type ({}) than {} ({}): the two have no group in common",
                other.protocol_type,
                ours.protocol(),
                ours.protocol_type
            );
            return Err(Failure::of(Kind::Usage, text));
        }
        let Some(folder) = folder else {
            return Err(Failure::of(Kind::NotFound, format!("--beside {name} is not built in, and {}", no_folder())));
        };
        let alike = all.iter().map(|it| it.manifest()).filter(|it| is_alike(it, ours));
        let there: BTreeSet<&str> = alike.map(|it| it.name.as_str()).collect();
        let there = if there.is_empty() { "no module".to_owned() } else { Vec::from_iter(there).join(", ") };
        let text = format!(
            "--beside {name}: there is no such strategy in {} (of this shape and type there is {there}): name one of \
             them, or another folder with --assignors",
            folder.display()
        );
        Err(Failure::of(Kind::NotFound, text))
    }
}

/// What is told of a machine without shipped modules.
fn no_folder() -> String {
    let places: Vec<_> = usual_places().iter().map(|folder| folder.display().to_string()).collect();
    format!(
        "there is no folder of shipped modules: $DIVVY_ASSIGNORS is not set, and there is neither {}; name one with \
         --assignors DIR",
        places.join(" nor ")
    )
}

/// Whether two strategies can plan the same groups.
fn is_alike(a: &Manifest, b: &Manifest) -> bool {
    a.shape == b.shape && a.protocol_type == b.protocol_type
}

/// The names under which members offer them; two modules of one name and version stand with their digests.
fn told_apart(subjects: &[Subject<'_>]) -> Vec<String> {
    let name = |subject: &Subject<'_>| subject.assignor.manifest().protocol().to_string();
    let names: Vec<String> = subjects.iter().map(name).collect();
    let is_shared = |name: &String| names.iter().filter(|it| *it == name).count() > 1;
    let told = |(subject, name): (&Subject<'_>, &String)| match subject.assignor.digest() {
        None => format!("{name} (built in)"),
        Some(digest) if is_shared(name) => format!("{name} ({})", digest.short()),
        Some(_) => name.clone(),
    };
    subjects.iter().zip(&names).map(told).collect()
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
