//! divvy.zig: write an assignment strategy for divvy in Zig. No imports in the module, and one file whatever its length: it is
//! copied beside a strategy, and so there is one thing to copy and to compare with a newer one. What is not used costs nothing.
//!
//!     const divvy = @import("divvy.zig");
//!     pub const panic = divvy.panic;
//!     comptime {
//!         divvy.assignor(assign,
//!             \\{"abi": "1.0", "name": "mine"}
//!         );
//!     }
//!     fn assign(group: *const divvy.Group, plan: *divvy.Plan) divvy.Refused!void { ... }
//!
//! Of shape `states` ("shape": "states" in the manifest) `divvy.statesAssignor` takes the place of `divvy.assignor`, with a function
//! of a `*const divvy.StateGroup`. `divvy.userData(function)` and `divvy.check(function)` beside it are the optional exports.
//!
//!     zig build-exe -target wasm32-freestanding -O ReleaseSafe -fstrip -fno-entry -rdynamic --stack 65536 \
//!         -femit-bin=mine.wasm mine.zig
//!
//! An instance lives for one call: nothing is freed, and globals begin anew in every call. The request is read in place,
//! MessagePack by position; items that a later minor version appends are passed over. A request that is not as ABI 1 says
//! is refused for you, so every index in a `Group` points at something, and every text is UTF-8. In a text that you write, bytes
//! that are no UTF-8 become question marks.

const std = @import("std");

/// How a strategy says no: `return plan.refuse("short_code", message)`.
pub const Refused = error{Refused};

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

// ---- Memory: zeroed, 16-byte aligned, until the call ends ----

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

/// A zeroed slice.
pub fn new(comptime T: type, count: usize) []T {
    const at = tryNew(@as(u64, count) * @sizeOf(T)) orelse @panic("out of memory");
    return @as([*]T, @ptrCast(at))[0..count];
}

/// Texts behind each other.
pub fn join(parts: []const []const u8) []const u8 {
    var len: usize = 0;
    for (parts) |part| len += part.len;
    const whole = new(u8, len);
    var at: usize = 0;
    for (parts) |part| {
        @memcpy(whole[at..][0..part.len], part);
        at += part.len;
    }
    return whole;
}

/// A number in decimal.
pub fn decimal(number: u64) []const u8 {
    const digits = new(u8, 20);
    var at: usize = 20;
    var left = number;
    while (true) {
        at -= 1;
        digits[at] = '0' + @as(u8, @intCast(left % 10));
        left /= 10;
        if (left == 0) return digits[at..];
    }
}

// ---- The group, as a strategy sees it ----

/// Partition p of a topic has the dense index base + p: the position in owner maps and columns.
pub const Topic = struct { name: []const u8, partitions: u32, base: u32 };

pub const Member = struct {
    id: []const u8,
    instance_id: ?[]const u8,
    client_id: []const u8,
    /// Index into `racks`.
    rack: ?u32,
    /// Members with the same number read the same topics.
    subscription: u32,
    user_data: ?[]const u8,
    facts: Values,
};

const Subscription = union(enum) {
    bits: []const u8,
    /// Ascending, first and one past the last.
    ranges: [][2]u32,

    fn contains(set: Subscription, topic: u32) bool {
        switch (set) {
            .bits => |bits| return bits[topic / 8] >> @intCast(topic % 8) & 1 == 1,
            .ranges => |ranges| {
                var low: usize = 0;
                var high = ranges.len;
                while (low < high) {
                    const middle = low + (high - low) / 2;
                    if (ranges[middle][0] <= topic) low = middle + 1 else high = middle;
                }
                return low > 0 and topic < ranges[low - 1][1];
            },
        }
    }
};

pub const Column = struct { name: []const u8, bytes: []const u8 };

pub const unknown_lag: u64 = std.math.maxInt(u64);
pub const no_rack: u16 = std.math.maxInt(u16);

