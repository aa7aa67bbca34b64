//! The requests of shape `states`, of `divvy_user_data` and of `divvy_check`.

const std = @import("std");
const memory = @import("memory.zig");
const request = @import("request.zig");
const Group = @import("group.zig").Group;
const states_ = @import("states.zig");
const StateGroup = states_.StateGroup;
const StateMember = states_.StateMember;
const Me = states_.Me;
const readers = @import("reader.zig");
const Malformed = readers.Malformed;
const Reader = readers.Reader;

pub fn readStateGroup(from: *Reader) Malformed!StateGroup {
    const tail = try from.fields(8, "a request of 8 items");
    var head = Group{};
    try request.readHead(from, &head);
    const context = try from.optionalBinary("a context or nil");
    const members = memory.new(StateMember, try from.array("members"));
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

pub fn readMe(from: *Reader) Malformed!Me {
    const tail = try from.fields(8, "a request of 8 items");
    _ = try from.unsigned("the minor version");
    const group = try from.text("the group's id");
    const protocol = try from.text("the protocol");
    const config = try from.rawMap("the configuration");
    const topics = memory.new([]const u8, try from.array("topics"));
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
pub const ToCheck = struct { group: StateGroup, states: [][]const u8 };

pub fn readCheck(from: *Reader) Malformed!ToCheck {
    const tail = try from.fields(2, "a request of 2 items");
    var inner = Reader{ .bytes = try from.binary("the request that the plan was made for") };
    const group = readStateGroup(&inner) catch return from.no(inner.wanted);
    const states = memory.new([]const u8, try from.array("states"));
    for (states) |*state| state.* = try from.binary("a state");
    if (states.len != group.members.len) return from.no("one state for each member");
    try from.end(tail);
    return .{ .group = group, .states = states };
}
