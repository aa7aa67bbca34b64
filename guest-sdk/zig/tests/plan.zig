//! What a strategy sees and says: readers of topics, owners before, Kafka's order, copies, limits of lines.

const std = @import("std");
const testing = std.testing;
const divvy = @import("../divvy.zig");

/// Two topics (a: 2 partitions, b: 1) and members m and n; m reads both, by bits, n reads b, by a range.
const request = "\x9c\x00\x07\x94\xa1g\x01\xa5range\xa5eager\x80" ++
    "\x92\x93\xa1a\x02\x00\x93\xa1b\x01\x00" ++
    "\x92\xc4\x01\x03\x91\x92\x01\x01" ++
    "\x92\x97\xa1m\xc0\xa0\xc0\x00\xc0\x80\x97\xa1n\xa1i\xa0\x00\x01\xc4\x00\x80" ++
    "\x91\xa1r" ++
    "\xc4\x0c\x01\x00\x09\x00\xff\xff\x00\x00\x00\x00\x01\x00" ++ // two layers
    "\x81\xa3lag\xc4\x18\x05\x00\x00\x00\x00\x00\x00\x00\xff\xff\xff\xff\xff\xff\xff\xff\x00\x01\x00\x00\x00\x00\x00\x00" ++
    "\x2a\xc0";

/// What went wrong within a strategy, which cannot say it itself.
var fault: ?anyerror = null;

fn looks(group: *const divvy.Group, _: *divvy.Plan) divvy.Refused!void {
    looksAt(group) catch |found| {
        fault = found;
    };
}

fn looksAt(group: *const divvy.Group) !void {
    try testing.expectEqual(3, group.partitions);
    try testing.expectEqual(2, group.topics[1].base);
    try testing.expect(group.subscribes(0, 0) and group.subscribes(0, 1) and !group.subscribes(1, 0) and group.subscribes(1, 1));
    const before = [2][3]?u32{ .{ 1, null, null }, .{ 0, 0, 1 } };
    try testing.expectEqual(2, group.claimLayers());
    for (before, 0..) |layer, l| for (layer, 0..) |owner, p| try testing.expectEqual(owner, group.ownerBefore(l, p));
    try testing.expectEqual(null, group.ownerBefore(2, 0));
    try testing.expectEqual(null, group.ownerBefore(0, 3));
    try testing.expectEqual(5, group.lag(0).?);
    try testing.expectEqual(null, group.lag(1));
    try testing.expectEqual(256, group.lag(2).?);
    try testing.expectEqual(null, group.column("weight"));
    try testing.expectEqual(null, group.members[0].rack);
    try testing.expectEqual(0, group.members[1].rack.?);
    try testing.expectEqual(null, group.members[0].user_data);
    try testing.expectEqual(0, group.members[1].user_data.?.len);
    try testing.expectEqualSlices(usize, &.{ 1, 0 }, divvy.kafkasOrder(group.members));
}

test "the group is what the request says" {
    defer divvy.endCall();
    const reply = divvy.answer(request, looks);
    if (fault) |found| return found;
    try testing.expectEqualStrings("\x93\x00\x95\xcd\x00\x01\xc6\x00\x00\x00\x06\xff\xff\xff\xff\xff\xff\xc0\xc0\xc0\x90", reply);
}

fn says(_: *const divvy.Group, plan: *divvy.Plan) divvy.Refused!void {
    plan.setCopies(2);
    plan.give(0, 1);
    plan.giveCopy(1, 2, 0);
    plan.tell(1, "hi");
    plan.remember("m");
    plan.call_again_ms = 300;
    plan.note(.warn, "\xff");
}

test "everything that can be said" {
    defer divvy.endCall();
    try testing.expectEqualStrings("\x93\x00\x95\xcd\x00\x02\xc6\x00\x00\x00\x0c\x01\x00\xff\xff\xff\xff\xff\xff\xff\xff\x00\x00" ++
        "\x92\xc0\xc4\x02hi\xc4\x01m\xcd\x01\x2c\x91\x92\xa4warn\xa1?", divvy.answer(request, says));
}

fn saysNo(_: *const divvy.Group, _: *divvy.Plan) divvy.Refused!void {
    return error.Refused;
}

test "a refusal without a reason has a code" {
    defer divvy.endCall();
    try testing.expectEqualStrings("\x93\x01\x94\xa7refused\xa0\xc2\xc0\x90", divvy.answer(request, saysNo));
}

test "lines are kept up to their limits" {
    var plan = divvy.Plan{};
    for (0..70) |_| plan.note(.info, "x");
    try testing.expectEqual(64, plan.line_count);
    plan = .{};
    const half = [_]u8{'x'} ** 8188;
    plan.note(.info, &half);
    plan.note(.info, &half);
    try testing.expectEqual(2, plan.line_count); // 16 KiB are kept,
    plan.note(.info, "");
    try testing.expectEqual(2, plan.line_count); // a byte more is not
}

fn saysAllThatIsKept(group: *const divvy.Group, plan: *divvy.Plan) divvy.Refused!void {
    for (0..64) |_| plan.note(.info, divvy.new(u8, 252));
    for (0..group.members.len) |member| plan.tell(member, divvy.new(u8, 70_000));
    plan.remember(divvy.new(u8, 65_536));
    plan.call_again_ms = std.math.maxInt(u64);
}

test "the fullest reply has room" {
    defer divvy.endCall();
    const reply = divvy.answer(request, saysAllThatIsKept);
    var from = divvy.Reader{ .bytes = reply };
    try from.skip(1);
    try testing.expectEqual(reply.len, from.at);
    try testing.expectEqual(11 + 6 + 1 + 2 * 70_005 + 65_541 + 9 + 3 + 64 * (1 + 5 + 2 + 252), reply.len);
}

/// A topic of so many partitions, and nobody.
fn answerOfSize(partitions: u32) []u8 {
    var bytes = "\x9c\x00\x07\x94\xa1g\x01\xa5range\xa5eager\x80\x91\x93\xa1a\xce....\x00\x90\x90\x90\xc4\x00\x80\x2a\xc0".*;
    std.mem.writeInt(u32, bytes[std.mem.indexOf(u8, &bytes, "....").?..][0..4], partitions, .big);
    return divvy.answer(&bytes, saysNothing);
}

fn saysNothing(_: *const divvy.Group, _: *divvy.Plan) divvy.Refused!void {}

test "the largest group is planned, and no larger one" {
    defer divvy.endCall();
    try testing.expectEqual(11 + (2 << 24) + 4, answerOfSize(1 << 24).len);
    for ([_]u32{ (1 << 24) + 1, std.math.maxInt(u32) }) |partitions|
        try testing.expect(std.mem.startsWith(u8, answerOfSize(partitions), "\x93\x01\x94\xabbad_request"));
}

test "memory is zeroed and aligned, numbers and texts are joined" {
    defer divvy.endCall();
    try testing.expectEqual(0, @intFromPtr(divvy.new(u8, 3).ptr) % 16);
    try testing.expectEqualSlices(u64, &.{ 0, 0 }, divvy.new(u64, 2));
    try testing.expectEqualStrings("0", divvy.decimal(0));
    try testing.expectEqualStrings("18446744073709551615", divvy.decimal(std.math.maxInt(u64)));
    try testing.expectEqualStrings("ab", divvy.join(&.{ "a", "", "b" }));
}
