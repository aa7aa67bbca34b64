//! What a leader does: run the module of the chosen protocol, and when that fails serve the generation all the
//! same (DESIGN 7.4): the group's fall-back module, else the last plan cut to what exists, else the host's own range.
//! A failed strategy is never called twice with the same input.

use std::collections::BTreeMap;
use std::fmt;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use serde::Deserialize;

use super::config::CONSUMER;
use super::event::Peer;
use super::negotiate::{NATIVE, Strategies};
use crate::assignor::{self, Assignor, CallError, FaultKind, LeaderInput, MemberInput, Plan};
use crate::ids::{Digest, Generation, GroupId, MemberId, Mode, Protocol, ProtocolType};
use crate::topics::TopicTable;

/// The operator's settings for a group, as far as a member needs them: they come with a divvy coordinator's answer.
#[derive(Clone, PartialEq, Debug, Default, Deserialize)]
#[serde(default)]
pub struct Rules {
    /// Protocols in the operator's order.
    pub assignors: Vec<String>,
    /// For each assignor, by its name without version: its configuration.
    pub config: BTreeMap<String, serde_json::Value>,
    /// The protocol that serves a generation whose own protocol failed.
    pub fallback: Option<String>,
    /// The coordinator's hash of all its settings: a plan names the rules that it was made by.
    #[serde(skip)]
    pub hash: u64,
}

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

/// The states of the last generation that this member led, in the order in which it sent them.
pub type LastPlan = Arc<Vec<(MemberId, Bytes)>>;

/// All that a plan is made of. It owns what it needs, so that it can run on another thread.
pub struct LeadJob {
    /// The group.
    pub group: GroupId,
    /// The generation to plan.
    pub generation: Generation,
    /// The protocol chosen.
    pub protocol: Protocol,
    /// What kind of group.
    pub protocol_type: ProtocolType,
    /// Everybody, with metadata.
    pub members: Arc<Vec<MemberInput>>,
    /// The topics that the members subscribe to, as far as they exist.
    pub topics: Arc<TopicTable>,
    /// The strategies at hand.
    pub strategies: Strategies,
    /// The operator's settings.
    pub rules: Rules,
    /// The application's context, for types whose work is not partitions.
    pub context: Option<Bytes>,
    /// What the last plan's strategy wanted to remember.
    pub memo: Option<Bytes>,
    /// The last plan, if this member led the generation before.
    pub last_plan: Option<LastPlan>,
    /// Whether the coordinator understands a leader's error.
    pub peer: Peer,
    /// The wall's time.
    pub now_ms: i64,
    /// How long each call may take.
    pub budget: Duration,
}

impl fmt::Debug for LeadJob {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "LeadJob({} {} {}, {} members)", self.group, self.generation, self.protocol, self.members.len())
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

impl LeadJob {
    /// Makes the plan. Blocks for as long as the strategy runs.
    pub fn run(&self) -> Led {
        let chosen = self.strategy(&self.protocol);
        let failed = match chosen {
            Some(strategy) => match self.call(strategy) {
                Ok(plan) => return served(plan, strategy.digest(), ServedBy::Chosen),
                Err(error) => error,
            },
            None => CallError {
                kind: FaultKind::Missing,
                code: None,
                message: format!("this leader has no module for {}", self.protocol),
            },
        };
        let mut fault = Fault {
            protocol: self.protocol.clone(),
            digest: chosen.and_then(|it| it.digest()),
            kind: failed.kind,
            message: told(&failed, chosen.and_then(|it| it.file())),
        };
        let led = self.fallback().unwrap_or_else(|why| {
            fault.message.extend(why.map(|why| format!("; its fall-back failed too: {why}")));
            self.serve_all_the_same()
        });
        Led { fault: Some(fault), ..led }
    }

