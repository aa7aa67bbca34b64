//! What is wrong with a plan, whoever made it: a piece of work that two would run.

use divvy_guest::prelude::*;

use crate::wire::{Assignment, Metadata, Work};

/// After everybody has given up what it is to give up, nothing runs twice, and nothing was given that another one has still to give up.
pub fn check(group: &StateGroup<'_>, states: &[&[u8]]) -> Result<(), Refusal> {
    let mut runs: DetMap<(&str, i32), DetSet<usize>> = DetMap::new();
    let mut told = Vec::with_capacity(states.len());
    for (member, state) in group.members().zip(states) {
        let state = Assignment::read(state).map_err(|_| wrong(member, "a state cannot be read"))?;
        let metadata = Metadata::read(member.metadata()).map_err(|_| wrong(member, "its metadata cannot be read"))?;
        // Whose leader is behind is told to change nothing, whatever it runs.
        if state.version > 0 && state.error == 0 {
            for piece in pieces(&metadata.runs) {
                runs.entry(piece).or_default().insert(member.index());
            }
        }
        told.push((member, state));
    }
    // Who still runs what after everybody gave up what it is told to.
    let mut keeps = runs.clone();
    for (member, state) in &told {
        for piece in pieces(&state.revoked) {
            keeps.entry(piece).or_default().remove(&member.index());
        }
    }
    if let Some(holder) = keeps.values().find(|holders| holders.len() > 1).and_then(DetSet::first) {
        return Err(wrong(told[*holder].0, "work that two workers run stays with more than one"));
    }
    let mut given = DetMap::new();
    for (member, state) in &told {
        for piece in pieces(&state.work) {
            if given.insert(piece, member.index()).is_some() {
                return Err(wrong(*member, "a piece of work is given to two workers"));
            }
            let others = runs.get(&piece).into_iter().flatten().any(|&holder| holder != member.index());
            if others {
                return Err(wrong(*member, "a piece of work is given to one worker while another runs it"));
            }
        }
    }
    Ok(())
}

fn pieces<'w, 'a: 'w>(work: &'w Work<'a>) -> impl Iterator<Item = (&'a str, i32)> + 'w {
    work.iter().flat_map(|(name, tasks)| tasks.iter().map(move |&task| (*name, task)))
}

fn wrong(member: StateMember<'_>, what: &str) -> Refusal {
    Refusal::new("wrong_state", what).about(member.index())
}
