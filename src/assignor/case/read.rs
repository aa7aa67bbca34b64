//! Reading cases: every key is one that there is, and every value is what its key asks for. A case that is read as something
//! else than was meant would hold for ever, so whatever is odd is refused in a sentence: case, key, value, remedy.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Map, Value};

use super::given::{self, Given};
use super::ground::{CaseMember, CaseTopic, Ground, Shares};
use super::laws::{self, Groups};
use super::once::Once;
use super::property::{self, Props};
use super::{Case, KAFKAS_RECORD};

/// Keys that say something about a case, and nothing that is checked: where it comes from, what others make of it.
const REMARKS: [&str; 5] = ["source", "note", "known_deviation", "known_rounds", "kafka_order_dependent"];

/// Keys of cases that take several rounds, or another kind of group: read, and not run here.
const OTHER_KINDS: [&str; 4] = ["rounds", "mode", "connectors", "withheld"];

/// Keys of every case.
const KEYS: [&str; 14] = [
    "name",
    "topics",
    "members",
    "config",
    given::CONTEXT,
    given::MEMO,
    "expect",
    "expect_error",
    "expect_props",
    "expect_final",
    "expect_final_props",
    laws::LAWS,
    "known",
    "known_final",
];

const TOPIC_KEYS: [&str; 5] = ["partitions", "racks", "loads", given::LAG, "connector"];

const MEMBER_KEYS: [&str; 9] =
    ["id", "instance_id", "rack", "topics", "owned", "generation", "weight", given::FACTS, given::METADATA];

/// The key by which a file is more than its cases.
const CASES: &str = "cases";

/// More partitions than any topic of a coordinator has.
const MAX_PARTITIONS: u64 = 1_000_000;

/// A file of cases.
#[derive(Clone, Debug, Default)]
pub struct Cases {
    /// Its cases.
    pub cases: Vec<Case>,
    /// What holds of every plan, by name: laws of partitions or of states.
    pub laws: Vec<String>,
    /// The groups on which that is tried.
    pub groups: Groups,
}

/// Reads the text of a file: one case, a list of them, or an object with laws, cases or both. Whoever asks for the cases alone gets
/// them from each.
pub fn read_text(text: &[u8]) -> Result<Vec<Case>, String> {
    Ok(read_file(text)?.cases)
}

/// Reads the text of a file with all that it says.
pub fn read_file(text: &[u8]) -> Result<Cases, String> {
    let json = parse(text)?;
    match json.as_object().filter(|file| is_file(file)) {
        None => Ok(Cases { cases: read_cases(json)?, ..Cases::default() }),
        Some(file) => {
            if let Some(key) = laws::GROUP_KEYS.iter().find(|key| file.contains_key(**key)) {
                return Err(format!(
                    "{key:?} stands beside \"cases\": write it in \"groups\", as \"groups\": {{{key:?}: …}}"
                ));
            }
            known_keys(file, &[CASES, laws::LAWS, laws::GROUPS], "")?;
            Ok(Cases {
                cases: read_cases(file.get(CASES).cloned().unwrap_or_else(|| Value::Array(Vec::new())))?,
                laws: laws::names(file)?,
                groups: Groups::read(file)?,
            })
        }
    }
}

/// An object that is more than one case: it says cases, or laws and groups of no case of its own.
fn is_file(object: &Map<String, Value>) -> bool {
    let of_one_case = ["members", "topics"].iter().any(|key| object.contains_key(*key));
    object.contains_key(CASES) || object.contains_key(laws::GROUPS) || (object.contains_key(laws::LAWS) && !of_one_case)
}

fn parse(text: &[u8]) -> Result<Value, String> {
    let Once(json) = serde_json::from_slice(text).map_err(|error| {
        let (line, column) = (error.line(), error.column());
        let what = error.to_string();
        let what = what.strip_suffix(&format!(" at line {line} column {column}")).unwrap_or(&what);
        match error.classify() {
            serde_json::error::Category::Data => format!("line {line}, column {column}: {what}"),
            _ => format!("line {line}, column {column}: this is not JSON ({what})"),
        }
    })?;
    Ok(json)
}

/// Reads one case, or a list of them.
pub fn read_cases(json: Value) -> Result<Vec<Case>, String> {
    let list = match json {
        Value::Array(list) => list,
        one => vec![one],
    };
    let read = |(index, value): (usize, &Value)| {
        let number = format!("case {}", index + 1);
        let name = value.get("name").and_then(Value::as_str);
        let place = name.map_or_else(|| number.clone(), |name| format!("case {name:?}"));
        let mut case = case(value).map_err(|fault| format!("{place}: {fault}"))?;
        if case.name.is_empty() {
            case.name = number;
        }
        Ok(case)
    };
    list.iter().enumerate().map(read).collect()
}

