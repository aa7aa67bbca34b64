//! Groups whose members get bytes of the application's own, and a member that is about to join.

const Values = @import("values.zig").Values;

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
