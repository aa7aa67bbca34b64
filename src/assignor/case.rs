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
//! A topic's `loads` are what a strategy is told of its partitions' loads and of their lags alike; `"lag": [5, null]` beside or
//! without them says the lags alone, null where a lag is unknown. A member's `weight` is its fact of that name; others stand
//! in `"facts": { "cores": 4 }`.
//!
//! `expect` and `expect_props` are about one round, `expect_final` and `expect_final_props` about the last one of a group that
//! hands over step by step. With `"compat": "kafka"` in its configuration a case expects what Kafka makes of it, where that is
//! recorded (`known`, `known_final`).
//!
//! `"laws": ["sticky"]` are laws of the SDK (`divvy_guest::testing::Law`) that hold of the group. A file may also be an object
//! `{"laws": […], "groups": {…}, "cases": […]}`, whose laws are tried on random groups by `divvy assignor test`.
//!
//! A strategy that hands out states is held against them as `divvy assignor run` shows them:
//! `"expect": { "m-1": { "role": "active", "epoch": 1, "active": "m-1" } }`. Of a type of the application's own a case needs no
//! topics; a member's `"metadata": "standby"` is what it says of itself and the case's `"context"` what the application hands to
//! its strategy, and `"memo"` what it remembers, each a text or `{"hex": "00ff"}`; a state is shown as `{"text": "1/2"}`, or in hex if it is no text.

use std::collections::BTreeMap;
use std::time::Duration;

use bytes::Bytes;
use divvy_guest::abi::{UNKNOWN_LAG, names};
use divvy_guest::testing::Law;
use serde_json::{Value, json};

use super::{Assignor, Call, CallError, Column, LeaderInput, Manifest, MemberInput, Plan, lead};
use crate::embedded;
use crate::embedded::consumer::{Assignment, Subscription, Tail, TopicPartitions};
use crate::embedded::show_state;
use crate::embedded::single_writer::Candidate;
use crate::embedded::user_data::{Facts, UserData};
use crate::ids::{Generation, GroupId, MemberId, TopicName};
use crate::topics::{Topic, TopicTable};

mod expectation;
mod given;
mod ground;
mod laws;
mod once;
mod property;
mod read;
mod standard;
#[cfg(test)]
mod tests;

use expectation::Expectation;
use given::Given;
pub use ground::Shares;
use ground::{CaseMember, Ground};
pub use laws::{Groups, as_asked, demanded, plan, plan_states};
pub use once::Once;
use property::Props;
pub use read::{Cases, read_cases, read_file, read_text};

/// The setting under which a strategy gives Kafka's answer, and the version whose answers are recorded.
const COMPAT: &str = "compat";
const KAFKA: &str = "kafka";
const KAFKAS_RECORD: &str = "kafka-3.9";

/// The column that a topic's `loads` become, beside that of lags unless its `lag` says these: mostly a case says only once how
/// much there is to do.
const LOADS: &str = "loads";

/// The type whose members share partitions.
const CONSUMER: &str = "consumer";

const NOTHING_EXPECTED: &str = "nothing expected: give it \"expect\", \"expect_props\", \"laws\" or \"expect_error\"";

/// One case.
#[derive(Clone, Debug, Default)]
pub struct Case {
    /// Its name; a case without one is called by its number in the file.
    pub name: String,
    ground: Ground,
    given: Given,
    config: Value,
    /// Who gets what, exactly: partitions by topic, or a state as it is shown.
    expect: Option<BTreeMap<String, Value>>,
    /// The code of the refusal that is the right answer.
    expect_error: Option<String>,
    /// What holds of the plan.
    expect_props: Props,
    /// Who has what when nothing is withheld any more, and what holds then.
    expect_final: Option<Shares>,
    expect_final_props: Props,
    /// What Kafka answers, and what it comes to in the end.
    known: Option<Shares>,
    known_final: Option<Shares>,
    /// What holds of plans of the group, in the words of the SDK's laws.
    laws: Vec<Law>,
    /// The key, if any, that makes it another kind of case.
    other_kind: Option<&'static str>,
}

