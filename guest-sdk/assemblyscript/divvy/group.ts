// The group as a strategy sees it, and what it can be asked. Every index in it points at something.

import { Bytes, NOTHING } from "./bytes";
import { Identity } from "./members";
import { Values } from "./values";

/** Partition p of a topic has the dense index base + p: the position in owner maps and columns. */
export class Topic {
  name: Bytes = NOTHING;
  partitions: u32 = 0;
  base: u32 = 0;
}

/** A set of topics: a bit for each, or ascending ranges [start, end). */
export class Subscription {
  bits: Bytes = NOTHING;
  starts: StaticArray<u32> = [];
  ends: StaticArray<u32> = [];

  contains(topic: u32): bool {
    if (this.bits.exists) return ((load<u8>(this.bits.at + topic / 8) >> u8(topic % 8)) & 1) == 1;
    let low = 0, high = this.starts.length;
    while (low < high) {
      const middle = low + (high - low) / 2;
      if (unchecked(this.starts[middle]) <= topic) low = middle + 1;
      else high = middle;
    }
    return low > 0 && topic < unchecked(this.ends[low - 1]);
  }
}

/** A member of a Group. */
export class Member extends Identity {
  clientId: Bytes = NOTHING;
  /** Index into racks, -1 for none. */
  rack: i64 = -1;
  /** Members with the same number read the same topics. */
  subscription: u32 = 0;
  userData: Bytes = NOTHING;
  facts: Values = new Values(NOTHING);
}

/** The same number of bytes for each partition, in the order of the dense index. */
export class Column {
  constructor(public name: Bytes, public bytes: Bytes) {}
}

/** Of ownerBefore. */
export const NOBODY: i64 = -1;
/** Of lag. */
export const UNKNOWN_LAG: u64 = u64.MAX_VALUE;
/** In the column replica_racks. */
export const NO_RACK: u16 = u16.MAX_VALUE;

/** What a plan is made for. */
export class Group {
  /** The only randomness that there is. */
  seed: u64 = 0;
  id: Bytes = NOTHING;
  generation: i32 = 0;
  protocol: Bytes = NOTHING;
  cooperative: bool = false;
  config: Values = new Values(NOTHING);
  /** By name. */
  topics: StaticArray<Topic> = [];
  /** Of all topics. */
  partitions: u32 = 0;
  subscriptions: StaticArray<Subscription> = [];
  /** By id. */
  members: StaticArray<Member> = [];
  racks: StaticArray<Bytes> = [];
  claims: Bytes = NOTHING;
  claimLayers: u32 = 0;
  columns: StaticArray<Column> = [];
  /** The wall clock. */
  nowMs: i64 = 0;
  /** What the last plan asked to be remembered. */
  memo: Bytes = NOTHING;
  /** Bytes of an owner: 2 or 4. */
  width: u32 = 2;

  /** Whether a member subscribes to the topic with an index. */
  subscribes(member: u32, topic: u32): bool {
    return this.subscriptions[this.members[member].subscription].contains(topic);
  }

  /** Who had a partition last, as far as anyone still knows: a member's index or NOBODY; layer 0 is the newest claim. */
  ownerBefore(layer: u32, partition: u32): i64 {
    if (layer >= this.claimLayers || partition >= this.partitions) return NOBODY;
    const at = this.claims.at + (usize(layer) * this.partitions + partition) * this.width;
    const owner = this.width == 2 ? u32(load<u16>(at)) : load<u32>(at);
    return owner < u32(this.members.length) ? i64(owner) : NOBODY;
  }

  /** A column that the manifest `needs`: the same number of bytes for each partition, little-endian, at any address. */
  column(name: string): Bytes {
    const wanted = Bytes.of(name);
    for (let i = 0; i < this.columns.length; i++) if (this.columns[i].name.is(wanted)) return this.columns[i].bytes;
    return NOTHING;
  }

  /** Records of a partition that the group has not read, from the column `lag`; UNKNOWN_LAG where nobody knows. */
  lag(column: Bytes, partition: u32): u64 {
    return column.exists && partition < this.partitions ? load<u64>(column.at + 8 * usize(partition)) : UNKNOWN_LAG;
  }
}
