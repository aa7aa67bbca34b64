//! Recording: a [`Service`](crate::assignor::Service) that has a tape leaves every call of a module on it, and when the
//! generation is served the tape becomes captures.

use std::cell::RefCell;
use std::mem;

use bytes::Bytes;
use serde::{Deserialize, Serialize};

use super::{Asked, Capture, Fault, Identity, LedBy};
use crate::assignor::lead::Call;
use crate::assignor::{Assignor, CallError, Export, LeaderInput, Led, Plan};
use crate::ids::{Digest, MemberId};

/// What served a generation in the end.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Served {
    /// In words; those of [`ServedBy`](crate::assignor::ServedBy).
    pub by: String,
    /// The module that made the plan; none for the last plan and the host's own range.
    #[serde(default)]
    pub digest: Option<Digest>,
    /// A state for each member; none at all if the leader sent an error.
    #[serde(default, with = "super::states")]
    pub states: Vec<(MemberId, Bytes)>,
}

/// The calls of one generation.
pub struct Tape {
    clock_us: fn() -> u64,
    takes: RefCell<Vec<Take>>,
}

struct Take {
    asked: Asked,
    module: Identity,
    request: Option<Bytes>,
    reply: Option<Bytes>,
    fault: Option<Fault>,
    took_us: u64,
}

impl Tape {
    /// With nothing on it. The clock tells microseconds from any beginning.
    pub fn new(clock_us: fn() -> u64) -> Self {
        Self { clock_us, takes: RefCell::default() }
    }

    /// What [`lead`](crate::assignor::lead) does, step by step and on the tape.
    pub(in crate::assignor) fn lead(
        &self,
        assignor: &dyn Assignor,
        input: &LeaderInput<'_>,
    ) -> Result<Plan, CallError> {
        let mut take = Take {
            asked: Asked::from(input),
            module: Identity::of(assignor),
            request: None,
            reply: None,
            fault: None,
            took_us: 0,
        };
        let began = (self.clock_us)();
        let made = take.lead(assignor, input);
        take.took_us = (self.clock_us)().saturating_sub(began);
        take.fault = made.as_ref().err().map(Fault::from);
        self.takes.borrow_mut().push(take);
        made
    }

    /// The generation is served: a capture for each call that there was.
    pub fn captures(self, led_by: LedBy, led: &Led) -> Vec<Capture> {
        let takes = mem::take(&mut *self.takes.borrow_mut());
        if takes.is_empty() {
            return Vec::new();
        }
        let served = Served {
            by: led.served_by.to_string(),
            digest: led.digest,
            states: led.plan.as_ref().map(|plan| plan.states.clone()).unwrap_or_default(),
        };
        let capture = |take: Take| Capture {
            divvy: env!("CARGO_PKG_VERSION").to_owned(),
            led_by,
            asked: take.asked,
            module: take.module,
            request: take.request,
            reply: take.reply,
            fault: take.fault,
            took_us: take.took_us,
            served: served.clone(),
        };
        takes.into_iter().map(capture).collect()
    }
}

impl Take {
    fn lead(&mut self, assignor: &dyn Assignor, input: &LeaderInput<'_>) -> Result<Plan, CallError> {
        let call = Call::prepare(assignor.manifest(), input)?;
        self.request = Some(Bytes::copy_from_slice(call.request()));
        let reply = Bytes::from(assignor.call(Export::Assign, call.request(), call.budget())?);
        self.reply = Some(reply.clone());
        let verdict = call.judge(&reply)?;
        call.ask_module_check(assignor, &verdict)?;
        Ok(call.plan(&verdict))
    }
}
