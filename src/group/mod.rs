//! One group of the coordinator: a pure state machine. It is told what happened and when, and says what to
//! store, what to answer and what to do; it has no clock, no randomness, no task and no I/O of its own.

pub mod describe;
pub mod effects;
pub mod event;
pub mod limits;
pub mod record;
pub mod settings;

pub use describe::{GroupDescription, GroupSummary, MemberDescription, StateName};
pub use effects::{Effects, Fact, Reply, Trigger, Work};
pub use event::{Event, Input, Seq, Ticket, WorkId, WorkOutcome};
pub use limits::GroupLimits;
pub use record::{Record, RecordKey, Suspension};
pub use settings::{GroupSettings, LeaderSelection, PlanCheck};
