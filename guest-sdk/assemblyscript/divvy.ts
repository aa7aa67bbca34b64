// divvy.ts: write an assignment strategy for divvy in AssemblyScript. No imports in the module, and one file whatever its length:
// it is copied beside a strategy, and so there is one thing to copy and to compare with a newer one. What is not used costs nothing.
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

// ---- Memory and failures ----

/** The address of the text that is shown to people after a trap: length, then up to 1020 bytes. */
export const divvy_panic: i32 = i32(memory.data(1024, 16));

/** Ends the call as a failure. */
export function fail(text: string): void {
  const bytes = String.UTF8.encode(text);
  const length = min<u32>(1020, bytes.byteLength);
  memory.copy(divvy_panic + 4, changetype<usize>(bytes), length);
  store<u32>(divvy_panic, length);
  unreachable();
}

/** What the runtime calls when a check of its own fails; named by `--use abort`. */
export function failed(text: string | null, file: string | null, line: u32, column: u32): void {
  fail((text ? text : "failed") + " at " + (file ? file : "?") + ":" + line.toString());
}

export function divvy_abi_v1(): void {}

/** Room for the request; 0 when there is none. Grown here, since the runtime would trap. */
export function divvy_alloc(length: u32): usize {
  const pages = i32((u64(length) + 65535 + 64) >> 16);
  if (memory.grow(pages) < 0) return 0;
  return heap.alloc(max<usize>(length, 1));
}

// ---- The group, as a strategy sees it ----

/** Bytes of the request, or of your own. `at` is 0 for what is not there. */
export class Bytes {
  constructor(public at: usize, public length: u32) {}

  static of(text: string): Bytes {
    const bytes = String.UTF8.encode(text);
    return new Bytes(changetype<usize>(bytes), bytes.byteLength);
  }

  get exists(): bool {
    return this.at != 0;
  }

  toString(): string {
    return String.UTF8.decodeUnsafe(this.at, this.length);
  }

  /** Bytes behind each other. */
  join(other: Bytes): Bytes {
    const whole = new Bytes(heap.alloc(max<u32>(this.length + other.length, 1)), this.length + other.length);
    memory.copy(whole.at, this.at, this.length);
    memory.copy(whole.at + this.length, other.at, other.length);
    return whole;
  }

  /** Below 0, 0 or above 0, as bytes compare: the order of topics and members. */
  order(other: Bytes): i32 {
    const order = memory.compare(this.at, other.at, min(this.length, other.length));
    return order != 0 ? order : this.length == other.length ? 0 : this.length < other.length ? -1 : 1;
  }

  is(text: Bytes): bool {
    return this.length == text.length && memory.compare(this.at, text.at, this.length) == 0;
  }

  /** How many bytes of well-formed UTF-8 it begins with. */
  utf8(): u32 {
    let i: u32 = 0;
    while (i < this.length) {
      const b = u32(load<u8>(this.at + i));
      const more: u32 = b < 0x80 ? 0 : b < 0xe0 ? 1 : b < 0xf0 ? 2 : 3;
      if ((more > 0 && (b < 0xc2 || b > 0xf4)) || more >= this.length - i) return i;
      let code = b & (0x3f >> more);
      for (let k: u32 = 1; k <= more; k++) {
        const next = u32(load<u8>(this.at + i + k));
        if ((next & 0xc0) != 0x80) return i;
        code = (code << 6) | (next & 0x3f);
      }
      if (more == 2 && (code < 0x800 || code >> 11 == 0xd800 >> 11)) return i;
      if (more == 3 && (code < 0x10000 || code > 0x10ffff)) return i;
      i += more + 1;
    }
    return i;
  }
}

const NOTHING = new Bytes(0, 0);

/** Partition p of a topic has the dense index base + p: the position in owner maps and columns. */
export class Topic {
  name: Bytes = NOTHING;
  partitions: u32 = 0;
  base: u32 = 0;
}

