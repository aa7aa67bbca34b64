//! The reader: every form of MessagePack and every beginning of it, counts that the bytes do not bear out, texts, names of settings.

const std = @import("std");
const testing = std.testing;
const readers = @import("../divvy/reader.zig");
const Reader = readers.Reader;
const Values = @import("../divvy/values.zig").Values;
const utf8 = @import("../divvy/text.zig").utf8;

const Kind = std.meta.Tag(readers.Value);

/// What a first byte begins, and how many bytes of a number follow it; from MessagePack's own table. Null for the byte that is none.
fn begins(first: u8) struct { kind: ?Kind, more: usize } {
    const Row = struct { u8, u8, ?Kind, usize };
    const table = [_]Row{
        .{ 0x00, 0x7f, .unsigned, 0 },  .{ 0x80, 0x8f, .map, 0 },      .{ 0x90, 0x9f, .array, 0 },     .{ 0xa0, 0xbf, .text, 0 },
        .{ 0xc0, 0xc0, .nil, 0 },       .{ 0xc1, 0xc1, null, 0 },      .{ 0xc2, 0xc3, .boolean, 0 },   .{ 0xc4, 0xc4, .binary, 1 },
        .{ 0xc5, 0xc5, .binary, 2 },    .{ 0xc6, 0xc6, .binary, 4 },   .{ 0xc7, 0xc7, .extension, 1 }, .{ 0xc8, 0xc8, .extension, 2 },
        .{ 0xc9, 0xc9, .extension, 4 }, .{ 0xca, 0xca, .float, 4 },    .{ 0xcb, 0xcb, .float, 8 },     .{ 0xcc, 0xcc, .unsigned, 1 },
        .{ 0xcd, 0xcd, .unsigned, 2 },  .{ 0xce, 0xce, .unsigned, 4 }, .{ 0xcf, 0xcf, .unsigned, 8 },  .{ 0xd0, 0xd0, .signed, 1 },
        .{ 0xd1, 0xd1, .signed, 2 },    .{ 0xd2, 0xd2, .signed, 4 },   .{ 0xd3, 0xd3, .signed, 8 },    .{ 0xd4, 0xd8, .extension, 0 },
        .{ 0xd9, 0xd9, .text, 1 },      .{ 0xda, 0xda, .text, 2 },     .{ 0xdb, 0xdb, .text, 4 },      .{ 0xdc, 0xdc, .array, 2 },
        .{ 0xdd, 0xdd, .array, 4 },     .{ 0xde, 0xde, .map, 2 },      .{ 0xdf, 0xdf, .map, 4 },       .{ 0xe0, 0xff, .signed, 0 },
    };
    for (table) |row| if (row[0] <= first and first <= row[1]) return .{ .kind = row[2], .more = row[3] };
    unreachable;
}

test "every first byte, and every beginning of what it begins" {
    for (0..256) |first| {
        const form = begins(@intCast(first));
        const bytes = [_]u8{ @intCast(first), 1, 2, 3, 4, 5, 6, 7, 8 };
        for (0..form.more + 2) |len| {
            var from = Reader{ .bytes = bytes[0..len] };
            if (from.value()) |value| {
                try testing.expectEqual(form.more + 1, len);
                try testing.expectEqual(form.kind, @as(?Kind, std.meta.activeTag(value)));
                try testing.expectEqual(len, from.at);
            } else |_| try testing.expect(len <= form.more or form.kind == null);
        }
    }
}