impl Case {
    /// Whether it is of the kind that is run here: one group that shares partitions; the error says what makes it another.
    pub fn check_kind(&self) -> Result<(), String> {
        let connector = self.ground.topics.iter().find(|(_, topic)| topic.is_connector);
        match (self.other_kind, connector) {
            (Some("rounds"), _) => Err("cases of several rounds are not run here".to_owned()),
            (Some(key), _) => Err(format!("cases with {key:?} are not run here")),
            (None, Some((name, _))) => Err(format!("topic {name:?} is a connector: connectors are not run here")),
            (None, None) => Ok(()),
        }
    }

    /// The same group, whose strategy is to answer as Kafka's does.
    pub fn as_kafka(&self) -> Case {
        let mut case = self.clone();
        match &mut case.config {
            Value::Object(config) => drop(config.insert(COMPAT.to_owned(), json!(KAFKA))),
            config => *config = json!({ COMPAT: KAFKA }),
        }
        case
    }

    /// Whether Kafka's answer is recorded.
    pub fn is_recorded(&self) -> bool {
        self.known.is_some()
    }

    /// Runs a strategy on the group.
    pub fn lead(&self, assignor: &dyn Assignor) -> Result<Plan, CallError> {
        self.lead_on(&self.ground, assignor)
    }

