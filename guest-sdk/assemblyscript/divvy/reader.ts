// MessagePack, read in place: no length is believed that the bytes do not bear out.

import { Bytes, NOTHING } from "./bytes";
import { Values } from "./values";

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

  /** A map as it lies, to be asked by name. */
  rawMap(wanted: string): Values {
    const look = this.look();
    look.map(wanted);
    if (look.bad) this.no(wanted);
    const start = this.at;
    this.skip(1);
    return new Values(new Bytes(start, u32(this.at - start)));
  }
}
