// The reader: every form of MessagePack and every beginning of it, counts that the bytes do not bear out, texts, names of settings.

import { Bytes } from "../divvy/bytes";
import { Reader } from "../divvy/reader";
import { Values } from "../divvy/values";
import { bytes, check, cut, equal, hex, reads } from "./check";

enum Form { NIL, BOOL, UINT, INT, FLOAT, STR, BIN, EXT, ARRAY, MAP, BAD }

/** MessagePack's own table: the last of some first bytes, what they begin, and how many bytes of a number follow. */
const TABLE: StaticArray<StaticArray<u32>> = [
  [0x7f, Form.UINT, 0], [0x8f, Form.MAP, 0], [0x9f, Form.ARRAY, 0], [0xbf, Form.STR, 0], [0xc0, Form.NIL, 0], [0xc1, Form.BAD, 0],
  [0xc3, Form.BOOL, 0], [0xc4, Form.BIN, 1], [0xc5, Form.BIN, 2], [0xc6, Form.BIN, 4], [0xc7, Form.EXT, 1], [0xc8, Form.EXT, 2],
  [0xc9, Form.EXT, 4], [0xca, Form.FLOAT, 4], [0xcb, Form.FLOAT, 8], [0xcc, Form.UINT, 1], [0xcd, Form.UINT, 2], [0xce, Form.UINT, 4],
  [0xcf, Form.UINT, 8], [0xd0, Form.INT, 1], [0xd1, Form.INT, 2], [0xd2, Form.INT, 4], [0xd3, Form.INT, 8], [0xd8, Form.EXT, 0],
  [0xd9, Form.STR, 1], [0xda, Form.STR, 2], [0xdb, Form.STR, 4], [0xdc, Form.ARRAY, 2], [0xdd, Form.ARRAY, 4], [0xde, Form.MAP, 2],
  [0xdf, Form.MAP, 4], [0xff, Form.INT, 0],
];

function row(first: u32): StaticArray<u32> {
  let at = 0;
  while (TABLE[at][0] < first) at++;
  return TABLE[at];
}

/** How many bytes follow a first byte and a number that is zero. */
function rest(first: u32, form: u32): u32 {
  if (first >= 0xd4 && first <= 0xd8) return (1 << (first - 0xd4)) + 1;
  if (form == Form.EXT) return 1;
  if (form == Form.STR && first < 0xc0) return first & 31;
  if (form == Form.ARRAY && first < 0xa0) return first & 15;
  return form == Form.MAP && first < 0x90 ? 2 * (first & 15) : 0;
}

/** Whether a reader takes what a first byte begins. */
function takes(by: u32, form: u32, first: u32): bool {
  const isNumber = form == Form.UINT || form == Form.INT;
  if (by == 0) return isNumber && first < 0xe0;
  if (by == 1) return isNumber;
  if (by == 2) return isNumber || form == Form.FLOAT;
  if (by == 3) return form == Form.BOOL;
  if (by == 4) return form == Form.ARRAY;
  if (by == 5) return form == Form.MAP;
  return by == 6 ? form == Form.STR : form == Form.BIN;
}

function read(from: Reader, by: u32): u64 {
  if (by == 0) return from.unsigned("it");
  if (by == 1) return u64(from.signed("it"));
  if (by == 2) return u64(from.number("it"));
  if (by == 3) return u64(from.boolean("it"));
  if (by == 4) return from.array("it");
  if (by == 5) return from.map("it");
  return by == 6 ? from.text("it").length : from.binary("it").length;
}

export function every_first_byte_and_every_beginning(): void {
  for (let first: u32 = 0; first < 256; first++) {
    const form = row(first)[1];
    const length: u32 = 1 + row(first)[2] + rest(first, form);
    const whole = new Bytes(heap.alloc(64), length);
    memory.fill(whole.at, 0, length);
    store<u8>(whole.at, u8(first));
    for (let some: u32 = 0; some <= length; some++) {
      const from = reads(cut(whole, some));
      from.skip(1);
      equal(from.bad, some < length || form == Form.BAD, hex(cut(whole, some)) + " bad");
      equal(from.at, whole.at + some, "where reading ends");
    }
    for (let by: u32 = 0; by < 8; by++) {
      const from = reads(whole);
      read(from, by);
      equal(!from.bad, takes(by, form, first), hex(whole) + " taken by reader " + by.toString());
    }
  }
}

export function numbers(): void {
  equal(reads(bytes("7f")).unsigned(""), 127, "7f");
  equal(reads(bytes("cd1234")).unsigned(""), 0x1234, "cd");
  equal(reads(bytes("ceffffffff")).unsigned32(""), u32.MAX_VALUE, "ce");
  equal(reads(bytes("cfffffffffffffffff")).unsigned(""), u64.MAX_VALUE, "cf");
  equal(reads(bytes("d005")).unsigned(""), 5, "the signed form of 5");
  equal(reads(bytes("ff")).signed(""), -1, "ff");
  equal(reads(bytes("e0")).signed(""), -32, "e0");
  equal(reads(bytes("d080")).signed(""), -128, "d0");
  equal(reads(bytes("d18000")).signed(""), i64(i16.MIN_VALUE), "d1");
  equal(reads(bytes("d280000000")).signed(""), i64(i32.MIN_VALUE), "d2");
  equal(reads(bytes("d38000000000000000")).signed(""), i64.MIN_VALUE, "d3");
  equal(reads(bytes("cf7fffffffffffffff")).signed(""), i64.MAX_VALUE, "the largest");
  equal(reads(bytes("ca3fc00000")).number(""), 1.5, "ca");
  equal(reads(bytes("cb3ff8000000000000")).number(""), 1.5, "cb");
  equal(reads(bytes("fd")).number(""), -3, "fd");
  equal(reads(bytes("c3")).boolean(""), true, "c3");
  equal(reads(bytes("c2")).boolean(""), false, "c2");
}

