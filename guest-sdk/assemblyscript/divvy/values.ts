// Settings and facts: maps of names to values.

import { Bytes, NOTHING } from "./bytes";
import { Reader } from "./reader";

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
