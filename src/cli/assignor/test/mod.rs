//! `divvy assignor test`: a strategy's cases, and its laws on many random groups, in the sandbox that members use.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::Result;
use clap::Args;
use divvy_guest::testing::{Law, StateLaw};
use serde_json::json;

use super::build::build;
use super::report::Report;
use super::{case_file, load};
use crate::assignor::case::{Cases, Groups, demanded};
use crate::assignor::manifest::Shape;
use crate::cli::failure::{Failure, Kind};
use crate::cli::output::{Output, aside, plain};
use crate::sandbox::Module;
use laws::Trial;

mod laws;

/// Where a project keeps its cases.
const VECTORS: &str = "vectors.json";

/// Try a strategy's cases, and its laws on many random groups, in the sandbox.
#[derive(Args, Debug)]
#[command(after_help = "\
First each case, and what a divvy_user_data adds when a member joins, in at most 100 ms and 64 KiB.

Laws: complete (unless the manifest says `complete: false`), disjoint and subscribed always; others as --law or the file of
cases says: {\"laws\": [\"balanced(1)\", \"sticky\"], \"groups\": {\"alike\": true}, \"cases\": [...]}. With `alike` all members of
the groups for these laws read all topics; \"config\": {...} are the strategy's settings, and \"facts\": {\"spare\": [true, null]}
lets every member tell one of these values, or none; \"may_refuse\": [\"code\"] is as --may-refuse.

  complete            every partition that somebody reads has an owner
  disjoint            no partition goes to one member twice
  subscribed          nobody gets a partition of a topic that it does not read
  balanced(1)         no partition could go to a reader that has more than 1 fewer than its owner
  balanced_by_topic   of each topic, no reader has more than one partition above another
  copartitioned       topics of the same size and readers have each partition number with the same member
  sticky              nothing moves that need not
  fixed_point         a group that did what the plan says gets the same plan again
  order_independent   asked again, or with settings and facts in another order, it gives the same plan
  cooperative_safe    handed over step by step, the group is at rest after two rounds
  copies(2)           every partition has 2 different owners, or all its readers
  racks               no partition is read from afar that could be read near; copies stand in different racks
Of states:
  deterministic       the same request gets the same states (tried always)
  order_independent   so does the same group with its settings in another order (tried always)
  every_member        every member gets a state of at least one byte

A law that is broken is shown on the smallest group that breaks it, as a case to be put into the file.")]
pub struct Test {
    /// The module, or a project's folder, which is built first
    #[arg(value_name = "FILE.wasm|DIR", default_value = ".")]
    subject: PathBuf,
    /// The cases and laws [default: vectors.json in the project's folder]
    #[arg(long, value_name = "CASES.json")]
    vectors: Option<PathBuf>,
    /// A law beside those of the file
    #[arg(long = "law", value_name = "LAW", value_parser = law)]
    laws: Vec<String>,
    /// A code with which the strategy may refuse a group: the laws are not tried on that one
    #[arg(long, value_name = "CODE", value_delimiter = ',')]
    may_refuse: Vec<String>,
    /// How many random groups each law is tried on
    #[arg(long, default_value_t = 600, value_parser = clap::value_parser!(u64).range(1..=10_000_000))]
    groups: u64,
    /// The number of the first group; the same number, the same groups
    #[arg(long, default_value_t = 0)]
    seed: u64,
}

impl Test {
    /// Prints a line for each case and law; done only when all hold.
    pub fn run(self, output: &Output) -> Result<()> {
        let mut report = Report::new(output);
        let mut file = self.cases()?;
        file.groups.may_refuse.extend(self.may_refuse.iter().cloned());
        let module = self.module(&mut report)?;
        for case in &file.cases {
            report.case(&case.name, case.check(module.as_ref()))?;
        }
        if self.vectors.is_none() && !self.subject.is_dir() {
            aside(&no_cases(&self.subject));
        }
        super::check::word(&module, &mut report)?;
        let names = file.laws.iter().chain(&self.laws);
        let mut trial = Trial::new(&module, self.seed, self.groups);
        match module.manifest().shape {
            Shape::Partitions => {
                let own = names.map(|name| asked(name, Law::parse(name), &module)).collect::<Result<Vec<_>>>()?;
                let any = Groups { alike: false, ..file.groups.clone() };
                trial.run(&demanded(module.manifest()), &any, &mut report, output)?;
                trial.run(&own, &file.groups, &mut report, output)?;
            }
            Shape::States => {
                let own = names.map(|name| asked(name, StateLaw::parse(name), &module)).collect::<Result<Vec<_>>>()?;
                let always = [StateLaw::Deterministic, StateLaw::OrderIndependent];
                let own = own.into_iter().filter(|law| !always.contains(law));
                let laws: Vec<StateLaw> = always.into_iter().chain(own).collect();
                trial.run_states(&laws, &file.groups, &mut report, output)?;
            }
        }
        report.end(&module.path().display().to_string())
    }

    fn module(&self, report: &mut Report<'_>) -> Result<Arc<Module>> {
        if self.subject.is_dir() {
            let built = build(&self.subject)?;
            let kib = built.module.bytes().len() as f64 / 1024.0;
            report.check("build", Ok(format!("{}, {kib:.1} KiB", built.file.display())))?;
            return Ok(built.module);
        }
        load(&self.subject)?.map_err(|error| Failure::of(Kind::Failed, error.to_string()))
    }

    fn cases(&self) -> Result<Cases> {
        let beside = self.subject.is_dir().then(|| self.subject.join(VECTORS)).filter(|path| path.is_file());
        match self.vectors.as_deref().or(beside.as_deref()) {
            Some(path) => case_file(path),
            None => Ok(Cases::default()),
        }
    }
}

/// A module that lies in its project is still a file: only a folder brings its own cases.
fn no_cases(module: &Path) -> String {
    let beside = module.with_file_name(VECTORS);
    let remedy = match beside.is_file() {
        true => format!("those of {} are tried with --vectors {0}", plain(&beside.display().to_string())),
        false => "name a file of some with --vectors".to_owned(),
    };
    format!("no cases, only laws: {remedy}")
}

/// A law that is about what the module computes.
fn asked<L>(name: &str, law: Option<L>, module: &Module) -> Result<L> {
    law.ok_or_else(|| {
        let (file, shape) = (module.path().display(), json!(module.manifest().shape));
        Failure::of(Kind::Usage, format!("{file} is of shape {shape}, and the law {name} is about the other"))
    })
}

fn law(text: &str) -> Result<String, String> {
    let names = || Law::ALL.iter().map(Law::to_string).collect::<Vec<_>>().join(", ");
    match Law::parse(text).is_some() || StateLaw::parse(text).is_some() {
        true => Ok(text.to_owned()),
        false => Err(format!("there are {}; of states deterministic, order_independent, every_member", names())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cases_that_lie_beside_a_module_are_not_passed_over_in_silence() {
        let folder = tempfile::tempdir().unwrap();
        let module = folder.path().join("zoned.wasm");
        assert_eq!(no_cases(&module), "no cases, only laws: name a file of some with --vectors");
        let vectors = folder.path().join(VECTORS);
        std::fs::write(&vectors, "[]").unwrap();
        let said = format!("no cases, only laws: those of {0} are tried with --vectors {0}", vectors.display());
        assert_eq!(no_cases(&module), said);
    }
}
