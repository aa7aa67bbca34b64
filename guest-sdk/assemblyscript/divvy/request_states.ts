// The requests of shape `states`, of divvy_user_data and of divvy_check.

import { Bytes } from "./bytes";
import { Group } from "./group";
import { Reader } from "./reader";
import { readHead } from "./request";
import { Me, StateGroup, StateMember } from "./states";

export function readStateGroup(from: Reader, group: StateGroup): void {
  const tail = from.fields(8, "a request of 8 items");
  const head = new Group();
  readHead(from, head);
  group.seed = head.seed;
  group.id = head.id;
  group.generation = head.generation;
  group.protocol = head.protocol;
  group.config = head.config;
  group.context = from.optionalBinary("a context or nil");
  const count = from.array("members");
  group.members = new StaticArray<StateMember>(count);
  for (let i: u32 = 0; i < count && !from.bad; i++) {
    const member = new StateMember();
    group.members[i] = member;
    member.index = i;
    const rest = from.fields(3, "a member of 3 items");
    member.id = from.text("a member's id");
    member.instanceId = from.optionalText("an instance id or nil");
    member.metadata = from.binary("a member's metadata");
    from.skip(rest);
    if (i > 0 && group.members[i - 1].id.order(member.id) >= 0) from.no("members in ascending order of their ids");
  }
  group.nowMs = from.signed("the wall clock");
  group.memo = from.optionalBinary("a memo or nil");
  from.finish(tail);
}

export function readMe(from: Reader, me: Me): void {
  const tail = from.fields(8, "a request of 8 items");
  from.unsigned("the minor version");
  me.group = from.text("the group's id");
  me.protocol = from.text("the protocol");
  me.config = from.rawMap("the configuration");
  const count = from.array("topics");
  me.topics = new StaticArray<Bytes>(count);
  for (let i: u32 = 0; i < count; i++) me.topics[i] = from.text("a topic's name");
  me.facts = from.rawMap("facts");
  me.lastState = from.optionalBinary("the last state or nil");
  me.nowMs = from.signed("the wall clock");
  from.finish(tail);
}

/** A plan to judge: the request that it was made for, and its states in the order of that request's members. */
export function readCheck(from: Reader, group: StateGroup): StaticArray<Bytes> {
  const tail = from.fields(2, "a request of 2 items");
  const request = from.binary("the request that the plan was made for");
  const inner = new Reader(request.at, request.at + request.length);
  readStateGroup(inner, group);
  if (inner.bad) from.no(inner.wanted);
  const count = from.array("states");
  const states = new StaticArray<Bytes>(count);
  for (let i: u32 = 0; i < count; i++) states[i] = from.binary("a state");
  if (count != u32(group.members.length)) from.no("one state for each member");
  from.finish(tail);
  return states;
}
