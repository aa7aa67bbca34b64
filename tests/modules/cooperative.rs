//! The cases of `tests/vectors/cooperative-sticky.json` under every strategy of this repository: none of them knows what it
//! is to hand over step by step, and under a cooperative name all of them do (KIP-429). What those cases expect of balance
//! and stickiness is for a strategy that promises it.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;
use std::time::Duration;

use divvy::assignor::case::{Shares, shares};
use divvy::assignor::manifest::Mode;
use divvy::assignor::{Assignor, LeaderInput, MemberInput, lead};
use divvy::embedded::consumer::{Subscription, Tail, TopicPartitions};
use divvy::ids::{Generation, MemberId, TopicName};
use divvy::sandbox::{Sandbox, SandboxLimits};
use divvy::topics::{Topic, TopicTable};
use serde::Deserialize;
use serde_json::Value;

use crate::native::native;
use crate::vectors::module;

#[derive(Deserialize)]
struct Case {
    name: String,
    topics: BTreeMap<String, CaseTopic>,
    members: Vec<Member>,
    expect_props: Props,
}

#[derive(Deserialize)]
struct CaseTopic {
    partitions: u32,
    #[serde(default)]
    racks: Vec<Vec<String>>,
}

#[derive(Clone, Deserialize)]
struct Member {
    id: String,
    instance_id: Option<String>,
    rack: Option<String>,
    topics: Vec<String>,
    #[serde(default)]
    owned: BTreeMap<String, Vec<i32>>,
    #[serde(default = "none")]
    generation: i32,
}

#[derive(Deserialize)]
struct Props {
    #[serde(default)]
    no_overlap_with_revoked: bool,
    #[serde(default)]
    missing_only_claimed: bool,
}

fn none() -> i32 {
    -1
}

/// Rounds until nobody gives anything up: the one that withholds, and the one that hands out.
const MOST_ROUNDS: usize = 2;

impl Case {
    fn round(&self, assignor: &dyn Assignor, members: &[Member]) -> Shares {
        let topics = self.topics.iter().map(|(name, topic)| {
            (TopicName::from(name.as_str()), Topic { partitions: topic.partitions, racks: topic.racks.clone() })
        });
        let protocol = "cooperative-sticky".into();
        let input = LeaderInput {
            group: &"case".into(),
            generation: Generation(1),
            protocol: &protocol,
            mode: assignor.manifest().mode_under(&protocol, None),
            protocol_type: &"consumer".into(),
            members: &members.iter().map(Member::input).collect::<Vec<_>>(),
            topics: &TopicTable(topics.collect()),
            columns: &[],
            config: &Value::Null,
            context: None,
            memo: None,
            now_ms: 0,
            budget_ms: Duration::from_secs(1),
        };
        assert_eq!(input.mode, Mode::Cooperative);
        shares(&lead(assignor, &input).unwrap()).unwrap()
    }

    /// All partitions of topics that somebody reads.
    fn partitions<'a>(&'a self, members: &'a [Member]) -> impl Iterator<Item = (&'a str, i32)> {
        let read: BTreeSet<&str> = members.iter().flat_map(|member| &member.topics).map(String::as_str).collect();
        let topics = self.topics.iter().filter(move |(name, _)| read.contains(name.as_str()));
        topics.flat_map(|(name, topic)| (0..topic.partitions as i32).map(move |partition| (name.as_str(), partition)))
    }

    /// C1 and C2: what others hold at the highest generation is not given, and nothing else is missing.
    fn check_round(&self, members: &[Member], given: &Shares) {
        for (topic, partition) in self.partitions(members) {
            let has = |owned: &BTreeMap<String, Vec<i32>>| owned.get(topic).is_some_and(|all| all.contains(&partition));
            let claims: Vec<&Member> = members.iter().filter(|member| has(&member.owned)).collect();
            let newest = claims.iter().map(|member| member.generation).max();
            let held_by_another = |id: &str| claims.iter().any(|it| Some(it.generation) == newest && it.id != id);
            match given.iter().find(|(_, share)| has(share)) {
                Some((id, _)) => assert!(
                    !held_by_another(id) || !self.expect_props.no_overlap_with_revoked,
                    "{}: partition {partition} of {topic} goes to {id} too early",
                    self.name
                ),
                None => assert!(
                    !claims.is_empty() || !self.expect_props.missing_only_claimed,
                    "{}: partition {partition} of {topic} is missing",
                    self.name
                ),
            }
        }
    }

    /// C3 and C5: settled after two rounds, and then nothing moves.
    fn run(&self, assignor: &dyn Assignor) {
        let mut members = self.members.clone();
        let mut rounds = 0;
        loop {
            rounds += 1;
            let given = self.round(assignor, &members);
            self.check_round(&members, &given);
            let gives_up = |member: &Member| {
                let has = |topic: &String, number| given[&member.id].get(topic).is_some_and(|all| all.contains(number));
                member.owned.iter().any(|(topic, numbers)| numbers.iter().any(|number| !has(topic, number)))
            };
            let settled = !members.iter().any(gives_up);
            let generation = members.iter().map(|member| member.generation).max().unwrap_or(0) + 1;
            for member in &mut members {
                member.owned.clone_from(&given[&member.id]);
                member.generation = generation;
            }
            if settled {
                let all: BTreeSet<_> = self.partitions(&members).collect();
                let owned = members
                    .iter()
                    .flat_map(|it| &it.owned)
                    .flat_map(|(topic, numbers)| numbers.iter().map(move |number| (topic.as_str(), *number)));
                assert_eq!(owned.collect::<BTreeSet<_>>(), all, "{}", self.name);
                return assert_eq!(self.round(assignor, &members), given, "{}: settled, and moved", self.name);
            }
            assert!(rounds < MOST_ROUNDS, "{}: not settled after {rounds} rounds", self.name);
        }
    }
}

impl Member {
    fn input(&self) -> MemberInput {
        let owned = self.owned.iter().map(|(topic, numbers)| {
            let partitions = numbers.iter().copied().collect();
            TopicPartitions { topic, partitions }
        });
        let tail =
            Tail { owned: owned.collect(), generation: self.generation, rack: self.rack.as_deref(), user_data: None };
        let topics = self.topics.iter().map(String::as_str).collect();
        MemberInput {
            id: MemberId::from(self.id.as_str()),
            instance: self.instance_id.as_deref().map(Into::into),
            metadata: Subscription { version: 3, topics, tail }.encode().into(),
        }
    }
}

fn cases() -> Vec<Case> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/vectors/cooperative-sticky.json");
    serde_json::from_slice(&fs::read(path).unwrap()).unwrap()
}

#[test]
fn every_strategy_hands_over_under_a_cooperative_name() {
    let cases = cases();
    assert!(cases.len() >= 45, "only {} cases", cases.len());
    for name in ["range", "roundrobin", "rack-aware", "uniform", "weighted", "lag-aware"] {
        let strategy = native(name);
        cases.iter().for_each(|case| case.run(&strategy));
    }
}

/// The very module that serves an eager group serves a cooperative one.
#[test]
fn range_wasm_hands_over_under_a_cooperative_name() {
    let sandbox = Sandbox::new(SandboxLimits::default()).unwrap();
    let range = module(&sandbox, "range");
    cases().iter().for_each(|case| case.run(&*range));
}
