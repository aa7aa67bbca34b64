//! `[[group]]`: the settings of the groups whose id matches.

use std::collections::BTreeMap;
use std::ops::Range;

use serde_json::{Number, Value};
use toml::Spanned;
use toml::de::DeValue;

use super::document::{Report, Section, Table};
use super::values::is_protocol_wish;
use crate::group::{Alias, CommitCheck, ForeignPlanCheck, GroupSettings, Lead, LeaderSelection, PlanCheck};
use crate::ids::{Mode, Protocol};

const MATCH: &str = r#"a pattern of group ids, such as "search-*""#;
const ASSIGNORS: &str = r#"a list of assignors, each by name or name@version, such as ["rack-aware@1", "range"]"#;
const CONFIG: &str = "a table for each assignor, such as config.my-assignor = { key = 1 }";
const INTEGER: &str = "a number from -9223372036854775808 to 9223372036854775807";
const FINITE: &str = "a finite number: an assignor is told its configuration as JSON, which has no other";
const PROTOCOL: &str = r#"a protocol that clients offer, such as "range""#;
const FALLBACK: &str = r#"an assignor by name or name@version, such as "range""#;

/// The pattern and its settings, if there is a pattern. The literal is whole: a setting without its key does not
/// compile.
pub(super) fn read<'d>(table: Table<'d>, report: &'d Report<'d>) -> Option<(String, GroupSettings)> {
    let checks = [("enforce", PlanCheck::Enforce), ("warn", PlanCheck::Warn), ("off", PlanCheck::Off)];
    let commits = [("off", CommitCheck::Off), ("warn", CommitCheck::Warn), ("enforce", CommitCheck::Enforce)];
    let foreign =
        [("warn", ForeignPlanCheck::Warn), ("enforce", ForeignPlanCheck::Enforce), ("off", ForeignPlanCheck::Off)];
    let selections = [("keep", LeaderSelection::Keep), ("random", LeaderSelection::Random)];
    let leads = [("members", Lead::Members), ("coordinator", Lead::Coordinator)];
    let mut section = Section::new(table, &["config"], report);
    section.needs("match", r#"match = "search-*""#);
    let pattern = section.text("match", MATCH, not_empty);
    let settings = GroupSettings {
        assignors: section.get("assignors", ASSIGNORS, assignors).unwrap_or_default(),
        config: section.value("config").map(|value| configs(value, report)).unwrap_or_default(),
        fallback: section.text("fallback", FALLBACK, assignor),
        plan_check: section.choice("plan.check", &checks).unwrap_or_default(),
        plan_check_foreign: section.choice("plan.check.foreign", &foreign).unwrap_or_default(),
        leader_selection: section.choice("leader.selection", &selections).unwrap_or_default(),
        commit_check: section.choice("commit.check", &commits).unwrap_or_default(),
        lead: section.choice("lead", &leads).unwrap_or_default(),
        aliases: section.tables("alias").into_iter().filter_map(|table| alias(table, report)).collect(),
    };
    if !settings.aliases.is_empty() && settings.lead == Lead::Members {
        section.wrong("alias names what serves where the coordinator leads: write lead = \"coordinator\" too");
    }
    let mut aliased: Vec<&str> = settings.aliases.iter().map(|alias| alias.protocol.as_str()).collect();
    for name in repeated(&mut aliased) {
        section.wrong(&format!("alias has {name:?} twice, and one module serves under one name: keep one of them"));
    }
    let mut wishes: Vec<&str> = settings.assignors.iter().map(String::as_str).collect();
    for name in repeated(&mut wishes) {
        section.wrong(&format!("assignors has {name:?} twice: keep it at the place that it is to have"));
    }
    section.finish();
    pattern.map(|pattern| (pattern, settings))
}

/// A name that clients offer, and what serves under it.
fn alias<'d>(table: Table<'d>, report: &'d Report<'d>) -> Option<Alias> {
    let modes = [("eager", Mode::Eager), ("cooperative", Mode::Cooperative)];
    let mut section = Section::new(table, &[], report);
    section.needs("protocol", r#"protocol = "range""#);
    section.needs("assignor", r#"assignor = "rack-aware@1""#);
    let protocol = section.text("protocol", PROTOCOL, not_empty);
    let served_by = section.text("assignor", FALLBACK, assignor);
    let says_mode = section.has("mode");
    let mode = section.choice("mode", &modes);
    if let Some(name) = &protocol {
        match (Mode::of_kafkas(&Protocol::from(name.as_str())), mode) {
            (Some(is), Some(said)) if is != said => {
                section.wrong(&format!("mode: every client hands over the other way under {name}: leave it out"));
            }
            (None, None) if !says_mode && !name.contains('@') => section.wrong(&format!(
                "mode is missing here: how clients hand over under {name} is not known; write mode = \"eager\" (all is \
                 given up first) or mode = \"cooperative\""
            )),
            _ => {}
        }
    }
    section.finish();
    Some(Alias { protocol: protocol?, assignor: served_by?, mode })
}

/// The names that are there more than once.
fn repeated<'n>(names: &mut [&'n str]) -> Vec<&'n str> {
    names.sort_unstable();
    let mut twice: Vec<&str> = names.windows(2).filter(|pair| pair[0] == pair[1]).map(|pair| pair[0]).collect();
    twice.dedup();
    twice
}

