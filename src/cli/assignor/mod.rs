//! `divvy assignor`: a strategy's file before it is dropped anywhere, in the same sandbox and under the same limits.

use std::path::Path;
use std::sync::Arc;

use anyhow::Result;
use clap::Subcommand;

use super::failure::{Failure, Kind};
use super::output::Output;
use crate::assignor::case::{Case, read_cases};
use crate::sandbox::{LoadError, Module, Sandbox, SandboxLimits};

mod check;
mod inspect;
mod run;

/// Look at a strategy, check it, run it.
#[derive(Subcommand, Debug)]
pub enum Assignor {
    /// What a module says of itself, and what it may use
    Inspect(inspect::Inspect),
    /// Run a file of cases and hold each plan against what it expects
    Check(check::Check),
    /// Run one case and print the plan
    Run(run::Run),
}

impl Assignor {
    /// Does it.
    pub fn run(self, output: &Output) -> Result<()> {
        match self {
            Assignor::Inspect(inspect) => inspect.run(output),
            Assignor::Check(check) => check.run(output),
            Assignor::Run(run) => run.run(output),
        }
    }
}

/// Reads the file, and loads it as every member does; the inner error is the module's own fault.
fn load(path: &Path) -> Result<std::result::Result<Arc<Module>, LoadError>> {
    let bytes = read(path)?;
    let sandbox = Sandbox::new(SandboxLimits::default())?;
    Ok(sandbox.load(&bytes, path))
}

fn read(path: &Path) -> Result<Vec<u8>> {
    std::fs::read(path).map_err(|error| {
        let kind = if error.kind() == std::io::ErrorKind::NotFound { Kind::NotFound } else { Kind::Failed };
        Failure::of(kind, format!("{} cannot be read ({error}): check the path", path.display()))
    })
}

/// The cases in a file: one, or a list.
fn cases(path: &Path) -> Result<Vec<Case>> {
    let wrong = |why: String| {
        let remedy = "a case is {\"topics\": {…}, \"members\": […]}, a file holds one or a list";
        Failure::of(Kind::Usage, format!("{} holds no cases ({why}): {remedy}", path.display()))
    };
    let json = serde_json::from_slice(&read(path)?).map_err(|error| wrong(error.to_string()))?;
    read_cases(json).map_err(wrong)
}
