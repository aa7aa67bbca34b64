//! What a plan is: the view of a group that an assignor gets, the plan it gives back, and the rules that every plan keeps.
//!
//! A leader calls [`lead`]: the members' metadata is decoded into a dense view, claims are settled, the strategy is called,
//! its reply is judged, and the plan is encoded, one state for each member. [`Call`] is the same in steps. A coordinator
//! calls [`check_plan`] on what it is about to hand out.

use std::fmt;
use std::path::Path;
use std::time::Duration;

use crate::ids::Digest;
use crate::text::plain;

pub mod capture;
pub mod case;
mod check;
mod claims;
mod cooperative;
mod cut;
mod encode;
mod fingerprint;
mod foreign;
mod input;
mod lead;
pub mod limits;
pub mod manifest;
mod owners;
mod plan;
mod range;
mod remember;
mod request;
mod serve;
mod smoke;
mod spoken;
#[cfg(test)]
mod testing;
mod verify;
mod view;

pub use check::{EncodedPlan, check_plan, outdated_topic};
pub use cut::cut_last_plan;
pub use fingerprint::{Ground, fingerprint};
pub use foreign::check_foreign_plan;
pub use input::{Column, LeaderInput, MemberInput};
pub use lead::{Call, Verdict, check_by_module, lead};
pub use manifest::Manifest;
pub use plan::{Diagnostic, Plan};
pub use range::{NATIVE, native_range};
pub use serve::{Fault, Led, Named, Otherwise, ServedBy, Service, subscribed};
pub use smoke::{
    BAD_CONFIG, SmokePlan, mixed_request, refusal_of_config, smoke_plans, smoke_requests, smoke_user_data,
};
pub use spoken::{Had, Spoken};

/// A strategy that can be called: a module in its sandbox, or the host's own range.
pub trait Assignor: Send + Sync {
    /// What it says of itself.
    fn manifest(&self) -> &Manifest;

    /// What it is; none for the host's own.
    fn digest(&self) -> Option<Digest>;

    /// Where it came from, for people; none for the host's own.
    fn file(&self) -> Option<&Path> {
        None
    }

    /// Whether it has a check of its own, [`Export::Check`]: whoever has none is not asked.
    fn has_check(&self) -> bool {
        false
    }

    /// Calls an export with the bytes of a request and gives back the bytes of its reply.
    fn call(&self, export: Export, request: &[u8], budget: Budget) -> Result<Vec<u8>, CallError>;

    /// Told how long making a plan with it took in all, by whoever has a clock: what is not its call is the host's.
    fn planned(&self, _took: Duration) {}

    /// Told that somebody else's plan by it serves.
    fn served(&self) {}

    /// Told that a plan by it failed in a way that tells of it: whoever has older versions of it keeps them.
    fn failed(&self) {}
}

/// What can be called.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Export {
    /// `divvy_assign`.
    Assign,
    /// `divvy_user_data`; a module without it gives no bytes.
    UserData,
    /// `divvy_check`; asked only of who [has one](Assignor::has_check).
    Check,
}

/// What one call may use.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Budget {
    /// How long it may run.
    pub deadline: Duration,
    /// The longest reply, in bytes.
    pub max_output: usize,
}

/// Why a strategy gave no plan, by name: the metric's label, the JSON's `kind`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum FaultKind {
    /// The strategy said no.
    GuestError,
    /// A panic, or another trap.
    Trap,
    /// It ran too long.
    Deadline,
    /// It wanted too much memory.
    Memory,
    /// It nested too deep.
    Stack,
    /// It wanted too large a table.
    Table,
    /// The request is larger than it may get.
    Input,
    /// The reply is larger than it may be.
    Output,
    /// The reply cannot be read.
    InvalidReply,
    /// The plan breaks a rule.
    InvalidAssignment,
    /// It was refused when it was loaded.
    Rejected,
    /// The host had no room to call it. The strategy is not to blame.
    Busy,
    /// The leader does not have it, or not any more. The strategy is not to blame.
    Missing,
    /// It failed not long ago, and was not called this time.
    Suspended,
}

impl FaultKind {
    /// Those that tell of the module whatever its group: not that its group is too large for it or its settings are wrong, which
    /// another version would say as well, nor that its host or its leader could not call it. A deadline tells as much as
    /// [`TELLING_CALL_TIME`](limits::TELLING_CALL_TIME) says.
    pub const TELLING: [Self; 6] = [
        FaultKind::Trap,
        FaultKind::Stack,
        FaultKind::Table,
        FaultKind::InvalidReply,
        FaultKind::InvalidAssignment,
        FaultKind::Output,
    ];

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            FaultKind::GuestError => "guest_error",
            FaultKind::Trap => "trap",
            FaultKind::Deadline => "deadline",
            FaultKind::Memory => "memory",
            FaultKind::Stack => "stack",
            FaultKind::Table => "table",
            FaultKind::Input => "input",
            FaultKind::Output => "output",
            FaultKind::InvalidReply => "invalid_reply",
            FaultKind::InvalidAssignment => "invalid_assignment",
            FaultKind::Rejected => "rejected",
            FaultKind::Busy => "busy",
            FaultKind::Missing => "missing",
            FaultKind::Suspended => "suspended",
        }
    }
}

/// A call that gave no plan.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CallError {
    /// What kind of failure.
    pub kind: FaultKind,
    /// The strategy's own code, when it said no.
    pub code: Option<String>,
    /// What happened, for people.
    pub message: String,
}

impl CallError {
    /// A failure with no code of the strategy's own.
    pub fn new(kind: FaultKind, message: impl Into<String>) -> Self {
        Self { kind, code: None, message: message.into() }
    }

    /// With the strategy's own code, as an author looks for it.
    pub fn with_code(&self) -> String {
        let code = self.code.as_ref().map(|code| format!(" ({})", plain(code))).unwrap_or_default();
        format!("{}{code}: {}", self.kind.name(), plain(&self.message))
    }
}

impl fmt::Display for CallError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // A strategy that says no may say anything.
        write!(f, "{}: {}", self.kind.name(), plain(&self.message))
    }
}

impl std::error::Error for CallError {}
