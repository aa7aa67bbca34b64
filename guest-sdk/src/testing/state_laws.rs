//! Laws of strategies of shape `states`, tried on many random groups, with the smallest group that breaks one.

use std::fmt;

use super::print::{entries, joined};
use super::search::Search;
use super::shrink::TRIES;
use super::{Dice, NoPlan, TestStates, TestStatesPlan};
use crate::run::AssignStates;

/// A promise of a strategy of shape `states`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum StateLaw {
    /// Every member gets a state: none gets zero bytes, which is what a strategy that forgets a member gives it.
    EveryMember,
    /// The same request gets the same states, memo and time to call again.
    Deterministic,
    /// So does the same group with its settings in another order. (Members are always in the order of their ids.)
    OrderIndependent,
}

/// Makes plans.
pub type StatePlanner<'p> = dyn Fn(&TestStates) -> Result<TestStatesPlan, NoPlan> + 'p;

/// A small group that breaks a law.
#[derive(Clone, Debug)]
pub struct StateCounterexample {
    /// The law.
    pub law: StateLaw,
    /// By which member, in a sentence.
    pub what: String,
    /// The number of the random group that it comes from.
    pub seed: u64,
    /// The smallest group found.
    pub group: TestStates,
}

impl StateLaw {
    /// Every law.
    pub const ALL: [StateLaw; 3] = [StateLaw::EveryMember, StateLaw::Deterministic, StateLaw::OrderIndependent];

    /// Its name.
    pub const fn name(self) -> &'static str {
        match self {
            StateLaw::EveryMember => "every_member",
            StateLaw::Deterministic => "deterministic",
            StateLaw::OrderIndependent => "order_independent",
        }
    }

    /// The law by its name.
    pub fn parse(text: &str) -> Option<StateLaw> {
        StateLaw::ALL.into_iter().find(|law| law.name() == text.trim())
    }

    /// Lets a group be planned, as often as the law needs; says what breaks it.
    pub fn check(self, group: &TestStates, planner: &StatePlanner<'_>) -> Result<(), String> {
        let plan = |group: &TestStates| planner(group).map_err(|no_plan| no_plan.to_string());
        let first = plan(group)?;
        match self {
            StateLaw::EveryMember => match first.states.iter().find(|(_, state)| state.is_empty()) {
                Some((id, _)) => Err(format!("{id} gets no state")),
                None => Ok(()),
            },
            StateLaw::Deterministic => same(&first, &plan(group)?, "asked twice"),
            StateLaw::OrderIndependent => (1..=3)
                .try_for_each(|seed| same(&first, &plan(&group.clone().shuffled(seed))?, "asked in another order")),
        }
    }

    /// Tries it on the groups of a search; the first that breaks it is made as small as can be.
    pub fn broken(
        self,
        search: &Search<'_>,
        with: &dyn Fn(TestStates) -> TestStates,
        planner: &StatePlanner<'_>,
    ) -> Option<StateCounterexample> {
        search.seeds().find_map(|seed| {
            let mut group = with(random_states(seed));
            let mut what = self.check(&group, planner).err()?;
            let mut left = search.tries.min(TRIES);
            while let Some((smaller, why)) = group.smaller().into_iter().map(with).find_map(|smaller| {
                left = left.checked_sub(1)?;
                let why = self.check(&smaller, planner).err()?;
                (smaller.weight() < group.weight()).then_some((smaller, why))
            }) {
                (group, what) = (smaller, why);
            }
            Some(StateCounterexample { law: self, what, seed, group })
        })
    }
}

fn same(first: &TestStatesPlan, second: &TestStatesPlan, when: &str) -> Result<(), String> {
    let differs = first.states.iter().find(|(id, state)| second.states.get(*id) != Some(state));
    match differs {
        Some((id, state)) => Err(format!("{when}, it gives {id} {state:?}, then {:?}", second.states.get(id))),
        None if first != second => {
            Err(format!("{when}, it remembers something else, or wants to be called at another time"))
        }
        None => Ok(()),
    }
}

