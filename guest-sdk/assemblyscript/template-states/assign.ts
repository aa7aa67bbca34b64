// {{name}}: tells each member which part of how many is its own.

import { Bytes, StateGroup, StateMember, States, kafkasOrder, runStates } from "./divvy";
export { divvy_abi_v1, divvy_alloc, divvy_panic } from "./divvy";

export function divvy_assign(at: usize, length: u32): u64 {
  return runStates(at, length, assign);
}

function standsBy(member: StateMember): bool {
  return member.metadata.is(Bytes.of("standby"));
}

// A state is whatever bytes the application understands; here `2/3`: the second of three. Who joined with `standby` gets no part.
function assign(group: StateGroup, states: States): bool {
  const members = group.members;
  let active = 0;
  for (let m = 0; m < members.length; m++) if (!standsBy(members[m])) active++;
  const order = kafkasOrder<StateMember>(members);
  let place = 0;
  for (let i = 0; i < order.length; i++) {
    const isActive = !standsBy(members[order[i]]);
    if (isActive) place++;
    states.give(order[i], Bytes.of(isActive ? place.toString() + "/" + active.toString() : "standby"));
  }
  return true;
}
