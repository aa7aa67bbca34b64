//! What a member does as the leader: it runs the module of the chosen protocol, and when that fails it serves the
//! generation all the same, as every leader does (`assignor/serve.rs`).

use std::collections::{BTreeMap, HashMap};
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use serde::Deserialize;

use super::config::CONSUMER;
use super::event::Peer;
use super::leading::Leading;
use super::negotiate::{NATIVE, Strategies};
use crate::assignor::capture::Tape;
use crate::assignor::{self, Assignor, Column, Had, LeaderInput, MemberInput, Named, Otherwise, Service};
pub use crate::assignor::{Fault, Led, ServedBy};
use crate::ids::{Generation, GroupId, MemberId, Mode, Protocol, ProtocolType};
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
    /// Numbers for each partition, if [`LeadJob::needs`] asks for any: whoever runs the job finds them out.
    pub columns: Vec<Column>,
    /// The strategies at hand.
    pub strategies: Strategies,
    /// The operator's settings.
    pub rules: Rules,
    /// How this member leads, if it is in the group for that alone.
    pub leading: Option<Leading>,
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

impl LeadJob {
    /// Makes the plan. Blocks for as long as the strategy runs.
    pub fn run(&self) -> Led {
        self.run_on(None)
    }

    /// The same, recorded where there is a tape.
    pub fn run_on(&self, tape: Option<&Tape>) -> Led {
        self.serve(tape, |service| service.run())
    }

    /// Makes it in a group whose coordinator passes nothing over.
    pub fn run_unreplaced(&self) -> Led {
        self.serve(None, |service| service.run_unreplaced())
    }

    fn serve(&self, tape: Option<&Tape>, make: impl Fn(&Service<'_>) -> Led) -> Led {
        let fallback = self.rules.fallback.as_deref().map(Protocol::from);
        let spoken_for = self.spoken_for();
        let service = Service {
            input: LeaderInput { members: spoken_for.as_deref().unwrap_or(&self.members), ..self.input() },
            chosen: self.named(&self.protocol),
            rests: None,
            fallback: fallback.as_ref().and_then(|wish| self.fallback(wish)),
            configs: &self.rules.config,
            last_plan: self.last_plan.as_ref().map(|it| it.as_slice()),
            lacks: &|protocol| match &self.leading {
                Some(leading) => format!("this leader has no module {} (to serve {protocol})", leading.assignor),
                None => format!("this leader has no module for {protocol}"),
            },
            otherwise: if self.peer == Peer::Divvy { Otherwise::Error } else { Otherwise::WholePlan },
            tape,
        };
        let mut led = make(&service);
        if let Some(plan) = &mut led.plan {
            plan.states = self.stamped(std::mem::take(&mut plan.states));
        }
        led
    }

    /// Whether a strategy that may make the plan reads that column.
    pub fn needs(&self, column: &str) -> bool {
        let wish = self.rules.fallback.as_deref().map(Protocol::from);
        let fallback = wish.as_ref().and_then(|wish| self.fallback(wish)?.strategy);
        let mut may_serve = self.named(&self.protocol).strategy.into_iter().chain(fallback);
        may_serve.any(|it| it.manifest().needs.iter().any(|need| need == column))
    }

    /// The members with what is said for them. What an eager member had it does not say under most names, and whoever made
    /// the plan knows; under cooperative ones members say it themselves.
    pub(super) fn spoken_for(&self) -> Option<Vec<MemberInput>> {
        let leading = self.leading.as_ref()?;
        let last: HashMap<&MemberId, &Bytes> = match self.mode() {
            Mode::Eager => self.last_plan.iter().flat_map(|it| it.iter()).map(|(id, state)| (id, state)).collect(),
            Mode::Cooperative => HashMap::new(),
        };
        // No claim is of a later generation, and none of this one is for the same partitions.
        let generation = self.generation.0 - 1;
        let had = |member: &MemberInput| last.get(&member.id).map(|state| Had { generation, state });
        let spoken =
            |member| leading.spoken.speak(member, &self.protocol, had(member)).unwrap_or_else(|| member.clone());
        Some(self.members.iter().map(spoken).collect())
    }

    /// What stands in: of several versions the newest that is not what stands to fail. None if the wish means that alone.
    fn fallback<'a>(&'a self, wish: &'a Protocol) -> Option<Named<'a>> {
        let named = self.named(wish);
        let which = |it: &dyn Assignor| (it.digest(), it.manifest().version);
        let chosen = self.named(&self.protocol).strategy.filter(|it| it.digest().is_some()).map(which);
        let is_chosen = |it: &dyn Assignor| chosen == Some(which(it));
        let fits = |it: &&dyn Assignor| {
            it.manifest().is_called(wish.as_str()) && it.manifest().protocol_type == self.protocol_type.as_str()
        };
        let others = self.strategies.iter().filter(fits).filter(|it| !is_chosen(*it));
        let strategy = others.max_by_key(|it| it.manifest().version);
        let strategy = strategy.or(named.strategy.filter(|it| !is_chosen(*it)));
        let means_chosen = strategy.is_none() && self.strategies.iter().any(|it| fits(&it));
        (!means_chosen).then_some(Named { strategy, ..named })
    }

    fn named<'a>(&'a self, protocol: &'a Protocol) -> Named<'a> {
        if let Some(leading) = self.leading.as_ref().filter(|_| *protocol == self.protocol) {
            return Named { protocol, strategy: leading.strategy(&self.strategies) };
        }
        let native = || (*protocol == NATIVE && self.protocol_type == CONSUMER).then(assignor::native_range);
        let found = self.strategies.find(protocol);
        let strategy = found.filter(|it| it.manifest().protocol_type == self.protocol_type.as_str()).or_else(native);
        Named { protocol, strategy }
    }

    /// How the group hands over: it belongs to the protocol that it agreed on, whatever makes the plan in its stead.
    fn mode(&self) -> Mode {
        if let Some(mode) = self.leading.as_ref().and_then(|it| it.mode(&self.protocol)) {
            return mode;
        }
        let carried = self.named(&self.protocol).strategy.map(|it| it.manifest().mode_under(&self.protocol, None));
        carried.or_else(|| Mode::of_kafkas(&self.protocol)).unwrap_or_default()
    }

    fn input(&self) -> LeaderInput<'_> {
        LeaderInput {
            group: &self.group,
            generation: self.generation,
            protocol: &self.protocol,
            mode: self.mode(),
            protocol_type: &self.protocol_type,
            members: &self.members,
            topics: &self.topics,
            columns: &self.columns,
            config: &serde_json::Value::Null,
            context: self.context.as_deref(),
            memo: self.memo.as_deref(),
            now_ms: self.now_ms,
            budget_ms: self.budget,
        }
    }
}
