// Groups whose members get bytes of the application's own, and a member that is about to join.

import { Bytes, NOTHING } from "./bytes";
import { Identity } from "./members";
import { Values } from "./values";

/** A member of a group of shape `states`. */
export class StateMember extends Identity {
  /** What it sent when it joined: any bytes. */
  metadata: Bytes = NOTHING;
}

/** A group whose members get bytes of the application's own. */
export class StateGroup {
  /** The only randomness that there is. */
  seed: u64 = 0;
  id: Bytes = NOTHING;
  generation: i32 = 0;
  protocol: Bytes = NOTHING;
  config: Values = new Values(NOTHING);
  /** Whatever the application hands to its strategy. */
  context: Bytes = NOTHING;
  /** By id. */
  members: StaticArray<StateMember> = [];
  /** The wall clock. */
  nowMs: i64 = 0;
  /** What the last plan asked to be remembered. */
  memo: Bytes = NOTHING;
}

/** A member that is about to join. */
export class Me {
  group: Bytes = NOTHING;
  protocol: Bytes = NOTHING;
  config: Values = new Values(NOTHING);
  /** What it subscribes to. */
  topics: StaticArray<Bytes> = [];
  facts: Values = new Values(NOTHING);
  /** The state that it got last. */
  lastState: Bytes = NOTHING;
  /** The wall clock. */
  nowMs: i64 = 0;
}
