//! Laws on random groups: each that is broken is shown on a group that was made as small as can be.

use std::cell::RefCell;

use anyhow::Result;
use divvy_guest::testing::{
    Counterexample, Law, NoPlan, Search, StateCounterexample, StateLaw, TestGroup, TestStates, case, lively_group,
    rust, table,
};
use serde_json::{Value, json};

use super::super::report::Report;
use crate::assignor::case::{Groups, as_asked, plan, plan_states, read_text};
use crate::cli::output::{Output, plain};
use crate::cli::progress::Progress;
use crate::sandbox::Module;

/// A module, and the random groups that it is tried on.
pub struct Trial<'m> {
    pub module: &'m Module,
    /// The number of the first.
    pub seed: u64,
    pub groups: u64,
    /// The group without a plan that was shown first, and of which law: others are mostly broken by it, too.
    without_plan: Option<(Law, TestGroup)>,
}

impl<'m> Trial<'m> {
    /// Nothing was tried yet.
    pub fn new(module: &'m Module, seed: u64, groups: u64) -> Self {
        Self { module, seed, groups, without_plan: None }
    }

    /// Tries each law, and reports it.
    pub fn run(&mut self, laws: &[Law], groups: &Groups, report: &mut Report<'_>, output: &Output) -> Result<()> {
        for law in laws {
            match self.broken(*law, groups) {
                Ok(refused) => self.holds(&law.to_string(), refused, report)?,
                Err(Found::Again(first, what)) => again(&law.to_string(), first.name(), &what, report)?,
                Err(Found::New(found)) => {
                    self.show(*law, &found, report, output)?;
                    if found.broken.without_plan && self.without_plan.is_none() {
                        self.without_plan = Some((*law, found.group));
                    }
                }
            }
        }
        Ok(())
    }

    /// The same for laws of states.
    pub fn run_states(
        &self,
        laws: &[StateLaw],
        groups: &Groups,
        report: &mut Report<'_>,
        output: &Output,
    ) -> Result<()> {
        let with = |group| groups.shape_states(group);
        let planner = |group: &TestStates| plan_states(self.module, group);
        let mut shown: Vec<StateCounterexample> = Vec::new();
        for law in laws {
            // What a strategy cannot plan breaks each law, in the same words.
            let same = |it: &&StateCounterexample| law.check(&it.group, &planner).is_err_and(|what| what == it.what);
            if let Some(first) = shown.iter().find(same) {
                again(law.name(), first.law.name(), &first.what, report)?;
                continue;
            }
            let search = Search { seed: self.seed, groups: self.groups, ..Search::default() };
            let Some(found) = law.broken(&search, &with, &planner) else {
                self.holds(law.name(), 0, report)?;
                continue;
            };
            let value = json!({ "law": law.name(), "ok": false, "why": found.what, "seed": found.seed });
            report.line(false, &value, &format!("{:<18} {}", law.name(), found.what))?;
            if !output.is_json() {
                output.line(&lines(&found.to_string()))?;
            }
            shown.push(found);
        }
        Ok(())
    }

    /// A law that was not broken; one that could be tried on no group at all says nothing.
    fn holds(&self, law: &str, refused: u64, report: &mut Report<'_>) -> Result<()> {
        let (count, first) = (self.groups, self.seed);
        if refused == count {
            let why = format!("it refused all {count} random groups: nothing was tried");
            let value = json!({ "law": law, "ok": false, "why": why, "seed": first });
            return report.line(false, &value, &format!("{law:<18} {why}"));
        }
        let noun = if count == 1 { "group" } else { "groups" };
        let value = json!({ "law": law, "ok": true, "groups": count, "refused": refused, "seed": first });
        let but = if refused == 0 { String::new() } else { format!(", of which it refused {refused}") };
        report.line(true, &value, &format!("{law:<18} holds of {count} random {noun} from {first} on{but}"))
    }

    /// The smallest group that breaks a law; or on how many groups it could not be tried, since the strategy may refuse them.
    fn broken(&self, law: Law, groups: &Groups) -> Result<u64, Found> {
        let manifest = self.module.manifest();
        let with = |group| as_asked(manifest, groups.shape(group));
        let search = Search { seed: self.seed, groups: self.groups, with: &with, ..Search::default() };
        let refusal = RefCell::new(None);
        let planner = |group: &TestGroup| {
            let planned = plan(self.module, group);
            if let Err(NoPlan::Refused(refused)) = &planned {
                refusal.replace(Some(refused.code.clone()));
            }
            planned
        };
        let may_refuse = || refusal.take().is_some_and(|code| groups.may_refuse.contains(&code));
        let mut progress = Progress::new(format!("trying {law}"), usize::try_from(self.groups).unwrap_or(usize::MAX));
        let mut refused = 0;
        for seed in search.seeds() {
            let group = lively_group(seed, &with, &planner);
            refusal.take();
            match law.check(&group, &planner) {
                Ok(()) => {}
                Err(broken) if broken.without_plan && may_refuse() => refused += 1,
                Err(broken) => {
                    let known = self.without_plan.as_ref().filter(|_| broken.without_plan);
                    let again = known.and_then(|(first, group)| {
                        let again = law.check(group, &planner).err().filter(|again| again.without_plan)?;
                        Some(Found::Again(*first, again.what))
                    });
                    return Err(
                        again.unwrap_or_else(|| Found::New(Box::new(search.smallest(group, broken, seed, &planner))))
                    );
                }
            }
            progress.step();
        }
        Ok(refused)
    }

    fn show(&self, law: Law, found: &Counterexample, report: &mut Report<'_>, output: &Output) -> Result<()> {
        let name = format!("{} of random group {}", law.name(), found.seed);
        let text = case(&found.group, &name, law);
        // Not everything can be said in a case; one that holds would mislead.
        let fails_again =
            read_text(text.as_bytes()).is_ok_and(|cases| cases.iter().all(|case| case.check(self.module).is_err()));
        let value: Value = serde_json::from_str(&text).unwrap_or_default();
        let document = json!({
            "law": law.to_string(),
            "ok": false,
            "why": found.broken.what,
            "seed": found.seed,
            "case": fails_again.then_some(value),
        });
        report.line(false, &document, &format!("{:<18} {}", law.to_string(), found.broken.what))?;
        if output.is_json() {
            return Ok(());
        }
        let tried = found.tried;
        output.line(&format!(
            "\nThe smallest group that shows it (from random group {}, {tried} smaller ones tried):\n",
            found.seed
        ))?;
        output.line(&lines(&table(&found.group, found.plan.as_ref())))?;
        match fails_again {
            true => output.line(&format!("\nAs a case for vectors.json:\n\n{}\n", lines(&text)))?,
            false => {
                output.line(&format!("\nIn a test of the project, in Rust:\n\n{}\n", lines(&rust(&found.group))))?
            }
        }
        Ok(())
    }
}

/// How a law was broken.
enum Found {
    New(Box<Counterexample>),
    /// By the group without a plan that this law was shown with, and how it ends there.
    Again(Law, String),
}

/// A law that is broken by what is shown already.
fn again(law: &str, first: &str, what: &str, report: &mut Report<'_>) -> Result<()> {
    let value = json!({ "law": law, "ok": false, "why": what, "as_for": first });
    report.line(false, &value, &format!("{law:<18} broken by the group above, too (shown for {first})"))
}

/// Several lines of a strategy's own words, fit for a terminal.
fn lines(text: &str) -> String {
    text.lines().map(plain).collect::<Vec<_>>().join("\n")
}
