//! Which keys there are, and what each may say.

use std::ops::Range;

use toml::de::{DeTable, DeValue};

use super::document::{Report, Section, integer};
use super::values::{HostPort, listen_address};
use super::{Config, ConfigError, DataPlace, LoadHeartbeat, LogFormat, MAX_SHARDS};
use crate::group::{GroupLimits, GroupSettings, LeaderSelection, PlanCheck};
use crate::ids::TopicName;
use crate::server::topics::MAX_PARTITIONS_PER_TOPIC;
use crate::topics::{Rack, Topic};

/// Milliseconds travel as `int32` in the protocol.
const MAX_PROTOCOL_MS: u64 = i32::MAX as u64;

/// Longer, and a newcomer would believe that the server hangs.
const MAX_WAIT_MS: u64 = 600_000;

/// Sizes travel as `int32` in the protocol.
const MAX_PROTOCOL_BYTES: u64 = i32::MAX as u64;

/// No client's smallest JoinGroup is longer.
const MIN_REQUEST_BYTES: u64 = 4096;

/// A note is stored with every offset, and 32 offsets are one record of the store.
const MAX_OFFSET_METADATA_BYTES: u64 = 65_536;

/// Reads a whole file.
pub(super) fn read(text: &str, origin: &str) -> Result<Config, ConfigError> {
    let report = Report::new(text, origin);
    let mut config = Config::default();
    match DeTable::parse(text) {
        Ok(table) => {
            let mut top = Section::new(table.get_ref(), 0..0, &[], &report);
            read_server(&mut top, &mut config);
            read_group_limits(&mut top, &mut config.limits);
            for (table, place) in top.tables("topic") {
                config.topics.extend(read_topic(table, place, &report));
            }
            for (table, place) in top.tables("group") {
                config.groups.extend(read_group(table, place, &report));
            }
            top.finish();
        }
        Err(error) => report.add(&error.span().unwrap_or_default(), &syntax(text, &error)),
    }
    let problems = report.into_problems();
    if problems.is_empty() { Ok(config) } else { Err(ConfigError { problems }) }
}

fn syntax(text: &str, error: &toml::de::Error) -> String {
    let what = error.message();
    // TOML cannot have both a table `group` (of Kafka's dotted names) and a list of tables `group`.
    let key = error.span().and_then(|place| text.get(place)).unwrap_or_default();
    if what.contains("duplicate key") && key.trim_matches(['[', ']', '"', '\'', ' ']).starts_with("group") {
        return "beside [[group]] put Kafka's names in quotes, such as \"group.max.size\" = 100, and before the first \
                [[group]] or [[topic]]"
            .to_owned();
    }
    format!("this is not TOML ({})", what.lines().collect::<Vec<_>>().join(", "))
}

fn read_server(top: &mut Section<'_>, config: &mut Config) {
    const ADDRESS: &str = "ADDRESS:PORT, such as \"127.0.0.1:9092\"";
    set(&mut config.listen, top.text("listen", ADDRESS, listen_address));
    let admin = top.text("admin", "ADDRESS:PORT, such as \"127.0.0.1:9640\", or \"off\"", |text| match text {
        "off" => Some(None),
        address => listen_address(address).map(Some),
    });
    set(&mut config.admin, admin);
    let advertised = "HOST:PORT, such as \"divvy.example.org:9092\" (an IPv6 address in brackets)";
    set(
        &mut config.advertised_listener,
        top.text("advertised.listener", advertised, |text| text.parse::<HostPort>().ok().map(Some)),
    );
    set(&mut config.insecure, top.boolean("insecure"));
    let data = top
        .text("data", "the path of a folder, or \"memory\"", |text| (!text.is_empty()).then(|| DataPlace::from(text)));
    set(&mut config.data, data);
    set(
        &mut config.socket_request_max_bytes,
        top.number("socket.request.max.bytes", MIN_REQUEST_BYTES..=MAX_PROTOCOL_BYTES).map(size),
    );
    set(&mut config.load_wait, top.milliseconds("load.wait.ms", 0..=MAX_WAIT_MS));
    set(
        &mut config.load_heartbeat,
        top.choice("load.heartbeat", &[("ok", LoadHeartbeat::Ok), ("not-ready", LoadHeartbeat::NotReady)]),
    );
    set(
        &mut config.topics_auto_create,
        number_or(top, "topics.auto.create", "off", MAX_PARTITIONS_PER_TOPIC.into()).map(|n| n.map(count)),
    );
    set(&mut config.shards, number_or(top, "shards", "auto", MAX_SHARDS as u64).map(|n| n.map(size)));
    set(&mut config.log_format, top.choice("log.format", &[("text", LogFormat::Text), ("json", LogFormat::Json)]));
    let filter = top.text(
        "log.filter",
        "a level, such as \"info\", or a filter, such as \"info,divvy::server=debug\"",
        |text| tracing_subscriber::EnvFilter::builder().parse(text).ok().map(|_| text.to_owned()),
    );
    set(&mut config.log_filter, filter);
}

fn read_group_limits(top: &mut Section<'_>, limits: &mut GroupLimits) {
    set(&mut limits.min_session_timeout, top.milliseconds("group.min.session.timeout.ms", 1..=MAX_PROTOCOL_MS));
    set(&mut limits.max_session_timeout, top.milliseconds("group.max.session.timeout.ms", 1..=MAX_PROTOCOL_MS));
    set(&mut limits.initial_rebalance_delay, top.milliseconds("group.initial.rebalance.delay.ms", 0..=MAX_WAIT_MS));
    set(&mut limits.max_size, top.number("group.max.size", 1..=i32::MAX as u64).map(size));
    set(
        &mut limits.offset_metadata_max_bytes,
        top.number("offset.metadata.max.bytes", 0..=MAX_OFFSET_METADATA_BYTES).map(size),
    );
}

