//! Settings and facts: maps of names to values.

const std = @import("std");
const readers = @import("reader.zig");
const Malformed = readers.Malformed;
const Reader = readers.Reader;

/// Settings or facts: a map of names to values. What is missing or of another type is null.
pub const Values = struct {
    map: []const u8,

    pub fn text(values: Values, name: []const u8) ?[]const u8 {
        var from = values.get(name) orelse return null;
        return from.text("a text") catch null;
    }

    pub fn number(values: Values, name: []const u8) ?f64 {
        var from = values.get(name) orelse return null;
        return switch (from.value() catch return null) {
            .unsigned => |it| @floatFromInt(it),
            .signed => |it| @floatFromInt(it),
            .float => |it| it,
            else => null,
        };
    }

    pub fn flag(values: Values, name: []const u8) ?bool {
        var from = values.get(name) orelse return null;
        return switch (from.value() catch return null) {
            .boolean => |it| it,
            else => null,
        };
    }

    /// Any value, to be read by hand.
    pub fn get(values: Values, name: []const u8) ?Reader {
        return values.find(name) catch null;
    }

    fn find(values: Values, name: []const u8) Malformed!?Reader {
        var from = Reader{ .bytes = values.map };
        for (0..try from.map("a map")) |_| {
            var key = from;
            try from.skip(1);
            const is_it = if (key.text("a name")) |text_| std.mem.eql(u8, text_, name) else |_| false;
            if (is_it) return from;
            try from.skip(1);
        }
        return null;
    }
};