/** A set of topics: a bit for each, or ascending ranges [start, end). */
class Subscription {
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

export class Member extends Identity {
  clientId: Bytes = NOTHING;
  /** Index into racks, -1 for none. */
  rack: i64 = -1;
  /** Members with the same number read the same topics. */
  subscription: u32 = 0;
  userData: Bytes = NOTHING;
  facts: Values = new Values(NOTHING);
}

export class Column {
  constructor(public name: Bytes, public bytes: Bytes) {}
}

export const NOBODY: i64 = -1;
export const UNKNOWN_LAG: u64 = u64.MAX_VALUE;
export const NO_RACK: u16 = u16.MAX_VALUE;

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

// ---- The plan ----

const HEAD: u32 = 11;
const TAIL: u32 = 64;

/** What is said beside a plan, or instead of one. */
export class Answer {
  memo: Bytes = NOTHING;
  /** When to make a new plan although nothing changed: -1 for never. */
  callAgainMs: i64 = -1;
  levels: Array<Bytes> = [];
  lines: Array<Bytes> = [];
  lineBytes: u32 = 0;
  code: Bytes = NOTHING;
  message: Bytes = NOTHING;
  /** Of a refusal: whether the same group may get a plan later. */
  retriable: bool = false;
  /** Of a refusal: the member that is the reason, -1 for none. */
  member: i64 = -1;

  /** What to remember for the next call of this group: at most 64 KiB. */
  remember(memo: Bytes): void {
    this.memo = memo;
  }

  /** A line for the log that explains the plan; level is "debug", "info" or "warn". Kept: 64 lines, 16 KiB. */
  note(level: string, text: string): void {
    this.noteBytes(level, Bytes.of(text));
  }

  /** A line that is bytes already: metadata, say. */
  noteBytes(level: string, line: Bytes): void {
    const kind = Bytes.of(level);
    this.lineBytes += kind.length + line.length;
    if (this.lines.length == 64 || this.lineBytes > 16 * 1024) return;
    this.levels.push(kind);
    this.lines.push(line);
  }

  /** No: `return plan.refuse("short_code", message)`. Set retriable and member if they say more. */
  refuse(code: string, message: Bytes): bool {
    this.code = Bytes.of(code);
    this.message = message;
    return false;
  }

  /** Room for so many items of so many bytes, and for all that is said beside a plan. */
  protected room(items: u32, bytes: u64): usize {
    const room = bytes + 5 * u64(items) + HEAD + TAIL + this.memo.length + this.lineBytes + 16 * 64;
    if (room >= 0x4000_0000) fail("a reply that is too large");
    return heap.alloc(usize(room));
  }

  protected end(from: usize, to: Writer): u64 {
    to.lines(this);
    return (u64(from) << 32) | u64(to.at - from);
  }

  refusal(): u64 {
    const reply = this.room(2, u64(this.code.length) + this.message.length);
    const to = new Writer(reply);
    to.byte(0x93);
    to.byte(0x01);
    to.byte(0x94);
    to.text(this.code);
    to.text(this.message);
    to.byte(this.retriable ? 0xc3 : 0xc2);
    to.optional(this.member);
    return this.end(reply, to);
  }
}

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

function none(count: u32): StaticArray<Bytes> {
  const all = new StaticArray<Bytes>(count);
  for (let i: u32 = 0; i < count; i++) all[i] = NOTHING;
  return all;
}

/** Writes values in their shortest form; whoever makes it gives room enough. */
class Writer {
  constructor(public at: usize) {}

  byte(value: u8): void {
    store<u8>(this.at++, value);
  }

  number(first: u8, value: u64, size: u32): void {
    this.byte(first);
    while (size > 0) this.byte(u8(value >> (8 * u64(--size))));
  }

  optional(value: i64): void {
    if (value < 0) this.byte(0xc0);
    else if (value < 0x80) this.byte(u8(value));
    else if (value < 0x100) this.number(0xcc, value, 1);
    else if (value < 0x10000) this.number(0xcd, value, 2);
    else if (value >> 32 == 0) this.number(0xce, value, 4);
    else this.number(0xcf, value, 8);
  }

