//! `divvy assignor`: a strategy's file before it is dropped anywhere, in the same sandbox and under the same limits.

use std::path::Path;
use std::sync::Arc;

use anyhow::Result;
use clap::Subcommand;

use super::failure::{Failure, Kind};
use super::files;
use super::output::Output;
use crate::assignor::case::{Case, Cases, read_file};
use crate::sandbox::{LoadError, LoadErrorKind, Module, Sandbox, SandboxLimits, Trust};

mod bench;
mod build;
mod captured;
mod check;
mod diff;
mod facts;
pub mod guide;
mod inspect;
mod new;
mod replay;
mod report;
mod run;
mod stamp;
mod test;

/// Write a strategy, look at it, check it, run it.
#[derive(Subcommand, Debug)]
pub enum Assignor {
    /// Make a project for a new strategy
    New(new::New),
    /// Compile a project to a module
    Build(build::Build),
    /// Write a manifest into a module of any language
    Stamp(stamp::Stamp),
    /// What a module says of itself, what it is made of, and what it may use
    Inspect(inspect::Inspect),
    /// Whether every member would take a module, and whether its cases hold
    Check(check::Check),
    /// Try a strategy's cases, and its laws on many random groups
    Test(test::Test),
    /// Measure a strategy on standard groups, beside those that divvy ships
    Bench(bench::Bench),
    /// Run one case and print the plan
    Run(run::Run),
    /// Ask captured modules the same again, and say where they differ
    Replay(replay::Replay),
    /// Ask another module what was captured, and compare the plans
    Diff(diff::Diff),
}

impl Assignor {
    /// Does it.
    pub fn run(self, output: &Output) -> Result<()> {
        match self {
            Assignor::New(new) => new.run(output),
            Assignor::Build(build) => build.run(output),
            Assignor::Stamp(stamp) => stamp.run(output),
            Assignor::Inspect(inspect) => inspect.run(output),
            Assignor::Check(check) => check.run(output),
            Assignor::Test(test) => test.run(output),
            Assignor::Bench(bench) => bench.run(output),
            Assignor::Run(run) => run.run(output),
            Assignor::Replay(replay) => replay.run(output),
            Assignor::Diff(diff) => diff.run(output),
        }
    }
}

/// Reads the file, and loads it as every member does; the inner error is the module's own fault.
fn load(path: &Path) -> Result<std::result::Result<Arc<Module>, LoadError>> {
    load_under(path, None)
}

/// The same, as whoever serves under an operator's word would: what it does not trust is not compiled.
fn load_under(path: &Path, trust: Option<&Trust>) -> Result<std::result::Result<Arc<Module>, LoadError>> {
    let bytes = files::module(path)?;
    if let Some(Err(error)) = trust.map(|trust| trust.admits(path, &bytes)) {
        return Ok(Err(error));
    }
    let sandbox = Sandbox::new(trust.map_or_else(SandboxLimits::of_author, Trust::limits))?;
    Ok(sandbox.load(&bytes, path).map_err(|error| for_its_author(error, &bytes)))
}

/// A refusal in the words that an author can do something with.
fn for_its_author(error: LoadError, bytes: &[u8]) -> LoadError {
    let mut error = not_waited_for(error);
    if error.kind == LoadErrorKind::Manifest
        && let Some(mistakes) = stamp::mistakes_of(bytes)
    {
        error.message = format!("its manifest: {mistakes}");
    }
    error
}

/// Where no folder is watched, nobody reads a half-written file again.
fn not_waited_for(mut error: LoadError) -> LoadError {
    if error.kind == LoadErrorKind::HalfWritten {
        let what = error.message.split(';').next().unwrap_or_default();
        error.message = format!("{what}: build it, or copy it, once more");
    }
    error
}

/// The cases in a file, and its laws.
fn case_file(path: &Path) -> Result<Cases> {
    let file = read_file(&files::cases(path)?);
    file.map_err(|why| Failure::of(Kind::Usage, format!("{}: {why}", path.display())))
}

/// The cases in a file, of which there is at least one.
fn cases(path: &Path) -> Result<Vec<Case>> {
    let cases = case_file(path)?.cases;
    if cases.is_empty() {
        let remedy = "write {\"topics\": {…}, \"members\": […], \"expect\": {…}}, or a list of such";
        return Err(Failure::of(Kind::Usage, format!("{} is an empty list of cases: {remedy}", path.display())));
    }
    Ok(cases)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nobody_promises_to_read_a_cut_file_again() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("cut.wasm");
        for bytes in [&b""[..], b"\0asm\x01\0\0\0\x01\x7f"] {
            std::fs::write(&file, bytes).unwrap();
            let error = load(&file).unwrap().unwrap_err();
            assert_eq!(error.kind, LoadErrorKind::HalfWritten);
            assert!(error.message.ends_with(": build it, or copy it, once more"), "{error}");
            assert!(!error.message.contains("again when"), "{error}");
        }
    }
}
