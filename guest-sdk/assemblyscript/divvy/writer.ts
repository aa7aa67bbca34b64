// MessagePack, written: everything in its shortest form, every text as UTF-8.

import { Bytes } from "./bytes";

/** Writes values in their shortest form; whoever makes it gives room enough. */
export class Writer {
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
}
