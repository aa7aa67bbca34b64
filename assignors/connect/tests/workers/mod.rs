//! Workers as Kafka Connect's behave: they run what they are given until they are told to give it up, and say so when they join again.
#![allow(dead_code, reason = "each test uses a part of it")]

use std::collections::{BTreeMap, BTreeSet};

use divvy_assignor_connect::catalog::context;
use divvy_assignor_connect::wire::{Assignment, Metadata, Work};
use divvy_assignor_connect::{assign, check};
use divvy_guest::testing::{Refused, TestStates, TestStatesPlan};

/// A connector's name and a task, -1 for the connector itself.
pub type Piece = (String, i32);

/// A cluster of workers.
#[derive(Clone, Debug, Default)]
pub struct Cluster {
    /// Connectors and their tasks.
    pub connectors: BTreeMap<String, u32>,
    /// What each worker runs.
    pub workers: BTreeMap<String, BTreeSet<Piece>>,
    /// The wall clock.
    pub now_ms: i64,
    /// Configured.
    pub max_delay_ms: i64,
    /// The name of the protocol.
    pub protocol: &'static str,
    pub memo: Option<Vec<u8>>,
    pub generation: i32,
}

/// What came of a round.
#[derive(Clone, Debug, Default)]
pub struct Outcome {
    /// New work by worker.
    pub added: BTreeMap<String, BTreeSet<Piece>>,
    /// What is given up by worker.
    pub revoked: BTreeMap<String, BTreeSet<Piece>>,
    /// Told to all.
    pub delay_ms: i64,
    pub call_again_ms: Option<u64>,
}

impl Cluster {
    /// An incremental one.
    pub fn new(max_delay_ms: i64) -> Self {
        Cluster { max_delay_ms, protocol: "compatible", ..Cluster::default() }
    }

    /// What a leader would ask.
    pub fn group(&self) -> TestStates {
        let connectors: Vec<(&str, u32)> =
            self.connectors.iter().map(|(name, &tasks)| (name.as_str(), tasks)).collect();
        let mut group = TestStates::new()
            .protocol(self.protocol)
            .generation(self.generation)
            .now_ms(self.now_ms)
            .memo(self.memo.clone())
            .context(context(Some(7), &connectors))
            .config("max_delay_ms", self.max_delay_ms as f64);
        for (id, runs) in &self.workers {
            let url = format!("http://{id}/");
            let version = if self.protocol == "default" { 0 } else { 1 };
            let runs = work(runs);
            let runs: Work<'_> = runs.iter().map(|(name, tasks)| (name.as_str(), tasks.clone())).collect();
            group = group.member(id, Metadata { version, url: &url, offset: 7, runs }.write());
        }
        group
    }

    /// One generation: everybody joins, is told, gives up and starts.
    pub fn round(&mut self) -> Outcome {
        self.generation += 1;
        let group = self.group();
        let plan = group.plan(assign).expect("a plan");
        assert_eq!(group.check(check::check, &plan), Ok(()));
        self.apply(&plan)
    }

    fn apply(&mut self, plan: &TestStatesPlan) -> Outcome {
        let mut outcome = Outcome { call_again_ms: plan.call_again_ms, ..Outcome::default() };
        for (id, runs) in &mut self.workers {
            let told = Assignment::read(&plan.states[id]).expect("an assignment");
            assert_eq!((told.error, told.offset), (0, 7));
            let (added, revoked) = (pieces(&told.work), pieces(&told.revoked));
            if told.version == 0 {
                runs.clear();
            }
            revoked.iter().for_each(|piece| assert!(runs.remove(piece), "{id} does not run {piece:?}"));
            added.iter().for_each(|piece| assert!(runs.insert(piece.clone()), "{id} runs {piece:?} already"));
            outcome.delay_ms = i64::from(told.delay_ms);
            outcome.added.insert(id.clone(), added);
            outcome.revoked.insert(id.clone(), revoked);
        }
        self.memo.clone_from(&plan.memo);
        outcome
    }

    /// Every piece of work that is configured.
    pub fn configured(&self) -> BTreeSet<Piece> {
        let of =
            |(name, &tasks): (&String, &u32)| (-1..tasks as i32).map(|task| (name.clone(), task)).collect::<Vec<_>>();
        self.connectors.iter().flat_map(of).collect()
    }

    /// How many connectors, or tasks, each worker runs.
    pub fn sizes(&self, connectors: bool) -> Vec<usize> {
        let size = |runs: &BTreeSet<Piece>| runs.iter().filter(|piece| (piece.1 < 0) == connectors).count();
        let mut sizes: Vec<usize> = self.workers.values().map(size).collect();
        sizes.sort_unstable();
        sizes
    }

    /// Everything runs once, and evenly.
    pub fn is_complete(&self) -> bool {
        let running: Vec<&Piece> = self.workers.values().flatten().collect();
        let spread = |sizes: Vec<usize>| sizes.last().unwrap_or(&0) - sizes.first().unwrap_or(&0);
        running.len() == self.configured().len()
            && running.into_iter().cloned().collect::<BTreeSet<_>>() == self.configured()
            && spread(self.sizes(true)) <= 1
            && spread(self.sizes(false)) <= 1
    }
}

/// What a leader with another idea of things is told.
pub fn refused(group: &TestStates) -> Refused {
    group.plan(assign).expect_err("a refusal")
}

fn pieces(work: &Work<'_>) -> BTreeSet<Piece> {
    work.iter().flat_map(|(name, tasks)| tasks.iter().map(move |&task| ((*name).to_owned(), task))).collect()
}

fn work(runs: &BTreeSet<Piece>) -> BTreeMap<String, Vec<i32>> {
    let mut work: BTreeMap<String, Vec<i32>> = BTreeMap::new();
    runs.iter().for_each(|(name, task)| work.entry(name.clone()).or_default().push(*task));
    work
}