pub const Group = struct {
    /// The only randomness that there is.
    seed: u64 = 0,
    id: []const u8 = "",
    generation: i32 = 0,
    protocol: []const u8 = "",
    cooperative: bool = false,
    config: Values = .{ .map = &.{0x80} },
    /// By name.
    topics: []Topic = &.{},
    /// Of all topics.
    partitions: u32 = 0,
    subscriptions: []Subscription = &.{},
    /// By id.
    members: []Member = &.{},
    racks: [][]const u8 = &.{},
    claims: []const u8 = "",
    columns: []Column = &.{},
    /// The wall clock.
    now_ms: i64 = 0,
    /// What the last plan asked to be remembered.
    memo: ?[]const u8 = null,
    /// Bytes of an owner: 2 or 4.
    width: u32 = 2,

    /// Whether a member subscribes to the topic with an index.
    pub fn subscribes(group: *const Group, member: usize, topic: usize) bool {
        return group.subscriptions[group.members[member].subscription].contains(@intCast(topic));
    }

    /// How many owner maps the claims have.
    pub fn claimLayers(group: *const Group) usize {
        const layer = group.partitions * group.width;
        return if (layer == 0) 0 else group.claims.len / layer;
    }

    /// Who had a partition last, as far as anyone still knows; layer 0 is the newest claim.
    pub fn ownerBefore(group: *const Group, layer: usize, partition: usize) ?u32 {
        if (layer >= group.claimLayers() or partition >= group.partitions) return null;
        const at = group.claims[(layer * group.partitions + partition) * group.width ..];
        const owner = if (group.width == 2) std.mem.readInt(u16, at[0..2], .little) else std.mem.readInt(u32, at[0..4], .little);
        return if (owner < group.members.len) owner else null;
    }

    /// A column that the manifest `needs`: the same number of bytes for each partition, little-endian, at any address.
    pub fn column(group: *const Group, name: []const u8) ?[]const u8 {
        for (group.columns) |it| if (std.mem.eql(u8, it.name, name)) return it.bytes;
        return null;
    }

    /// Records of a partition that the group has not read; null where nobody knows.
    pub fn lag(group: *const Group, partition: usize) ?u64 {
        const bytes = group.column("lag") orelse return null;
        const known = std.mem.readInt(u64, bytes[8 * partition ..][0..8], .little);
        return if (known == unknown_lag) null else known;
    }
};

/// A group of shape `states`: its members get bytes of the application's own.
pub const StateGroup = struct {
    /// The only randomness that there is.
    seed: u64,
    id: []const u8,
    generation: i32,
    protocol: []const u8,
    config: Values,
    /// Whatever the application hands to its strategy.
    context: ?[]const u8,
    /// By id.
    members: []StateMember,
    /// The wall clock.
    now_ms: i64,
    /// What the last plan asked to be remembered.
    memo: ?[]const u8,
};

/// Its metadata is what the member sent when it joined, any bytes.
pub const StateMember = struct { id: []const u8, instance_id: ?[]const u8, metadata: []const u8 };

/// A member that is about to join: what `userData` is made from.
pub const Me = struct {
    group: []const u8,
    protocol: []const u8,
    config: Values,
    /// What it subscribes to.
    topics: [][]const u8,
    facts: Values,
    /// The state that it got last.
    last_state: ?[]const u8,
    /// The wall clock.
    now_ms: i64,
};

/// Members, of either shape, in Kafka's order, as indexes: static ones by instance id, then the others by id.
pub fn kafkasOrder(members: anytype) []usize {
    const Members = @TypeOf(members);
    const order = new(usize, members.len);
    var len: usize = 0;
    for (members, 0..) |member, at| if (member.instance_id != null) {
        order[len] = at;
        len += 1;
    };
    std.sort.heap(usize, order[0..len], members, struct {
        fn before(all: Members, a: usize, b: usize) bool {
            return switch (std.mem.order(u8, all[a].instance_id.?, all[b].instance_id.?)) {
                .lt => true,
                .eq => a < b,
                .gt => false,
            };
        }
    }.before);
    for (members, 0..) |member, at| if (member.instance_id == null) {
        order[len] = at;
        len += 1;
    };
    return order;
}

// ---- The plan ----

pub const Level = enum { debug, info, warn };
const Line = struct { level: Level, text: []const u8 };

