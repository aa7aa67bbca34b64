//! Cases: made-up groups in JSON with what a strategy must make of them. The test over `tests/vectors`, `divvy assignor run`
//! and `divvy assignor check` read the same form.
//!
//! ```json
//! { "name": "two-members", "topics": { "clicks": { "partitions": 2, "racks": [["a"], ["b"]], "loads": [5, 1] } },
//!   "members": [{ "id": "m-1", "topics": ["clicks"], "rack": "a", "owned": { "clicks": [0] }, "generation": 4, "weight": 2 },
//!               { "id": "m-2", "topics": ["clicks"], "instance_id": "i-2" }],
//!   "config": {}, "expect": { "m-1": { "clicks": [0] }, "m-2": { "clicks": [1] } } }
//! ```
//!
//! A strategy that hands out states is held against them as `divvy assignor run` shows them:
//! `"expect": { "m-1": { "role": "active", "epoch": 1, "active": "m-1" } }`.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use bytes::Bytes;
use divvy_guest::abi::{UNKNOWN_LAG, names};
use serde::Deserialize;
use serde_json::{Value, json};

use super::{Assignor, CallError, Column, LeaderInput, MemberInput, Plan, lead};
use crate::embedded::consumer::{Assignment, Subscription, Tail, TopicPartitions};
use crate::embedded::show_state;
use crate::embedded::single_writer::Candidate;
use crate::embedded::user_data::{Facts, UserData};
use crate::ids::{Generation, GroupId, MemberId, TopicName};
use crate::topics::{Topic, TopicTable};

mod once;
mod read;
#[cfg(test)]
mod tests;

pub use read::{read_cases, read_text};

/// Who gets which partitions of which topic.
pub type Shares = BTreeMap<String, BTreeMap<String, Vec<i32>>>;

/// The column that a topic's `loads` become, beside that of lags: a case says how much there is to do only once.
const LOADS: &str = "loads";

/// One case.
#[derive(Clone, Debug)]
pub struct Case {
    /// Its name; a case without one is called by its number in the file.
    pub name: String,
    topics: BTreeMap<String, CaseTopic>,
    members: Vec<CaseMember>,
    config: Value,
    /// Who gets what, exactly: partitions by topic, or a state as it is shown.
    expect: Option<BTreeMap<String, Value>>,
    /// The code of the refusal that is the right answer.
    expect_error: Option<String>,
    /// What holds of the plan.
    expect_props: BTreeMap<String, Value>,
    /// The key, if any, that makes it another kind of case.
    other_kind: Option<&'static str>,
}

#[derive(Clone, Debug)]
struct CaseTopic {
    partitions: u32,
    racks: Option<Vec<Vec<String>>>,
    loads: Option<Vec<u64>>,
    is_connector: bool,
}

#[derive(Clone, Debug)]
struct CaseMember {
    id: String,
    instance_id: Option<String>,
    rack: Option<String>,
    topics: Vec<String>,
    owned: BTreeMap<String, Vec<i32>>,
    generation: i32,
    weight: Option<Value>,
}

impl Case {
    /// Whether it is of the kind that is run here: one group, one round; the error says what makes it another.
    pub fn check_kind(&self) -> Result<(), String> {
        let connector = self.topics.iter().find(|(_, topic)| topic.is_connector);
        match (self.other_kind, connector) {
            (Some("rounds" | "expect_final" | "expect_final_props"), _) => {
                Err("cases of several rounds are not run here".to_owned())
            }
            (Some(key), _) => Err(format!("cases with {key:?} are not run here")),
            (None, Some((name, _))) => Err(format!("topic {name:?} is a connector: connectors are not run here")),
            (None, None) => Ok(()),
        }
    }

