// What the SDK's own tests are written in: a check that fails ends the test as a strategy's call would end, with a text.

import { Bytes } from "../divvy/bytes";
import { fail } from "../divvy/memory";
import { Reader } from "../divvy/reader";

export function check(it: bool, what: string): void {
  if (!it) fail("not so: " + what);
}

export function equal<T>(found: T, wanted: T, what: string): void {
  if (found != wanted) fail(what + " is " + found.toString() + ", wanted " + wanted.toString());
}

/** Bytes written down in hexadecimal, blanks between them or not. */
export function bytes(hex: string): Bytes {
  const whole = new Bytes(heap.alloc(hex.length + 1), 0);
  for (let i = 0; i < hex.length; i += 2) {
    while (i < hex.length && hex.charAt(i) == " ") i++;
    if (i == hex.length) break;
    store<u8>(whole.at + whole.length++, u8(parseInt(hex.substr(i, 2), 16)));
  }
  return whole;
}

/** The other way. */
export function hex(it: Bytes): string {
  let text = "";
  for (let i: u32 = 0; i < it.length; i++) text += u32(load<u8>(it.at + i)).toString(16).padStart(2, "0");
  return text;
}

export function reads(it: Bytes): Reader {
  return new Reader(it.at, it.at + it.length);
}

/** The first bytes of some. */
export function cut(it: Bytes, length: u32): Bytes {
  return new Bytes(it.at, length);
}