const head_bytes = 11;
const tail_bytes = 64;

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
    code: []const u8 = "",
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
        plan.reply = new(u8, head_bytes + plan.owners_len + tail_bytes);
        @memset(plan.reply[head_bytes..][0..plan.owners_len], 0xff);
    }

    /// User data for a member's assignment, read when the strategy returns.
    pub fn tell(plan: *Plan, member: usize, data: []const u8) void {
        if (member >= plan.group.members.len) @panic("an index beyond the members");
        if (plan.told.len == 0) {
            plan.told = new(?[]const u8, plan.group.members.len);
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

    /// Room for so many items of so many bytes, and for all that is said beside a plan.
    fn room(plan: *const Plan, items: usize, bytes: usize) Writer {
        const memo_bytes = if (plan.memo) |memo| memo.len else 0;
        return .{ .bytes = new(u8, head_bytes + 5 * items + bytes + tail_bytes + memo_bytes + plan.line_bytes + 16 * 64) };
    }

    fn refusal(plan: *const Plan) []u8 {
        var to = plan.room(2, plan.code.len + plan.message.len);
        to.raw(&.{ 0x93, 0x01, 0x94 });
        to.text(plan.code);
        to.text(plan.message);
        to.raw(if (plan.retriable) &.{0xc3} else &.{0xc2});
        to.optionalUnsigned(if (plan.member) |member| member else null);
        return to.end(plan);
    }

    fn finish(plan: *Plan) []u8 {
        var to = Writer{ .bytes = plan.reply };
        if (plan.memo != null or plan.line_count > 0 or plan.told.len > 0) {
            // What follows the owner maps may need more room than there is behind them.
            var bytes: usize = plan.owners_len;
            for (plan.told) |told| bytes += if (told) |data| data.len else 0;
            to = plan.room(plan.told.len, bytes);
            @memcpy(to.bytes[head_bytes..][0..plan.owners_len], plan.reply[head_bytes..][0..plan.owners_len]);
        }
        to.raw(&.{ 0x93, 0x00, 0x95 });
        to.number(0xcd, plan.copies, 2);
        to.number(0xc6, plan.owners_len, 4);
        to.at += plan.owners_len;
        if (plan.told.len > 0) to.array(plan.told.len) else to.raw(&.{0xc0});
        for (plan.told) |told| to.optionalBinary(told);
        to.optionalBinary(plan.memo);
        to.optionalUnsigned(plan.call_again_ms);
        return to.end(plan);
    }

    fn finishStates(plan: *const Plan) []u8 {
        var bytes: usize = 0;
        for (plan.states) |state| bytes += state.len;
        var to = plan.room(plan.states.len, bytes);
        to.raw(&.{ 0x93, 0x00, 0x93 });
        to.array(plan.states.len);
        for (plan.states) |state| to.binary(state);
        to.optionalBinary(plan.memo);
        to.optionalUnsigned(plan.call_again_ms);
        return to.end(plan);
    }

    /// Of the optional exports: data, or nil for none and for a plan that was found good.
    fn finishData(plan: *const Plan, data: ?[]const u8) []u8 {
        var to = plan.room(1, if (data) |it| it.len else 0);
        to.raw(&.{ 0x93, 0x00 });
        to.optionalBinary(data);
        return to.end(plan);
    }
};

/// Writes values in their shortest form; whoever makes it gives room enough.
const Writer = struct {
    bytes: []u8,
    at: usize = 0,

    fn raw(to: *Writer, bytes: []const u8) void {
        @memcpy(to.bytes[to.at..][0..bytes.len], bytes);
        to.at += bytes.len;
    }
    fn number(to: *Writer, first: u8, value: u64, size: u6) void {
        to.raw(&.{first});
        var left = size;
        while (left > 0) {
            left -= 1;
            to.raw(&.{@truncate(value >> 8 * left)});
        }
    }
    fn unsigned(to: *Writer, value: u64) void {
        if (value < 0x80) to.raw(&.{@intCast(value)}) //
        else if (value < 0x100) to.number(0xcc, value, 1) //
        else if (value < 0x10000) to.number(0xcd, value, 2) //
        else if (value >> 32 == 0) to.number(0xce, value, 4) //
        else to.number(0xcf, value, 8);
    }
    fn optionalUnsigned(to: *Writer, value: ?u64) void {
        if (value) |it| to.unsigned(it) else to.raw(&.{0xc0});
    }
    fn array(to: *Writer, items: usize) void {
        if (items < 16) to.raw(&.{0x90 | @as(u8, @intCast(items))}) //
        else if (items < 0x10000) to.number(0xdc, items, 2) //
        else to.number(0xdd, items, 4);
    }
    fn sized(to: *Writer, first: u8, bytes: []const u8) void {
        if (bytes.len < 0x100) to.number(first, bytes.len, 1) //
        else if (bytes.len < 0x10000) to.number(first + 1, bytes.len, 2) //
        else to.number(first + 2, bytes.len, 4);
        to.raw(bytes);
    }
    fn text(to: *Writer, bytes: []const u8) void {
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
            done += utf8(written[done..]);
            if (done < written.len) written[done] = '?';
        }
    }
    fn binary(to: *Writer, bytes: []const u8) void {
        to.sized(0xc4, bytes);
    }
    fn optionalBinary(to: *Writer, bytes: ?[]const u8) void {
        if (bytes) |it| to.binary(it) else to.raw(&.{0xc0});
    }
    fn end(to: *Writer, plan: *const Plan) []u8 {
        to.putLines(plan);
        return to.bytes[0..to.at];
    }
    fn putLines(to: *Writer, plan: *const Plan) void {
        to.array(plan.line_count);
        for (plan.lines[0..plan.line_count]) |line| {
            to.raw(&.{0x92});
            to.text(@tagName(line.level));
            to.text(line.text);
        }
    }
};