fn not_empty(text: &str) -> Option<String> {
    (!text.is_empty()).then(|| text.to_owned())
}

fn assignor(text: &str) -> Option<String> {
    is_protocol_wish(text).then(|| text.to_owned())
}

fn assignors(value: &DeValue<'_>) -> Option<Vec<String>> {
    value.as_array()?.iter().map(|value| value.get_ref().as_str().and_then(assignor)).collect()
}

/// The configurations by the assignors' names. They are read one by one: what is wrong in one is said with its own key.
fn configs<'d>(value: &'d Spanned<DeValue<'d>>, report: &Report<'d>) -> BTreeMap<String, Value> {
    let Some(tables) = value.get_ref().as_table() else {
        let place = value.span();
        report.add(&place, &format!("config = {}: write {CONFIG}", report.excerpt(&place)));
        return BTreeMap::new();
    };
    let tables = tables.iter().filter_map(|(name, value)| {
        let key = inner("config", name.get_ref());
        Some((name.get_ref().to_string(), config(&key, (name.get_ref(), name.span()), value, report)?))
    });
    tables.collect()
}

/// One assignor's configuration.
fn config<'d>(
    key: &str,
    (name, name_place): (&str, Range<usize>),
    value: &'d Spanned<DeValue<'d>>,
    report: &Report<'d>,
) -> Option<Value> {
    if let Some((bare, _)) = name.split_once('@') {
        let instead = inner("config", bare);
        let what = "a configuration is by its assignor's name without version, and holds for every version";
        report.add(&name_place, &format!("{key}: {what}: write {instead}"));
        return None;
    }
    if !value.get_ref().is_table() {
        let place = value.span();
        let found = report.excerpt(&place);
        report.add(
            &place,
            &format!("{key} = {found}: write a table of the assignor's keys, such as {key} = {{ key = 1 }}"),
        );
        return None;
    }
    json(key, value, report)
}

/// An assignor's configuration reaches it by way of JSON, which has no dates (they become text), and no infinities
/// (they are refused). `key` is where the value stands, for people.
fn json<'d>(key: &str, value: &'d Spanned<DeValue<'d>>, report: &Report<'d>) -> Option<Value> {
    let wrong = |expected: &str| {
        let place = value.span();
        report.add(&place, &format!("{key} = {}: write {expected}", report.excerpt(&place)));
    };
    Some(match value.get_ref() {
        DeValue::String(text) => Value::String(text.to_string()),
        DeValue::Integer(number) => match i64::from_str_radix(number.as_str(), number.radix()) {
            Ok(number) => Value::from(number),
            Err(_) => {
                wrong(INTEGER);
                return None;
            }
        },
        DeValue::Float(number) => match number.as_str().parse().ok().and_then(Number::from_f64) {
            Some(number) => Value::Number(number),
            None => {
                wrong(FINITE);
                return None;
            }
        },
        DeValue::Boolean(yes) => Value::Bool(*yes),
        DeValue::Datetime(date) => Value::String(date.to_string()),
        DeValue::Array(values) => {
            let read = |(at, value)| json(&format!("{key}[{at}]"), value, report);
            Value::Array(values.iter().enumerate().map(read).collect::<Option<_>>()?)
        }
        DeValue::Table(table) => {
            let entries = table.iter().map(|(name, value)| {
                Some((name.get_ref().to_string(), json(&inner(key, name.get_ref()), value, report)?))
            });
            Value::Object(entries.collect::<Option<_>>()?)
        }
    })
}

/// The key of what stands in a table, as TOML writes it.
fn inner(key: &str, name: &str) -> String {
    let is_bare = !name.is_empty() && name.chars().all(|it| it.is_ascii_alphanumeric() || "-_".contains(it));
    if is_bare { format!("{key}.{name}") } else { format!("{key}.{name:?}") }
}
