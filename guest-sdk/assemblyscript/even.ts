// The reference strategy of tests/abi: gives the same bytes as guest-sdk/examples/even.rs, which says what it does.

import { Group, NOBODY, Plan, UNKNOWN_LAG, run } from "./divvy";
export { divvy_abi_v1, divvy_alloc, divvy_panic } from "./divvy";

export function divvy_assign(at: usize, length: u32): u64 {
  return run(at, length, even);
}

function even(group: Group, plan: Plan): bool {
  const members = group.members.length;
  const why = group.config.text("refuse");
  if (why.exists) {
    plan.retriable = true;
    plan.member = i64(members) - 1; // -1: nobody
    return plan.refuse("asked_to", why);
  }
  const keeps = group.config.flag("keep");
  const readers = new StaticArray<u32>(members);
  for (let t = 0; t < group.topics.length; t++) {
    const topic = group.topics[t];
    let count: u32 = 0;
    for (let m = 0; m < members; m++) if (group.subscribes(m, t)) readers[count++] = m;
    if (count == 0) continue;
    const first = u32(group.seed % u64(count));
    for (let p = topic.base; p < topic.base + topic.partitions; p++) {
      const before = keeps ? group.ownerBefore(0, p) : NOBODY;
      if (before != NOBODY && group.subscribes(u32(before), t)) plan.give(p, u32(before));
      else plan.give(p, readers[u32((u64(first) + p) % count)]);
    }
  }
  const lags = group.column("lag");
  if (lags.exists) {
    let sum: u64 = 0;
    for (let p: u32 = 0; p < group.partitions; p++) {
      const lag = group.lag(lags, p);
      if (lag != UNKNOWN_LAG) sum += lag;
    }
    plan.note("info", "lag " + sum.toString());
  }
  const told = group.config.text("tell");
  if (told.exists) for (let m = 0; m < members; m += 2) plan.tell(m, told);
  plan.remember(group.memo);
  const ms = group.config.number("again_ms");
  if (ms >= 0 && ms <= 1e15) plan.callAgainMs = i64(ms);
  return true;
}