    /// Runs a strategy on the group.
    pub fn lead(&self, assignor: &dyn Assignor) -> Result<Plan, CallError> {
        let manifest = assignor.manifest();
        let members: Vec<_> = self
            .members
            .iter()
            .map(|member| MemberInput {
                id: MemberId::from(member.id.as_str()),
                instance: member.instance_id.as_deref().map(Into::into),
                metadata: member.metadata(&manifest.protocol_type),
            })
            .collect();
        let topics = self.topics.iter().map(|(name, topic)| {
            (
                TopicName::from(name.as_str()),
                Topic { partitions: topic.partitions, racks: topic.racks.clone().unwrap_or_default() },
            )
        });
        let loads: BTreeMap<_, _> = self
            .topics
            .iter()
            .map(|(name, topic)| (TopicName::from(name.as_str()), topic.loads.clone().unwrap_or_default()))
            .collect();
        lead(
            assignor,
            &LeaderInput {
                group: &GroupId::from("case"),
                generation: Generation(1),
                protocol: &manifest.protocol(),
                mode: manifest.mode_under(&manifest.protocol(), None),
                protocol_type: &manifest.protocol_type(),
                members: &members,
                topics: &TopicTable(topics.collect()),
                columns: &[
                    Column { name: names::LAG.to_owned(), values: loads.clone(), unknown: UNKNOWN_LAG },
                    Column { name: LOADS.to_owned(), values: loads, unknown: 0 },
                ],
                config: &self.config,
                context: None,
                memo: None,
                now_ms: 0,
                budget_ms: Duration::from_secs(1),
            },
        )
    }

    /// Runs a strategy on the group and holds the outcome against what the case expects; the error says what differs.
    pub fn check(&self, assignor: &dyn Assignor) -> Result<(), String> {
        self.check_kind()?;
        if self.expect.is_none() && self.expect_error.is_none() && self.expect_props.is_empty() {
            return Err("nothing expected: give it \"expect\", \"expect_props\" or \"expect_error\"".to_owned());
        }
        match (self.lead(assignor), &self.expect_error) {
            (Ok(_), Some(code)) => Err(format!("expected the refusal {code:?}, but there is a plan")),
            (Err(fault), Some(code)) if fault.code.as_deref() == Some(code) => Ok(()),
            (Err(fault), _) => Err(fault.to_string()),
            (Ok(plan), None) => match assignor.manifest().protocol_type.as_str() {
                "consumer" => self.check_plan(&shares(&plan)?),
                other => self.check_states(&plan, other),
            },
        }
    }

    /// States are compared as people see them, which is as `divvy assignor run` prints them.
    fn check_states(&self, plan: &Plan, protocol_type: &str) -> Result<(), String> {
        if let Some(name) = self.expect_props.keys().next() {
            return Err(format!("the property {name:?} is about partitions, and type {protocol_type:?} has none"));
        }
        let show = |(id, state): &(MemberId, Bytes)| (id.to_string(), show_state(protocol_type, state));
        let got: BTreeMap<String, Value> = plan.states.iter().map(show).collect();
        match &self.expect {
            Some(expected) if got != *expected => Err(format!("expected {}, got {}", json!(expected), json!(got))),
            _ => Ok(()),
        }
    }

    fn check_plan(&self, shares: &Shares) -> Result<(), String> {
        if let Some(expected) = &self.expect {
            let expected = expected_shares(expected)?;
            let expected = without_empty(&expected);
            let got = without_empty(shares);
            if got != expected {
                return Err(format!("expected {}, got {}", json!(expected), json!(got)));
            }
        }
        self.expect_props.iter().try_for_each(|(name, wanted)| self.check_property(name, wanted, shares))
    }

    fn check_property(&self, name: &str, wanted: &Value, shares: &Shares) -> Result<(), String> {
        let owners = owners(shares);
        match name {
            "all_assigned" if !wanted.is_boolean() => Err(format!("{name} is {wanted}: write true or false")),
            "all_assigned" => match self.read_partitions().find(|at| !owners.contains_key(at)) {
                Some((topic, partition)) if wanted == true => {
                    Err(format!("partition {partition} of {topic:?} has no owner"))
                }
                _ => Ok(()),
            },
            "rack_mismatches" => {
                let got = owners.iter().flat_map(|(at, who)| who.iter().filter(|id| self.is_remote(*at, id))).count();
                if wanted == got {
                    Ok(())
                } else {
                    Err(format!("{got} partitions are in another rack, expected {wanted}"))
                }
            }
            "copartitioned" => {
                let groups: Vec<Vec<&str>> = Deserialize::deserialize(wanted)
                    .map_err(|_| format!("{name} is {wanted}: write lists of topics, such as [[\"t\", \"u\"]]"))?;
                groups.iter().try_for_each(|topics| self.check_copartitioned(topics, &owners))
            }
            _ => Err(format!("the property {name:?} is not known to this version: it cannot be checked")),
        }
    }

