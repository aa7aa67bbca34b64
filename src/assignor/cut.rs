//! The last plan, cut to what exists: what serves a generation when its strategy failed and no other is at hand.

use bytes::Bytes;

use super::lead::{topics_of, view_of};
use super::owners::{NOBODY, Owners};
use super::view::Hint;
use super::{CallError, FaultKind, LeaderInput, Plan, cooperative, encode, verify};
use crate::embedded::consumer::Assignment;
use crate::ids::MemberId;

#[cfg(test)]
mod tests;

/// Gives each member what it had, as far as it still subscribes and the partition still exists. Where that leaves a
/// partition without an owner there is no such plan: a plan that stands in for another is whole.
pub fn cut_last_plan(last: &[(MemberId, Bytes)], input: &LeaderInput<'_>) -> Result<Plan, CallError> {
    if input.protocol_type.as_str() != "consumer" {
        let text = format!("states of type {:?} are opaque: the last plan cannot be cut", input.protocol_type.as_str());
        return Err(CallError::new(FaultKind::InvalidAssignment, text));
    }
    let view = view_of(input)?;
    let mut owners = Owners::nobody(view.partitions, 1);
    for (id, state) in last {
        let Ok(index) = view.members.binary_search_by(|member| member.id.cmp(id)) else { continue };
        let Ok(assignment) = Assignment::decode_state(state) else { continue };
        let set = &view.sets[view.members[index].set as usize];
        let mut hint = Hint::default();
        for given in &assignment.topics {
            let Some(topic) = view.topic(given.topic.as_bytes(), &mut hint).filter(|&topic| set.contains(topic as u32))
            else {
                continue;
            };
            let topic = &view.topics[topic];
            let numbers = given.partitions.iter().filter_map(|number| u32::try_from(number).ok());
            for number in numbers.filter(|&number| number < topic.partitions) {
                let owner = &mut owners.of_mut((topic.base + number) as usize)[0];
                if *owner == NOBODY {
                    *owner = index as u32;
                }
            }
        }
    }
    verify::owners(&view, &owners, true).map_err(|broken| {
        CallError::new(FaultKind::InvalidAssignment, format!("the last plan is not whole any more: {broken}"))
    })?;
    let withheld = cooperative::hand_over(&view, &mut owners, input.mode)
        .map_err(|broken| CallError::new(FaultKind::InvalidAssignment, broken))?;
    let states = encode::with_history(&view, encode::assignments(&view, &owners, &[]), input);
    let states = view.members.iter().map(|member| member.id.clone()).zip(states).collect();
    let topics = topics_of(&view);
    let diagnostics = view.diagnostics.into_iter().chain(withheld.diagnostic()).collect();
    Ok(Plan { states, copies: 1, complete: true, mode: input.mode, topics, diagnostics, ..Plan::default() })
}
