//! What the leader of a simulated group does: by the path of every leader, on what members say as real ones do.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use divvy_guest::abi::{UNKNOWN_LAG, names};

use super::ledger::Unit;
use super::life::read_of;
use super::stage::Stage;
use super::work::{Work, connectors, worker, writers};
use crate::assignor::{Column, Led, MemberInput, Plan, ServedBy, subscribed};
use crate::ids::{GroupId, TopicName};
use crate::membership::event::Peer;
use crate::membership::lead::{LeadJob, Rules};
use crate::membership::limits::LONGEST_PLAN;
use crate::membership::played;
use crate::membership::{Config, Purpose, Share};
use crate::topics::TopicTable;

/// What the group is called to its strategy.
const GROUP: &str = "simulated";

impl Stage<'_> {
    /// Asks the strategy, or what serves in its stead.
    pub(super) fn plan(&mut self, now_ms: i64) -> Led {
        let configs = self.configs();
        let mut members = Vec::new();
        for (at, config) in self.roster.iter().zip(&configs) {
            let player = &self.players[*at];
            let under = (&self.protocol, self.mode);
            let (metadata, failed) = played::said(config, &player.past, under, &self.strategies, now_ms);
            if let Some(error) = failed {
                self.step.faults.push(format!("its own word for {} failed: {error}", player.spec.name));
            }
            members.push(MemberInput { id: player.id.clone(), instance: self.instance(*at), metadata });
        }
        let read = subscribed(&members);
        let of_name = |name: &TopicName| Some((name.clone(), self.topics.get(name)?.clone()));
        let topics = TopicTable(read.iter().filter_map(of_name).collect());
        let job = LeadJob {
            group: GroupId::from(GROUP),
            generation: self.generation,
            protocol: self.protocol.clone(),
            protocol_type: self.protocol_type.clone(),
            members: Arc::new(members),
            topics: Arc::new(topics),
            columns: vec![Column { name: names::LAG.to_owned(), values: self.lags.clone(), unknown: UNKNOWN_LAG }],
            strategies: self.strategies.clone(),
            rules: self.rules(),
            leading: None,
            context: configs.first().and_then(|config| config.purpose.context().cloned()),
            memo: self.memo.clone(),
            last_plan: self.last_plan.clone(),
            peer: Peer::Divvy,
            now_ms,
            budget: LONGEST_PLAN,
        };
        // Each member offers this strategy alone.
        job.run_unreplaced()
    }

    /// How the strategy failed, and what it warns of.
    pub(super) fn tell_faults(&mut self, led: &Led) {
        if let Some(fault) = &led.fault {
            let text = format!("{}: {}; served by {}", fault.kind.name(), fault.message, led.served_by);
            self.step.faults.push(text);
        } else if led.served_by != ServedBy::Chosen {
            self.step.notes.push(format!("served by {}", led.served_by));
        }
        let warnings = led.plan.iter().flat_map(Plan::warnings).map(str::to_owned);
        for warning in warnings {
            if !self.step.notes.contains(&warning) {
                self.step.notes.push(warning);
            }
        }
    }

    /// What a state gives a member.
    pub(super) fn share(&self, at: usize, state: &Bytes) -> BTreeSet<Unit> {
        let player = &self.players[at];
        let purpose = match self.work {
            Work::Partitions => Purpose::Topics(Vec::new()),
            Work::Tasks => Purpose::Connect { worker: worker(&player.spec.name, self.config_offset), context: None },
            Work::Writer => return writers(state).into_iter().collect(),
        };
        match played::share(&purpose, &player.past, state.clone()) {
            Some(Share::Partitions(topics)) => {
                let all =
                    topics.into_iter().flat_map(|(topic, all)| all.into_iter().map(move |it| (topic.clone(), it)));
                all.collect()
            }
            _ => BTreeSet::new(),
        }
    }

    fn configs(&self) -> Vec<Config> {
        let connectors = connectors(&self.topics, self.config_offset);
        let config = |at: &usize| {
            let spec = &self.players[*at].spec;
            let purpose = match self.work {
                Work::Partitions => Purpose::Topics(read_of(&spec.reads, &self.topics)),
                Work::Tasks => Purpose::Connect {
                    worker: worker(&spec.name, self.config_offset),
                    context: Some(connectors.clone()),
                },
                Work::Writer => {
                    Purpose::States { protocol_type: self.protocol_type.clone(), metadata: None, context: None }
                }
            };
            let facts = spec.facts.clone();
            let session_timeout = Duration::from_millis(self.times.session_ms);
            Config {
                facts,
                rules: self.rules(),
                is_static: spec.is_static,
                session_timeout,
                ..Config::new(GROUP.into(), purpose)
            }
        };
        self.roster.iter().map(config).collect()
    }

    fn rules(&self) -> Rules {
        let fallback = self.subject.fallback.as_ref().map(|it| it.manifest().protocol().to_string());
        Rules { config: self.subject.configs.clone(), fallback, ..Rules::default() }
    }
}
