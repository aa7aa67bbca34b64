//! What a case expects, of the first outcome and of the last. Under a cooperative name what is withheld in one round goes out in
//! the next, so a group is followed until nothing is withheld. Included by the native tests of the assignors, too.

use std::collections::BTreeMap;

use serde_json::json;

use super::ground::{Ground, Shares, owners};
use super::property::{self, Props, ROUNDS_MAX};

/// Rounds that are run at most: Kafka's own tests allow a hand-over so many.
pub const MOST_ROUNDS: usize = 4;

/// What is expected.
#[derive(Clone, Debug, Default)]
pub struct Expectation {
    /// Who gets what in the first round, exactly.
    pub exact: Option<Shares>,
    /// What holds of the first round.
    pub props: Props,
    /// Who has what in the end, exactly.
    pub last: Option<Shares>,
    /// What holds in the end.
    pub last_props: Props,
}

impl Expectation {
    /// Nothing is said.
    pub fn is_empty(&self) -> bool {
        self.exact.is_none() && self.props.is_empty() && self.last.is_none() && self.last_props.is_empty()
    }

    /// Holds what a strategy makes of a group against it; the error says what differs.
    pub fn check(
        &self,
        ground: &Ground,
        mut plan: impl FnMut(&Ground) -> Result<Shares, String>,
    ) -> Result<(), String> {
        let first = plan(ground)?;
        same(self.exact.as_ref(), &first, "")?;
        property::check(ground, &self.props, &first)?;
        let most = match self.props.get(ROUNDS_MAX) {
            Some(wanted) => property::number(ROUNDS_MAX, wanted)?,
            None if self.last.is_none() && self.last_props.is_empty() => return Ok(()),
            None => MOST_ROUNDS,
        };
        let last = converge(ground, first, most, plan)?;
        same(self.last.as_ref(), &last, " in the end")?;
        property::check(ground, &self.last_props, &last).map_err(|broken| format!("{broken} in the end"))
    }
}

/// The outcome in which nothing is withheld; the error says that there was none in so many rounds.
pub(super) fn converge(
    ground: &Ground,
    first: Shares,
    most: usize,
    mut plan: impl FnMut(&Ground) -> Result<Shares, String>,
) -> Result<Shares, String> {
    let (mut ground, mut shares) = (ground.clone(), first);
    for _ in 1..most {
        if is_whole(&ground, &shares) {
            break;
        }
        ground = ground.after(&shares);
        shares = plan(&ground)?;
    }
    match is_whole(&ground, &shares) {
        true => Ok(shares),
        false => Err(format!("{ROUNDS_MAX}: after {most} rounds something is still withheld")),
    }
}

fn is_whole(ground: &Ground, shares: &Shares) -> bool {
    let owners = owners(shares);
    ground.partitions().all(|at| owners.contains_key(&at))
}

fn same(expected: Option<&Shares>, got: &Shares, when: &str) -> Result<(), String> {
    let Some(expected) = expected.map(without_empty) else { return Ok(()) };
    match without_empty(got) {
        got if got == expected => Ok(()),
        got => Err(format!("expected {}, got {}{when}", json!(expected), json!(got))),
    }
}

/// A topic without partitions says nothing.
fn without_empty(shares: &Shares) -> BTreeMap<&str, BTreeMap<&str, &Vec<i32>>> {
    shares
        .iter()
        .map(|(id, topics)| {
            let some = topics.iter().filter(|(_, numbers)| !numbers.is_empty());
            (id.as_str(), some.map(|(topic, numbers)| (topic.as_str(), numbers)).collect())
        })
        .collect()
}