export function signs_and_widths(): void {
  let from = reads(bytes("d0ff"));
  from.unsigned("no sign");
  check(from.bad && from.where == 0 && from.wanted == "no sign", "d0ff has a sign");
  from = reads(bytes("cf8000000000000000"));
  from.signed("at most the largest");
  check(from.bad && from.where == 0, "beyond the largest");
  from = reads(bytes("cf0000000100000000"));
  equal(from.unsigned32("32 bits"), 0, "beyond 32 bits");
  check(from.bad, "beyond 32 bits");
}

export function a_count_has_to_be_borne_out(): void {
  const tooMany = ["91", "ddffffffff", "dc0002c0", "81c0", "dfffffffff", "df80000001c0c0c0", "a1", "dbffffffff", "d90261", "c40201", "c6ffffffff", "d50102", "c9ffffffff00"];
  for (let i = 0; i < tooMany.length; i++) {
    const all = bytes(tooMany[i]);
    const from = reads(all);
    from.skip(1);
    check(from.bad, tooMany[i] + " is not passed over");
    for (let by: u32 = 4; by < 8; by++) {
      const other = reads(all);
      equal(read(other, by), 0, tooMany[i]);
      check(other.bad, tooMany[i] + " is not believed by reader " + by.toString());
    }
  }
}

export function nested_values_are_passed_over_and_no_beginning_of_them(): void {
  const nested = bytes("93 82 a161 9201c4020909 a162 d60102030405 cb0000000000000000 dc0001 de0001 d90163 c7010000");
  for (let length: u32 = 0; length <= nested.length; length++) {
    const from = reads(cut(nested, length));
    from.skip(1);
    equal(from.bad, length < nested.length, "the first " + length.toString() + " bytes bad");
  }
  // As deep as the bytes go: nesting takes no stack.
  const deep = new Bytes(heap.alloc(1 << 20), 1 << 20);
  memory.fill(deep.at, 0x91, deep.length);
  store<u8>(deep.at + deep.length - 1, 0);
  const from = reads(deep);
  from.skip(1);
  check(!from.bad && from.at == from.end, "a million arrays in each other");
}

export function the_first_fault_stays(): void {
  const from = reads(bytes("01c102"));
  from.unsigned("one");
  from.skip(1);
  equal(from.unsigned("three"), 0, "after a fault");
  check(from.bad && from.where == 1 && from.wanted == "a value of MessagePack" && !from.nil(), "the first fault");
}

export function only_utf8_is_a_text(): void {
  const texts = ["", "706c61696e", "c280", "dfbf", "e0a080", "ed9fbf", "ee8080", "efbfbf", "f0908080", "f48fbfbf",
    "6180", "c080", "c1bf", "e09fbf", "eda080", "edbfbf", "f08fbfbf", "f4908080", "f5808080", "f8908080", "ff", "6162c3", "e282", "f09f98", "c328", "e228a1"];
  const good: StaticArray<u32> = [0, 5, 2, 2, 3, 3, 3, 3, 4, 4, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2, 0, 0, 0, 0];
  for (let i = 0; i < texts.length; i++) {
    const text = bytes(texts[i]);
    equal(text.utf8(), good[i], texts[i]);
    const from = reads(bytes((0xa0 | text.length).toString(16) + texts[i]));
    equal(hex(from.text("a text")), good[i] == text.length ? texts[i] : "", "the text read");
    equal(from.bad, good[i] != text.length, texts[i] + " bad");
  }
}

export function settings(): void {
  const map = bytes("87 07c3 a161a178 a161a179 a16efd a166ca3fc00000 a162c3 a174a1ff");
  const values = new Values(map);
  equal(values.text("a").toString(), "x", "the first of two names");
  equal(values.number("n"), -3, "n");
  equal(values.number("f"), 1.5, "f");
  equal(values.flag("b"), true, "b");
  check(!values.text("z").exists && !values.text("n").exists && !values.text("t").exists && !values.text("").exists, "no texts");
  check(isNaN(values.number("a")) && isNaN(values.number("z")) && !values.flag("n") && !values.flag("a"), "of another type");
  const nested = new Values(bytes("81 a16d 81a178a179")).get("m");
  check(nested != null && nested.rawMap("a map").text("x").toString() == "y", "a map in a map");
  for (let length: u32 = 0; length < map.length; length++) {
    const some = new Values(cut(map, length));
    check(some.get("missing") == null, "found in the first " + length.toString() + " bytes");
    some.text("t");
    some.number("f");
  }
}