// ---- MessagePack: reads in place, believes no length that the bytes do not bear out ----

const Malformed = error{Malformed};

/// How many bytes of well-formed UTF-8 it begins with.
fn utf8(bytes: []const u8) usize {
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

const Value = union(enum) { nil, boolean: bool, unsigned: u64, signed: i64, float: f64, text: u64, binary: u64, extension: u64, array: u64, map: u64 };

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
                return if (utf8(bytes) == bytes.len) bytes else from.other(start, wanted);
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
    fn end(from: *Reader, tail: usize) Malformed!void {
        try from.skip(tail);
        if (from.rest() > 0) return from.no("the end");
    }

    fn rawMap(from: *Reader, wanted: []const u8) Malformed!Values {
        var look = from.*;
        _ = look.map(wanted) catch return from.no(wanted);
        const start = from.at;
        try from.skip(1);
        return .{ .map = from.bytes[start..from.at] };
    }
};

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

// ---- The request ----

fn readGroup(from: *Reader, group: *Group) Malformed!void {
    const tail = try from.fields(12, "a request of 12 items");
    try readHead(from, group);
    group.topics = new(Topic, try from.array("topics"));
    for (group.topics, 0..) |*topic, at| try readTopic(from, group, topic, at);
    group.subscriptions = new(Subscription, try from.array("subscriptions"));
    for (group.subscriptions) |*set| set.* = try readSubscription(from, group.topics.len);
    group.members = new(Member, try from.array("members"));
    for (group.members, 0..) |*member, at| {
        try readMember(from, member);
        if (at > 0 and !std.mem.lessThan(u8, group.members[at - 1].id, member.id))
            return from.no("members in ascending order of their ids");
    }
    group.width = if (group.members.len <= 65534) 2 else 4;
    group.racks = new([]const u8, try from.array("racks"));
    for (group.racks) |*rack| rack.* = try from.text("a rack's name");
    for (group.members) |member| {
        const known = member.subscription < group.subscriptions.len and (member.rack orelse 0) < @max(group.racks.len, 1);
        if (!known or (member.rack != null and group.racks.len == 0))
            return from.no("subscription and rack indexes of members within their tables");
    }
    group.claims = try from.binary("claims");
    const layer = group.partitions * group.width;
    const whole = if (layer == 0) group.claims.len == 0 else group.claims.len % layer == 0 and group.claims.len <= 8 * @as(u64, layer);
    if (!whole) return from.no("claims of at most 8 whole owner maps");
    group.columns = new(Column, try from.map("columns"));
    for (group.columns) |*it| it.* = try readColumn(from, group.partitions);
    group.now_ms = try from.signed("the wall clock");
    group.memo = try from.optionalBinary("a memo or nil");
    try from.end(tail);
}

fn readStateGroup(from: *Reader) Malformed!StateGroup {
    const tail = try from.fields(8, "a request of 8 items");
    var head = Group{};
    try readHead(from, &head);
    const context = try from.optionalBinary("a context or nil");
    const members = new(StateMember, try from.array("members"));
    for (members, 0..) |*member, at| {
        const rest = try from.fields(3, "a member of 3 items");
        member.id = try from.text("a member's id");
        member.instance_id = try from.optionalText("an instance id or nil");
        member.metadata = try from.binary("a member's metadata");
        try from.skip(rest);
        if (at > 0 and !std.mem.lessThan(u8, members[at - 1].id, member.id))
            return from.no("members in ascending order of their ids");
    }
    const now_ms = try from.signed("the wall clock");
    const memo = try from.optionalBinary("a memo or nil");
    try from.end(tail);
    return .{
        .seed = head.seed,
        .id = head.id,
        .generation = head.generation,
        .protocol = head.protocol,
        .config = head.config,
        .context = context,
        .members = members,
        .now_ms = now_ms,
        .memo = memo,
    };
}