  array(items: u32): void {
    if (items < 16) this.byte(0x90 | u8(items));
    else if (items < 0x10000) this.number(0xdc, items, 2);
    else this.number(0xdd, items, 4);
  }

  optionalBinary(bytes: Bytes): void {
    if (bytes.exists) this.sized(0xc4, bytes);
    else this.byte(0xc0);
  }

  sized(first: u8, bytes: Bytes): void {
    if (bytes.length < 0x100) this.number(first, bytes.length, 1);
    else if (bytes.length < 0x10000) this.number(first + 1, bytes.length, 2);
    else this.number(first + 2, bytes.length, 4);
    this.raw(bytes);
  }

  raw(bytes: Bytes): void {
    memory.copy(this.at, bytes.at, bytes.length);
    this.at += bytes.length;
  }

  text(bytes: Bytes): void {
    if (bytes.length >= 32) this.sized(0xd9, bytes);
    else {
      this.byte(0xa0 | u8(bytes.length));
      this.raw(bytes);
    }
    // A host refuses a whole reply for a text that is none: metadata in a line, say.
    const left = new Bytes(this.at - bytes.length, bytes.length);
    while (left.length > 0) {
      const good = left.utf8();
      if (good == left.length) return;
      store<u8>(left.at + good, 0x3f);
      left.at += good + 1;
      left.length -= good + 1;
    }
  }

  lines(answer: Answer): void {
    const count = answer.lines.length;
    this.array(count);
    for (let i = 0; i < count; i++) {
      this.byte(0x92);
      this.text(answer.levels[i]);
      this.text(answer.lines[i]);
    }
  }
}

// ---- MessagePack: reads in place, believes no length that the bytes do not bear out ----

enum Kind { NIL, BOOL, UINT, INT, FLOAT, STR, BIN, EXT, ARRAY, MAP, BAD }

/** Reads values one after another. Once something is not as it should be, `bad` stays, and everything reads as 0. */
export class Reader {
  bad: bool = false;
  wanted: string = "";
  where: u32 = 0;
  private start: usize;
  /** A value, a length or a count; of floats the bits as a double. */
  private value: u64 = 0;

  constructor(public at: usize, public end: usize) {
    this.start = at;
  }

  look(): Reader {
    return new Reader(this.at, this.end);
  }

  no(wanted: string): void {
    if (!this.bad) {
      this.bad = true;
      this.wanted = wanted;
      this.where = u32(this.at - this.start);
    }
    this.at = this.end;
  }

  private big(bytes: u32): u64 {
    if (this.end - this.at < bytes) {
      this.no("the rest of a value");
      return 0;
    }
    let number: u64 = 0;
    while (bytes-- > 0) number = (number << 8) | load<u8>(this.at++);
    return number;
  }

  private is(kind: Kind, value: u64): Kind {
    this.value = value;
    return kind;
  }

  private next(): Kind {
    this.value = 0;
    if (this.at == this.end) {
      this.no("a value");
      return Kind.BAD;
    }
    const b = u32(load<u8>(this.at++));
    if (b < 0x80) return this.is(Kind.UINT, b);
    if (b < 0x90) return this.is(Kind.MAP, b & 15);
    if (b < 0xa0) return this.is(Kind.ARRAY, b & 15);
    if (b < 0xc0) return this.is(Kind.STR, b & 31);
    if (b >= 0xe0) return this.is(Kind.INT, u64(i64(i8(b))));
    if (b == 0xc0) return Kind.NIL;
    if (b == 0xc1) {
      this.at--;
      this.no("a value of MessagePack");
      return Kind.BAD;
    }
    if (b <= 0xc3) return this.is(Kind.BOOL, b & 1);
    if (b <= 0xc6) return this.is(Kind.BIN, this.big(1 << (b - 0xc4)));
    if (b <= 0xc9) return this.is(Kind.EXT, this.big(1 << (b - 0xc7)) + 1);
    if (b == 0xca) return this.is(Kind.FLOAT, reinterpret<u64>(f64(reinterpret<f32>(u32(this.big(4))))));
    if (b == 0xcb) return this.is(Kind.FLOAT, this.big(8));
    if (b <= 0xcf) return this.is(Kind.UINT, this.big(1 << (b - 0xcc)));
    if (b == 0xd0) return this.is(Kind.INT, u64(i64(i8(this.big(1)))));
    if (b == 0xd1) return this.is(Kind.INT, u64(i64(i16(this.big(2)))));
    if (b == 0xd2) return this.is(Kind.INT, u64(i64(i32(this.big(4)))));
    if (b == 0xd3) return this.is(Kind.INT, this.big(8));
    if (b <= 0xd8) return this.is(Kind.EXT, (1 << (b - 0xd4)) + 1);
    if (b <= 0xdb) return this.is(Kind.STR, this.big(1 << (b - 0xd9)));
    if (b <= 0xdd) return this.is(Kind.ARRAY, this.big(2 << (b - 0xdc)));
    return this.is(Kind.MAP, this.big(2 << (b - 0xde)));
  }

