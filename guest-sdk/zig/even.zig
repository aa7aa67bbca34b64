//! The reference strategy of tests/abi: gives the same bytes as guest-sdk/examples/even.rs, which says what it does.

const divvy = @import("divvy.zig");
pub const panic = divvy.panic;

comptime {
    divvy.assignor(even,
        \\{"abi": "1.0", "name": "even", "needs": ["lag"], "license": "Apache-2.0", "description": "The reference of ABI 1."}
    );
}

pub fn even(group: *const divvy.Group, plan: *divvy.Plan) divvy.Refused!void {
    if (group.config.text("refuse")) |why| {
        plan.retriable = true;
        if (group.members.len > 0) plan.member = @intCast(group.members.len - 1);
        return plan.refuse("asked_to", why);
    }
    const keeps = group.config.flag("keep") orelse false;
    const room = divvy.new(usize, group.members.len);
    for (group.topics, 0..) |topic, t| {
        var count: usize = 0;
        for (0..group.members.len) |member| {
            if (!group.subscribes(member, t)) continue;
            room[count] = member;
            count += 1;
        }
        if (count == 0) continue;
        const readers = room[0..count];
        const first: usize = @intCast(group.seed % count);
        for (topic.base..topic.base + topic.partitions) |partition| {
            if (keeps) if (group.ownerBefore(0, partition)) |before| if (group.subscribes(before, t)) {
                plan.give(partition, before);
                continue;
            };
            plan.give(partition, readers[(first + partition) % count]);
        }
    }
    if (group.column("lag") != null) {
        var lag: u64 = 0;
        for (0..group.partitions) |partition| lag +%= group.lag(partition) orelse 0;
        plan.note(.info, divvy.join(&.{ "lag ", divvy.decimal(lag) }));
    }
    if (group.config.text("tell")) |told| {
        var member: usize = 0;
        while (member < group.members.len) : (member += 2) plan.tell(member, told);
    }
    plan.memo = group.memo;
    if (group.config.number("again_ms")) |ms| {
        if (ms >= 0 and ms <= 1e15) plan.call_again_ms = @intFromFloat(ms);
    }
}
