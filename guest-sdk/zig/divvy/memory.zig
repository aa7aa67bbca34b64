//! Zeroed memory until the call ends, and how a call ends as a failure.
//!
//! In a module it is the linear memory behind the data; an instance lives for one call, and nothing is freed. Natively, in an
//! author's tests, it comes from an arena, and `endCall` gives back all of it, as the end of a call does.

const std = @import("std");
const builtin = @import("builtin");

/// Whether this is a module, not a test on somebody's machine.
pub const is_module = builtin.cpu.arch.isWasm();

/// Shown to people after a trap; exported, read by the host.
const PanicText = extern struct { len: u32 = 0, text: [1020]u8 = [_]u8{0} ** 1020 };
export var divvy_panic: PanicText = .{};

/// Your root file's panic handler: the text reaches the operator.
pub const panic = std.debug.FullPanic(panicked);

fn panicked(text: []const u8, _: ?usize) noreturn {
    const len = @min(text.len, divvy_panic.text.len);
    @memcpy(divvy_panic.text[0..len], text[0..len]);
    divvy_panic.len = @intCast(len);
    @trap();
}

const linear = struct {
    extern var __heap_base: u8;
    var top: u64 = 0;

    fn tryNew(bytes: u64) ?[*]align(16) u8 {
        if (top == 0) top = @intFromPtr(&__heap_base);
        const at = (top + 15) & ~@as(u64, 15);
        const have = @as(u64, @wasmMemorySize(0)) << 16;
        if (bytes >> 32 != 0 or (at + bytes) >> 32 != 0) return null;
        const end = at + bytes;
        if (end > have and @wasmMemoryGrow(0, @intCast((end - have + 65535) >> 16)) == -1) return null;
        top = end;
        return @ptrFromInt(@as(usize, @intCast(at)));
    }
};

const native = struct {
    var arena = std.heap.ArenaAllocator.init(std.heap.page_allocator);

    fn tryNew(bytes: u64) ?[*]align(16) u8 {
        if (bytes >> 32 != 0) return null; // more than a module could have
        const piece = arena.allocator().alignedAlloc(u8, .@"16", @intCast(bytes)) catch return null;
        @memset(piece, 0);
        return piece.ptr;
    }
};

/// 16-byte aligned; null when there is no more.
pub const tryNew = if (is_module) linear.tryNew else native.tryNew;

/// Natively: all that the call had is gone, replies among it.
pub fn endCall() void {
    if (!is_module) _ = native.arena.reset(.free_all);
}

/// A zeroed slice.
pub fn new(comptime T: type, count: usize) []T {
    const at = tryNew(@as(u64, count) * @sizeOf(T)) orelse @panic("out of memory");
    return @as([*]T, @ptrCast(at))[0..count];
}
