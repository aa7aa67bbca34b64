//! A plan that is handed over step by step: what the host withholds, and whether the group comes to rest.
//!
//! The host's rule: who may be running a partition and who gets it are together no more than its copies. So nothing is owned by
//! two at any moment, and what is missing is what others hold, whatever the strategy does. What a strategy can break is that
//! the group comes to rest, and stays so.

use super::round::same;
use super::{Plan, Verdict};
use crate::testing::{TestGroup, TestPlan};

pub(super) fn settles(group: &TestGroup, plan: &Plan<'_>) -> Verdict {
    let mut group = group.clone().cooperative();
    let mut wanted = plan(&group)?;
    // One that withholds, one that hands out; a primary that moves takes one more.
    let rounds = if wanted.copies > 1 { 3 } else { 2 };
    for _ in 1..rounds {
        let given = hand_out(&group, &wanted);
        group = group.after(&given);
        wanted = plan(&group)?;
        if let Err(what) = nothing_is_taken_back(&given, &wanted) {
            return Ok(Err(what));
        }
    }
    let given = hand_out(&group, &wanted);
    if let Some(((topic, partition), owners)) =
        wanted.owners.iter().find(|(at, owners)| given.owners.get(*at) != Some(owners))
    {
        let owners = owners.join(", ");
        return Ok(Err(format!(
            "after {rounds} rounds {topic}-{partition} still waits for others to give it up, for {owners}"
        )));
    }
    let next = plan(&group.after(&given))?;
    Ok(same(&given, &next).map_err(|what| format!("after {rounds} rounds it is not at rest: {what}")))
}

/// What the host hands out of a plan.
fn hand_out(group: &TestGroup, plan: &TestPlan) -> TestPlan {
    let holders = group.holders();
    let mut given = TestPlan { owners: Default::default(), members: Default::default(), ..plan.clone() };
    for ((topic, partition), owners) in &plan.owners {
        let held = holders.get(&(topic.as_str(), *partition)).map_or(&[][..], Vec::as_slice);
        for owner in allowed(owners, held, usize::from(plan.copies)) {
            given.give(topic, *partition, owner);
        }
    }
    given
}

fn allowed<'o>(owners: &'o [String], held: &[&str], copies: usize) -> Vec<&'o String> {
    // More hold it than may: whoever is right, all give it up first.
    let Some(mut room) = copies.checked_sub(held.len()) else { return Vec::new() };
    let holds = |owner: &String| held.contains(&owner.as_str());
    let mut given: Vec<&String> = Vec::new();
    for owner in owners {
        if holds(owner) {
            given.push(owner);
        } else if room > 0 {
            room -= 1;
            given.push(owner);
        }
    }
    if !held.is_empty() {
        // A primary does not move directly: one of those that hold the partition goes on as it, or nobody gets it.
        match given.iter().position(|owner| holds(owner)) {
            Some(at) => given[..=at].rotate_right(1),
            None => given.clear(),
        }
    }
    given
}

fn nothing_is_taken_back(given: &TestPlan, next: &TestPlan) -> Result<(), String> {
    for ((topic, partition), owners) in &given.owners {
        let now = next.owners_of(topic, *partition);
        if let Some(owner) = owners.iter().find(|owner| !now.contains(owner)).filter(|_| given.copies == 1) {
            let to = now.first().map_or("nobody", String::as_str);
            return Err(format!(
                "the second round takes {topic}-{partition} from {owner}, who got or kept it in the first, for {to}"
            ));
        }
    }
    Ok(())
}
