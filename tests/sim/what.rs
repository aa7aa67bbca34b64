//! What can be on the agenda of a run.

use divvy::group::{Reply, WorkId, WorkOutcome};

use crate::calls::Call;
use crate::network::{Asked, Link};

/// Something that will happen.
#[derive(Debug)]
pub enum What {
    Arrives { link: Link, asked: Asked, call: Box<Call> },
    Answered { link: Link, asked: Asked, reply: Reply },
    PatienceEnds { link: Link, asked: Asked },
    MemberHangsUp { link: Link },
    ServerHangsUp { link: Link },
    Probed { who: usize, life: u64, tag: u64 },
    Wake { who: usize },
    Starts { who: usize },
    ServerWakes,
    DiskDone { life: u64 },
    WorkDone { life: u64, id: WorkId, outcome: WorkOutcome },
    ServerStarts,
    ServerHasRead { life: u64 },
    Fault,
    FaultsEnd,
    Settles,
    Ends,
}
