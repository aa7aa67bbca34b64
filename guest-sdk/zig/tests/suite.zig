//! The requests of tests/abi through the reference strategies on this machine: the same bytes as in the sandbox; every beginning of a
//! request, and every change of one of its bytes, is answered.

const std = @import("std");
const testing = std.testing;
const divvy = @import("../divvy.zig");
const even = @import("../even.zig");
const parts = @import("../parts.zig");

const Answer = *const fn ([]const u8) []u8;
const limit: std.Io.Limit = .limited(16 << 20);

fn answerEven(request: []const u8) []u8 {
    return divvy.answer(request, even.even);
}
fn answerParts(request: []const u8) []u8 {
    return divvy.answerStates(request, parts.parts);
}
fn answerTold(request: []const u8) []u8 {
    return divvy.answerUserData(request, parts.told);
}
fn answerJudged(request: []const u8) []u8 {
    return divvy.answerCheck(request, parts.judged);
}

test "even" {
    try suite("../../tests/abi", answerEven, 85);
}
test "parts" {
    try suite("../../tests/abi/states", answerParts, 55);
}
test "user data" {
    try suite("../../tests/abi/user-data", answerTold, 30);
}
test "check" {
    try suite("../../tests/abi/check", answerJudged, 30);
}

fn suite(path: []const u8, answer: Answer, least: usize) !void {
    const io = testing.io;
    const gpa = testing.allocator;
    const folder = try std.Io.Dir.cwd().openDir(io, path, .{});
    const requests = try folder.openDir(io, "requests", .{ .iterate = true });
    const replies = try folder.openDir(io, "replies", .{});
    var entries = requests.iterate();
    var count: usize = 0;
    while (try entries.next(io)) |entry| {
        if (!std.mem.endsWith(u8, entry.name, ".msgpack")) continue;
        count += 1;
        errdefer std.debug.print("{s}/requests/{s}\n", .{ path, entry.name });
        const request = try requests.readFileAlloc(io, entry.name, gpa, limit);
        defer gpa.free(request);
        defer divvy.endCall();
        const reply = answer(request);
        const wanted = replies.readFileAlloc(io, entry.name, gpa, limit) catch |why| switch (why) {
            error.FileNotFound => { // a malformed one
                try testing.expect(isBadRequest(reply));
                continue;
            },
            else => return why,
        };
        defer gpa.free(wanted);
        try testing.expectEqualSlices(u8, wanted, reply);
    }
    try testing.expect(count >= least);
    const everything = try requests.readFileAlloc(io, "everything.msgpack", gpa, limit);
    defer gpa.free(everything);
    try hostile(everything, answer);
}

/// Zig's own checks look on.
fn hostile(whole: []u8, answer: Answer) !void {
    for (0..whole.len) |len| {
        errdefer std.debug.print("the first {d} bytes are believed\n", .{len});
        defer divvy.endCall();
        try testing.expect(isBadRequest(answer(whole[0..len])));
    }
    for (whole) |*byte| {
        const kept = byte.*;
        defer byte.* = kept;
        for (0..256) |other| {
            byte.* = @intCast(other);
            defer divvy.endCall();
            const reply = answer(whole);
            try testing.expect(reply[0] == 0x93 and reply[1] <= 1);
        }
    }
}

fn isBadRequest(reply: []const u8) bool {
    return std.mem.startsWith(u8, reply, "\x93\x01\x94\xabbad_request");
}
