//! divvy.zig: write an assignment strategy for divvy in Zig. No imports in the module; this file and the folder `divvy/` beside it are
//! all. What is not used costs nothing.
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
//!
//! Compiled for your own machine it is the same without exports, so that a strategy can be tested by `zig test`: `divvy.answer` goes
//! from a request's bytes to a reply's, `divvy.endCall` frees what a call had. `divvy assignor run --request FILE` writes the request of a
//! case.

const memory = @import("divvy/memory.zig");
const text = @import("divvy/text.zig");
const groups = @import("divvy/group.zig");
const states = @import("divvy/states.zig");
const plans = @import("divvy/plan.zig");
const call = @import("divvy/call.zig");
const module = @import("divvy/module.zig");

// The module.
pub const assignor = module.assignor;
pub const statesAssignor = module.statesAssignor;
pub const userData = module.userData;
pub const check = module.check;

// The group, as a strategy sees it.
pub const Group = groups.Group;
pub const Topic = groups.Topic;
pub const Member = groups.Member;
pub const Column = groups.Column;
pub const unknown_lag = groups.unknown_lag;
pub const no_rack = groups.no_rack;
pub const kafkasOrder = groups.kafkasOrder;
pub const StateGroup = states.StateGroup;
pub const StateMember = states.StateMember;
pub const Me = states.Me;

// Settings and facts, and what `Values` does not know of them.
pub const Values = @import("divvy/values.zig").Values;
pub const Reader = @import("divvy/reader.zig").Reader;

// What is answered.
pub const Plan = plans.Plan;
pub const Level = plans.Level;
pub const Refused = plans.Refused;

// Memory, texts and failures.
pub const new = memory.new;
pub const join = text.join;
pub const decimal = text.decimal;
/// Your root file's panic handler: the text reaches the operator.
pub const panic = memory.panic;

// From a request to a reply, for tests.
pub const answer = call.answer;
pub const answerStates = call.answerStates;
pub const answerUserData = call.answerUserData;
pub const answerCheck = call.answerCheck;
pub const endCall = memory.endCall;
