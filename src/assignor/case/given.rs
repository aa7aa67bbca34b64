//! What a strategy is told of a case's group beyond its ground: lags, facts, bytes of the application's own. No property looks at
//! them.

use std::collections::BTreeMap;

use bytes::Bytes;
use divvy_guest::abi::UNKNOWN_LAG;
use serde_json::{Map, Value};

use super::read::{nested, one_for_each, optional};
use crate::embedded::user_data::Facts;
use crate::ids::TopicName;

/// The key of a topic's lags, and of a member's facts.
pub(super) const LAG: &str = "lag";
pub(super) const FACTS: &str = "facts";

/// What a member says of itself, and what the application hands to its strategy, in bytes of its own.
pub(super) const METADATA: &str = "metadata";
pub(super) const CONTEXT: &str = "context";

/// What the strategy wanted to remember.
pub(super) const MEMO: &str = "memo";

const BYTES: &str = r#"a text, or {"hex": "00ff"}"#;

/// The fact that has a key of its own.
const WEIGHT: &str = "weight";

/// By topic and by member.
#[derive(Clone, Debug, Default)]
pub(super) struct Given {
    /// How far the group is behind in each partition of a topic whose `lag` says so.
    pub lags: BTreeMap<TopicName, Vec<u64>>,
    /// What members say of themselves beside `weight`.
    pub facts: BTreeMap<String, Facts>,
    /// What they say as a whole, where a case says it in bytes.
    pub metadata: BTreeMap<String, Bytes>,
    /// What the application hands to its strategy.
    pub context: Option<Bytes>,
    /// What the strategy wanted to remember when it made the last plan.
    pub memo: Option<Bytes>,
}

impl Given {
    /// Of a case whose topics and members are read already.
    pub(super) fn read(case: &Map<String, Value>) -> Result<Self, String> {
        let mut given = Self {
            context: optional(case, CONTEXT, BYTES, bytes)?,
            memo: optional(case, MEMO, BYTES, bytes)?,
            ..Self::default()
        };
        for (name, topic) in case.get("topics").and_then(Value::as_object).into_iter().flatten() {
            given.lags.extend(lag(name, topic)?.map(|lag| (TopicName::from(name.as_str()), lag)));
        }
        for member in case.get("members").and_then(Value::as_array).into_iter().flatten() {
            let id = member.get("id").and_then(Value::as_str).unwrap_or_default();
            given.facts.extend(facts(id, member)?.map(|facts| (id.to_owned(), facts)));
            if let Some(member) = member.as_object() {
                let own = nested(member, &format!("member {id:?}"), METADATA, BYTES, bytes)?;
                given.metadata.extend(own.map(|own| (id.to_owned(), own)));
            }
        }
        Ok(given)
    }
}

fn bytes(value: &Value) -> Option<Bytes> {
    if let Some(text) = value.as_str() {
        return Some(Bytes::copy_from_slice(text.as_bytes()));
    }
    let hex = value.as_object().filter(|object| object.len() == 1)?.get("hex")?.as_str()?;
    let digits: Vec<u8> = hex.chars().map(|c| Some(c.to_digit(16)? as u8)).collect::<Option<_>>()?;
    let pairs = digits.chunks_exact(2);
    pairs.remainder().is_empty().then(|| pairs.map(|pair| pair[0] << 4 | pair[1]).collect())
}

fn lag(name: &str, topic: &Value) -> Result<Option<Vec<u64>>, String> {
    const EXPECTED: &str = "a list with a number for each partition, null where it is unknown, such as [5, null, 0]";
    let Some(topic) = topic.as_object() else { return Ok(None) };
    let number = |value: &Value| match value {
        Value::Null => Some(UNKNOWN_LAG),
        known => known.as_u64().filter(|&lag| lag != UNKNOWN_LAG),
    };
    let at = format!("topic {name:?}");
    let lag =
        nested(topic, &at, LAG, EXPECTED, |list| list.as_array()?.iter().map(number).collect::<Option<Vec<_>>>())?;
    let partitions = topic.get("partitions").and_then(Value::as_u64).unwrap_or_default();
    one_for_each(&at, LAG, partitions, lag.as_ref().map(Vec::len))?;
    Ok(lag)
}

fn facts(id: &str, member: &Value) -> Result<Option<Facts>, String> {
    let Some(member) = member.as_object() else { return Ok(None) };
    let at = format!("member {id:?}");
    let object = |value: &Value| value.as_object().map(|facts| facts.clone().into_iter().collect::<Facts>());
    let facts = nested(member, &at, FACTS, r#"an object, such as {"cores": 4}"#, object)?;
    if member.contains_key(WEIGHT) && facts.as_ref().is_some_and(|facts| facts.contains_key(WEIGHT)) {
        return Err(format!("{at}: {WEIGHT:?} stands in {FACTS:?} and beside it: keep one of them"));
    }
    Ok(facts)
}
