//! The settings that hold, for those who ask: DescribeConfigs, the admin port. All of them come from `divvy.toml` and the
//! command line, so all are read-only here.

use std::time::Duration;

use serde_json::Value;

use super::config::{Config, HostPort};
use crate::coordinator::SettingsBook;
use crate::group::{GroupLimits, GroupSettings};
use crate::ids::GroupId;

/// A setting.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Setting {
    /// Its key in `divvy.toml`: Kafka's name, where Kafka has one.
    pub name: String,
    /// Its value, as text.
    pub value: String,
    /// What kind of value it is.
    pub kind: Kind,
    /// Whether it is the one that holds when nobody says anything.
    pub is_default: bool,
    /// What it means.
    pub meaning: &'static str,
}

/// The kinds of values, with Kafka's numbers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// Yes or no.
    Boolean = 1,
    /// A text.
    Text = 2,
    /// A number up to `i32::MAX`.
    Int = 3,
    /// A larger number.
    Long = 5,
}

/// The bounds that hold for every group.
pub fn limits(limits: &GroupLimits) -> Vec<Setting> {
    let told = |limits: &GroupLimits| {
        [
            (
                "group.min.session.timeout.ms",
                ms(limits.min_session_timeout),
                "the shortest session timeout of a member",
            ),
            ("group.max.session.timeout.ms", ms(limits.max_session_timeout), "the longest session timeout of a member"),
            (
                "group.initial.rebalance.delay.ms",
                ms(limits.initial_rebalance_delay),
                "how long a new group waits for more members",
            ),
            ("group.max.size", limits.max_size.to_string(), "the most members of one group"),
            (
                "offset.metadata.max.bytes",
                limits.offset_metadata_max_bytes.to_string(),
                "the longest note that may stand with a committed offset",
            ),
            (
                "offsets.commit.timeout.ms",
                ms(limits.offsets_commit_timeout),
                "how long the answer to a write waits for the store",
            ),
            (
                "offsets.retention.minutes",
                (limits.offsets_retention.as_secs() / 60).to_string(),
                "how long offsets are kept that nobody works with",
            ),
            (
                "offsets.retention.check.interval.ms",
                ms(limits.offsets_check_interval),
                "how often such offsets are looked for",
            ),
        ]
    };
    compared(told(limits), told(&GroupLimits::default()), Kind::Int)
}

/// All that is told of the server, which clients are told to find there.
pub(crate) fn of_server(config: &Config, advertised: &HostPort) -> Vec<Setting> {
    let mut all = limits(&config.limits);
    let default = Config::default();
    let numbers = |config: &Config| {
        [
            (
                "socket.request.max.bytes",
                config.socket_request_max_bytes.to_string(),
                "the longest request that is read",
            ),
            (
                "num.partitions",
                config.topics_auto_create.unwrap_or(super::limits::DEFAULT_PARTITIONS).to_string(),
                "the partitions of a topic whose maker does not say (topics.auto.create)",
            ),
        ]
    };
    all.extend(compared(numbers(config), numbers(&default), Kind::Int));
    let creates = |config: &Config| {
        let yes = config.topics_auto_create.is_some().to_string();
        [("auto.create.topics.enable", yes, "whether naming a topic makes it (topics.auto.create)")]
    };
    all.extend(compared(creates(config), creates(&default), Kind::Boolean));
    let places = |listen: String, advertised: String| {
        [
            ("advertised.listeners", advertised, "where clients are told to connect"),
            ("listeners", listen, "where clients connect"),
        ]
    };
    let plain = |place: &dyn std::fmt::Display| format!("PLAINTEXT://{place}");
    let usual = || plain(&default.listen);
    all.extend(compared(places(plain(&config.listen), plain(advertised)), places(usual(), usual()), Kind::Text));
    all
}

/// What the operator decided for a group. The keys are those of `[[group]]`.
pub(crate) fn of_group(config: &Config, group: &GroupId) -> Vec<Setting> {
    let settings = SettingsBook::new(config.groups.iter().cloned()).of(group);
    let default = told(&GroupSettings::default());
    let setting = |(key, value): (String, Value)| Setting {
        is_default: default.get(&key) == Some(&value),
        name: key.replace('_', "."),
        kind: Kind::Text,
        value: match value {
            Value::String(text) => text,
            Value::Null => String::new(),
            other => other.to_string(),
        },
        meaning: "a key of [[group]]: see `divvy serve --print-config`",
    };
    told(&settings).into_iter().map(setting).collect()
}

fn told(settings: &GroupSettings) -> serde_json::Map<String, Value> {
    match serde_json::to_value(settings) {
        Ok(Value::Object(keys)) => keys,
        // Settings are plain data with text keys.
        _ => serde_json::Map::new(),
    }
}

type Told = (&'static str, String, &'static str);

fn compared<const N: usize>(now: [Told; N], default: [Told; N], kind: Kind) -> Vec<Setting> {
    let setting = |((name, value, meaning), (_, default, _)): (Told, Told)| {
        let kind = if kind == Kind::Int && value.parse::<i32>().is_err() { Kind::Long } else { kind };
        Setting { name: name.to_owned(), is_default: value == default, value, kind, meaning }
    };
    now.into_iter().zip(default).map(setting).collect()
}

fn ms(time: Duration) -> String {
    time.as_millis().to_string()
}
