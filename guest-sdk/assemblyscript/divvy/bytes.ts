// Runs of bytes, texts among them: compared, joined, and how far they are UTF-8.

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

/** What is not there. */
export const NOTHING = new Bytes(0, 0);

/** So many times nothing. */
export function none(count: u32): StaticArray<Bytes> {
  const all = new StaticArray<Bytes>(count);
  for (let i: u32 = 0; i < count; i++) all[i] = NOTHING;
  return all;
}
