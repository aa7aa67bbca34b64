//! What a strategy answers: who gets what, what is said beside it, or why not.

const std = @import("std");
const memory = @import("memory.zig");
const Group = @import("group.zig").Group;

/// How a strategy says no: `return plan.refuse("short_code", message)`.
pub const Refused = error{Refused};

/// How much a line matters.
pub const Level = enum { debug, info, warn };
pub const Line = struct { level: Level, text: []const u8 };

/// Bytes of a reply before the owner maps.
pub const head_bytes = 11;
/// Room behind them for what usually follows.
pub const tail_bytes = 64;

/// What is answered: a plan of either shape, or the answer of an optional export.
pub const Plan = struct {
    group: *const Group = &.{},
    reply: []u8 = &.{},
    owners_len: u32 = 0,
    copies: u16 = 0,
    /// Of shape `states`, by member.
    states: [][]const u8 = &.{},
    told: []?[]const u8 = &.{},
    memo: ?[]const u8 = null,
    call_again_ms: ?u64 = null,
    lines: [64]Line = undefined,
    line_count: usize = 0,
    line_bytes: usize = 0,
    code: []const u8 = "refused",
    message: []const u8 = "",
    /// Of a refusal: whether the same group may get a plan later.
    retriable: bool = false,
    /// Of a refusal: the member that is the reason.
    member: ?u32 = null,

    /// Gives a partition, by its dense index, to a member.
    pub fn give(plan: *Plan, partition: usize, member: usize) void {
        plan.giveCopy(0, partition, member);
    }

    /// Gives the owner of one copy; copy 0 is the primary.
    pub fn giveCopy(plan: *Plan, copy: usize, partition: usize, member: usize) void {
        const group = plan.group;
        if (copy >= plan.copies or partition >= group.partitions) @panic("a partition of another group");
        if (member >= group.members.len) @panic("an index beyond the members");
        const at = plan.reply[head_bytes + (copy * group.partitions + partition) * group.width ..];
        if (group.width == 2)
            std.mem.writeInt(u16, at[0..2], @intCast(member), .little)
        else
            std.mem.writeInt(u32, at[0..4], @intCast(member), .little);
    }

    /// Room for several owners of each partition, all nobody. Only for manifests with "copies": "many".
    pub fn setCopies(plan: *Plan, copies: u16) void {
        const bytes = @as(u64, plan.group.partitions) * plan.group.width * copies;
        if (copies == 0 or bytes >> 32 != 0) @panic("a number of copies that is no plan");
        plan.copies = copies;
        plan.owners_len = @intCast(bytes);
        plan.reply = memory.new(u8, head_bytes + plan.owners_len + tail_bytes);
        @memset(plan.reply[head_bytes..][0..plan.owners_len], 0xff);
    }

    /// User data for a member's assignment, read when the strategy returns.
    pub fn tell(plan: *Plan, member: usize, data: []const u8) void {
        if (member >= plan.group.members.len) @panic("an index beyond the members");
        if (plan.told.len == 0) {
            plan.told = memory.new(?[]const u8, plan.group.members.len);
            @memset(plan.told, null);
        }
        plan.told[member] = data;
    }

    /// Of shape `states`: gives a member its state, read when the strategy returns. Who is given none gets zero bytes.
    pub fn giveState(plan: *Plan, member: usize, state: []const u8) void {
        if (member >= plan.states.len) @panic("an index beyond the members");
        plan.states[member] = state;
    }

    /// What to remember for the next call of this group: at most 64 KiB.
    pub fn remember(plan: *Plan, memo: []const u8) void {
        plan.memo = memo;
    }

    /// A line for the log that explains the plan. Kept: 64 lines, 16 KiB.
    pub fn note(plan: *Plan, level: Level, text: []const u8) void {
        plan.line_bytes += @tagName(level).len + text.len;
        if (plan.line_count == plan.lines.len or plan.line_bytes > 16 * 1024) return;
        plan.lines[plan.line_count] = .{ .level = level, .text = text };
        plan.line_count += 1;
    }

    /// No plan. Set `retriable` and `member` if they say more.
    pub fn refuse(plan: *Plan, code: []const u8, message: []const u8) Refused {
        plan.code = code;
        plan.message = message;
        return error.Refused;
    }
};
