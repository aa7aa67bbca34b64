//! What is wrong with a plan, whoever made it: a piece of work that two would run.

use divvy_guest::prelude::*;

use crate::wire::{Assignment, Metadata, Work};

/// A piece of work: who runs it, and who is given it.
#[derive(Default)]
struct Spot {
    holders: Vec<usize>,
    given: Option<usize>,
}

/// After everybody has given up what it is to give up, nothing runs twice, and nothing was given that another one has still to give up.
pub fn check(group: &StateGroup<'_>, states: &[&[u8]]) -> Result<(), Refusal> {
    let mut spots: DetMap<(&str, i32), Spot> = DetMap::new();
    let mut told = Vec::with_capacity(states.len());
    for (member, state) in group.members().zip(states) {
        let state = Assignment::read(state).map_err(|_| wrong(member, "a state cannot be read"))?;
        let Ok(metadata) = Metadata::read(member.metadata()) else {
            if !state.work.is_empty() {
                return Err(wrong(member, "work is given to a worker whose metadata cannot be read"));
            }
            continue;
        };
        // Whose leader is behind is told to change nothing, whatever it runs.
        if state.version > 0 && state.error == 0 {
            for piece in pieces(&metadata.runs) {
                let holders = &mut spots.entry(piece).or_default().holders;
                if holders.last() != Some(&member.index()) {
                    holders.push(member.index());
                }
            }
        }
        told.push((member, state));
    }
    for (member, state) in &told {
        for piece in pieces(&state.work) {
            let spot = spots.entry(piece).or_default();
            if spot.given.replace(member.index()).is_some() {
                return Err(wrong(*member, "a piece of work is given to two workers"));
            }
            if spot.holders.iter().any(|&holder| holder != member.index()) {
                return Err(wrong(*member, "a piece of work is given to one worker while another runs it"));
            }
        }
    }
    for (member, state) in &told {
        for piece in pieces(&state.revoked) {
            if let Some(spot) = spots.get_mut(&piece) {
                spot.holders.retain(|&holder| holder != member.index());
            }
        }
    }
    match spots.values().find(|spot| spot.holders.len() > 1) {
        Some(spot) => Err(wrong(told[spot.holders[0]].0, "work that two workers run stays with more than one")),
        None => Ok(()),
    }
}

fn pieces<'w, 'a: 'w>(work: &'w Work<'a>) -> impl Iterator<Item = (&'a str, i32)> + 'w {
    work.iter().flat_map(|(name, tasks)| tasks.iter().map(move |&task| (*name, task)))
}

fn wrong(member: StateMember<'_>, what: &str) -> Refusal {
    Refusal::new("wrong_state", what).about(member.index())
}
