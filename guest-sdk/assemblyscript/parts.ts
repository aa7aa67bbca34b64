// The reference strategy of tests/abi for states: gives the same bytes as guest-sdk/examples/parts.rs, which says what it does.

import { Bytes, Me, StateGroup, StateMember, States, Verdict, kafkasOrder, runCheck, runStates, runUserData } from "./divvy";
export { divvy_abi_v1, divvy_alloc, divvy_panic } from "./divvy";

export function divvy_assign(at: usize, length: u32): u64 {
  return runStates(at, length, parts);
}

export function divvy_user_data(at: usize, length: u32): u64 {
  return runUserData(at, length, told);
}

export function divvy_check(at: usize, length: u32): u64 {
  return runCheck(at, length, judged);
}

function isIdle(member: StateMember): bool {
  return member.metadata.is(Bytes.of("idle"));
}

function parts(group: StateGroup, states: States): bool {
  const members = group.members;
  const why = group.config.text("refuse");
  if (why.exists) {
    states.retriable = true;
    states.member = i64(members.length) - 1; // -1: nobody
    return states.refuse("asked_to", why);
  }
  const order = kafkasOrder<StateMember>(members);
  const active = new Array<u32>();
  for (let i = 0; i < order.length; i++) if (!isIdle(members[order[i]])) active.push(order[i]);
  const count = u64(active.length);
  for (let i = 0; i < active.length; i++) {
    const part = ((group.seed % count) + u64(i)) % count + 1;
    let state = Bytes.of(part.toString() + "/" + count.toString() + ":").join(members[active[i]].metadata);
    if (group.context.exists) state = state.join(Bytes.of(":")).join(group.context);
    states.give(active[i], state);
  }
  if (group.config.flag("explain")) {
    states.note("debug", "generation " + u32(group.generation).toString());
    states.noteBytes("info", group.id.join(Bytes.of(" ")).join(group.protocol));
    states.note("warn", "now " + u64(group.nowMs).toString());
    states.noteBytes("info", members.length > 0 ? members[0].metadata : Bytes.of(""));
  }
  states.remember(group.memo);
  const ms = group.config.number("again_ms");
  if (ms >= 0 && ms <= 1e15) states.callAgainMs = i64(ms);
  return true;
}

function told(me: Me, verdict: Verdict): bool {
  const why = me.config.text("refuse");
  if (why.exists) return verdict.refuse("asked_to", why);
  if (me.config.flag("mute")) return true;
  let data = me.group.join(Bytes.of("/")).join(me.protocol).join(Bytes.of(":"));
  for (let t = 0; t < me.topics.length; t++) data = data.join(Bytes.of(t > 0 ? "," : "")).join(me.topics[t]);
  data = data.join(Bytes.of(";")).join(me.facts.text("zone")).join(Bytes.of(";")).join(me.lastState);
  verdict.data = data.join(Bytes.of(";" + u64(me.nowMs).toString()));
  return true;
}

function judged(group: StateGroup, states: StaticArray<Bytes>, verdict: Verdict): bool {
  for (let m = 0; m < group.members.length; m++) {
    if (isIdle(group.members[m]) == (states[m].length == 0)) continue;
    verdict.member = m;
    if (states[m].length > 0) return verdict.refuse("idle", Bytes.of("a part for nobody"));
    return verdict.refuse("lost", Bytes.of("a member without a part"));
  }
  return true;
}