fn readMe(from: *Reader) Malformed!Me {
    const tail = try from.fields(8, "a request of 8 items");
    _ = try from.unsigned("the minor version");
    const group = try from.text("the group's id");
    const protocol = try from.text("the protocol");
    const config = try from.rawMap("the configuration");
    const topics = new([]const u8, try from.array("topics"));
    for (topics) |*topic| topic.* = try from.text("a topic's name");
    const me = Me{
        .group = group,
        .protocol = protocol,
        .config = config,
        .topics = topics,
        .facts = try from.rawMap("facts"),
        .last_state = try from.optionalBinary("the last state or nil"),
        .now_ms = try from.signed("the wall clock"),
    };
    try from.end(tail);
    return me;
}

/// A plan to judge: the request that it was made for, and its states in the order of that request's members.
const ToCheck = struct { group: StateGroup, states: [][]const u8 };

fn readCheck(from: *Reader) Malformed!ToCheck {
    const tail = try from.fields(2, "a request of 2 items");
    var inner = Reader{ .bytes = try from.binary("the request that the plan was made for") };
    const group = readStateGroup(&inner) catch return from.no(inner.wanted);
    const states = new([]const u8, try from.array("states"));
    for (states) |*state| state.* = try from.binary("a state");
    if (states.len != group.members.len) return from.no("one state for each member");
    try from.end(tail);
    return .{ .group = group, .states = states };
}

fn readHead(from: *Reader, group: *Group) Malformed!void {
    _ = try from.unsigned("the minor version");
    group.seed = try from.unsigned("the seed");
    const tail = try from.fields(4, "a group of 4 items");
    group.id = try from.text("the group's id");
    group.generation = std.math.cast(i32, try from.signed("the generation")) orelse return from.no("a generation");
    group.protocol = try from.text("the protocol");
    const mode = try from.text("the mode");
    group.cooperative = std.mem.eql(u8, mode, "cooperative");
    if (!group.cooperative and !std.mem.eql(u8, mode, "eager")) return from.no("the mode eager or cooperative");
    try from.skip(tail);
    group.config = try from.rawMap("the configuration");
}

fn readTopic(from: *Reader, group: *Group, topic: *Topic, at: usize) Malformed!void {
    const tail = try from.fields(3, "a topic of 3 items");
    const name = try from.text("a topic's name");
    topic.* = .{ .name = name, .partitions = try from.unsigned32("a partition count"), .base = group.partitions };
    _ = try from.unsigned("a topic's flags");
    try from.skip(tail);
    if (topic.partitions > (1 << 24) - group.partitions) return from.no("at most 16,777,216 partitions");
    group.partitions += topic.partitions;
    if (at > 0 and !std.mem.lessThan(u8, group.topics[at - 1].name, name))
        return from.no("topics in ascending order of their names");
}

fn readSubscription(from: *Reader, topics: usize) Malformed!Subscription {
    var look = from.*;
    if (look.binary("a bit set")) |bits| {
        from.* = look;
        return if (bits.len == (topics + 7) / 8) .{ .bits = bits } else from.no("a bit set with a bit for each topic");
    } else |_| {}
    const ranges = new([2]u32, try from.array("ranges of topics or a bit set"));
    var past: u64 = 0;
    for (ranges) |*range| {
        const tail = try from.fields(2, "a range of topics");
        const start: u64 = try from.unsigned32("a range's start");
        const end = start + try from.unsigned32("a range's length");
        try from.skip(tail);
        if (start < past or end > topics) return from.no("ascending ranges within the topics");
        past = end;
        range.* = .{ @intCast(start), @intCast(end) };
    }
    return .{ .ranges = ranges };
}