/// A small group by number: up to 7 members, some static, with a few letters of metadata.
pub fn random_states(seed: u64) -> TestStates {
    let mut dice = Dice::new(seed);
    let mut group = TestStates::new().generation(1 + dice.roll(5) as i32);
    for number in 0..dice.roll(8) {
        let id = format!("m{}", (number * 5) % 8);
        let metadata: Vec<u8> = (0..dice.roll(5)).map(|_| b'a' + dice.roll(26) as u8).collect();
        group = match dice.once_in(3) {
            true => group.static_member(&id, &format!("i{number}"), metadata),
            false => group.member(&id, metadata),
        };
    }
    group
}

/// Tries a law on many groups; what [`state_laws!`](crate::state_laws) writes for each law.
///
/// # Panics
/// With the smallest group that breaks the law.
pub fn hold_states(assign: AssignStates, law: StateLaw, with: impl Fn(TestStates) -> TestStates) {
    if let Some(found) = law.broken(&Search::from_env(), &with, &|group| group.try_plan(assign)) {
        panic!("{found}");
    }
}

impl TestStates {
    fn weight(&self) -> usize {
        let of_member = |(instance_id, metadata): &(Option<String>, Vec<u8>)| {
            1 + usize::from(instance_id.is_some()) + metadata.len()
        };
        let members: usize = self.members.values().map(of_member).sum();
        let other = [self.context.is_some(), self.memo.is_some(), self.generation != 1, self.now_ms != 0];
        members + self.config.0.len() + other.into_iter().filter(|there| *there).count()
    }

    /// The same with one thing less.
    fn smaller(&self) -> Vec<TestStates> {
        let mut all = Vec::new();
        let mut without = |change: &dyn Fn(&mut TestStates)| {
            let mut smaller = self.clone();
            change(&mut smaller);
            all.push(smaller);
        };
        for id in self.members.keys() {
            without(&|group| drop(group.members.remove(id)));
        }
        for id in self.members.keys() {
            let metadata = |group: &mut TestStates, change: &dyn Fn(&mut Vec<u8>)| {
                group.members.get_mut(id).into_iter().for_each(|(_, metadata)| change(metadata));
            };
            without(&|group| metadata(group, &|bytes| bytes.clear()));
            without(&|group| metadata(group, &|bytes| bytes.truncate(bytes.len().saturating_sub(1))));
            without(&|group| metadata(group, &|bytes| drop(bytes.drain(..bytes.len().min(1)))));
            without(&|group| group.members.get_mut(id).into_iter().for_each(|(instance_id, _)| *instance_id = None));
        }
        for at in 0..self.config.0.len() {
            without(&|group| drop(group.config.0.remove(at)));
        }
        without(&|group| group.context = None);
        without(&|group| group.memo = None);
        without(&|group| group.generation = 1);
        without(&|group| group.now_ms = 0);
        all
    }

    /// The group as the Rust that makes it.
    fn rust(&self) -> String {
        let mut text = "let group = TestStates::new()".to_owned();
        let mut call = |line: String| text += &format!("\n    .{line}");
        for (id, (instance_id, metadata)) in &self.members {
            let bytes = match str::from_utf8(metadata) {
                Ok(letters) => format!("{letters:?}"),
                Err(_) => format!("{metadata:?}"),
            };
            call(match instance_id {
                Some(instance_id) => format!("static_member({id:?}, {instance_id:?}, {bytes})"),
                None => format!("member({id:?}, {bytes})"),
            });
        }
        entries(&self.config, "config").for_each(&mut call);
        self.context.iter().for_each(|context| call(format!("context({context:?})")));
        self.memo.iter().for_each(|memo| call(format!("memo(Some(vec!{memo:?}))")));
        if self.generation != 1 {
            call(format!("generation({})", self.generation));
        }
        if self.now_ms != 0 {
            call(format!("now_ms({})", self.now_ms));
        }
        text + ";"
    }
}

impl fmt::Display for StateCounterexample {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let StateCounterexample { law, what, seed, group } = self;
        writeln!(f, "the law {}: {what}", law.name())?;
        let members = joined(group.members.keys().cloned());
        let members = if members.is_empty() { "nobody".to_owned() } else { members };
        writeln!(f, "\nThe smallest group that shows it has {members} (of random group {seed}):\n")?;
        writeln!(f, "{}\nlet plan = group.plan(assign);", group.rust())
    }
}

#[cfg(test)]
mod tests;
