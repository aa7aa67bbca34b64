//! {{name}}: tells each member which part of how many is its own.

use divvy_guest::prelude::*;

assignor! {
    name: "{{name}}",
    version: 1,
    protocol_type: "{{name}}",
    shape: states,
    description: "Tells each member which part of how many is its own.",
    license: "Apache-2.0",
    assign: assign,
}

/// A state is whatever bytes the application understands; here `2/3`: the second of three. Who joined with `standby` gets no part.
pub fn assign(group: &StateGroup<'_>, states: &mut States) -> Result<(), Refusal> {
    let is_active = |member: &StateMember<'_>| member.metadata() != b"standby";
    let active: Vec<_> = group.members_in_kafkas_order().filter(is_active).collect();
    for member in group.members() {
        states.give(member, b"standby".to_vec());
    }
    for (place, member) in active.iter().enumerate() {
        states.give(*member, format!("{}/{}", place + 1, active.len()).into_bytes());
    }
    Ok(())
}