fn readMember(from: *Reader, member: *Member) Malformed!void {
    const tail = try from.fields(7, "a member of 7 items");
    member.id = try from.text("a member's id");
    member.instance_id = try from.optionalText("an instance id or nil");
    member.client_id = try from.text("a client id");
    member.rack = if (from.nil()) null else try from.unsigned32("a rack's index or nil");
    member.subscription = try from.unsigned32("a subscription's index");
    member.user_data = try from.optionalBinary("user data or nil");
    member.facts = try from.rawMap("facts");
    try from.skip(tail);
}

fn readColumn(from: *Reader, partitions: u64) Malformed!Column {
    const it = Column{ .name = try from.text("a column's name"), .bytes = try from.binary("a column") };
    const step = if (std.mem.eql(u8, it.name, "replica_racks")) 2 * partitions else partitions;
    const whole = if (step == 0) it.bytes.len == 0 else it.bytes.len % step == 0;
    if (!whole) return from.no("columns with the same number of bytes for each partition");
    if (std.mem.eql(u8, it.name, "lag") and it.bytes.len != 8 * partitions)
        return from.no("a column of lags with eight bytes for each partition");
    return it;
}

// ---- The module ----

/// Makes a function a module of shape `partitions`: its exports and its manifest, which is JSON.
pub fn assignor(comptime assign: fn (*const Group, *Plan) Refused!void, comptime manifest: []const u8) void {
    module(manifest);
    exportAs("divvy_assign", struct {
        fn answer(request: []const u8) []u8 {
            var group = Group{};
            var plan = Plan{};
            var from = Reader{ .bytes = request };
            readGroup(&from, &group) catch return badRequest(&from);
            plan.group = &group;
            plan.setCopies(1);
            assign(&group, &plan) catch return plan.refusal();
            return plan.finish();
        }
    }.answer);
}

/// Makes a function a module of shape `states`.
pub fn statesAssignor(comptime assign: fn (*const StateGroup, *Plan) Refused!void, comptime manifest: []const u8) void {
    module(manifest);
    exportAs("divvy_assign", struct {
        fn answer(request: []const u8) []u8 {
            var from = Reader{ .bytes = request };
            const group = readStateGroup(&from) catch return badRequest(&from);
            var plan = Plan{ .states = new([]const u8, group.members.len) };
            @memset(plan.states, "");
            assign(&group, &plan) catch return plan.refusal();
            return plan.finishStates();
        }
    }.answer);
}

/// Optional: what a member adds to its metadata, null for nothing.
pub fn userData(comptime make: fn (*const Me, *Plan) Refused!?[]const u8) void {
    exportAs("divvy_user_data", struct {
        fn answer(request: []const u8) []u8 {
            var from = Reader{ .bytes = request };
            const me = readMe(&from) catch return badRequest(&from);
            var plan = Plan{};
            const data = make(&me, &plan) catch return plan.refusal();
            return plan.finishData(data);
        }
    }.answer);
}

/// Optional, of shape `states`: judges a plan before it is handed out, a state for each member.
pub fn check(comptime judge: fn (*const StateGroup, []const []const u8, *Plan) Refused!void) void {
    exportAs("divvy_check", struct {
        fn answer(request: []const u8) []u8 {
            var from = Reader{ .bytes = request };
            const to_check = readCheck(&from) catch return badRequest(&from);
            var plan = Plan{};
            judge(&to_check.group, to_check.states, &plan) catch return plan.refusal();
            return plan.finishData(null);
        }
    }.answer);
}

fn module(comptime manifest: []const u8) void {
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
            return if (tryNew(@max(len, 1))) |at| @intFromPtr(at) else 0;
        }
    };
    @export(&exports.abi, .{ .name = "divvy_abi_v1" });
    @export(&exports.alloc, .{ .name = "divvy_alloc" });
}

fn exportAs(comptime name: []const u8, comptime answer: fn ([]const u8) []u8) void {
    const exports = struct {
        fn run(at: u32, len: u32) callconv(.c) u64 {
            const reply = answer(@as([*]const u8, @ptrFromInt(at))[0..len]);
            return @as(u64, @intFromPtr(reply.ptr)) << 32 | reply.len;
        }
    };
    @export(&exports.run, .{ .name = name });
}

fn badRequest(from: *const Reader) []u8 {
    const message = join(&.{ "the request cannot be read: byte ", decimal(from.at), ": expected ", from.wanted });
    const plan = Plan{ .code = "bad_request", .message = message };
    return plan.refusal();
}
