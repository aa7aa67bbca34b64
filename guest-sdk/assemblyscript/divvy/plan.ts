// What a strategy answers: owners of partitions, states, or the answer of an optional export; and the bytes of a reply.

import { Answer, HEAD, TAIL } from "./answer";
import { Bytes, NOTHING, none } from "./bytes";
import { Group } from "./group";
import { fail } from "./memory";
import { StateGroup } from "./states";
import { Writer } from "./writer";

/** Who owns which partition. */
export class Plan extends Answer {
  reply: usize = 0;
  ownersLength: u32 = 0;
  copies: u16 = 1;
  told: StaticArray<Bytes> = [];

  constructor(public group: Group) {
    super();
  }

  /** Gives a partition, by its dense index, to a member. */
  give(partition: u32, member: u32): void {
    this.giveCopy(0, partition, member);
  }

  /** Gives the owner of one copy; copy 0 is the primary. */
  giveCopy(copy: u32, partition: u32, member: u32): void {
    const group = this.group;
    if (copy >= this.copies || partition >= group.partitions) fail("a partition of another group");
    if (member >= u32(group.members.length)) fail("an index beyond the members");
    const at = this.reply + HEAD + (usize(copy) * group.partitions + partition) * group.width;
    if (group.width == 2) store<u16>(at, u16(member));
    else store<u32>(at, member);
  }

  /** Room for several owners of each partition, all nobody. Only for manifests with "copies": "many". */
  setCopies(copies: u16): void {
    const bytes = u64(this.group.partitions) * this.group.width * copies;
    if (copies == 0 || bytes >= 0x4000_0000) fail("a number of copies that is no plan");
    this.copies = copies;
    this.ownersLength = u32(bytes);
    this.reply = heap.alloc(HEAD + this.ownersLength + TAIL);
    memory.fill(this.reply + HEAD, 0xff, this.ownersLength);
  }

  /** User data for a member's assignment, read when the strategy returns. */
  tell(member: u32, data: Bytes): void {
    const members = this.group.members.length;
    if (member >= u32(members)) fail("an index beyond the members");
    if (this.told.length == 0) this.told = none(members);
    this.told[member] = data;
  }

  finish(): u64 {
    let reply = this.reply;
    const told = this.told;
    if (this.memo.exists || this.lines.length > 0 || told.length > 0) {
      // What follows the owner maps may need more room than there is behind them.
      let bytes = u64(this.ownersLength);
      for (let i = 0; i < told.length; i++) bytes += told[i].length;
      reply = this.room(told.length, bytes);
      memory.copy(reply + HEAD, this.reply + HEAD, this.ownersLength);
    }
    const to = new Writer(reply);
    to.byte(0x93);
    to.byte(0x00);
    to.byte(0x95);
    to.number(0xcd, this.copies, 2);
    to.number(0xc6, this.ownersLength, 4);
    to.at += this.ownersLength;
    if (told.length > 0) to.array(told.length);
    else to.byte(0xc0);
    for (let i = 0; i < told.length; i++) to.optionalBinary(told[i]);
    to.optionalBinary(this.memo);
    to.optional(this.callAgainMs);
    return this.end(reply, to);
  }
}

/** A state for each member. */
export class States extends Answer {
  states: StaticArray<Bytes>;

  constructor(group: StateGroup) {
    super();
    this.states = none(group.members.length);
  }

  /** Gives a member its state, read when the strategy returns. Who is given none gets zero bytes. */
  give(member: u32, state: Bytes): void {
    if (member >= u32(this.states.length)) fail("an index beyond the members");
    this.states[member] = state;
  }

  finish(): u64 {
    const states = this.states;
    let bytes: u64 = 0;
    for (let i = 0; i < states.length; i++) bytes += states[i].length;
    const reply = this.room(states.length, bytes);
    const to = new Writer(reply);
    to.byte(0x93);
    to.byte(0x00);
    to.byte(0x93);
    to.array(states.length);
    for (let i = 0; i < states.length; i++) to.sized(0xc4, states[i]);
    to.optionalBinary(this.memo);
    to.optional(this.callAgainMs);
    return this.end(reply, to);
  }
}

/** Of the optional exports: what a member adds to its metadata, and whether a plan is good. */
export class Verdict extends Answer {
  /** Of runUserData: the data; nothing unless it is set. */
  data: Bytes = NOTHING;

  finish(): u64 {
    const reply = this.room(1, this.data.length);
    const to = new Writer(reply);
    to.byte(0x93);
    to.byte(0x00);
    to.optionalBinary(this.data);
    return this.end(reply, to);
  }
}
