//! What a module has: its manifest and its exports. Natively, in an author's tests, there are none.

const memory = @import("memory.zig");
const call = @import("call.zig");

/// Makes a function a module of shape `partitions`: its exports and its manifest, which is JSON.
pub fn assignor(comptime assign: call.Strategy, comptime manifest: []const u8) void {
    module(manifest);
    exportAs("divvy_assign", struct {
        fn answer(request: []const u8) []u8 {
            return call.answer(request, assign);
        }
    }.answer);
}

/// Makes a function a module of shape `states`.
pub fn statesAssignor(comptime assign: call.StateStrategy, comptime manifest: []const u8) void {
    module(manifest);
    exportAs("divvy_assign", struct {
        fn answer(request: []const u8) []u8 {
            return call.answerStates(request, assign);
        }
    }.answer);
}

/// Optional: what a member adds to its metadata, null for nothing.
pub fn userData(comptime make: call.Teller) void {
    exportAs("divvy_user_data", struct {
        fn answer(request: []const u8) []u8 {
            return call.answerUserData(request, make);
        }
    }.answer);
}

/// Optional, of shape `states`: judges a plan before it is handed out, a state for each member.
pub fn check(comptime judge: call.Judge) void {
    exportAs("divvy_check", struct {
        fn answer(request: []const u8) []u8 {
            return call.answerCheck(request, judge);
        }
    }.answer);
}

fn module(comptime manifest: []const u8) void {
    if (!memory.is_module) return;
    comptime var escaped: []const u8 = "";
    @setEvalBranchQuota(100_000);
    for (manifest) |byte| {
        escaped = escaped ++ switch (byte) {
            '"' => "\\\"",
            '\\' => "\\\\",
            '\n' => "\\n",
            else => &[_]u8{byte},
        };
    }
    const section = ".section .custom_section.divvy.manifest,\"\",@\n.ascii \"" ++ escaped ++ "\"\n";
    const exports = struct {
        comptime {
            asm (section);
        }
        fn abi() callconv(.c) void {}
        fn alloc(len: u32) callconv(.c) u32 {
            return if (memory.tryNew(@max(len, 1))) |at| @intFromPtr(at) else 0;
        }
    };
    @export(&exports.abi, .{ .name = "divvy_abi_v1" });
    @export(&exports.alloc, .{ .name = "divvy_alloc" });
}

fn exportAs(comptime name: []const u8, comptime answer: fn ([]const u8) []u8) void {
    if (!memory.is_module) return;
    const exports = struct {
        fn run(at: u32, len: u32) callconv(.c) u64 {
            const reply = answer(@as([*]const u8, @ptrFromInt(at))[0..len]);
            return @as(u64, @intFromPtr(reply.ptr)) << 32 | reply.len;
        }
    };
    @export(&exports.run, .{ .name = name });
}
