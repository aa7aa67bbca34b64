// From the bytes of a request to a Group, in which nothing has to be checked again.

import { Bytes } from "./bytes";
import { Column, Group, Member, Subscription, Topic } from "./group";
import { Reader } from "./reader";

export function readHead(from: Reader, group: Group): void {
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

export function readGroup(from: Reader, group: Group): void {
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