  private other(start: usize, wanted: string): void {
    if (!this.bad) this.at = start;
    this.no(wanted);
    this.value = 0;
  }

  private want(kind: Kind, wanted: string): u64 {
    const start = this.at;
    const found = this.next();
    const fits = kind == Kind.UINT && found == Kind.INT && i64(this.value) >= 0;
    if (found != kind && !fits) this.other(start, wanted);
    return this.value;
  }

  unsigned(wanted: string): u64 {
    return this.want(Kind.UINT, wanted);
  }

  unsigned32(wanted: string): u32 {
    const number = this.want(Kind.UINT, wanted);
    if (number <= u32.MAX_VALUE) return u32(number);
    this.no(wanted);
    return 0;
  }

  signed(wanted: string): i64 {
    const start = this.at;
    const found = this.next();
    const fits = found == Kind.INT || (found == Kind.UINT && this.value <= u64(i64.MAX_VALUE));
    if (!fits) this.other(start, wanted);
    return i64(this.value);
  }

  /** A number, integer or not; NaN when it is none. */
  number(wanted: string): f64 {
    const start = this.at;
    const found = this.next();
    if (found == Kind.UINT) return f64(this.value);
    if (found == Kind.INT) return f64(i64(this.value));
    if (found == Kind.FLOAT) return reinterpret<f64>(this.value);
    this.other(start, wanted);
    return NaN;
  }

  boolean(wanted: string): bool {
    return this.want(Kind.BOOL, wanted) == 1;
  }

  private count(kind: Kind, least: u64, wanted: string): u32 {
    const count = this.want(kind, wanted);
    if (count * least <= u64(this.end - this.at)) return u32(count);
    this.no(wanted);
    return 0;
  }

  /** Items of an array: each is at least one byte. */
  array(wanted: string): u32 {
    return this.count(Kind.ARRAY, 1, wanted);
  }

  /** Pairs of a map: each is at least two bytes. */
  map(wanted: string): u32 {
    return this.count(Kind.MAP, 2, wanted);
  }

  private take(length: u64, wanted: string): Bytes {
    if (length > u64(this.end - this.at)) this.no(wanted);
    if (this.bad) return new Bytes(this.end, 0);
    this.at += usize(length);
    return new Bytes(this.at - usize(length), u32(length));
  }

  text(wanted: string): Bytes {
    const start = this.at;
    const text = this.take(this.want(Kind.STR, wanted), wanted);
    if (text.utf8() == text.length) return text;
    this.other(start, wanted);
    return new Bytes(this.end, 0);
  }

  binary(wanted: string): Bytes {
    return this.take(this.want(Kind.BIN, wanted), wanted);
  }

  nil(): bool {
    const nil = this.at < this.end && load<u8>(this.at) == 0xc0;
    if (nil) this.at++;
    return nil;
  }

  optionalText(wanted: string): Bytes {
    return this.nil() ? NOTHING : this.text(wanted);
  }

  optionalBinary(wanted: string): Bytes {
    return this.nil() ? NOTHING : this.binary(wanted);
  }

