//! From a plan to the bytes of a reply: a plan of either shape, an optional export's answer, a refusal.

const memory = @import("memory.zig");
const plans = @import("plan.zig");
const Plan = plans.Plan;
const Writer = @import("writer.zig").Writer;

/// Room for so many items of so many bytes, and for all that is said beside a plan.
fn room(plan: *const Plan, items: usize, bytes: usize) Writer {
    const memo_bytes = if (plan.memo) |memo| memo.len else 0;
    return .{ .bytes = memory.new(u8, plans.head_bytes + 5 * items + bytes + plans.tail_bytes + memo_bytes + plan.line_bytes + 16 * 64) };
}

pub fn refusal(plan: *const Plan) []u8 {
    var to = room(plan, 2, plan.code.len + plan.message.len);
    to.raw(&.{ 0x93, 0x01, 0x94 });
    to.text(plan.code);
    to.text(plan.message);
    to.raw(if (plan.retriable) &.{0xc3} else &.{0xc2});
    to.optionalUnsigned(if (plan.member) |member| member else null);
    return end(&to, plan);
}

pub fn finish(plan: *Plan) []u8 {
    var to = Writer{ .bytes = plan.reply };
    if (plan.memo != null or plan.line_count > 0 or plan.told.len > 0) {
        // What follows the owner maps may need more room than there is behind them.
        var bytes: usize = plan.owners_len;
        for (plan.told) |told| bytes += if (told) |data| data.len else 0;
        to = room(plan, plan.told.len, bytes);
        @memcpy(to.bytes[plans.head_bytes..][0..plan.owners_len], plan.reply[plans.head_bytes..][0..plan.owners_len]);
    }
    to.raw(&.{ 0x93, 0x00, 0x95 });
    to.number(0xcd, plan.copies, 2);
    to.number(0xc6, plan.owners_len, 4);
    to.at += plan.owners_len;
    if (plan.told.len > 0) to.array(plan.told.len) else to.raw(&.{0xc0});
    for (plan.told) |told| to.optionalBinary(told);
    to.optionalBinary(plan.memo);
    to.optionalUnsigned(plan.call_again_ms);
    return end(&to, plan);
}

pub fn finishStates(plan: *const Plan) []u8 {
    var bytes: usize = 0;
    for (plan.states) |state| bytes += state.len;
    var to = room(plan, plan.states.len, bytes);
    to.raw(&.{ 0x93, 0x00, 0x93 });
    to.array(plan.states.len);
    for (plan.states) |state| to.binary(state);
    to.optionalBinary(plan.memo);
    to.optionalUnsigned(plan.call_again_ms);
    return end(&to, plan);
}

/// Of the optional exports: data, or nil for none and for a plan that was found good.
pub fn finishData(plan: *const Plan, data: ?[]const u8) []u8 {
    var to = room(plan, 1, if (data) |it| it.len else 0);
    to.raw(&.{ 0x93, 0x00 });
    to.optionalBinary(data);
    return end(&to, plan);
}

/// The lines are the last of every reply.
fn end(to: *Writer, plan: *const Plan) []u8 {
    to.array(plan.line_count);
    for (plan.lines[0..plan.line_count]) |line| {
        to.raw(&.{0x92});
        to.text(@tagName(line.level));
        to.text(line.text);
    }
    return to.bytes[0..to.at];
}
