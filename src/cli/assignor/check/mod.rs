//! `divvy assignor check`: whether every member would take a module, whether it gives the same answer every time, and its cases.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::Result;
use clap::Args;

use super::report::Report;
use super::{cases, facts, inspect, load_under};
use crate::cli::failure::{Failure, Kind};
use crate::cli::output::Output;
use crate::sandbox::{Ceilings, LoadError, LoadErrorKind, Module, SandboxLimits, Trust};
use crate::server::config::Config;

pub mod columns;
pub mod determinism;
mod plans;
pub mod user_data;

/// What every member asks of a module before it serves, and more: does it answer the same every time, do its cases hold?
#[derive(Args, Debug)]
#[command(after_help = "\
Looked at, a line each:
  trust        under --config, where that asks for anything: its signature, its digest
  abi          the exports, their types, and that it speaks ABI 1
  imports      none: an assignor is a pure function of its request
  manifest     its rules, and the name under which members offer it
  needs        the columns that it reads, if any, and which of them divvy does not have
  size         of the file, and what the largest file is
  limits       memory and time of one call, what members allow unless they are told otherwise, and what its memory begins with
  smoke        the groups that every member has it plan before it serves, in 1000 ms each (less where its manifest asks for less, or
               the operator allows less, never more), and that their plans keep the rules: each partition of a topic that
               somebody reads has an owner, unless the manifest says `complete: false`, and each owner reads the topic
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
    /// As `divvy serve` takes it with this configuration: what its module.… keys trust and allow
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
}

impl Check {
    /// Prints a line for each; done only when all hold.
    pub fn run(self, output: &Output) -> Result<()> {
        let cases = self.vectors.as_ref().map(|path| cases(path)).transpose()?.unwrap_or_default();
        let named = self.module.display().to_string();
        let trust = self.config.as_deref().map(trust_of).transpose()?;
        let mut report = Report::new(output);
        let module = match load_under(&self.module, trust.as_ref())? {
            Ok(module) => module,
            Err(error) => return refused(&error, self.config.as_deref(), report),
        };
        if let Some(asked) = trust.as_ref().and_then(asked) {
            report.check("trust", Ok(asked))?;
        }
        rules(&module, trust.as_ref(), &mut report)?;
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

/// What an operator's file says of modules.
fn trust_of(config: &Path) -> Result<Trust> {
    let read = Config::load(Some(config));
    let config = read.map_err(|error| Failure::of(Kind::of_file(error.is_missing), error.to_string()))?;
    Ok(config.trust)
}

/// What a module that serves under it has, if it has to have anything.
fn asked(trust: &Trust) -> Option<String> {
    let signed = (!trust.keys.is_empty()).then_some("it is signed by a key of module.trusted_keys");
    let allowed = (!trust.allowed.is_empty()).then_some("its digest is in module.allowed");
    let has: Vec<_> = signed.into_iter().chain(allowed).collect();
    (!has.is_empty()).then(|| has.join(", and "))
}

/// What it adds to its member's metadata, if it adds anything.
pub fn word(module: &Module, report: &mut Report<'_>) -> Result<()> {
    let facts = facts::of(module.bytes())?;
    match facts.exports.iter().any(|it| it == user_data::EXPORT) {
        true => report.check("user_data", user_data::check(module)),
        false => Ok(()),
    }
}

/// What is told of a module that no member would load, or no coordinator with that configuration: the one thing that is wrong
/// with it.
fn refused(error: &LoadError, config: Option<&Path>, mut report: Report<'_>) -> Result<()> {
    let name = match error.kind {
        LoadErrorKind::Imports => "imports",
        LoadErrorKind::Exports | LoadErrorKind::Abi => "abi",
        LoadErrorKind::Manifest => "manifest",
        LoadErrorKind::TooLarge => "size",
        LoadErrorKind::Limit => "limits",
        LoadErrorKind::Untrusted => "trust",
        _ => "module",
    };
    report.check(name, Err(error.message.clone()))?;
    let who =
        config.map_or_else(|| "no member".to_owned(), |file| format!("no `divvy serve --config {}`", file.display()));
    report.end(&format!("{}: {who} would load it", error.path.display()))
}

/// What is known to be right of a module that was loaded, in numbers.
fn rules(module: &Arc<Module>, trust: Option<&Trust>, report: &mut Report<'_>) -> Result<()> {
    let facts = facts::of(module.bytes())?;
    let manifest = module.manifest();
    let optional = ["divvy_user_data", "divvy_check", "divvy_panic"];
    let also: Vec<_> = optional.into_iter().filter(|name| facts.exports.iter().any(|it| it == name)).collect();
    let also = if also.is_empty() { String::new() } else { format!(", with {}", also.join(", ")) };
    report.check("abi", Ok(format!("{}{also}", manifest.abi)))?;
    let imports = match module.imports_wasi() {
        false => "none".to_owned(),
        true if trust.is_some() => format!("{}; module.wasi_shim names {}", facts.imports.join(", "), manifest.name),
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
    let allowed = allowed(&inspect::limits(module), trust.map(|trust| trust.ceilings));
    report.check("limits", Ok(format!("{allowed}; it begins with {begins}")))
}

/// What a call has, beside what the operator allows, or members that are told nothing else.
fn allowed(limits: &serde_json::Value, ceilings: Option<Ceilings>) -> String {
    let usual = ceilings.unwrap_or_default();
    let (mib, ms) = (&limits["memory_mib"], &limits["ms"]);
    let takes = match ceilings.is_none() && mib.as_u64() > Some(usual.memory_mib.into()) {
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
        let usual = allowed(&json!({ "memory_mib": 256, "ms": 10_000 }), None);
        assert!(usual.starts_with(&format!("256 {begin}")) && usual.ends_with("rebalance timeout"), "{usual}");
        let more = allowed(&json!({ "memory_mib": 257, "ms": 10_000 }), None);
        assert!(more.starts_with(&format!("257 {begin}")), "{more}");
        assert!(
            more.ends_with("rebalance timeout; members take it where they are told --max-memory-mib 257"),
            "{more}"
        );
        let told = allowed(&json!({ "memory_mib": 8, "ms": 50 }), Some(Ceilings { memory_mib: 8, call_ms: 50 }));
        assert!(told.starts_with("8 MiB and 50 ms a call (a manifest may ask for 8 MiB and 50 ms)"), "{told}");
    }
}
