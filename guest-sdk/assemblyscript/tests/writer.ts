// The writer: the shortest form of everything at both sides of each border, and texts that are UTF-8 whatever they were.

import { Bytes, NOTHING } from "../divvy/bytes";
import { Writer } from "../divvy/writer";
import { bytes, check, equal, hex, reads } from "./check";

const room = heap.alloc(70_064);

function wrote(to: Writer): Bytes {
  return new Bytes(room, u32(to.at - room));
}

export function numbers_have_their_shortest_form(): void {
  const values: StaticArray<i64> = [-1, 0, 127, 128, 255, 256, 65535, 65536, 0xffff_ffff, 0x1_0000_0000, i64.MAX_VALUE];
  const forms = ["c0", "00", "7f", "cc80", "ccff", "cd0100", "cdffff", "ce00010000", "ceffffffff", "cf0000000100000000", "cf7fffffffffffffff"];
  for (let i = 0; i < values.length; i++) {
    const to = new Writer(room);
    to.optional(values[i]);
    equal(hex(wrote(to)), forms[i], values[i].toString());
  }
}

export function arrays_have_their_shortest_form(): void {
  const items: StaticArray<u32> = [0, 15, 16, 65535, 65536, 0xffff_ffff];
  const forms = ["90", "9f", "dc0010", "dcffff", "dd00010000", "ddffffffff"];
  for (let i = 0; i < items.length; i++) {
    const to = new Writer(room);
    to.array(items[i]);
    equal(hex(wrote(to)), forms[i], items[i].toString() + " items");
  }
}

export function bytes_have_their_shortest_form(): void {
  const lengths: StaticArray<u32> = [0, 31, 32, 255, 256, 65535, 65536, 70_000];
  const texts = ["a0", "bf", "d920", "d9ff", "da0100", "daffff", "db00010000", "db00011170"];
  const binaries = ["c400", "c41f", "c420", "c4ff", "c50100", "c5ffff", "c600010000", "c600011170"];
  const all = heap.alloc(70_000);
  memory.fill(all, 0x78, 70_000);
  for (let i = 0; i < lengths.length; i++) {
    const it = new Bytes(all, lengths[i]);
    const about = lengths[i].toString() + " bytes";
    let to = new Writer(room);
    to.text(it);
    equal(hex(new Bytes(room, texts[i].length / 2)), texts[i], about);
    check(reads(wrote(to)).text("it").is(it), about);
    to = new Writer(room);
    to.optionalBinary(it);
    equal(hex(new Bytes(room, binaries[i].length / 2)), binaries[i], about);
    check(reads(wrote(to)).binary("it").is(it), about);
  }
  const to = new Writer(room);
  to.optionalBinary(NOTHING);
  equal(hex(wrote(to)), "c0", "nothing");
}

export function what_is_no_utf8_becomes_question_marks(): void {
  const texts = ["706c61696e", "c3a9", "61ff62", "ff", "eda080", "e282", "c0807a", "f09f988080", "f09f98"];
  const written = ["706c61696e", "c3a9", "613f62", "3f", "3f3f3f", "3f3f", "3f3f7a", "f09f98803f", "3f3f3f"];
  for (let i = 0; i < texts.length; i++) {
    const to = new Writer(room);
    to.text(bytes(texts[i]));
    equal(hex(reads(wrote(to)).text("it")), written[i], texts[i]);
  }
}
