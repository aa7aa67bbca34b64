//! Looks for a group that breaks a law, and makes it small.

use std::env;

use super::law::{Broken, Law, Planner};
use super::shrink::{TRIES, shrink};
use super::{TestGroup, TestPlan, life};
use crate::run::AssignPartitions;

/// Sets the first group that laws are tried on; the others follow it.
pub const SEED: &str = "DIVVY_LAWS_SEED";

/// Sets on how many groups a law is tried.
pub const GROUPS: &str = "DIVVY_LAWS_GROUPS";

/// A third of them fresh, a third with a history, a third with claims of any kind: a law takes some ten milliseconds.
const USUAL_GROUPS: u64 = 600;

/// On which groups a law is tried.
pub struct Search<'s> {
    /// The number of the first group.
    pub seed: u64,
    /// How many.
    pub groups: u64,
    /// How many smaller groups are tried when one breaks a law.
    pub tries: usize,
    /// Makes a random group one of the kind that the strategy is for: settings, facts, equal subscriptions. Done twice it changes
    /// nothing more. Smaller groups go through it, too.
    pub with: &'s dyn Fn(TestGroup) -> TestGroup,
}

/// A small group that breaks a law.
#[derive(Clone, Debug)]
pub struct Counterexample {
    /// The number of the random group that it comes from.
    pub seed: u64,
    /// The smallest group found.
    pub group: TestGroup,
    /// The law, and what breaks it in this group.
    pub broken: Broken,
    /// This group's plan, if there is one.
    pub plan: Option<TestPlan>,
    /// How many groups were tried to get here from the random one.
    pub tried: usize,
}

impl Default for Search<'_> {
    fn default() -> Self {
        Search { seed: 0, groups: USUAL_GROUPS, tries: TRIES, with: &|group| group }
    }
}

impl Search<'_> {
    /// The usual groups, unless the environment says otherwise ([`SEED`], [`GROUPS`]).
    ///
    /// # Panics
    /// When it does not say a number.
    pub fn from_env() -> Self {
        let number = |name: &str| {
            let text = env::var(name).ok()?;
            Some(text.trim().parse().unwrap_or_else(|_| panic!("{name} is {text:?}: write a number from 0")))
        };
        let usual = Search::default();
        Search { seed: number(SEED).unwrap_or(usual.seed), groups: number(GROUPS).unwrap_or(usual.groups), ..usual }
    }

    /// Tries a law on each group; the first that breaks it is made as small as can be.
    pub fn broken(&self, law: Law, planner: &Planner<'_>) -> Option<Counterexample> {
        self.seeds().find_map(|seed| {
            let group = life::lively_group(seed, self.with, planner);
            let broken = law.check(&group, planner).err()?;
            Some(self.smallest(group, broken, seed, planner))
        })
    }

    /// The number of each group: behind the largest comes 0.
    pub fn seeds(&self) -> impl Iterator<Item = u64> {
        let first = self.seed;
        (0..self.groups).map(move |further| first.wrapping_add(further))
    }

    /// The same, for a group at hand.
    pub fn smallest(&self, group: TestGroup, broken: Broken, seed: u64, planner: &Planner<'_>) -> Counterexample {
        let (law, mut tried, mut last) = (broken.law, 0, broken);
        let group = shrink(&group, self.tries, self.with, &mut |smaller| {
            tried += 1;
            match law.check(smaller, planner) {
                // A plan that breaks the law and no plan at all are different faults.
                Err(broken) if broken.without_plan == last.without_plan => {
                    last = broken;
                    true
                }
                _ => false,
            }
        });
        let plan = planner(&group).ok();
        Counterexample { seed, group, broken: last, plan, tried }
    }
}

/// Tries a law on many groups; what [`laws!`](crate::laws) writes for each law.
///
/// # Panics
/// With the smallest group that breaks the law.
pub fn hold(assign: AssignPartitions, law: Law, with: impl Fn(TestGroup) -> TestGroup) {
    let search = Search { with: &with, ..Search::from_env() };
    if let Some(found) = search.broken(law, &|group| group.try_plan(assign)) {
        panic!("{found}");
    }
}

#[cfg(test)]
mod tests;
