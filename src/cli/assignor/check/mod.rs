//! `divvy assignor check`: whether every member would take a module, whether it gives the same answer every time, and its cases.

use std::path::PathBuf;
use std::sync::Arc;

use anyhow::Result;
use clap::Args;

use super::report::Report;
use super::{cases, facts, inspect, load};
use crate::cli::failure::{Failure, Kind};
use crate::cli::output::Output;
use crate::sandbox::{Ceilings, LoadError, LoadErrorKind, Module, SandboxLimits};

pub mod columns;
pub mod determinism;
mod plans;
pub mod user_data;

/// What every member asks of a module before it serves, and more: does it answer the same every time, do its cases hold?
#[derive(Args, Debug)]
#[command(after_help = "\
Looked at, a line each:
  abi          the exports, their types, and that it speaks ABI 1
  imports      none: an assignor is a pure function of its request
  manifest     its rules, and the name under which members offer it
  needs        the columns that it reads, if any, and which of them divvy does not have
  size         of the file, and what the largest file is
  limits       memory and time of one call, what members allow unless they are told otherwise, and what its memory begins with
  smoke        the groups that every member has it plan before it serves, in 1000 ms each whatever its limits say, and that their plans keep the rules: each
               partition of a topic that somebody reads has an owner, unless the manifest says `complete: false`, and
               each owner reads the topic
  user_data    where it exports divvy_user_data: what it adds when a member joins, in at most 100 ms and 64 KiB
  determinism  each request of the smoke groups and of --vectors four times in fresh instances, members arriving in
               another order each time: the same bytes, and the same number of instructions
then each case of --vectors. Exit code 1 if any of them fails.")]
pub struct Check {
    /// The module
    #[arg(value_name = "FILE.wasm")]
    module: PathBuf,
    /// The cases, as in tests/vectors
    #[arg(long, value_name = "CASES.json")]
    vectors: Option<PathBuf>,
}

impl Check {
    /// Prints a line for each; done only when all hold.
    pub fn run(self, output: &Output) -> Result<()> {
        let cases = self.vectors.as_ref().map(|path| cases(path)).transpose()?.unwrap_or_default();
        let named = self.module.display().to_string();
        let mut report = Report::new(output);
        let module = match load(&self.module)? {
            Ok(module) => module,
            Err(error) => return refused(&error, report),
        };
        rules(&module, &mut report)?;
        report.check("smoke", plans::check(&module))?;
        word(&module, &mut report)?;
        report.check("determinism", determinism::check(&module, &cases))?;
        let before = report.failed();
        for case in &cases {
            report.case(&case.name, case.check(module.as_ref()))?;
        }
        if let Some(vectors) = &self.vectors {
            let (all, failed) = (cases.len(), report.failed() - before);
            if !output.is_json() {
                output.line(&format!("{} of {all} cases hold", all - failed))?;
            }
            if failed > 0 && before == 0 {
                let told = format!("{named}: {failed} of {all} cases of {} fail", vectors.display());
                return Failure::ended(&[Failure::of(Kind::Failed, told)], output);
            }
        }
        report.end(&named)
    }
}

/// What it adds to its member's metadata, if it adds anything.
pub fn word(module: &Module, report: &mut Report<'_>) -> Result<()> {
    let facts = facts::of(module.bytes())?;
    match facts.exports.iter().any(|it| it == user_data::EXPORT) {
        true => report.check("user_data", user_data::check(module)),
        false => Ok(()),
    }
}

/// What is told of a module that no member would load: the one thing that is wrong with it.
fn refused(error: &LoadError, mut report: Report<'_>) -> Result<()> {
    let name = match error.kind {
        LoadErrorKind::Imports => "imports",
        LoadErrorKind::Exports | LoadErrorKind::Abi => "abi",
        LoadErrorKind::Manifest => "manifest",
        LoadErrorKind::TooLarge => "size",
        LoadErrorKind::Limit => "limits",
        _ => "module",
    };
    report.check(name, Err(error.message.clone()))?;
    report.end(&format!("{}: no member would load it", error.path.display()))
}

/// What is known to be right of a module that was loaded, in numbers.
fn rules(module: &Arc<Module>, report: &mut Report<'_>) -> Result<()> {
    let facts = facts::of(module.bytes())?;
    let manifest = module.manifest();
    let optional = ["divvy_user_data", "divvy_check", "divvy_panic"];
    let also: Vec<_> = optional.into_iter().filter(|name| facts.exports.iter().any(|it| it == name)).collect();
    let also = if also.is_empty() { String::new() } else { format!(", with {}", also.join(", ")) };
    report.check("abi", Ok(format!("{}{also}", manifest.abi)))?;
    let imports = match module.imports_wasi() {
        false => "none".to_owned(),
        true => {
            format!("{}; members take it where they are told --wasi-shim {}", facts.imports.join(", "), manifest.name)
        }
    };
    report.check("imports", Ok(imports))?;
    let word = |value: serde_json::Value| value.as_str().unwrap_or_default().to_owned();
    let (shape, mode) = (word(serde_json::json!(manifest.shape)), word(serde_json::json!(manifest.mode)));
    let kind = &manifest.protocol_type;
    report.check("manifest", Ok(format!("{}, type {kind}, shape {shape}, {mode}", module.protocol())))?;
    if let Some(columns) = columns::told(&manifest.needs) {
        report.check("needs", Ok(columns))?;
    }
    let kib = |bytes: usize| format!("{:.1} KiB", bytes as f64 / 1024.0);
    let most = SandboxLimits::default().module_bytes;
    report.check("size", Ok(format!("{} of at most {}", kib(module.bytes().len()), kib(most))))?;
    let stack = facts.stack_bytes.map(|stack| format!(", {} of it stack", kib(stack as usize))).unwrap_or_default();
    let begins = format!("{}{stack}", kib(facts.memory_bytes as usize));
    report.check("limits", Ok(format!("{}; it begins with {begins}", allowed(&inspect::limits(module)))))
}

/// What a call has, beside what members allow that are told nothing else.
fn allowed(limits: &serde_json::Value) -> String {
    let usual = Ceilings::default();
    let (mib, ms) = (&limits["memory_mib"], &limits["ms"]);
    let takes = match mib.as_u64() > Some(usual.memory_mib.into()) {
        true => format!("; members take it where they are told --max-memory-mib {mib}"),
        false => String::new(),
    };
    format!(
        "{mib} MiB and {ms} ms a call (a manifest may ask for {} MiB and {} ms), never more than a quarter of the group's \
         rebalance timeout{takes}",
        usual.memory_mib, usual.call_ms
    )
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn what_members_allow_is_told_and_what_they_do_not() {
        let begin = "MiB and 10000 ms a call (a manifest may ask for 256 MiB and 10000 ms), never more than";
        let usual = allowed(&json!({ "memory_mib": 256, "ms": 10_000 }));
        assert!(usual.starts_with(&format!("256 {begin}")) && usual.ends_with("rebalance timeout"), "{usual}");
        let more = allowed(&json!({ "memory_mib": 257, "ms": 10_000 }));
        assert!(more.starts_with(&format!("257 {begin}")), "{more}");
        assert!(
            more.ends_with("rebalance timeout; members take it where they are told --max-memory-mib 257"),
            "{more}"
        );
    }
}
