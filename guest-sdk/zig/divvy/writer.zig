//! MessagePack, written: everything in its shortest form, every text as UTF-8.

const text_ = @import("text.zig");

/// Writes values in their shortest form; whoever makes it gives room enough.
pub const Writer = struct {
    bytes: []u8,
    at: usize = 0,

    pub fn raw(to: *Writer, bytes: []const u8) void {
        @memcpy(to.bytes[to.at..][0..bytes.len], bytes);
        to.at += bytes.len;
    }

    pub fn number(to: *Writer, first: u8, value: u64, size: u6) void {
        to.raw(&.{first});
        var left = size;
        while (left > 0) {
            left -= 1;
            to.raw(&.{@truncate(value >> 8 * left)});
        }
    }

    pub fn unsigned(to: *Writer, value: u64) void {
        if (value < 0x80) to.raw(&.{@intCast(value)}) //
        else if (value < 0x100) to.number(0xcc, value, 1) //
        else if (value < 0x10000) to.number(0xcd, value, 2) //
        else if (value >> 32 == 0) to.number(0xce, value, 4) //
        else to.number(0xcf, value, 8);
    }

    pub fn optionalUnsigned(to: *Writer, value: ?u64) void {
        if (value) |it| to.unsigned(it) else to.raw(&.{0xc0});
    }

    pub fn array(to: *Writer, items: usize) void {
        if (items < 16) to.raw(&.{0x90 | @as(u8, @intCast(items))}) //
        else if (items < 0x10000) to.number(0xdc, items, 2) //
        else to.number(0xdd, items, 4);
    }

    pub fn sized(to: *Writer, first: u8, bytes: []const u8) void {
        if (bytes.len < 0x100) to.number(first, bytes.len, 1) //
        else if (bytes.len < 0x10000) to.number(first + 1, bytes.len, 2) //
        else to.number(first + 2, bytes.len, 4);
        to.raw(bytes);
    }

    pub fn text(to: *Writer, bytes: []const u8) void {
        if (bytes.len >= 32) {
            to.sized(0xd9, bytes);
        } else {
            to.raw(&.{0xa0 | @as(u8, @intCast(bytes.len))});
            to.raw(bytes);
        }
        // A host refuses a whole reply for a text that is none: metadata in a line, say.
        const written = to.bytes[to.at - bytes.len .. to.at];
        var done: usize = 0;
        while (done < written.len) : (done += 1) {
            done += text_.utf8(written[done..]);
            if (done < written.len) written[done] = '?';
        }
    }

    pub fn binary(to: *Writer, bytes: []const u8) void {
        to.sized(0xc4, bytes);
    }

    pub fn optionalBinary(to: *Writer, bytes: ?[]const u8) void {
        if (bytes) |it| to.binary(it) else to.raw(&.{0xc0});
    }
};