  /** Passes over values with all that is in them; nesting only counts what is still to come. */
  skip(values: u64): void {
    let pending = values;
    while (pending > 0 && !this.bad) {
      pending--;
      const kind = this.next();
      if (kind == Kind.STR || kind == Kind.BIN || kind == Kind.EXT) this.take(this.value, "the rest of a value");
      else if (kind == Kind.ARRAY) pending += this.value;
      else if (kind == Kind.MAP) pending += 2 * this.value;
    }
  }

  /** Begins an array of at least `known` items; says how many unknown ones follow them. */
  fields(known: u32, wanted: string): u32 {
    const items = this.array(wanted);
    if (items >= known) return items - known;
    this.no(wanted);
    return 0;
  }

  /** Passes over what a later minor version appended; nothing may follow. */
  finish(tail: u32): void {
    this.skip(tail);
    if (!this.bad && this.at != this.end) this.no("the end");
  }

  rawMap(wanted: string): Values {
    const look = this.look();
    look.map(wanted);
    if (look.bad) this.no(wanted);
    const start = this.at;
    this.skip(1);
    return new Values(new Bytes(start, u32(this.at - start)));
  }
}

/** Settings or facts: a map of names to values. What is missing or of another type is not there. */
export class Values {
  constructor(public map: Bytes) {}

  /** Any value, to be read by hand; null when it is not there. */
  get(name: string): Reader | null {
    const wanted = Bytes.of(name);
    const from = new Reader(this.map.at, this.map.at + this.map.length);
    for (let pairs = from.map("a map"); pairs > 0 && !from.bad; pairs--) {
      const key = from.look();
      const text = key.text("a name");
      from.skip(1);
      if (!key.bad && text.is(wanted)) return from.bad ? null : from;
      from.skip(1);
    }
    return null;
  }

  text(name: string): Bytes {
    const from = this.get(name);
    if (!from) return NOTHING;
    const text = from.text("a text");
    return from.bad ? NOTHING : text;
  }

  /** NaN when it is not there. */
  number(name: string): f64 {
    const from = this.get(name);
    return from ? from.number("a number") : NaN;
  }

