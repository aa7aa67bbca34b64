//! The keys of the server itself: everything outside `[[topic]]` and `[[group]]`.

use std::path::PathBuf;

use toml::de::{DeTable, DeValue};

use super::document::{Report, Section, integer};
use super::values::{HostPort, LOG_FILTER, admin_address, data_place, is_log_filter, is_module_name, listen_address};
use super::{Config, ConfigError, LoadHeartbeat, LogFormat, MAX_SHARDS, group_section, kafka_section, topic_section};
use crate::group::GroupLimits;
use crate::sandbox::limits::{MAX_CALL_MS, MAX_MEMORY_MIB};
use crate::sandbox::{CaptureBounds, Ceilings, Trust, read_digest};
use crate::server::topics::MAX_PARTITIONS_PER_TOPIC;

/// Counts, sizes and times are `int32` in the protocol.
const MAX_INT32: u64 = i32::MAX as u64;

/// Longer, and a newcomer would believe that the server hangs.
const MAX_WAIT_MS: u64 = 600_000;

/// Room for the smallest JoinGroup that any client sends.
const MIN_REQUEST_BYTES: u64 = 4096;

/// A note is stored with its offset, and 32 offsets are one record of the store.
const MAX_OFFSET_METADATA_BYTES: u64 = 65_536;

/// The folder is listed with every capture.
const MAX_CAPTURES: u64 = 10_000;

/// Less has no room for a group of a few members.
const MIN_CAPTURE_BYTES: u64 = 65_536;

const LISTEN: &str = r#"ADDRESS:PORT, such as "127.0.0.1:9092""#;
const ADMIN: &str = r#"ADDRESS:PORT, such as "127.0.0.1:9640", or "off""#;
const ADVERTISED: &str = r#"HOST:PORT, such as "divvy.example.org:9092" (an IPv6 address in brackets)"#;
const FOLDER: &str = "the path of a folder, in quotes";
const KEYS: &str = "a list of minisign's public keys, each the word of its .pub file that begins with RW; \
                    an empty list names nobody: leave the key out and every module may serve, or empty the folder to stop all";
const NAMES: &str = r#"a list of strategies by name, such as ["by-size"]"#;
const DIGESTS: &str = "a list of files' SHA-256, such as [\"sha256:…\"] with the 64 digits of each; an empty list names none: leave \
                       the key out and every module may serve, or empty the folder to stop all";
const DATA: &str = r#"the path of a folder, or "memory""#;

/// Reads a whole file.
pub(super) fn read(text: &str, origin: &str) -> Result<Config, ConfigError> {
    let report = Report::new(text, origin);
    let config = match DeTable::parse(text) {
        Ok(table) => {
            let mut top = Section::new((table.get_ref(), 0..0), &[], &report);
            let config = read_server(&mut top, Config::default(), &report);
            top.finish();
            config
        }
        Err(error) => {
            report.add(&error.span().unwrap_or_default(), &syntax(text, &error));
            Config::default()
        }
    };
    let problems = report.into_problems();
    if problems.is_empty() { Ok(config) } else { Err(ConfigError::of(problems)) }
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

/// A key that is missing, or wrong and reported, keeps its default. The literal is whole: a field without its key does
/// not compile.
fn read_server<'d>(top: &mut Section<'d>, default: Config, report: &'d Report<'d>) -> Config {
    let heartbeats = [("ok", LoadHeartbeat::Ok), ("not-ready", LoadHeartbeat::NotReady)];
    let formats = [("text", LogFormat::Text), ("json", LogFormat::Json)];
    Config {
        listen: top.text("listen", LISTEN, listen_address).unwrap_or(default.listen),
        admin: top.text("admin", ADMIN, admin_address).unwrap_or(default.admin),
        advertised_listener: top.text("advertised.listener", ADVERTISED, |text| text.parse::<HostPort>().ok()),
        insecure: top.boolean("insecure").unwrap_or(default.insecure),
        data: top.text("data", DATA, data_place).unwrap_or(default.data),
        limits: read_group_limits(top, default.limits),
        socket_request_max_bytes: top
            .number("socket.request.max.bytes", MIN_REQUEST_BYTES..=MAX_INT32)
            .map_or(default.socket_request_max_bytes, size),
        load_wait: top.milliseconds("load.wait.ms", 0..=MAX_WAIT_MS).unwrap_or(default.load_wait),
        load_heartbeat: top.choice("load.heartbeat", &heartbeats).unwrap_or(default.load_heartbeat),
        topics_auto_create: number_or(top, "topics.auto.create", "off", MAX_PARTITIONS_PER_TOPIC.into())
            .map_or(default.topics_auto_create, |partitions| partitions.map(topic_section::count)),
        kafka: kafka_section::read(top),
        shards: number_or(top, "shards", "auto", MAX_SHARDS as u64).map_or(default.shards, |shards| shards.map(size)),
        assignors: top.text("assignors", FOLDER, folder),
        usual_assignors: default.usual_assignors,
        module_cache: top.text("module.cache", FOLDER, folder),
        trust: Trust {
            keys: top
                .get("module.trusted_keys", KEYS, |value| each(some(value)?, |text| text.parse().ok()))
                .unwrap_or_default(),
            allowed: top
                .get("module.allowed", DIGESTS, |value| each(some(value)?, |text| read_digest(text).ok()))
                .unwrap_or_default(),
            wasi_shim: top.get("module.wasi_shim", NAMES, |value| each(value, name)).unwrap_or_default(),
            ceilings: read_ceilings(top, default.trust.ceilings),
        },
        capture_dir: top.text("capture.dir", FOLDER, folder),
        capture_bounds: read_capture_bounds(top, default.capture_bounds),
        log_format: top.choice("log.format", &formats).unwrap_or(default.log_format),
        log_filter: top.text("log.filter", LOG_FILTER, log_filter).unwrap_or(default.log_filter),
        topics: topic_section::read_all(top.tables("topic"), report),
        groups: top.tables("group").into_iter().filter_map(|it| group_section::read(it, report)).collect(),
    }
}

