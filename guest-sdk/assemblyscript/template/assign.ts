// {{name}}: deals the partitions of all topics out like cards.

import { Group, Plan, run } from "./divvy";
export { divvy_abi_v1, divvy_alloc, divvy_panic } from "./divvy";

export function divvy_assign(at: usize, length: u32): u64 {
  return run(at, length, assign);
}

// Counted through all topics, so that members that read the same never differ by more than one partition.
function assign(group: Group, plan: Plan): bool {
  const readers = new StaticArray<u32>(group.members.length);
  for (let t = 0; t < group.topics.length; t++) {
    const topic = group.topics[t];
    let count: u32 = 0;
    for (let m = 0; m < group.members.length; m++) if (group.subscribes(m, t)) readers[count++] = m;
    if (count == 0) continue;
    for (let p = topic.base; p < topic.base + topic.partitions; p++) plan.give(p, readers[p % count]);
  }
  return true;
}
