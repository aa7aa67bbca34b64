//! From the bytes of a request to those of a reply, by way of a strategy. It knows nothing of modules: a test calls it as well.

const memory = @import("memory.zig");
const text = @import("text.zig");
const groups = @import("group.zig");
const Group = groups.Group;
const states = @import("states.zig");
const StateGroup = states.StateGroup;
const Me = states.Me;
const plans = @import("plan.zig");
const Plan = plans.Plan;
const Refused = plans.Refused;
const Reader = @import("reader.zig").Reader;
const request_ = @import("request.zig");
const request_states = @import("request_states.zig");
const reply = @import("reply.zig");

/// A strategy of shape `partitions`.
pub const Strategy = fn (*const Group, *Plan) Refused!void;
/// A strategy of shape `states`.
pub const StateStrategy = fn (*const StateGroup, *Plan) Refused!void;
/// What a member adds to its metadata, null for nothing.
pub const Teller = fn (*const Me, *Plan) Refused!?[]const u8;
/// Judges a plan of shape `states`, a state for each member.
pub const Judge = fn (*const StateGroup, []const []const u8, *Plan) Refused!void;

/// `divvy_assign` of shape `partitions`.
pub fn answer(request: []const u8, comptime assign: Strategy) []u8 {
    var group = Group{};
    var plan = Plan{};
    var from = Reader{ .bytes = request };
    request_.readGroup(&from, &group) catch return badRequest(&from);
    plan.group = &group;
    plan.setCopies(1);
    assign(&group, &plan) catch return reply.refusal(&plan);
    return reply.finish(&plan);
}

/// `divvy_assign` of shape `states`.
pub fn answerStates(request: []const u8, comptime assign: StateStrategy) []u8 {
    var from = Reader{ .bytes = request };
    const group = request_states.readStateGroup(&from) catch return badRequest(&from);
    var plan = Plan{ .states = memory.new([]const u8, group.members.len) };
    @memset(plan.states, "");
    assign(&group, &plan) catch return reply.refusal(&plan);
    return reply.finishStates(&plan);
}

/// `divvy_user_data`.
pub fn answerUserData(request: []const u8, comptime make: Teller) []u8 {
    var from = Reader{ .bytes = request };
    const me = request_states.readMe(&from) catch return badRequest(&from);
    var plan = Plan{};
    const data = make(&me, &plan) catch return reply.refusal(&plan);
    return reply.finishData(&plan, data);
}

/// `divvy_check`.
pub fn answerCheck(request: []const u8, comptime judge: Judge) []u8 {
    var from = Reader{ .bytes = request };
    const to_check = request_states.readCheck(&from) catch return badRequest(&from);
    var plan = Plan{};
    judge(&to_check.group, to_check.states, &plan) catch return reply.refusal(&plan);
    return reply.finishData(&plan, null);
}

fn badRequest(from: *const Reader) []u8 {
    const message = text.join(&.{ "the request cannot be read: byte ", text.decimal(from.at), ": expected ", from.wanted });
    const plan = Plan{ .code = "bad_request", .message = message };
    return reply.refusal(&plan);
}
