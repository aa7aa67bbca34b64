//! Texts: joined, a number in decimal, and how far bytes are UTF-8.

const memory = @import("memory.zig");

/// Texts behind each other.
pub fn join(parts: []const []const u8) []const u8 {
    var len: usize = 0;
    for (parts) |part| len += part.len;
    const whole = memory.new(u8, len);
    var at: usize = 0;
    for (parts) |part| {
        @memcpy(whole[at..][0..part.len], part);
        at += part.len;
    }
    return whole;
}

/// A number in decimal.
pub fn decimal(number: u64) []const u8 {
    const digits = memory.new(u8, 20);
    var at: usize = 20;
    var left = number;
    while (true) {
        at -= 1;
        digits[at] = '0' + @as(u8, @intCast(left % 10));
        left /= 10;
        if (left == 0) return digits[at..];
    }
}

/// How many bytes of well-formed UTF-8 it begins with.
pub fn utf8(bytes: []const u8) usize {
    var at: usize = 0;
    while (at < bytes.len) {
        const first = bytes[at];
        const more: usize = if (first < 0x80) 0 else if (first < 0xe0) 1 else if (first < 0xf0) 2 else 3;
        if (more > 0 and (first < 0xc2 or first > 0xf4) or more >= bytes.len - at) return at;
        var code: u32 = first & (@as(u8, 0x3f) >> @intCast(more));
        for (bytes[at + 1 ..][0..more]) |next| {
            if (next & 0xc0 != 0x80) return at;
            code = code << 6 | (next & 0x3f);
        }
        if (more == 2 and (code < 0x800 or code >> 11 == 0xd800 >> 11)) return at;
        if (more == 3 and (code < 0x10000 or code > 0x10ffff)) return at;
        at += more + 1;
    }
    return at;
}
