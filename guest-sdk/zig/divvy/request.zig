//! From the bytes of a request to a `Group`, in which nothing has to be checked again.

const std = @import("std");
const memory = @import("memory.zig");
const groups = @import("group.zig");
const Group = groups.Group;
const Topic = groups.Topic;
const Subscription = groups.Subscription;
const Member = groups.Member;
const Column = groups.Column;
const readers = @import("reader.zig");
const Malformed = readers.Malformed;
const Reader = readers.Reader;

pub fn readGroup(from: *Reader, group: *Group) Malformed!void {
    const tail = try from.fields(12, "a request of 12 items");
    try readHead(from, group);
    group.topics = memory.new(Topic, try from.array("topics"));
    for (group.topics, 0..) |*topic, at| try readTopic(from, group, topic, at);
    group.subscriptions = memory.new(Subscription, try from.array("subscriptions"));
    for (group.subscriptions) |*set| set.* = try readSubscription(from, group.topics.len);
    group.members = memory.new(Member, try from.array("members"));
    for (group.members, 0..) |*member, at| {
        try readMember(from, member);
        if (at > 0 and !std.mem.lessThan(u8, group.members[at - 1].id, member.id))
            return from.no("members in ascending order of their ids");
    }
    group.width = if (group.members.len <= 65534) 2 else 4;
    group.racks = memory.new([]const u8, try from.array("racks"));
    for (group.racks) |*rack| rack.* = try from.text("a rack's name");
    for (group.members) |member| {
        const known = member.subscription < group.subscriptions.len and (member.rack orelse 0) < @max(group.racks.len, 1);
        if (!known or (member.rack != null and group.racks.len == 0))
            return from.no("subscription and rack indexes of members within their tables");
    }
    group.claims = try from.binary("claims");
    const layer = group.partitions * group.width;
    const whole = if (layer == 0) group.claims.len == 0 else group.claims.len % layer == 0 and group.claims.len <= 8 * @as(u64, layer);
    if (!whole) return from.no("claims of at most 8 whole owner maps");
    group.columns = memory.new(Column, try from.map("columns"));
    for (group.columns) |*it| it.* = try readColumn(from, group.partitions);
    group.now_ms = try from.signed("the wall clock");
    group.memo = try from.optionalBinary("a memo or nil");
    try from.end(tail);
}

pub fn readHead(from: *Reader, group: *Group) Malformed!void {
    _ = try from.unsigned("the minor version");
    group.seed = try from.unsigned("the seed");
    const tail = try from.fields(4, "a group of 4 items");
    group.id = try from.text("the group's id");
    group.generation = std.math.cast(i32, try from.signed("the generation")) orelse return from.no("a generation");
    group.protocol = try from.text("the protocol");
    const mode = try from.text("the mode");
    group.cooperative = std.mem.eql(u8, mode, "cooperative");
    if (!group.cooperative and !std.mem.eql(u8, mode, "eager")) return from.no("the mode eager or cooperative");
    try from.skip(tail);
    group.config = try from.rawMap("the configuration");
}

fn readTopic(from: *Reader, group: *Group, topic: *Topic, at: usize) Malformed!void {
    const tail = try from.fields(3, "a topic of 3 items");
    const name = try from.text("a topic's name");
    topic.* = .{ .name = name, .partitions = try from.unsigned32("a partition count"), .base = group.partitions };
    _ = try from.unsigned("a topic's flags");
    try from.skip(tail);
    if (topic.partitions > (1 << 24) - group.partitions) return from.no("at most 16,777,216 partitions");
    group.partitions += topic.partitions;
    if (at > 0 and !std.mem.lessThan(u8, group.topics[at - 1].name, name))
        return from.no("topics in ascending order of their names");
}

fn readSubscription(from: *Reader, topics: usize) Malformed!Subscription {
    var look = from.*;
    if (look.binary("a bit set")) |bits| {
        from.* = look;
        return if (bits.len == (topics + 7) / 8) .{ .bits = bits } else from.no("a bit set with a bit for each topic");
    } else |_| {}
    const ranges = memory.new([2]u32, try from.array("ranges of topics or a bit set"));
    var past: u64 = 0;
    for (ranges) |*range| {
        const tail = try from.fields(2, "a range of topics");
        const start: u64 = try from.unsigned32("a range's start");
        const end = start + try from.unsigned32("a range's length");
        try from.skip(tail);
        if (start < past or end > topics) return from.no("ascending ranges within the topics");
        past = end;
        range.* = .{ @intCast(start), @intCast(end) };
    }
    return .{ .ranges = ranges };
}

fn readMember(from: *Reader, member: *Member) Malformed!void {
    const tail = try from.fields(7, "a member of 7 items");
    member.id = try from.text("a member's id");
    member.instance_id = try from.optionalText("an instance id or nil");
    member.client_id = try from.text("a client id");
    member.rack = if (from.nil()) null else try from.unsigned32("a rack's index or nil");
    member.subscription = try from.unsigned32("a subscription's index");
    member.user_data = try from.optionalBinary("user data or nil");
    member.facts = try from.rawMap("facts");
    try from.skip(tail);
}

fn readColumn(from: *Reader, partitions: u64) Malformed!Column {
    const it = Column{ .name = try from.text("a column's name"), .bytes = try from.binary("a column") };
    const step = if (std.mem.eql(u8, it.name, "replica_racks")) 2 * partitions else partitions;
    const whole = if (step == 0) it.bytes.len == 0 else it.bytes.len % step == 0;
    if (!whole) return from.no("columns with the same number of bytes for each partition");
    if (std.mem.eql(u8, it.name, "lag") and it.bytes.len != 8 * partitions)
        return from.no("a column of lags with eight bytes for each partition");
    return it;
}