    /// All partitions of topics that somebody reads.
    fn read_partitions(&self) -> impl Iterator<Item = (&str, i32)> {
        let read: BTreeSet<&str> = self.members.iter().flat_map(|member| &member.topics).map(String::as_str).collect();
        let known = self.topics.iter().filter(move |(name, _)| read.contains(name.as_str()));
        known.flat_map(|(name, topic)| (0..topic.partitions as i32).map(move |partition| (name.as_str(), partition)))
    }

    /// Whether a member that has a rack has the partition from another one.
    fn is_remote(&self, (topic, partition): (&str, i32), id: &str) -> bool {
        let rack = self.members.iter().find(|member| member.id == id).and_then(|member| member.rack.as_ref());
        let replicas = self.topics.get(topic).and_then(|topic| topic.racks.as_ref()?.get(partition as usize));
        rack.is_some_and(|rack| !rack.is_empty() && !replicas.is_some_and(|replicas| replicas.contains(rack)))
    }

    fn check_copartitioned(&self, topics: &[&str], owners: &Owners<'_>) -> Result<(), String> {
        let partitions = topics.iter().filter_map(|topic| Some(self.topics.get(*topic)?.partitions)).min().unwrap_or(0);
        for partition in 0..partitions as i32 {
            let mut of = topics.iter().map(|topic| owners.get(&(topic, partition)));
            let first = of.next();
            if of.any(|other| Some(other) != first) {
                return Err(format!("partition {partition} of {topics:?} has different owners"));
            }
        }
        Ok(())
    }
}

impl CaseMember {
    fn metadata(&self, protocol_type: &str) -> Bytes {
        let mut facts: Facts = self.weight.iter().map(|weight| ("weight".to_owned(), weight.clone())).collect();
        if protocol_type == "single-writer" {
            facts.extend(self.rack.iter().map(|rack| ("rack".to_owned(), json!(rack))));
            return Candidate { facts }.encode().into();
        }
        let data = (!facts.is_empty()).then(|| UserData { facts, ..UserData::default() }.encode());
        let owned = self
            .owned
            .iter()
            .map(|(topic, numbers)| TopicPartitions { topic, partitions: numbers.iter().copied().collect() });
        let tail = Tail {
            user_data: data.as_deref(),
            owned: owned.collect(),
            generation: self.generation,
            rack: self.rack.as_deref(),
            note: None,
        };
        Subscription { version: 3, topics: self.topics.iter().map(String::as_str).collect(), tail }.encode().into()
    }
}

/// What members get in this round: `{member: {topic: [partitions]}}`.
pub fn shares(plan: &Plan) -> Result<Shares, String> {
    let share = |(id, state): &(MemberId, Bytes)| {
        let assignment =
            Assignment::decode_state(state).map_err(|fault| format!("the state of member {id:?} is {fault}"))?;
        let topics = assignment.topics.iter().map(|of| (of.topic.to_owned(), of.partitions.iter().collect()));
        Ok((id.to_string(), topics.collect()))
    };
    plan.states.iter().map(share).collect()
}

fn expected_shares(expected: &BTreeMap<String, Value>) -> Result<Shares, String> {
    let share = |(id, share): (&String, &Value)| {
        let wrong =
            || format!("\"expect\" of member {id:?} is {share}: write partitions by topic, such as {{\"t\": [0, 1]}}");
        Ok((id.clone(), read::shares(share).ok_or_else(wrong)?))
    };
    expected.iter().map(share).collect()
}

type Owners<'a> = BTreeMap<(&'a str, i32), Vec<&'a str>>;

fn owners(shares: &Shares) -> Owners<'_> {
    let mut owners = Owners::new();
    for (id, topics) in shares {
        for (topic, partitions) in topics {
            partitions.iter().for_each(|&partition| owners.entry((topic, partition)).or_default().push(id));
        }
    }
    owners
}

fn without_empty(shares: &Shares) -> BTreeMap<&str, BTreeMap<&str, &Vec<i32>>> {
    shares
        .iter()
        .map(|(id, topics)| {
            let some = topics.iter().filter(|(_, partitions)| !partitions.is_empty());
            (id.as_str(), some.map(|(topic, partitions)| (topic.as_str(), partitions)).collect())
        })
        .collect()
}
