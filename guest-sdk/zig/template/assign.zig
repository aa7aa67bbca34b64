//! {{name}}: deals the partitions of all topics out like cards.

const divvy = @import("divvy.zig");
pub const panic = divvy.panic;

comptime {
    divvy.assignor(assign,
        \\{
        \\  "abi": "1.0",
        \\  "name": "{{name}}",
        \\  "version": 1,
        \\  "license": "Apache-2.0",
        \\  "description": "Deals the partitions of all topics out like cards."
        \\}
    );
}

/// Counted through all topics, so that members that read the same never differ by more than one partition.
fn assign(group: *const divvy.Group, plan: *divvy.Plan) divvy.Refused!void {
    const readers = divvy.new(usize, group.members.len);
    for (group.topics, 0..) |topic, t| {
        var count: usize = 0;
        for (0..group.members.len) |member| {
            if (!group.subscribes(member, t)) continue;
            readers[count] = member;
            count += 1;
        }
        if (count == 0) continue;
        for (topic.base..topic.base + topic.partitions) |partition| plan.give(partition, readers[partition % count]);
    }
}