fn read_topic<'d>(table: &'d DeTable<'d>, place: Range<usize>, report: &'d Report<'d>) -> Option<(TopicName, Topic)> {
    let mut section = Section::new(table, place, &[], report);
    for (key, expected) in [("name", "name = \"clicks\""), ("partitions", "partitions = 12")] {
        if !section.says(key) {
            section.lacks(key, expected);
        }
    }
    let name = section.text("name", "the topic's name in quotes", |text| Some(TopicName::from(text)));
    let partitions = section.number("partitions", 1..=MAX_PARTITIONS_PER_TOPIC.into()).map(count);
    let racks = section.get(
        "racks",
        "a list of racks, or of lists of racks: [\"a\", \"b\"] or [[\"a\", \"b\"], [\"b\"]]",
        rack_lists,
    );
    let topic = name.zip(partitions).map(|(name, partitions)| {
        let topic = Topic { partitions, racks: deal(&racks.unwrap_or_default(), partitions) };
        if let Err(error) = crate::server::topics::check(name.as_str(), &topic) {
            section.wrong(&error.message);
        }
        (name, topic)
    });
    section.finish();
    topic
}

/// A list of racks, or of lists of them: the hands that [`deal`] deals.
fn rack_lists(value: &DeValue<'_>) -> Option<Vec<Vec<Rack>>> {
    let rack = |value: &DeValue<'_>| value.as_str().map(str::to_owned);
    let hand = |value: &DeValue<'_>| match value.as_array() {
        Some(racks) => racks.iter().map(|value| rack(value.get_ref())).collect(),
        None => rack(value).map(|rack| vec![rack]),
    };
    value.as_array()?.iter().map(|value| hand(value.get_ref())).collect()
}

/// Partition `p` gets hand `p` modulo their number.
fn deal(hands: &[Vec<Rack>], partitions: u32) -> Vec<Vec<Rack>> {
    if hands.is_empty() { Vec::new() } else { hands.iter().cycle().take(partitions as usize).cloned().collect() }
}

fn read_group<'d>(
    table: &'d DeTable<'d>,
    place: Range<usize>,
    report: &'d Report<'d>,
) -> Option<(String, GroupSettings)> {
    let mut section = Section::new(table, place, &["config"], report);
    let mut settings = GroupSettings::default();
    if !section.says("match") {
        section.lacks("match", "match = \"search-*\", a pattern of group ids");
    }
    let not_empty = |text: &str| (!text.is_empty()).then(|| text.to_owned());
    let pattern = section.text("match", "a pattern of group ids, such as \"search-*\"", not_empty);
    let protocols = "a list of protocols, such as [\"rack-aware@1\", \"range\"]";
    set(&mut settings.assignors, section.get("assignors", protocols, texts));
    let of_each = "a table for each assignor, such as config.rack-aware = { key = 1 }";
    let config = section.get("config", of_each, |value| {
        let tables = value.as_table()?.iter();
        tables
            .map(|(name, value)| {
                Some((name.get_ref().to_string(), json(value.get_ref()).filter(serde_json::Value::is_object)?))
            })
            .collect()
    });
    set(&mut settings.config, config);
    set(&mut settings.fallback, section.text("fallback", "a protocol, such as \"range\"", not_empty).map(Some));
    let checks = [("enforce", PlanCheck::Enforce), ("warn", PlanCheck::Warn), ("off", PlanCheck::Off)];
    set(&mut settings.plan_check, section.choice("plan.check", &checks));
    let selections = [("keep", LeaderSelection::Keep), ("random", LeaderSelection::Random)];
    set(&mut settings.leader_selection, section.choice("leader.selection", &selections));
    section.finish();
    pattern.map(|pattern| (pattern, settings))
}

fn set<T>(field: &mut T, value: Option<T>) {
    if let Some(value) = value {
        *field = value;
    }
}

/// A number from 1, or the word that stands for none.
fn number_or(top: &mut Section<'_>, key: &'static str, word: &str, most: u64) -> Option<Option<u64>> {
    top.get(key, &format!("a number from 1 to {most}, or {word:?}"), |value| match value.as_str() {
        Some(text) => (text == word).then_some(None),
        None => integer(value).filter(|number| (1..=most).contains(number)).map(Some),
    })
}

fn size(number: u64) -> usize {
    usize::try_from(number).unwrap_or(usize::MAX)
}

fn count(number: u64) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}

fn texts(value: &DeValue<'_>) -> Option<Vec<String>> {
    value.as_array()?.iter().map(|value| value.get_ref().as_str().map(str::to_owned)).collect()
}

/// An assignor's configuration reaches it as MessagePack, by way of JSON; a date is its text.
fn json(value: &DeValue<'_>) -> Option<serde_json::Value> {
    use serde_json::Value;
    Some(match value {
        DeValue::String(text) => Value::String(text.to_string()),
        DeValue::Integer(number) => Value::from(i64::from_str_radix(number.as_str(), number.radix()).ok()?),
        DeValue::Float(number) => Value::Number(serde_json::Number::from_f64(number.as_str().parse().ok()?)?),
        DeValue::Boolean(yes) => Value::Bool(*yes),
        DeValue::Datetime(date) => Value::String(date.to_string()),
        DeValue::Array(values) => {
            Value::Array(values.iter().map(|value| json(value.get_ref())).collect::<Option<_>>()?)
        }
        DeValue::Table(table) => {
            let entries = table.iter().map(|(name, value)| Some((name.get_ref().to_string(), json(value.get_ref())?)));
            Value::Object(entries.collect::<Option<_>>()?)
        }
    })
}
