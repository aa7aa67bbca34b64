//! {{name}}: tells each member which part of how many is its own.

const std = @import("std");
const divvy = @import("divvy.zig");
pub const panic = divvy.panic;

comptime {
    divvy.statesAssignor(assign,
        \\{
        \\  "abi": "1.0",
        \\  "name": "{{name}}",
        \\  "version": 1,
        \\  "protocol_type": "{{name}}",
        \\  "shape": "states",
        \\  "license": "Apache-2.0",
        \\  "description": "Tells each member which part of how many is its own."
        \\}
    );
}

fn standsBy(member: divvy.StateMember) bool {
    return std.mem.eql(u8, member.metadata, "standby");
}

/// A state is whatever bytes the application understands; here `2/3`: the second of three. Who joined with `standby` gets no part.
fn assign(group: *const divvy.StateGroup, plan: *divvy.Plan) divvy.Refused!void {
    var active: u64 = 0;
    for (group.members) |member| active += @intFromBool(!standsBy(member));
    var place: u64 = 0;
    for (divvy.kafkasOrder(group.members)) |member| {
        if (standsBy(group.members[member])) {
            plan.giveState(member, "standby");
            continue;
        }
        place += 1;
        plan.giveState(member, divvy.join(&.{ divvy.decimal(place), "/", divvy.decimal(active) }));
    }
}