fn case(value: &Value) -> Result<Case, String> {
    let value = value.as_object().ok_or_else(|| {
        format!("{} is no case: write {{\"topics\": {{…}}, \"members\": […], \"expect\": {{…}}}}", shown(value))
    })?;
    known_keys(value, &[&KEYS[..], &REMARKS, &OTHER_KINDS].concat(), "")?;
    let other_kind = OTHER_KINDS.into_iter().find(|key| value.contains_key(*key));
    let members = match value.get("members") {
        None if other_kind.is_some() => Vec::new(),
        None => {
            return Err("\"members\" is missing: write \"members\": [{\"id\": \"a\", \"topics\": [\"t\"]}]".to_owned());
        }
        Some(list) => members(list, value.contains_key("topics"))?,
    };
    // Those of an application's own type share no partitions.
    let needs_none = !members.is_empty() && members.iter().all(|member| member.topics.is_empty());
    let topics = match value.get("topics") {
        None if other_kind.is_some() || needs_none => BTreeMap::new(),
        None => return Err("\"topics\" is missing: write \"topics\": {\"t\": {\"partitions\": 3}}".to_owned()),
        Some(topics) => entries(topics, "\"topics\"", r#"{"t": {"partitions": 3}}"#, topic)?,
    };
    let expect = value.get("expect").map(|expect| expectation("\"expect\"", expect, &members)).transpose()?;
    let last = value.get("expect_final").map(|last| final_shares(last, &members)).transpose()?;
    Ok(Case {
        name: optional(value, "name", "a text", text)?.unwrap_or_default(),
        ground: Ground { topics, members },
        given: Given::read(value)?,
        config: optional(value, "config", "an object, as under [[group]] config", object)?.unwrap_or_default(),
        expect,
        expect_error: optional(value, "expect_error", "the code of the refusal, a text", not_empty)?,
        expect_props: properties(value, "expect_props")?,
        expect_final: last,
        expect_final_props: properties(value, "expect_final_props")?,
        laws: laws::laws(value)?,
        known: known(value, "known")?,
        known_final: known(value, "known_final")?,
        other_kind,
    })
}

fn topic(at: &str, value: &Value) -> Result<CaseTopic, String> {
    let value = value.as_object().ok_or_else(|| wrong(at, value, r#"{"partitions": 3}"#))?;
    known_keys(value, &TOPIC_KEYS, at)?;
    let count = |value: &Value| value.as_u64().filter(|&count| count <= MAX_PARTITIONS).map(|count| count as u32);
    let expected = format!("a number from 0 to {MAX_PARTITIONS}");
    let topic = CaseTopic {
        partitions: required(value, at, "partitions", &expected, count)?,
        racks: nested(value, at, "racks", r#"a list of racks for each partition, such as [["a", "b"], ["b"]]"#, racks)?,
        loads: nested(value, at, "loads", "a list with a number for each partition", numbers)?,
        is_connector: nested(value, at, "connector", "true or false", Value::as_bool)?.unwrap_or_default(),
    };
    let partitions = u64::from(topic.partitions);
    one_for_each(at, "racks", partitions, topic.racks.as_ref().map(Vec::len))?;
    one_for_each(at, "loads", partitions, topic.loads.as_ref().map(Vec::len))?;
    Ok(topic)
}

/// A list of what there is of each partition has as many entries.
pub(super) fn one_for_each(at: &str, key: &str, partitions: u64, length: Option<usize>) -> Result<(), String> {
    match length {
        Some(length) if length as u64 != partitions => {
            Err(format!("{at} has {partitions} partitions, but {key:?} has {length} entries: write one for each"))
        }
        _ => Ok(()),
    }
}

fn members(list: &Value, has_topics: bool) -> Result<Vec<CaseMember>, String> {
    let remedy = r#"a list, such as [{"id": "a", "topics": ["t"]}]"#;
    let list = list.as_array().ok_or_else(|| wrong("\"members\"", list, remedy))?;
    let members: Vec<_> =
        list.iter().enumerate().map(|(at, it)| member(at + 1, it, has_topics)).collect::<Result<_, _>>()?;
    let mut ids = BTreeSet::new();
    if let Some(twice) = members.iter().find(|member| !ids.insert(member.id.as_str())) {
        return Err(format!("two members have the id {:?}: give each its own", twice.id));
    }
    let mut instances = BTreeSet::new();
    let mut named = members.iter().filter_map(|member| member.instance_id.as_deref());
    match named.find(|name| !instances.insert(*name)) {
        Some(twice) => Err(format!("two members have the instance_id {twice:?}: give each its own")),
        None => Ok(members),
    }
}

fn member(number: usize, value: &Value, has_topics: bool) -> Result<CaseMember, String> {
    let id = value.get("id").and_then(Value::as_str);
    let at = id.map_or_else(|| format!("member {number}"), |id| format!("member {id:?}"));
    let value = value.as_object().ok_or_else(|| wrong(&at, value, r#"{"id": "a", "topics": ["t"]}"#))?;
    known_keys(value, &MEMBER_KEYS, &at)?;
    let generation = |value: &Value| value.as_i64().and_then(|number| i32::try_from(number).ok());
    let weight = |value: &Value| value.as_f64().filter(|weight| *weight >= 0.0).map(|_| value.clone());
    // A rack and an instance id that are null are none, as on the wire.
    let name = |value: &Value| if value.is_null() { Some(None) } else { text(value).map(Some) };
    Ok(CaseMember {
        id: required(value, &at, "id", "a text that is not empty", not_empty)?,
        instance_id: nested(value, &at, "instance_id", "a text", name)?.flatten(),
        rack: nested(value, &at, "rack", "a text", name)?.flatten(),
        topics: match has_topics || value.contains_key("topics") {
            true => required(value, &at, "topics", "a list of names, such as [\"t\"]", texts)?,
            false => Vec::new(),
        },
        owned: nested(value, &at, "owned", "lists of partitions by topic, such as {\"t\": [0, 1]}", shares)?
            .unwrap_or_default(),
        generation: nested(value, &at, "generation", "a number from -1", generation)?.unwrap_or(-1),
        weight: nested(value, &at, "weight", "a number from 0", weight)?,
    })
}

/// What each member gets: partitions by topic, or a state as `divvy assignor run` shows it.
fn expectation(key: &str, value: &Value, members: &[CaseMember]) -> Result<BTreeMap<String, Value>, String> {
    const EXAMPLE: &str = r#"what each member gets, such as {"a": {"t": [0, 1]}, "b": {}}, or leave the key out"#;
    let by_member = value.as_object().ok_or_else(|| wrong(key, value, EXAMPLE))?;
    let ids: Vec<&str> = members.iter().map(|member| member.id.as_str()).collect();
    for (id, share) in by_member {
        if !members.is_empty() && !ids.contains(&id.as_str()) {
            return Err(format!("{key} names a member {id:?} that is not there: {}", remedy(id, &ids)));
        }
        let lists = share.as_object().ok_or_else(|| wrong(&format!("{key} of member {id:?}"), share, EXAMPLE))?;
        let odd = lists.iter().find(|(_, list)| list.is_array() && partitions(list).is_none());
        if let Some((topic, list)) = odd {
            let at = format!("{key} of member {id:?}, topic {topic:?}");
            return Err(wrong(&at, list, "a list of partitions, such as [0, 1]"));
        }
    }
    Ok(by_member.iter().map(|(id, share)| (id.clone(), share.clone())).collect())
}

fn final_shares(value: &Value, members: &[CaseMember]) -> Result<Shares, String> {
    let key = "\"expect_final\"";
    expectation(key, value, members)?;
    by_member(value).ok_or_else(|| wrong(key, value, r#"partitions by member and topic, such as {"a": {"t": [0]}}"#))
}

fn properties(case: &Map<String, Value>, key: &str) -> Result<Props, String> {
    let props = optional(case, key, r#"an object, such as {"all_assigned": true}"#, object)?;
    let Some(Value::Object(props)) = props else { return Ok(Props::new()) };
    known_keys(&props, &property::NAMES, &format!("{key:?}"))?;
    Ok(props.into_iter().collect())
}

/// What Kafka answers; a text in its place says why there is no answer.
fn known(case: &Map<String, Value>, key: &str) -> Result<Option<Shares>, String> {
    let Some(Value::Object(answers)) = optional(case, key, "an object, answers by implementation", object)? else {
        return Ok(None);
    };
    match answers.get(KAFKAS_RECORD) {
        None | Some(Value::String(_)) => Ok(None),
        Some(answer) => {
            let expected = r#"partitions by member and topic, such as {"a": {"t": [0]}}"#;
            by_member(answer).map(Some).ok_or_else(|| wrong(&format!("{KAFKAS_RECORD:?} in {key:?}"), answer, expected))
        }
    }
}

/// The keys of an object, each of them one that there is.
pub(super) fn known_keys(object: &Map<String, Value>, known: &[&str], at: &str) -> Result<(), String> {
    let place = if at.is_empty() { String::new() } else { format!("{at}: ") };
    match object.iter().find(|(key, _)| !known.contains(&key.as_str())) {
        Some((key, value)) => {
            Err(format!("{place}there is no key {key:?} (it is {}): {}", shown(value), remedy(key, known)))
        }
        None => Ok(()),
    }
}

fn remedy(word: &str, known: &[&str]) -> String {
    // At most every third letter is wrong.
    let scored = known.iter().map(|&name| (strsim::damerau_levenshtein(&word.to_lowercase(), name), name));
    match scored.min().filter(|(distance, name)| *distance <= name.len() / 3) {
        Some((_, name)) => format!("did you mean {name:?}?"),
        None => format!("there are {}", known.join(", ")),
    }
}

fn required<T>(
    object: &Map<String, Value>,
    at: &str,
    key: &str,
    expected: &str,
    read: impl FnOnce(&Value) -> Option<T>,
) -> Result<T, String> {
    let missing = || format!("{at}: {key:?} is missing: write {expected}");
    nested(object, at, key, expected, read)?.ok_or_else(missing)
}

pub(super) fn nested<T>(
    object: &Map<String, Value>,
    at: &str,
    key: &str,
    expected: &str,
    read: impl FnOnce(&Value) -> Option<T>,
) -> Result<Option<T>, String> {
    let Some(value) = object.get(key) else { return Ok(None) };
    read(value).map(Some).ok_or_else(|| wrong(&format!("{at}: {key:?}"), value, expected))
}

pub(super) fn optional<T>(
    case: &Map<String, Value>,
    key: &str,
    expected: &str,
    read: impl FnOnce(&Value) -> Option<T>,
) -> Result<Option<T>, String> {
    let Some(value) = case.get(key) else { return Ok(None) };
    read(value).map(Some).ok_or_else(|| wrong(&format!("{key:?}"), value, expected))
}

fn entries<T>(
    value: &Value,
    at: &str,
    expected: &str,
    read: impl Fn(&str, &Value) -> Result<T, String>,
) -> Result<BTreeMap<String, T>, String> {
    let entries = value.as_object().ok_or_else(|| wrong(at, value, expected))?.iter();
    entries.map(|(name, value)| Ok((name.clone(), read(&format!("topic {name:?}"), value)?))).collect()
}

fn wrong(at: &str, value: &Value, expected: &str) -> String {
    format!("{at} is {}: write {expected}", shown(value))
}

/// A value, as far as it fits into a sentence.
fn shown(value: &Value) -> String {
    const MOST_CHARACTERS: usize = 60;
    let text = value.to_string();
    match text.char_indices().nth(MOST_CHARACTERS) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text,
    }
}

fn text(value: &Value) -> Option<String> {
    value.as_str().map(str::to_owned)
}

fn not_empty(value: &Value) -> Option<String> {
    text(value).filter(|text| !text.is_empty())
}

fn object(value: &Value) -> Option<Value> {
    value.is_object().then(|| value.clone())
}

fn texts(value: &Value) -> Option<Vec<String>> {
    value.as_array()?.iter().map(text).collect()
}

fn racks(value: &Value) -> Option<Vec<Vec<String>>> {
    value.as_array()?.iter().map(texts).collect()
}

fn numbers(value: &Value) -> Option<Vec<u64>> {
    value.as_array()?.iter().map(Value::as_u64).collect()
}

/// A list of partitions; -1 stands for a connector itself.
pub(super) fn partitions(value: &Value) -> Option<Vec<i32>> {
    value.as_array()?.iter().map(|number| i32::try_from(number.as_i64()?).ok().filter(|&number| number >= -1)).collect()
}

/// Partitions by topic.
pub(super) fn shares(value: &Value) -> Option<BTreeMap<String, Vec<i32>>> {
    value.as_object()?.iter().map(|(topic, list)| Some((topic.clone(), partitions(list)?))).collect()
}

/// Partitions by member and topic.
fn by_member(value: &Value) -> Option<Shares> {
    value.as_object()?.iter().map(|(id, topics)| Some((id.clone(), shares(topics)?))).collect()
}