fn name(text: &str) -> Option<String> {
    is_module_name(text).then(|| text.to_owned())
}

fn read_group_limits(top: &mut Section<'_>, default: GroupLimits) -> GroupLimits {
    GroupLimits {
        min_session_timeout: top
            .milliseconds("group.min.session.timeout.ms", 1..=MAX_INT32)
            .unwrap_or(default.min_session_timeout),
        max_session_timeout: top
            .milliseconds("group.max.session.timeout.ms", 1..=MAX_INT32)
            .unwrap_or(default.max_session_timeout),
        initial_rebalance_delay: top
            .milliseconds("group.initial.rebalance.delay.ms", 0..=MAX_WAIT_MS)
            .unwrap_or(default.initial_rebalance_delay),
        max_size: top.number("group.max.size", 1..=MAX_INT32).map_or(default.max_size, size),
        offset_metadata_max_bytes: top
            .number("offset.metadata.max.bytes", 0..=MAX_OFFSET_METADATA_BYTES)
            .map_or(default.offset_metadata_max_bytes, size),
        offsets_commit_timeout: top
            .milliseconds("offsets.commit.timeout.ms", 1..=MAX_WAIT_MS)
            .unwrap_or(default.offsets_commit_timeout),
        offsets_retention: top.minutes("offsets.retention.minutes", 1..=MAX_INT32).unwrap_or(default.offsets_retention),
        offsets_check_interval: top
            .milliseconds("offsets.retention.check.interval.ms", 1..=MAX_INT32)
            .unwrap_or(default.offsets_check_interval),
    }
}

fn read_ceilings(top: &mut Section<'_>, default: Ceilings) -> Ceilings {
    let mut number = |key, most: u32| top.number(key, 1..=most.into()).and_then(|number| u32::try_from(number).ok());
    Ceilings {
        call_ms: number("module.max_call_ms", MAX_CALL_MS).unwrap_or(default.call_ms),
        memory_mib: number("module.max_memory_mib", MAX_MEMORY_MIB).unwrap_or(default.memory_mib),
    }
}

fn read_capture_bounds(top: &mut Section<'_>, default: CaptureBounds) -> CaptureBounds {
    CaptureBounds {
        files: top.number("capture.max.files", 1..=MAX_CAPTURES).map_or(default.files, size),
        bytes: top.number("capture.max.bytes", MIN_CAPTURE_BYTES..=u64::MAX >> 1).unwrap_or(default.bytes),
    }
}

/// A number from 1, or the word that stands for none.
fn number_or(top: &mut Section<'_>, key: &'static str, word: &str, most: u64) -> Option<Option<u64>> {
    top.get(key, &format!("a number from 1 to {most}, or {word:?}"), |value| match value.as_str() {
        Some(text) => (text == word).then_some(None),
        None => integer(value).filter(|number| (1..=most).contains(number)).map(Some),
    })
}

/// All items of a list, if each can be read.
fn each<T, C: FromIterator<T>>(value: &DeValue<'_>, read: impl Fn(&str) -> Option<T>) -> Option<C> {
    value.as_array()?.iter().map(|item| read(item.get_ref().as_str()?)).collect()
}

/// A list that names nobody would let everybody serve, as if it were not there; who empties one means the opposite.
fn some<'v, 'd>(value: &'v DeValue<'d>) -> Option<&'v DeValue<'d>> {
    value.as_array().is_none_or(|list| !list.is_empty()).then_some(value)
}

fn folder(text: &str) -> Option<PathBuf> {
    (!text.is_empty()).then(|| PathBuf::from(text))
}

fn log_filter(text: &str) -> Option<String> {
    is_log_filter(text).then(|| text.to_owned())
}

fn size(number: u64) -> usize {
    usize::try_from(number).unwrap_or(usize::MAX)
}