    /// The call that a leader would make of a strategy when its members arrive one after another, beginning with that one.
    /// In whatever order they do, it is the same call.
    pub fn with_call<R>(
        &self,
        manifest: &Manifest,
        first: usize,
        then: impl FnOnce(&Call<'_>) -> R,
    ) -> Result<R, CallError> {
        self.with_input(&self.ground, manifest, first, |input| Ok(then(&Call::prepare(manifest, input)?)))
    }

    /// How many members it has.
    pub fn members(&self) -> usize {
        self.ground.members.len()
    }

    fn lead_on(&self, ground: &Ground, assignor: &dyn Assignor) -> Result<Plan, CallError> {
        self.with_input(ground, assignor.manifest(), 0, |input| lead(assignor, input))
    }

    fn with_input<R>(
        &self,
        ground: &Ground,
        manifest: &Manifest,
        first: usize,
        then: impl FnOnce(&LeaderInput<'_>) -> R,
    ) -> R {
        let mut members: Vec<_> = ground
            .members
            .iter()
            .map(|member| MemberInput {
                id: MemberId::from(member.id.as_str()),
                instance: member.instance_id.as_deref().map(Into::into),
                metadata: self.metadata(member, &manifest.protocol_type),
            })
            .collect();
        let first = first.checked_rem(members.len()).unwrap_or(0);
        members.rotate_left(first);
        let topics = ground.topics.iter().map(|(name, topic)| {
            (
                TopicName::from(name.as_str()),
                Topic { partitions: topic.partitions, racks: topic.racks.clone().unwrap_or_default() },
            )
        });
        let loads: BTreeMap<_, _> = ground
            .topics
            .iter()
            .map(|(name, topic)| (TopicName::from(name.as_str()), topic.loads.clone().unwrap_or_default()))
            .collect();
        let mut lags = loads.clone();
        lags.extend(self.given.lags.clone());
        then(&LeaderInput {
            group: &GroupId::from("case"),
            generation: Generation(ground.newest_generation().saturating_add(1).max(1)),
            protocol: &manifest.protocol(),
            mode: manifest.mode_under(&manifest.protocol(), None),
            protocol_type: &manifest.protocol_type(),
            members: &members,
            topics: &TopicTable(topics.collect()),
            columns: &[
                Column { name: names::LAG.to_owned(), values: lags, unknown: UNKNOWN_LAG },
                Column { name: LOADS.to_owned(), values: loads, unknown: 0 },
            ],
            config: &self.config,
            context: self.given.context.as_deref(),
            memo: self.given.memo.as_deref(),
            now_ms: 0,
            budget_ms: Duration::from_secs(1),
        })
    }

    /// Runs a strategy on the group and holds the outcome against what the case expects; the error says what differs.
    pub fn check(&self, assignor: &dyn Assignor) -> Result<(), String> {
        self.check_kind()?;
        if assignor.manifest().protocol_type != CONSUMER {
            return self.check_states(assignor);
        }
        let expectation = self.expectation()?;
        self.check_laws(assignor)?;
        match &self.expect_error {
            Some(code) => self.check_refusal(code, self.lead(assignor)),
            None if expectation.is_empty() && self.laws.is_empty() => Err(NOTHING_EXPECTED.to_owned()),
            None if expectation.is_empty() => Ok(()),
            None => expectation.check(&self.ground, |ground| {
                let plan = self.lead_on(ground, assignor).map_err(|fault| fault.to_string())?;
                shares(&plan)
            }),
        }
    }

    /// Where Kafka's answer is asked for and recorded, that is the answer.
    fn expectation(&self) -> Result<Expectation, String> {
        if self.config.get(COMPAT).is_some_and(|compat| compat == KAFKA) && self.is_recorded() {
            let (exact, last) = (self.known.clone(), self.known_final.clone());
            return Ok(Expectation { exact, last, ..Expectation::default() });
        }
        Ok(Expectation {
            exact: self.expect.as_ref().map(expected_shares).transpose()?,
            props: self.expect_props.clone(),
            last: self.expect_final.clone(),
            last_props: self.expect_final_props.clone(),
        })
    }

    fn check_refusal(&self, code: &str, outcome: Result<Plan, CallError>) -> Result<(), String> {
        match outcome {
            Ok(_) => Err(format!("expected the refusal {code:?}, but there is a plan")),
            Err(fault) if fault.code.as_deref() == Some(code) => Ok(()),
            Err(fault) => Err(fault.to_string()),
        }
    }

    /// States are compared as people see them, which is as `divvy assignor run` prints them.
    fn check_states(&self, assignor: &dyn Assignor) -> Result<(), String> {
        let protocol_type = assignor.manifest().protocol_type.as_str();
        if let Some(law) = self.laws.first() {
            return Err(format!("the law {law} is about partitions, and type {protocol_type:?} has none"));
        }
        if let Some(name) = self.expect_props.keys().chain(self.expect_final_props.keys()).next() {
            return Err(format!("the property {name:?} is about partitions, and type {protocol_type:?} has none"));
        }
        if let Some(code) = &self.expect_error {
            return self.check_refusal(code, self.lead(assignor));
        }
        let Some(expected) = &self.expect else { return Err(NOTHING_EXPECTED.to_owned()) };
        let plan = self.lead(assignor).map_err(|fault| fault.to_string())?;
        let show = |(id, state): &(MemberId, Bytes)| {
            let is_hex = expected.get(id.as_str()).is_some_and(|state| state.get("hex").is_some());
            let is_own = embedded::find(protocol_type).is_none();
            let shown = if is_hex && is_own { embedded::show_hex(state) } else { shown_state(protocol_type, state) };
            (id.to_string(), shown)
        };
        let got: BTreeMap<String, Value> = plan.states.iter().map(show).collect();
        if got == *expected { Ok(()) } else { Err(format!("expected {}, got {}", json!(expected), json!(got))) }
    }
}

/// A state for people: of an application's own type as text, if it is one, and all of it.
pub fn shown_state(protocol_type: &str, state: &[u8]) -> Value {
    match embedded::printable(state) {
        Some(text) if embedded::find(protocol_type).is_none() => json!({ "text": text }),
        _ => show_state(protocol_type, state),
    }
}

impl Case {
    /// What a member says of itself.
    fn metadata(&self, member: &CaseMember, protocol_type: &str) -> Bytes {
        if let Some(own) = self.given.metadata.get(&member.id) {
            return own.clone();
        }
        if member.topics.is_empty() && embedded::find(protocol_type).is_none() {
            return Bytes::new();
        }
        metadata(member, self.given.facts.get(&member.id), protocol_type)
    }
}

fn metadata(member: &CaseMember, facts: Option<&Facts>, protocol_type: &str) -> Bytes {
    let mut facts = facts.cloned().unwrap_or_default();
    facts.extend(member.weight.iter().map(|weight| ("weight".to_owned(), weight.clone())));
    if protocol_type == "single-writer" {
        facts.extend(member.rack.iter().map(|rack| ("rack".to_owned(), json!(rack))));
        return Candidate { facts }.encode().into();
    }
    let data = (!facts.is_empty()).then(|| UserData { facts, ..UserData::default() }.encode());
    let owned = member
        .owned
        .iter()
        .map(|(topic, numbers)| TopicPartitions { topic, partitions: numbers.iter().copied().collect() });
    let tail = Tail {
        user_data: data.as_deref(),
        owned: owned.collect(),
        generation: member.generation,
        rack: member.rack.as_deref(),
        note: None,
    };
    Subscription { version: 3, topics: member.topics.iter().map(String::as_str).collect(), tail }.encode().into()
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
