//! How a generation is served whatever its strategy does (DESIGN 7.4): by the module of the chosen protocol; when that
//! fails by the operator's fall-back module, else by the last plan cut to what exists, else by the host's own range. A
//! failed strategy is never called twice with the same input. Whoever leads serves so: a member or the coordinator.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::fmt;
use std::path::Path;
use std::time::Duration;

use bytes::Bytes;

use super::capture::Tape;
use super::limits::TELLING_CALL_TIME;
use super::remember::remembered;
use super::{
    Assignor, CallError, FaultKind, LeaderInput, Manifest, MemberInput, NATIVE, Plan, cut_last_plan, lead, native_range,
};
use crate::embedded::consumer::{SplitSubscription, empty_assignment};
use crate::ids::{Digest, MemberId, Protocol, TopicName};

#[cfg(test)]
mod tests;

/// The type whose members share partitions: the one that can be served without a module.
const CONSUMER: &str = "consumer";

/// A strategy that failed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Fault {
    /// The protocol that it serves.
    pub protocol: Protocol,
    /// What it is.
    pub digest: Option<Digest>,
    /// How it failed.
    pub kind: FaultKind,
    /// What happened, for people.
    pub message: String,
}

/// What served a generation.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum ServedBy {
    /// The chosen protocol's strategy, as it should be.
    Chosen,
    /// The group's fall-back module.
    Fallback(Protocol),
    /// The last plan, cut to the members and partitions that exist.
    LastPlan,
    /// The host's own range.
    NativeRange,
    /// Nothing: the leader sends an error.
    Nothing,
}

impl fmt::Display for ServedBy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ServedBy::Chosen => f.write_str("the chosen strategy"),
            ServedBy::Fallback(protocol) => write!(f, "the group's fall-back {protocol}"),
            ServedBy::LastPlan => f.write_str("the last plan, cut to what exists"),
            ServedBy::NativeRange => f.write_str("divvy's own range"),
            ServedBy::Nothing => f.write_str("nothing: the generation is given up"),
        }
    }
}

/// What came of it.
#[derive(Clone, PartialEq, Debug)]
pub struct Led {
    /// The plan; none if the leader has to send an error.
    pub plan: Option<Plan>,
    /// The module that made it; none for the last plan and the host's own range.
    pub digest: Option<Digest>,
    /// What served the generation.
    pub served_by: ServedBy,
    /// The strategy that failed.
    pub fault: Option<Fault>,
}

/// What is done where nothing can be made up.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Otherwise {
    /// The coordinator understands a leader's error (the proposal).
    Error,
    /// It does not, and must get a whole plan (DESIGN 5).
    WholePlan,
}

/// A strategy under the name by which it was asked for.
#[derive(Clone, Copy)]
pub struct Named<'a> {
    /// The name.
    pub protocol: &'a Protocol,
    /// The strategy; none if there is none of that name.
    pub strategy: Option<&'a dyn Assignor>,
}

/// One generation to serve.
pub struct Service<'a> {
    /// What is known. Its configuration does not count: each strategy gets its own.
    pub input: LeaderInput<'a>,
    /// What the group agreed on.
    pub chosen: Named<'a>,
    /// Why its strategy is not called, if it is not.
    pub rests: Option<String>,
    /// The operator's fall-back, if one is named.
    pub fallback: Option<Named<'a>>,
    /// For each assignor, by its name without version: its configuration.
    pub configs: &'a BTreeMap<String, serde_json::Value>,
    /// The states of the last plan, if they are known.
    pub last_plan: Option<&'a [(MemberId, Bytes)]>,
    /// That there is nothing for a protocol, in words that say where it was looked for.
    pub lacks: &'a dyn Fn(&Protocol) -> String,
    /// What is done where nothing can be made up.
    pub otherwise: Otherwise,
    /// Where each call of a module is recorded, if that is wanted.
    pub tape: Option<&'a Tape>,
}

