// Who a member is, in a group of either shape, and Kafka's order of members.

import { Bytes, NOTHING } from "./bytes";

/** Who a member is, in a group of either shape. */
export class Identity {
  /** Its position by id. */
  index: u32 = 0;
  id: Bytes = NOTHING;
  instanceId: Bytes = NOTHING;
}

/** The indexes of members in Kafka's order: static ones by instance id, then the others by id. */
export function kafkasOrder<T extends Identity>(members: StaticArray<T>): StaticArray<u32> {
  const fixed = new Array<Identity>();
  for (let i = 0; i < members.length; i++) if (members[i].instanceId.exists) fixed.push(members[i]);
  fixed.sort((a: Identity, b: Identity): i32 => {
    const order = a.instanceId.order(b.instanceId);
    return order != 0 ? order : i32(a.index) - i32(b.index);
  });
  const order = new StaticArray<u32>(members.length);
  let count = fixed.length;
  for (let i = 0; i < count; i++) order[i] = fixed[i].index;
  for (let i = 0; i < members.length; i++) if (!members[i].instanceId.exists) order[count++] = i;
  return order;
}
