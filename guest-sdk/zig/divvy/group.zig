//! The group as a strategy sees it, and what it can be asked. Every index in it points at something, every text is UTF-8.

const std = @import("std");
const memory = @import("memory.zig");
const Values = @import("values.zig").Values;

/// Partition p of a topic has the dense index base + p: the position in owner maps and columns.
pub const Topic = struct { name: []const u8, partitions: u32, base: u32 };

/// A member of a `Group`.
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

/// A set of topics.
pub const Subscription = union(enum) {
    bits: []const u8,
    /// Ascending, first and one past the last.
    ranges: [][2]u32,

    pub fn contains(set: Subscription, topic: u32) bool {
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

/// The same number of bytes for each partition, in the order of the dense index.
pub const Column = struct { name: []const u8, bytes: []const u8 };

/// In the column `lag`.
pub const unknown_lag: u64 = std.math.maxInt(u64);
/// In the column `replica_racks`.
pub const no_rack: u16 = std.math.maxInt(u16);

/// What a plan is made for.
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

/// Members, of either shape, in Kafka's order, as indexes: static ones by instance id, then the others by id.
pub fn kafkasOrder(members: anytype) []usize {
    const Members = @TypeOf(members);
    const order = memory.new(usize, members.len);
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
