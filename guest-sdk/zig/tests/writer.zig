//! The writer: the shortest form of everything at both sides of each border, and texts that are UTF-8 whatever they were.

const std = @import("std");
const testing = std.testing;
const Reader = @import("../divvy/reader.zig").Reader;
const Writer = @import("../divvy/writer.zig").Writer;

var room: [70_064]u8 = undefined;

/// What was written, by its length and first byte.
fn wrote(to: *const Writer, len: usize, first: u8) !Reader {
    try testing.expectEqual(len, to.at);
    try testing.expectEqual(first, to.bytes[0]);
    return .{ .bytes = to.bytes[0..to.at] };
}

test "numbers have their shortest form" {
    const Row = struct { u64, usize, u8 };
    for ([_]Row{
        .{ 0, 1, 0x00 },       .{ 127, 1, 0x7f },                  .{ 128, 2, 0xcc },   .{ 255, 2, 0xcc },
        .{ 256, 3, 0xcd },     .{ 65535, 3, 0xcd },                .{ 65536, 5, 0xce }, .{ std.math.maxInt(u32), 5, 0xce },
        .{ 1 << 32, 9, 0xcf }, .{ std.math.maxInt(u64), 9, 0xcf },
    }) |row| {
        var to = Writer{ .bytes = &room };
        to.unsigned(row[0]);
        var from = try wrote(&to, row[1], row[2]);
        try testing.expectEqual(row[0], try from.unsigned("it"));
    }
    var to = Writer{ .bytes = &room };
    to.optionalUnsigned(null);
    _ = try wrote(&to, 1, 0xc0);
}

test "arrays have their shortest form" {
    const Row = struct { usize, usize, u8 };
    for ([_]Row{ .{ 0, 1, 0x90 }, .{ 15, 1, 0x9f }, .{ 16, 3, 0xdc }, .{ 65535, 3, 0xdc }, .{ 65536, 5, 0xdd }, .{ 0xffff_ffff, 5, 0xdd } }) |row| {
        var to = Writer{ .bytes = &room };
        to.array(row[0]);
        var from = try wrote(&to, row[1], row[2]);
        try testing.expectEqual(row[0], (try from.value()).array);
    }
}

test "bytes have their shortest form" {
    const Row = struct { usize, usize, u8, u8 };
    var bytes: [70_000]u8 = undefined;
    @memset(&bytes, 'x');
    for ([_]Row{
        .{ 0, 1, 0xa0, 0xc4 },   .{ 31, 1, 0xbf, 0xc4 },    .{ 32, 2, 0xd9, 0xc4 },    .{ 255, 2, 0xd9, 0xc4 },
        .{ 256, 3, 0xda, 0xc5 }, .{ 65535, 3, 0xda, 0xc5 }, .{ 65536, 5, 0xdb, 0xc6 }, .{ 70_000, 5, 0xdb, 0xc6 },
    }) |row| {
        var to = Writer{ .bytes = &room };
        to.text(bytes[0..row[0]]);
        var from = try wrote(&to, row[0] + row[1], row[2]);
        try testing.expectEqualStrings(bytes[0..row[0]], try from.text("it"));
        to = .{ .bytes = &room };
        to.optionalBinary(bytes[0..row[0]]);
        from = try wrote(&to, row[0] + @max(row[1], 2), row[3]);
        try testing.expectEqualStrings(bytes[0..row[0]], try from.binary("it"));
    }
    var to = Writer{ .bytes = &room };
    to.optionalBinary(null);
    _ = try wrote(&to, 1, 0xc0);
}

test "what is no UTF-8 becomes question marks" {
    const Row = struct { []const u8, []const u8 };
    for ([_]Row{
        .{ "plain", "plain" },   .{ "\xc3\xa9", "\xc3\xa9" }, .{ "a\xffb", "a?b" },
        .{ "\xff", "?" },        .{ "\xed\xa0\x80", "???" },  .{ "\xe2\x82", "??" },
        .{ "\xc0\x80z", "??z" }, .{ "\xf0\x9f\x98", "???" },  .{ "\xf0\x9f\x98\x80\x80", "\xf0\x9f\x98\x80?" },
    }) |row| {
        var to = Writer{ .bytes = &room };
        to.text(row[0]);
        var from = Reader{ .bytes = room[0..to.at] };
        try testing.expectEqualStrings(row[1], try from.text("it"));
    }
}
