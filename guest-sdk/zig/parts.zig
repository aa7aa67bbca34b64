//! The reference strategy of tests/abi for states: gives the same bytes as guest-sdk/examples/parts.rs, which says what it does.

const std = @import("std");
const divvy = @import("divvy.zig");
pub const panic = divvy.panic;

comptime {
    divvy.statesAssignor(parts,
        \\{"abi": "1.0", "name": "parts", "protocol_type": "parts", "shape": "states", "license": "Apache-2.0",
        \\ "description": "The reference of ABI 1 for states."}
    );
    divvy.userData(told);
    divvy.check(judged);
}

fn isIdle(member: divvy.StateMember) bool {
    return std.mem.eql(u8, member.metadata, "idle");
}

pub fn parts(group: *const divvy.StateGroup, plan: *divvy.Plan) divvy.Refused!void {
    if (group.config.text("refuse")) |why| {
        plan.retriable = true;
        if (group.members.len > 0) plan.member = @intCast(group.members.len - 1);
        return plan.refuse("asked_to", why);
    }
    const active = divvy.new(usize, group.members.len);
    var count: usize = 0;
    for (divvy.kafkasOrder(group.members)) |member| if (!isIdle(group.members[member])) {
        active[count] = member;
        count += 1;
    };
    for (active[0..count], 0..) |member, position| {
        const part = (group.seed % count + position) % count + 1;
        const head = &[_][]const u8{ divvy.decimal(part), "/", divvy.decimal(count), ":", group.members[member].metadata };
        const tail: []const []const u8 = if (group.context) |context| &.{ ":", context } else &.{};
        plan.giveState(member, divvy.join(&.{ divvy.join(head), divvy.join(tail) }));
    }
    if (group.config.flag("explain") orelse false) {
        plan.note(.debug, divvy.join(&.{ "generation ", divvy.decimal(@as(u32, @bitCast(group.generation))) }));
        plan.note(.info, divvy.join(&.{ group.id, " ", group.protocol }));
        plan.note(.warn, divvy.join(&.{ "now ", divvy.decimal(@bitCast(group.now_ms)) }));
        plan.note(.info, if (group.members.len > 0) group.members[0].metadata else "");
    }
    plan.memo = group.memo;
    if (group.config.number("again_ms")) |ms| {
        if (ms >= 0 and ms <= 1e15) plan.call_again_ms = @intFromFloat(ms);
    }
}

pub fn told(me: *const divvy.Me, answer: *divvy.Plan) divvy.Refused!?[]const u8 {
    if (me.config.text("refuse")) |why| return answer.refuse("asked_to", why);
    if (me.config.flag("mute") orelse false) return null;
    var data = divvy.join(&.{ me.group, "/", me.protocol, ":" });
    for (me.topics, 0..) |topic, at| data = divvy.join(&.{ data, if (at > 0) "," else "", topic });
    const zone = me.facts.text("zone") orelse "";
    return divvy.join(&.{ data, ";", zone, ";", me.last_state orelse "", ";", divvy.decimal(@bitCast(me.now_ms)) });
}

pub fn judged(group: *const divvy.StateGroup, states: []const []const u8, answer: *divvy.Plan) divvy.Refused!void {
    for (group.members, states, 0..) |member, state, at| {
        if (isIdle(member) == (state.len == 0)) continue;
        answer.member = @intCast(at);
        if (state.len > 0) return answer.refuse("idle", "a part for nobody");
        return answer.refuse("lost", "a member without a part");
    }
}
