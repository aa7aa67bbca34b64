// divvy.ts: write an assignment strategy for divvy in AssemblyScript. No imports in the module; this file and the folder divvy/
// beside it are all. What is not used costs nothing.
//
//   import { Group, Plan, run } from "./divvy";
//   export { divvy_abi_v1, divvy_alloc, divvy_panic } from "./divvy";
//   export function divvy_assign(at: usize, length: u32): u64 { return run(at, length, assign); }
//   function assign(group: Group, plan: Plan): bool { ...; return true; }
//
// Of shape `states` ("shape": "states" in the manifest) `runStates` takes the place of `run`, with a function of a StateGroup and
// States. The optional exports are functions divvy_user_data and divvy_check of the same form that call runUserData and runCheck.
//
//   asc mine.ts -O3 --runtime stub --use abort=divvy/failed -o mine.wasm
//
// The compiler writes no custom sections: the manifest is stamped into the module afterwards (`divvy assignor stamp`).
//
// An instance lives for one call: nothing is freed, and globals begin anew in every call. The request is read in place,
// MessagePack by position; items that a later minor version appends are passed over. A request that is not as ABI 1 says
// is refused for you, so every index in a Group points at something. Texts stay UTF-8 bytes: Bytes.toString() decodes one. In a
// text that you write, bytes that are no UTF-8 become question marks.

import { fail } from "./divvy/memory";

// The module.
export { divvy_abi_v1, divvy_alloc, divvy_panic, fail } from "./divvy/memory";
export { run, runCheck, runStates, runUserData } from "./divvy/call";

// The group, as a strategy sees it.
export { Bytes } from "./divvy/bytes";
export { Column, Group, Member, NOBODY, NO_RACK, Topic, UNKNOWN_LAG } from "./divvy/group";
export { Identity, kafkasOrder } from "./divvy/members";
export { Me, StateGroup, StateMember } from "./divvy/states";

// Settings and facts, and what Values does not know of them.
export { Values } from "./divvy/values";
export { Reader } from "./divvy/reader";

// What is answered.
export { Answer } from "./divvy/answer";
export { Plan, States, Verdict } from "./divvy/plan";

/** What the runtime calls when a check of its own fails; named by `--use abort=divvy/failed`, and so in this file. */
export function failed(text: string | null, file: string | null, line: u32, column: u32): void {
  fail((text ? text : "failed") + " at " + (file ? file : "?") + ":" + line.toString());
}
