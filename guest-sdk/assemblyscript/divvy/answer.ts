// What is said beside a plan, or instead of one, and the bytes of a refusal.

import { Bytes, NOTHING } from "./bytes";
import { fail } from "./memory";
import { Writer } from "./writer";

/** Bytes of a reply before the owner maps. */
export const HEAD: u32 = 11;
/** Room behind them for what usually follows. */
export const TAIL: u32 = 64;

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
    this.putLines(to);
    return (u64(from) << 32) | u64(to.at - from);
  }

  private putLines(to: Writer): void {
    const count = this.lines.length;
    to.array(count);
    for (let i = 0; i < count; i++) {
      to.byte(0x92);
      to.text(this.levels[i]);
      to.text(this.lines[i]);
    }
  }

  refusal(): u64 {
    const code = this.code.exists ? this.code : Bytes.of("refused");
    const reply = this.room(2, u64(code.length) + this.message.length);
    const to = new Writer(reply);
    to.byte(0x93);
    to.byte(0x01);
    to.byte(0x94);
    to.text(code);
    to.text(this.message);
    to.byte(this.retriable ? 0xc3 : 0xc2);
    to.optional(this.member);
    return this.end(reply, to);
  }
}
