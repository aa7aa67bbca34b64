//! One active member, the others stand by. The generation is the epoch: whoever acts under a lower one has been replaced.

mod bytes;

use divvy_guest::prelude::*;

use bytes::{Memo, State};

assignor! {
    name: "active-standby",
    protocol_type: "single-writer",
    shape: states,
    offer: by_name,
    description: "Keeps one member active for as long as it stays; its generation is its fencing token.",
    license: "Apache-2.0",
    assign: assign,
    check: check,
}

/// The member that is active stays so, also under a new member id when it is static; else the first in member order takes over.
pub fn assign(group: &StateGroup<'_>, states: &mut States) -> Result<(), Refusal> {
    let memo = group.memo().and_then(|memo| Memo::read(memo).ok());
    let present = memo.and_then(|memo| group.members().find(|&member| memo.names(member)));
    let Some(active) = present.or_else(|| group.members_in_kafkas_order().next()) else { return Ok(()) };
    for member in group.members() {
        let state =
            State { active: member.index() == active.index(), epoch: group.generation(), active_id: active.id() };
        states.give(member, state.write());
    }
    states.remember(Memo { id: active.id(), instance_id: active.instance_id() }.write());
    if memo.is_some() && present.is_none() {
        states.note(Level::Info, "the active member is gone: the next one takes over");
    }
    Ok(())
}

/// Exactly one member is told that it is active, all are told which, and the epoch is the generation.
pub fn check(group: &StateGroup<'_>, states: &[&[u8]]) -> Result<(), Refusal> {
    let mut active = None;
    for (member, state) in group.members().zip(states) {
        let wrong = |what| Refusal::new("wrong_state", what).about(member.index());
        let state = State::read(state).map_err(|_| wrong("a state cannot be read"))?;
        if state.epoch != group.generation() {
            return Err(wrong("a state's epoch is not the generation"));
        }
        if state.active != (state.active_id == member.id()) {
            return Err(wrong("a state's role is not that of the active member that it names"));
        }
        if *active.get_or_insert(state.active_id) != state.active_id {
            return Err(wrong("two states name different active members"));
        }
    }
    match active {
        Some(id) if !group.members().any(|member| member.id() == id) => {
            Err(Refusal::new("wrong_state", "the active member is not in the group"))
        }
        _ => Ok(()),
    }
}
