//! MessagePack, read in place: no length is believed that the bytes do not bear out.

const std = @import("std");
const text_ = @import("text.zig");
const Values = @import("values.zig").Values;

/// Bytes that are not what the ABI says.
pub const Malformed = error{Malformed};

/// A value; of texts, binaries and extensions the length, of arrays and maps the count.
pub const Value = union(enum) { nil, boolean: bool, unsigned: u64, signed: i64, float: f64, text: u64, binary: u64, extension: u64, array: u64, map: u64 };

/// Reads values one after another; public for settings that `Values` does not know.
pub const Reader = struct {
    bytes: []const u8,
    at: usize = 0,
    /// What should have been there, once something was not.
    wanted: []const u8 = "",

    pub fn no(from: *Reader, wanted: []const u8) Malformed {
        from.wanted = wanted;
        return error.Malformed;
    }

    fn rest(from: *const Reader) usize {
        return from.bytes.len - from.at;
    }

    pub fn take(from: *Reader, len: u64, wanted: []const u8) Malformed![]const u8 {
        if (len > from.rest()) return from.no(wanted);
        const start = from.at;
        from.at += @intCast(len);
        return from.bytes[start..from.at];
    }

    fn big(from: *Reader, comptime T: type) Malformed!T {
        const bytes = try from.take(@sizeOf(T), "the rest of a value");
        return std.mem.readInt(T, bytes[0..@sizeOf(T)], .big);
    }

    pub fn value(from: *Reader) Malformed!Value {
        const first = (try from.take(1, "a value"))[0];
        return switch (first) {
            0x00...0x7f => .{ .unsigned = first },
            0x80...0x8f => .{ .map = first & 15 },
            0x90...0x9f => .{ .array = first & 15 },
            0xa0...0xbf => .{ .text = first & 31 },
            0xc0 => .nil,
            0xc1 => {
                from.at -= 1;
                return from.no("a value of MessagePack");
            },
            0xc2, 0xc3 => .{ .boolean = first == 0xc3 },
            0xc4 => .{ .binary = try from.big(u8) },
            0xc5 => .{ .binary = try from.big(u16) },
            0xc6 => .{ .binary = try from.big(u32) },
            0xc7 => .{ .extension = @as(u64, try from.big(u8)) + 1 },
            0xc8 => .{ .extension = @as(u64, try from.big(u16)) + 1 },
            0xc9 => .{ .extension = @as(u64, try from.big(u32)) + 1 },
            0xca => .{ .float = @as(f32, @bitCast(try from.big(u32))) },
            0xcb => .{ .float = @bitCast(try from.big(u64)) },
            0xcc => .{ .unsigned = try from.big(u8) },
            0xcd => .{ .unsigned = try from.big(u16) },
            0xce => .{ .unsigned = try from.big(u32) },
            0xcf => .{ .unsigned = try from.big(u64) },
            0xd0 => .{ .signed = try from.big(i8) },
            0xd1 => .{ .signed = try from.big(i16) },
            0xd2 => .{ .signed = try from.big(i32) },
            0xd3 => .{ .signed = try from.big(i64) },
            0xd4...0xd8 => .{ .extension = (@as(u64, 1) << @intCast(first - 0xd4)) + 1 },
            0xd9 => .{ .text = try from.big(u8) },
            0xda => .{ .text = try from.big(u16) },
            0xdb => .{ .text = try from.big(u32) },
            0xdc => .{ .array = try from.big(u16) },
            0xdd => .{ .array = try from.big(u32) },
            0xde => .{ .map = try from.big(u16) },
            0xdf => .{ .map = try from.big(u32) },
            0xe0...0xff => .{ .signed = @as(i8, @bitCast(first)) },
        };
    }

    /// The error that a value of another kind is, at its first byte.
    fn other(from: *Reader, start: usize, wanted: []const u8) Malformed {
        from.at = start;
        return from.no(wanted);
    }

    pub fn unsigned(from: *Reader, wanted: []const u8) Malformed!u64 {
        const start = from.at;
        switch (try from.value()) {
            .unsigned => |it| return it,
            .signed => |it| if (it >= 0) return @intCast(it),
            else => {},
        }
        return from.other(start, wanted);
    }

    pub fn unsigned32(from: *Reader, wanted: []const u8) Malformed!u32 {
        const start = from.at;
        return std.math.cast(u32, try from.unsigned(wanted)) orelse from.other(start, wanted);
    }

    pub fn signed(from: *Reader, wanted: []const u8) Malformed!i64 {
        const start = from.at;
        switch (try from.value()) {
            .unsigned => |it| if (std.math.cast(i64, it)) |fits| return fits,
            .signed => |it| return it,
            else => {},
        }
        return from.other(start, wanted);
    }

    /// Items of an array: each is at least one byte.
    pub fn array(from: *Reader, wanted: []const u8) Malformed!usize {
        const start = from.at;
        switch (try from.value()) {
            .array => |items| if (items <= from.rest()) return @intCast(items),
            else => {},
        }
        return from.other(start, wanted);
    }

    /// Pairs of a map: each is at least two bytes.
    pub fn map(from: *Reader, wanted: []const u8) Malformed!usize {
        const start = from.at;
        switch (try from.value()) {
            .map => |pairs| if (pairs <= from.rest() / 2) return @intCast(pairs),
            else => {},
        }
        return from.other(start, wanted);
    }

    pub fn text(from: *Reader, wanted: []const u8) Malformed![]const u8 {
        const start = from.at;
        switch (try from.value()) {
            .text => |len| {
                const bytes = try from.take(len, wanted);
                return if (text_.utf8(bytes) == bytes.len) bytes else from.other(start, wanted);
            },
            else => return from.other(start, wanted),
        }
    }

    pub fn binary(from: *Reader, wanted: []const u8) Malformed![]const u8 {
        const start = from.at;
        switch (try from.value()) {
            .binary => |len| return from.take(len, wanted),
            else => return from.other(start, wanted),
        }
    }

    pub fn optionalText(from: *Reader, wanted: []const u8) Malformed!?[]const u8 {
        return if (from.nil()) null else try from.text(wanted);
    }

    pub fn optionalBinary(from: *Reader, wanted: []const u8) Malformed!?[]const u8 {
        return if (from.nil()) null else try from.binary(wanted);
    }

    pub fn nil(from: *Reader) bool {
        if (from.rest() == 0 or from.bytes[from.at] != 0xc0) return false;
        from.at += 1;
        return true;
    }

    /// Begins an array of at least `known` items; says how many unknown ones follow them.
    pub fn fields(from: *Reader, known: usize, wanted: []const u8) Malformed!usize {
        const start = from.at;
        const items = try from.array(wanted);
        return if (items < known) from.other(start, wanted) else items - known;
    }

    /// Passes over values with all that is in them; nesting only counts what is still to come.
    pub fn skip(from: *Reader, values: usize) Malformed!void {
        var pending: u64 = values;
        while (pending > 0) {
            pending -= 1;
            switch (try from.value()) {
                .text, .binary, .extension => |len| _ = try from.take(len, "the rest of a value"),
                .array => |items| pending += items,
                .map => |pairs| pending += 2 * pairs,
                else => {},
            }
        }
    }

    /// Passes over what a later minor version appended; nothing may follow.
    pub fn end(from: *Reader, tail: usize) Malformed!void {
        try from.skip(tail);
        if (from.rest() > 0) return from.no("the end");
    }

    /// A map as it lies, to be asked by name.
    pub fn rawMap(from: *Reader, wanted: []const u8) Malformed!Values {
        var look = from.*;
        _ = look.map(wanted) catch return from.no(wanted);
        const start = from.at;
        try from.skip(1);
        return .{ .map = from.bytes[start..from.at] };
    }
};