impl Service<'_> {
    /// Makes the plan. Blocks for as long as the strategies run.
    pub fn run(&self) -> Led {
        self.run_with(true)
    }

    /// The same in a group that goes on with a strategy that failed: nothing passes it over, so no other name takes over.
    pub fn run_unreplaced(&self) -> Led {
        self.run_with(false)
    }

    fn run_with(&self, may_be_replaced: bool) -> Led {
        let Named { protocol, strategy: chosen } = self.chosen;
        let failed = match chosen.filter(|_| self.rests.is_none()) {
            None if let Some(why) = &self.rests => CallError::new(FaultKind::Suspended, why.clone()),
            Some(strategy) => match self.call(strategy) {
                Ok(plan) => return served(plan, strategy.digest(), ServedBy::Chosen),
                Err(error) => error,
            },
            None => CallError::new(FaultKind::Missing, (self.lacks)(protocol)),
        };
        let mut fault = Fault {
            protocol: protocol.clone(),
            digest: chosen.and_then(|it| it.digest()),
            kind: failed.kind,
            message: told(&failed, chosen.filter(|_| self.rests.is_none()).and_then(|it| it.file())),
        };
        let led = self.fallback().unwrap_or_else(|why| {
            fault.message.extend(why.map(|why| format!("; its fall-back failed too: {why}")));
            self.serve_all_the_same(may_be_replaced)
        });
        Led { fault: Some(fault), ..led }
    }

    /// The plan of the operator's fall-back; an error says why there is none, if one is named.
    fn fallback(&self) -> Result<Led, Option<String>> {
        let Named { protocol, strategy } = self.fallback.filter(|it| self.is_another(it)).ok_or(None)?;
        let strategy = strategy.ok_or_else(|| Some((self.lacks)(protocol)))?;
        let plan = self.call(strategy).map_err(|error| Some(format!("{protocol}: {error}")))?;
        Ok(served(plan, strategy.digest(), ServedBy::Fallback(protocol.clone())))
    }

    /// Whether a fall-back is not what failed. Under the chosen name only another module is: the host's own comes last in any
    /// case.
    fn is_another(&self, fallback: &Named<'_>) -> bool {
        let which = |it: &dyn Assignor| it.digest().map(|digest| (digest, it.manifest().version));
        let (chosen, other) = (self.chosen.strategy.and_then(which), fallback.strategy.and_then(which));
        fallback.protocol != self.chosen.protocol || (other.is_some() && other != chosen)
    }

    fn serve_all_the_same(&self, may_be_replaced: bool) -> Led {
        if *self.input.protocol_type != CONSUMER {
            return self.states_all_the_same();
        }
        let input = LeaderInput { config: &serde_json::Value::Null, ..self.input.clone() };
        if let Some(last) = self.last_plan.filter(|last| self.goes_on_with(last, may_be_replaced))
            && let Ok(plan) = cut_last_plan(last, &input)
        {
            return served(plan, None, ServedBy::LastPlan);
        }
        match lead(native_range(), &input) {
            Ok(plan) => served(plan, None, ServedBy::NativeRange),
            // Only metadata that nobody can decode gets here: everybody is given nothing rather than the whole left hanging.
            Err(_) => self.nothing_for_anybody(),
        }
    }

    /// Whether the last plan is better than range. Not where range itself was chosen. And where nothing takes over, since there
    /// is another strategy under range's name, or this one is passed over, the last plan may go on for as long as the module
    /// is broken: then it must leave no newcomer without work.
    fn goes_on_with(&self, last: &[(MemberId, Bytes)], may_be_replaced: bool) -> bool {
        if self.chosen.strategy.is_some_and(|it| it.manifest().name == NATIVE) {
            return false;
        }
        let is_replaced = may_be_replaced && *self.chosen.protocol != NATIVE && self.rests.is_none();
        let had: HashSet<&MemberId> = last.iter().map(|(id, _)| id).collect();
        is_replaced || self.input.members.iter().all(|member| had.contains(&member.id))
    }

    /// States cannot be made up.
    fn states_all_the_same(&self) -> Led {
        if self.otherwise == Otherwise::Error {
            return Led { plan: None, digest: None, served_by: ServedBy::Nothing, fault: None };
        }
        let last: BTreeMap<_, _> = self.last_plan.into_iter().flatten().cloned().collect();
        let state = |it: &MemberInput| (it.id.clone(), last.get(&it.id).cloned().unwrap_or_default());
        served(self.bare_plan(self.input.members.iter().map(state).collect()), None, ServedBy::LastPlan)
    }

    fn nothing_for_anybody(&self) -> Led {
        if self.otherwise == Otherwise::Error {
            return Led { plan: None, digest: None, served_by: ServedBy::Nothing, fault: None };
        }
        // Zero bytes would end some clients.
        let empty = Bytes::from(empty_assignment());
        let states = self.input.members.iter().map(|it| (it.id.clone(), empty.clone())).collect();
        served(self.bare_plan(states), None, ServedBy::Nothing)
    }

    fn bare_plan(&self, states: Vec<(MemberId, Bytes)>) -> Plan {
        Plan { states, memo: self.input.memo.map(Bytes::copy_from_slice), copies: 1, ..Plan::default() }
    }

    fn call(&self, strategy: &dyn Assignor) -> Result<Plan, CallError> {
        let config = self.configs.get(&strategy.manifest().name).unwrap_or(&serde_json::Value::Null);
        let members = remembered(&self.input, self.last_plan);
        let input = LeaderInput { config, members: &members, ..self.input.clone() };
        let planned = match self.tape {
            Some(tape) => tape.lead(strategy, &input),
            None => lead(strategy, &input),
        };
        planned.inspect_err(|error| {
            if is_telling(error.kind, input.budget_ms, strategy.manifest()) {
                strategy.failed();
            }
        })
    }
}

/// Whether a failure tells of the module, and not of this group, its settings or its host.
fn is_telling(kind: FaultKind, budget: Duration, manifest: &Manifest) -> bool {
    let asked = manifest.limits.ms.map_or(Duration::MAX, |ms| Duration::from_millis(ms.into()));
    match kind {
        FaultKind::Deadline => budget >= asked.min(TELLING_CALL_TIME),
        _ => FaultKind::TELLING.contains(&kind),
    }
}

/// A failure in words that still say which file it was when they are read on another machine.
fn told(failed: &CallError, file: Option<&Path>) -> String {
    let file = file.map(|it| format!("{}: ", it.display())).unwrap_or_default();
    let code = failed.code.as_ref().map(|it| format!("{it}: ")).unwrap_or_default();
    format!("{file}{code}{}", failed.message)
}

fn served(plan: Plan, digest: Option<Digest>, served_by: ServedBy) -> Led {
    Led { plan: Some(plan), digest, served_by, fault: None }
}

/// The topics that anybody of the group subscribes to. Metadata that cannot be read subscribes to nothing here; the
/// plan's own decoding reports it.
pub fn subscribed(members: &[MemberInput]) -> Vec<TopicName> {
    let (mut lists, mut last) = (HashSet::new(), &[][..]);
    let mut names = BTreeSet::new();
    for member in members {
        // Members that want the same mostly say so in the same bytes: a large group has few distinct lists.
        if !last.is_empty() && SplitSubscription::with_topics(&member.metadata, last).is_some() {
            continue;
        }
        let Ok(split) = SplitSubscription::new(&member.metadata) else { continue };
        last = split.encoded_topics();
        if lists.insert(last) {
            names.extend(split.topics().unwrap_or_default());
        }
    }
    names.into_iter().map(TopicName::from).collect()
}