test "numbers" {
    const Row = struct { []const u8, readers.Value };
    const table = [_]Row{
        .{ "\x7f", .{ .unsigned = 127 } },
        .{ "\xff", .{ .signed = -1 } },
        .{ "\xe0", .{ .signed = -32 } },
        .{ "\xcd\x12\x34", .{ .unsigned = 0x1234 } },
        .{ "\xce\xff\xff\xff\xff", .{ .unsigned = std.math.maxInt(u32) } },
        .{ "\xcf\xff\xff\xff\xff\xff\xff\xff\xff", .{ .unsigned = std.math.maxInt(u64) } },
        .{ "\xd0\x80", .{ .signed = -128 } },
        .{ "\xd1\x80\x00", .{ .signed = std.math.minInt(i16) } },
        .{ "\xd2\x80\x00\x00\x00", .{ .signed = std.math.minInt(i32) } },
        .{ "\xd3\x80\x00\x00\x00\x00\x00\x00\x00", .{ .signed = std.math.minInt(i64) } },
        .{ "\xc2", .{ .boolean = false } },
        .{ "\xc3", .{ .boolean = true } },
        .{ "\xca\x3f\xc0\x00\x00", .{ .float = 1.5 } },
        .{ "\xcb\x3f\xf8\x00\x00\x00\x00\x00\x00", .{ .float = 1.5 } },
        .{ "\xd4", .{ .extension = 2 } },
        .{ "\xd8", .{ .extension = 17 } },
        .{ "\xc7\x03", .{ .extension = 4 } },
        .{ "\xdd\x01\x00\x00\x00", .{ .array = 1 << 24 } },
        .{ "\xde\x01\x00", .{ .map = 256 } },
    };
    for (table) |row| {
        var from = Reader{ .bytes = row[0] };
        try testing.expectEqual(row[1], try from.value());
    }
}

test "signs and widths" {
    var from = Reader{ .bytes = "\xd0\x05\xcf\x7f\xff\xff\xff\xff\xff\xff\xff" };
    try testing.expectEqual(5, try from.unsigned("the signed form of 5"));
    try testing.expectEqual(std.math.maxInt(i64), try from.signed("the largest"));
    from = .{ .bytes = "\xd0\xff" };
    try testing.expectError(error.Malformed, from.unsigned("no sign"));
    try testing.expectEqual(0, from.at);
    from = .{ .bytes = "\xcf\x80\x00\x00\x00\x00\x00\x00\x00" };
    try testing.expectError(error.Malformed, from.signed("at most the largest"));
    from = .{ .bytes = "\xcf\x00\x00\x00\x01\x00\x00\x00\x00" };
    try testing.expectError(error.Malformed, from.unsigned32("32 bits"));
    try testing.expectEqualStrings("32 bits", from.wanted);
}

test "a count has to be borne out" {
    const too_many = [_][]const u8{
        "\x91",                             "\xdd\xff\xff\xff\xff", "\xdc\x00\x02\xc0",         "\x81\xc0",  "\xdf\xff\xff\xff\xff",
        "\xdf\x80\x00\x00\x01\xc0\xc0\xc0", "\xa1",                 "\xdb\xff\xff\xff\xff",     "\xd9\x02a", "\xc4\x02\x01",
        "\xc6\xff\xff\xff\xff",             "\xd5\x01\x02",         "\xc9\xff\xff\xff\xff\x00",
    };
    for (too_many) |bytes| {
        var from = Reader{ .bytes = bytes };
        try testing.expectError(error.Malformed, from.skip(1));
        from = .{ .bytes = bytes };
        try testing.expectError(error.Malformed, from.array("items"));
        from = .{ .bytes = bytes };
        try testing.expectError(error.Malformed, from.map("pairs"));
        from = .{ .bytes = bytes };
        try testing.expectError(error.Malformed, from.text("a text"));
        from = .{ .bytes = bytes };
        try testing.expectError(error.Malformed, from.binary("bytes"));
    }
}