    /// The plan of the operator's fall-back; an error says why there is none, if one is named.
    fn fallback(&self) -> Result<Led, Option<String>> {
        let named = self.rules.fallback.as_deref().map(Protocol::from).filter(|it| *it != self.protocol);
        let protocol = named.ok_or(None)?;
        let strategy =
            self.strategy(&protocol).ok_or_else(|| Some(format!("this leader has no module for {protocol}")))?;
        let plan = self.call(strategy).map_err(|error| Some(format!("{protocol}: {error}")))?;
        Ok(served(plan, strategy.digest(), ServedBy::Fallback(protocol)))
    }

    fn serve_all_the_same(&self) -> Led {
        if self.protocol_type != CONSUMER {
            return self.states_all_the_same();
        }
        let input = self.input(&serde_json::Value::Null);
        // Who chose range gets range. No other protocol takes over from it, so the last plan would go on for as long as the
        // module is broken, and leave every newcomer without work.
        if self.protocol != NATIVE
            && let Some(last) = &self.last_plan
            && let Ok(plan) = assignor::cut_last_plan(last, &input)
        {
            return served(plan, None, ServedBy::LastPlan);
        }
        match assignor::lead(assignor::native_range(), &input) {
            Ok(plan) => served(plan, None, ServedBy::NativeRange),
            // Only metadata that nobody can decode gets here: everybody is given nothing rather than the whole left hanging.
            Err(_) => self.nothing_for_anybody(),
        }
    }

    /// States cannot be made up: a divvy coordinator is told the error, any other must get a whole plan (DESIGN 5).
    fn states_all_the_same(&self) -> Led {
        if self.peer == Peer::Divvy {
            return Led { plan: None, digest: None, served_by: ServedBy::Nothing, fault: None };
        }
        let last: BTreeMap<_, _> = self.last_plan.iter().flat_map(|it| it.iter().cloned()).collect();
        let states = self.members.iter().map(|it| (it.id.clone(), last.get(&it.id).cloned().unwrap_or_default()));
        served(self.bare_plan(states.collect()), None, ServedBy::LastPlan)
    }

    fn nothing_for_anybody(&self) -> Led {
        if self.peer == Peer::Divvy {
            return Led { plan: None, digest: None, served_by: ServedBy::Nothing, fault: None };
        }
        let empty = super::metadata::empty_assignment();
        let states = self.members.iter().map(|it| (it.id.clone(), empty.clone())).collect();
        served(self.bare_plan(states), None, ServedBy::Nothing)
    }

    fn bare_plan(&self, states: Vec<(MemberId, Bytes)>) -> Plan {
        Plan { states, memo: self.memo.clone(), copies: 1, ..Plan::default() }
    }

    fn strategy(&self, protocol: &Protocol) -> Option<&dyn Assignor> {
        let native = || (*protocol == NATIVE && self.protocol_type == CONSUMER).then(assignor::native_range);
        self.strategies
            .find(protocol)
            .filter(|it| it.manifest().protocol_type == self.protocol_type.as_str())
            .or_else(native)
    }

    fn call(&self, strategy: &dyn Assignor) -> Result<Plan, CallError> {
        let config = self.rules.config.get(&strategy.manifest().name).unwrap_or(&serde_json::Value::Null);
        assignor::lead(strategy, &self.input(config))
    }

    /// How the group hands over: it belongs to the protocol that it agreed on, whatever makes the plan in its stead.
    fn mode(&self) -> Mode {
        let carried = self.strategy(&self.protocol).map(|it| it.manifest().mode_under(&self.protocol, None));
        carried.or_else(|| Mode::of_kafkas(&self.protocol)).unwrap_or_default()
    }

    fn input<'a>(&'a self, config: &'a serde_json::Value) -> LeaderInput<'a> {
        LeaderInput {
            group: &self.group,
            generation: self.generation,
            protocol: &self.protocol,
            mode: self.mode(),
            protocol_type: &self.protocol_type,
            members: &self.members,
            topics: &self.topics,
            columns: &[],
            config,
            context: self.context.as_deref(),
            memo: self.memo.as_deref(),
            now_ms: self.now_ms,
            budget_ms: self.budget,
        }
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
