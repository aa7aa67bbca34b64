//! Replaying: the same module is asked the same again, and whatever is not byte for byte what was recorded is named, down
//! to the partition and its member.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use bytes::Bytes;

use super::{Capture, Fault};
use crate::assignor::lead::Call;
use crate::assignor::{Assignor, CallError, Export, FaultKind, Plan};
use crate::embedded::consumer::Assignment;
use crate::embedded::show_state;
use crate::ids::{MemberId, ProtocolType};

/// What is not as it was recorded.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Difference {
    /// Bytes.
    Bytes {
        /// Of what: `request`, `reply`, or a member's state.
        of: String,
        /// The first that differs; the shorter one's length if it is the beginning of the other.
        at: usize,
        /// How many were recorded.
        recorded: usize,
        /// How many there are now.
        now: usize,
    },
    /// How the call ended; none is a plan that keeps the rules.
    Ending {
        /// As it was recorded.
        recorded: Option<Fault>,
        /// As it is now.
        now: Option<Fault>,
    },
    /// What the plan says.
    Plan(Vec<Piece>),
}

/// A piece of a plan that goes elsewhere.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Piece {
    /// A partition (`clicks-3`); for states a member.
    pub of: String,
    /// The members that have it, or the state, as recorded.
    pub recorded: String,
    /// The same now.
    pub now: String,
}

/// A machine that is slower than the recorded one is no difference.
const PATIENCE: Duration = Duration::from_secs(60);

/// Asks again. Nothing is an exact replay.
pub fn replay(capture: &Capture, strategy: &dyn Assignor) -> Vec<Difference> {
    let mut found = Vec::new();
    let now = ask(capture, strategy, &mut found).map_err(|error| Fault::from(&error));
    let kind = |fault: &Option<Fault>| fault.as_ref().map(|it| it.kind.clone());
    let ending = now.as_ref().err().cloned();
    if kind(&ending) != kind(&capture.fault) {
        found.push(Difference::Ending { recorded: capture.fault.clone(), now: ending });
    }
    if let (Ok(plan), None) = (&now, &capture.fault) {
        let what = if capture.asked.protocol_type == "consumer" { "share" } else { "state" };
        found.extend(state_bytes(what, &capture.served.states, &plan.states));
        if !found.iter().any(|it| matches!(it, Difference::Plan(_))) {
            found.extend(differing_plan(capture, &capture.served.states, &plan.states));
        }
    }
    found
}

/// The module gets the request that it got; whether it would be written so today is another question.
fn ask(capture: &Capture, strategy: &dyn Assignor, found: &mut Vec<Difference>) -> Result<Plan, CallError> {
    let mut input = capture.asked.input();
    if capture.fault.as_ref().is_none_or(|fault| fault.kind != FaultKind::Deadline.name()) {
        input.budget_ms = input.budget_ms.max(PATIENCE);
    }
    let call = match Call::prepare(strategy.manifest(), &input) {
        Ok(call) => call,
        Err(error) => {
            found.extend(bytes("request", capture.request.as_deref().unwrap_or_default(), &[]));
            return Err(error);
        }
    };
    let recorded = capture.request.as_deref().unwrap_or_default();
    found.extend(bytes("request", recorded, call.request()));
    let request = if recorded.is_empty() { call.request() } else { recorded };
    let reply = match strategy.call(Export::Assign, request, call.budget()) {
        Ok(reply) => reply,
        Err(error) => {
            found.extend(bytes("reply", capture.reply.as_deref().unwrap_or_default(), &[]));
            return Err(error);
        }
    };
    let recorded = capture.reply.as_deref().unwrap_or_default();
    let differs = bytes("reply", recorded, &reply);
    found.extend(differs.clone());
    let verdict = call.judge(&reply)?;
    call.ask_module_check(strategy, &verdict)?;
    let plan = call.plan(&verdict);
    // Somebody changed the reply: what it says now is told from it, not from the states.
    if differs.is_some()
        && let Ok(was) = call.judge(recorded)
    {
        found.extend(differing_plan(capture, &call.plan(&was).states, &plan.states));
    }
    Ok(plan)
}

fn bytes(of: &str, recorded: &[u8], now: &[u8]) -> Option<Difference> {
    if recorded == now {
        return None;
    }
    let at = recorded.iter().zip(now).position(|(a, b)| a != b).unwrap_or_else(|| recorded.len().min(now.len()));
    Some(Difference::Bytes { of: of.to_owned(), at, recorded: recorded.len(), now: now.len() })
}

/// The first state that is not the same.
fn state_bytes(what: &str, recorded: &[(MemberId, Bytes)], now: &[(MemberId, Bytes)]) -> Option<Difference> {
    let now: BTreeMap<&MemberId, &Bytes> = now.iter().map(|(id, state)| (id, state)).collect();
    let state = |id: &MemberId| now.get(id).map_or(&[][..], |state| &state[..]);
    recorded.iter().find_map(|(id, was)| bytes(&format!("{what} of {id:?}"), was, state(id)))
}

fn differing_plan(capture: &Capture, recorded: &[(MemberId, Bytes)], now: &[(MemberId, Bytes)]) -> Option<Difference> {
    let pieces = pieces(&capture.asked.protocol_type, recorded, now);
    (!pieces.is_empty()).then_some(Difference::Plan(pieces))
}

/// What goes elsewhere: partitions where states are assignments, else each member's state.
fn pieces(kind: &ProtocolType, recorded: &[(MemberId, Bytes)], now: &[(MemberId, Bytes)]) -> Vec<Piece> {
    let (recorded, now) = match (owners(kind, recorded), owners(kind, now)) {
        (Some(recorded), Some(now)) => (recorded, now),
        _ => (shown(kind, recorded), shown(kind, now)),
    };
    let all: BTreeSet<&(String, i32)> = recorded.keys().chain(now.keys()).collect();
    let told = |said: Option<&String>| said.cloned().unwrap_or_else(|| "nobody".to_owned());
    let piece = |at: &(String, i32)| {
        let (was, is) = (recorded.get(at), now.get(at));
        let of = if at.1 < 0 { at.0.clone() } else { format!("{}-{}", at.0, at.1) };
        (was != is).then(|| Piece { of, recorded: told(was), now: told(is) })
    };
    all.into_iter().filter_map(piece).collect()
}

/// By partition, who has it; none if these are no assignments.
fn owners(kind: &ProtocolType, states: &[(MemberId, Bytes)]) -> Option<BTreeMap<(String, i32), String>> {
    if *kind != "consumer" {
        return None;
    }
    let mut owners = BTreeMap::<(String, i32), String>::new();
    for (member, state) in states {
        for topic in Assignment::decode_state(state).ok()?.topics {
            for number in topic.partitions.iter() {
                let names = owners.entry((topic.topic.to_owned(), number)).or_default();
                if !names.is_empty() {
                    names.push_str(", ");
                }
                names.push_str(member.as_str());
            }
        }
    }
    Some(owners)
}

fn shown(kind: &ProtocolType, states: &[(MemberId, Bytes)]) -> BTreeMap<(String, i32), String> {
    let show = |(id, state): &(MemberId, Bytes)| ((id.to_string(), -1), show_state(kind.as_str(), state).to_string());
    states.iter().map(show).collect()
}
