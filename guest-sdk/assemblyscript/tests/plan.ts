// What a strategy sees and says: readers of topics, owners before, Kafka's order, copies, limits of lines.

import { Answer } from "../divvy/answer";
import { Bytes } from "../divvy/bytes";
import { run } from "../divvy/call";
import { Group, NOBODY, UNKNOWN_LAG } from "../divvy/group";
import { kafkasOrder } from "../divvy/members";
import { Plan } from "../divvy/plan";
import { bytes, check, cut, equal, hex } from "./check";

/** Two topics (a: 2 partitions, b: 1) and members m and n; m reads both, by bits, n reads b, by a range; two layers of claims. */
const REQUEST = "9c 00 07 94a16701a572616e6765a56561676572 80" +
  "92 93a1610200 93a1620100" +
  "92 c40103 91920101" +
  "92 97a16dc0a0c000c080 97a16ea169a00001c40080" +
  "91a172" +
  "c40c 01000900ffff 000000000100" +
  "81a36c6167c418 0500000000000000 ffffffffffffffff 0001000000000000" +
  "2a c0";

function asked(request: Bytes, assign: (group: Group, plan: Plan) => bool): Bytes {
  const reply = run(request.at, request.length, assign);
  return new Bytes(usize(reply >> 32), u32(reply));
}

function answer(assign: (group: Group, plan: Plan) => bool): string {
  return hex(asked(bytes(REQUEST), assign));
}

export function the_group_is_what_the_request_says(): void {
  const reply = answer((group: Group, plan: Plan): bool => {
    equal(group.partitions, 3, "all partitions");
    equal(group.topics[1].base, 2, "where b begins");
    check(group.subscribes(0, 0) && group.subscribes(0, 1) && !group.subscribes(1, 0) && group.subscribes(1, 1), "who reads what");
    const before: StaticArray<i64> = [1, NOBODY, NOBODY, NOBODY, 0, 0, 1, NOBODY, NOBODY, NOBODY, NOBODY, NOBODY];
    for (let i: u32 = 0; i < 12; i++) equal(group.ownerBefore(i / 4, i % 4), before[i], "owner " + i.toString());
    const lags = group.column("lag");
    equal(group.lag(lags, 0), 5, "lag");
    equal(group.lag(lags, 1), UNKNOWN_LAG, "lag");
    equal(group.lag(lags, 2), 256, "lag");
    equal(group.lag(lags, 3), UNKNOWN_LAG, "lag of nothing");
    check(!group.column("weight").exists, "a column that is not there");
    check(group.members[0].rack == -1 && group.members[1].rack == 0, "racks");
    check(!group.members[0].userData.exists && group.members[1].userData.exists && group.members[1].userData.length == 0, "user data");
    const order = kafkasOrder(group.members);
    check(order[0] == 1 && order[1] == 0, "Kafka's order");
    return true;
  });
  equal(reply, "930095cd0001c600000006ffffffffffffc0c0c090", "nobody has anything");
}

export function everything_that_can_be_said(): void {
  const reply = answer((group: Group, plan: Plan): bool => {
    plan.setCopies(2);
    plan.give(0, 1);
    plan.giveCopy(1, 2, 0);
    plan.tell(1, Bytes.of("hi"));
    plan.remember(Bytes.of("m"));
    plan.callAgainMs = 300;
    plan.noteBytes("warn", bytes("ff"));
    return true;
  });
  equal(reply, "930095cd0002c60000000c0100ffffffffffffffff000092c0c4026869c4016dcd012c9192a47761726ea13f", "a full plan");
}

export function a_refusal_without_a_reason_has_a_code(): void {
  equal(answer((group: Group, plan: Plan): bool => false), "930194a772656675736564a0c2c090", "refused");
}

export function lines_are_kept_up_to_their_limits(): void {
  let said = new Answer();
  for (let i = 0; i < 70; i++) said.note("info", "x");
  equal(said.lines.length, 64, "lines");
  said = new Answer();
  const half = new Bytes(heap.alloc(8188), 8188);
  said.noteBytes("info", half);
  said.noteBytes("info", half);
  equal(said.lines.length, 2, "16 KiB are kept");
  said.note("info", "");
  equal(said.lines.length, 2, "a byte more is not");
}

/** A topic of so many partitions, and nobody. */
function ofSize(partitions: string): Bytes {
  const request = bytes("9c 00 07 94a16701a572616e6765a56561676572 80 91 93a161ce" + partitions + "00 90 90 90 c400 80 2a c0");
  return asked(request, (group: Group, plan: Plan): bool => true);
}

export function the_largest_group_is_planned_and_no_larger_one(): void {
  equal(ofSize("01000000").length, 11 + (2 << 24) + 4, "owners of 2 bytes");
  equal(hex(cut(ofSize("01000001"), 15)), "930194ab6261645f72657175657374", "one too many");
  equal(hex(cut(ofSize("ffffffff"), 15)), "930194ab6261645f72657175657374", "4 billion");
}

export function bytes_are_ordered_and_joined(): void {
  check(Bytes.of("a").order(Bytes.of("b")) < 0 && Bytes.of("b").order(Bytes.of("a")) > 0 && Bytes.of("a").order(Bytes.of("ab")) < 0, "order");
  check(bytes("7f").order(bytes("80")) < 0 && Bytes.of("").order(Bytes.of("")) == 0, "order of bytes");
  equal(Bytes.of("a").join(Bytes.of("")).join(Bytes.of("b")).toString(), "ab", "joined");
}

// What cannot be ends the call: a test whose name begins with `fails_with_` has to end with the text that follows.

export function fails_with_a_partition_of_another_group(): void {
  answer((group: Group, plan: Plan): bool => {
    plan.give(group.partitions, 0);
    return true;
  });
}

export function fails_with_an_index_beyond_the_members(): void {
  answer((group: Group, plan: Plan): bool => {
    plan.give(0, group.members.length);
    return true;
  });
}

export function fails_with_a_number_of_copies_that_is_no_plan(): void {
  answer((group: Group, plan: Plan): bool => {
    plan.setCopies(0);
    return true;
  });
}