  /** False when it is not there. */
  flag(name: string): bool {
    const from = this.get(name);
    return from ? from.boolean("true or false") : false;
  }
}

// ---- The request ----

function readHead(from: Reader, group: Group): void {
  from.unsigned("the minor version");
  group.seed = from.unsigned("the seed");
  const tail = from.fields(4, "a group of 4 items");
  group.id = from.text("the group's id");
  const generation = from.signed("the generation");
  if (generation != i64(i32(generation))) from.no("a generation");
  group.generation = i32(generation);
  group.protocol = from.text("the protocol");
  const mode = from.text("the mode");
  group.cooperative = mode.is(Bytes.of("cooperative"));
  if (!group.cooperative && !mode.is(Bytes.of("eager"))) from.no("the mode eager or cooperative");
  from.skip(tail);
  group.config = from.rawMap("the configuration");
}

function readTopics(from: Reader, group: Group): void {
  const count = from.array("topics");
  group.topics = new StaticArray<Topic>(count);
  for (let i: u32 = 0; i < count && !from.bad; i++) {
    const topic = new Topic();
    group.topics[i] = topic;
    const tail = from.fields(3, "a topic of 3 items");
    topic.name = from.text("a topic's name");
    topic.partitions = from.unsigned32("a partition count");
    topic.base = group.partitions;
    from.unsigned("a topic's flags");
    from.skip(tail);
    if (topic.partitions > (1 << 24) - topic.base) from.no("at most 16,777,216 partitions");
    else group.partitions += topic.partitions;
    if (i > 0 && group.topics[i - 1].name.order(topic.name) >= 0) from.no("topics in ascending order of their names");
  }
}

function readSubscription(from: Reader, topics: u32): Subscription {
  const set = new Subscription();
  const look = from.look();
  const bits = look.binary("a bit set");
  if (!look.bad) {
    from.at = look.at;
    set.bits = bits;
    if (u64(bits.length) != (u64(topics) + 7) / 8) from.no("a bit set with a bit for each topic");
    return set;
  }
  const count = from.array("ranges of topics or a bit set");
  set.starts = new StaticArray<u32>(count);
  set.ends = new StaticArray<u32>(count);
  let past: u64 = 0;
  for (let i: u32 = 0; i < count && !from.bad; i++) {
    const tail = from.fields(2, "a range of topics");
    const start = u64(from.unsigned32("a range's start"));
    const end = start + from.unsigned32("a range's length");
    from.skip(tail);
    if (start < past || end > topics) from.no("ascending ranges within the topics");
    past = end;
    set.starts[i] = u32(start);
    set.ends[i] = u32(end);
  }
  return set;
}

function readMembers(from: Reader, group: Group): void {
  const count = from.array("members");
  group.members = new StaticArray<Member>(count);
  for (let i: u32 = 0; i < count && !from.bad; i++) {
    const member = new Member();
    group.members[i] = member;
    member.index = i;
    const tail = from.fields(7, "a member of 7 items");
    member.id = from.text("a member's id");
    member.instanceId = from.optionalText("an instance id or nil");
    member.clientId = from.text("a client id");
    member.rack = from.nil() ? -1 : i64(from.unsigned32("a rack's index or nil"));
    member.subscription = from.unsigned32("a subscription's index");
    member.userData = from.optionalBinary("user data or nil");
    member.facts = from.rawMap("facts");
    from.skip(tail);
    if (i > 0 && group.members[i - 1].id.order(member.id) >= 0) from.no("members in ascending order of their ids");
  }
  group.width = count <= 65534 ? 2 : 4;
}

function readColumns(from: Reader, group: Group): void {
  const count = from.map("columns");
  const partitions = u64(group.partitions);
  group.columns = new StaticArray<Column>(count);
  for (let i: u32 = 0; i < count && !from.bad; i++) {
    const column = new Column(from.text("a column's name"), from.binary("a column"));
    group.columns[i] = column;
    const length = u64(column.bytes.length);
    const step = column.name.is(Bytes.of("replica_racks")) ? 2 * partitions : partitions;
    if (step > 0 ? length % step != 0 : length != 0) from.no("columns with the same number of bytes for each partition");
    if (column.name.is(Bytes.of("lag")) && length != 8 * partitions)
      from.no("a column of lags with eight bytes for each partition");
  }
}

function readGroup(from: Reader, group: Group): void {
  const tail = from.fields(12, "a request of 12 items");
  readHead(from, group);
  readTopics(from, group);
  const sets = from.array("subscriptions");
  group.subscriptions = new StaticArray<Subscription>(sets);
  for (let i: u32 = 0; i < sets && !from.bad; i++) group.subscriptions[i] = readSubscription(from, group.topics.length);
  readMembers(from, group);
  const racks = from.array("racks");
  group.racks = new StaticArray<Bytes>(racks);
  for (let i: u32 = 0; i < racks; i++) group.racks[i] = from.text("a rack's name");
  for (let i = 0; i < group.members.length && !from.bad; i++) {
    if (group.members[i].subscription >= sets || group.members[i].rack >= i64(racks))
      from.no("subscription and rack indexes of members within their tables");
  }
  group.claims = from.binary("claims");
  const layer = u64(group.partitions) * group.width;
  const length = u64(group.claims.length);
  if (layer > 0 ? length % layer != 0 || length > 8 * layer : length != 0) from.no("claims of at most 8 whole owner maps");
  group.claimLayers = layer > 0 ? u32(length / layer) : 0;
  readColumns(from, group);
  group.nowMs = from.signed("the wall clock");
  group.memo = from.optionalBinary("a memo or nil");
  from.finish(tail);
}

function readStateGroup(from: Reader, group: StateGroup): void {
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

function readMe(from: Reader, me: Me): void {
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
function readCheck(from: Reader, group: StateGroup): StaticArray<Bytes> {
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