test "nested values are passed over, and no beginning of them" {
    const nested = "\x93\x82\xa1a\x92\x01\xc4\x02\x09\x09\xa1b\xd6\x01\x02\x03\x04\x05\xcb\x00\x00\x00\x00\x00\x00\x00\x00" ++
        "\xdc\x00\x01\xde\x00\x01\xd9\x01c\xc7\x01\x00\x00";
    for (0..nested.len) |len| {
        var from = Reader{ .bytes = nested[0..len] };
        try testing.expectError(error.Malformed, from.skip(1));
    }
    var from = Reader{ .bytes = nested };
    try from.skip(1);
    try testing.expectEqual(nested.len, from.at);
    // As deep as the bytes go: nesting takes no stack.
    const deep = [_]u8{0x91} ** (1 << 20) ++ [_]u8{0};
    from = .{ .bytes = &deep };
    try from.skip(1);
    try testing.expectEqual(deep.len, from.at);
}

test "only UTF-8 is a text" {
    const Row = struct { []const u8, usize };
    const table = [_]Row{
        .{ "", 0 },             .{ "plain", 5 },            .{ "\xc2\x80", 2 },         .{ "\xdf\xbf", 2 },         .{ "\xe0\xa0\x80", 3 },
        .{ "\xed\x9f\xbf", 3 }, .{ "\xee\x80\x80", 3 },     .{ "\xef\xbf\xbf", 3 },     .{ "\xf0\x90\x80\x80", 4 }, .{ "\xf4\x8f\xbf\xbf", 4 },
        .{ "a\x80", 1 },        .{ "\xc0\x80", 0 },         .{ "\xc1\xbf", 0 },         .{ "\xe0\x9f\xbf", 0 },     .{ "\xed\xa0\x80", 0 },
        .{ "\xed\xbf\xbf", 0 }, .{ "\xf0\x8f\xbf\xbf", 0 }, .{ "\xf4\x90\x80\x80", 0 }, .{ "\xf5\x80\x80\x80", 0 }, .{ "\xf8\x90\x80\x80", 0 },
        .{ "\xff", 0 },         .{ "ab\xc3", 2 },           .{ "\xe2\x82", 0 },         .{ "\xf0\x9f\x98", 0 },     .{ "\xc3(", 0 },
        .{ "\xe2(\xa1", 0 },
    };
    for (table) |row| {
        try testing.expectEqual(row[1], utf8(row[0]));
        try testing.expectEqual(std.unicode.utf8ValidateSlice(row[0]), row[1] == row[0].len);
        var coded: [8]u8 = undefined;
        coded[0] = 0xa0 | @as(u8, @intCast(row[0].len));
        @memcpy(coded[1..][0..row[0].len], row[0]);
        var from = Reader{ .bytes = coded[0 .. row[0].len + 1] };
        if (from.text("a text")) |text| try testing.expectEqualStrings(row[0], text) else |_| try testing.expect(row[1] < row[0].len);
    }
}

test "settings: what is missing or of another type is not there, and the first of two names counts" {
    const map = "\x87\x07\xc3\xa1a\xa1x\xa1a\xa1y\xa1n\xfd\xa1f\xca\x3f\xc0\x00\x00\xa1b\xc3\xa1t\xa1\xff";
    const values = Values{ .map = map };
    try testing.expectEqualStrings("x", values.text("a").?);
    try testing.expectEqual(-3, values.number("n").?);
    try testing.expectEqual(1.5, values.number("f").?);
    try testing.expectEqual(true, values.flag("b").?);
    for ([_][]const u8{ "z", "n", "t", "" }) |name| try testing.expectEqual(null, values.text(name));
    try testing.expectEqual(null, values.number("a"));
    try testing.expectEqual(null, values.flag("n"));
    for (0..map.len) |len| {
        const cut = Values{ .map = map[0..len] };
        try testing.expectEqual(null, cut.flag("missing"));
        _ = cut.text("t");
        _ = cut.number("f");
    }
    var nested = (Values{ .map = "\x81\xa1m\x81\xa1x\xa1y" }).get("m").?;
    try testing.expectEqualStrings("y", (try nested.rawMap("a map")).text("x").?);
    var by_hand = values.get("f").?;
    try testing.expectEqual(1.5, (try by_hand.value()).float);
}
