// From a request in memory to a reply, by way of a strategy.

import { Answer } from "./answer";
import { Bytes } from "./bytes";
import { Group } from "./group";
import { Plan, States, Verdict } from "./plan";
import { Reader } from "./reader";
import { readGroup } from "./request";
import { readCheck, readMe, readStateGroup } from "./request_states";
import { Me, StateGroup } from "./states";

function badRequest(from: Reader): u64 {
  const answer = new Answer();
  const why = "the request cannot be read: byte " + from.where.toString() + ": expected " + from.wanted;
  answer.refuse("bad_request", Bytes.of(why));
  return answer.refusal();
}

/** From a request to a reply: what divvy_assign does. The strategy gives back whether it made a plan. */
export function run(at: usize, length: u32, assign: (group: Group, plan: Plan) => bool): u64 {
  const group = new Group();
  const plan = new Plan(group);
  const from = new Reader(at, at + length);
  readGroup(from, group);
  if (from.bad) return badRequest(from);
  plan.setCopies(1);
  return assign(group, plan) ? plan.finish() : plan.refusal();
}

/** The same of shape `states`. */
export function runStates(at: usize, length: u32, assign: (group: StateGroup, states: States) => bool): u64 {
  const group = new StateGroup();
  const from = new Reader(at, at + length);
  readStateGroup(from, group);
  if (from.bad) return badRequest(from);
  const states = new States(group);
  return assign(group, states) ? states.finish() : states.refusal();
}

/** What divvy_user_data does: the function sets `verdict.data` or not, and gives back true, or refuses. */
export function runUserData(at: usize, length: u32, make: (me: Me, verdict: Verdict) => bool): u64 {
  const me = new Me();
  const from = new Reader(at, at + length);
  readMe(from, me);
  if (from.bad) return badRequest(from);
  const verdict = new Verdict();
  return make(me, verdict) ? verdict.finish() : verdict.refusal();
}

/** What divvy_check does: judges a plan of shape `states`, a state for each member. */
export function runCheck(at: usize, length: u32, judge: (group: StateGroup, states: StaticArray<Bytes>, verdict: Verdict) => bool): u64 {
  const group = new StateGroup();
  const from = new Reader(at, at + length);
  const states = readCheck(from, group);
  if (from.bad) return badRequest(from);
  const verdict = new Verdict();
  return judge(group, states, verdict) ? verdict.finish() : verdict.refusal();
}
