//! `[[group]]`: the settings of the groups whose id matches.

use std::collections::BTreeMap;

use serde_json::{Number, Value};
use toml::de::DeValue;

use super::document::{Report, Section, Table};
use super::values::is_protocol_wish;
use crate::group::{Alias, CommitCheck, ForeignPlanCheck, GroupSettings, Lead, LeaderSelection, PlanCheck};
use crate::ids::{Mode, Protocol};

const MATCH: &str = r#"a pattern of group ids, such as "search-*""#;
const ASSIGNORS: &str = r#"a list of assignors, each by name or name@version, such as ["rack-aware@1", "range"]"#;
const CONFIG: &str = "a table for each assignor, such as config.my-assignor = { key = 1 }";
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
        config: section.get("config", CONFIG, tables).unwrap_or_default(),
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
    let mode = section.choice("mode", &modes);
    if let Some(name) = &protocol {
        match (Mode::of_kafkas(&Protocol::from(name.as_str())), mode) {
            (Some(is), Some(said)) if is != said => {
                section.wrong(&format!("mode: every client hands over the other way under {name}: leave it out"));
            }
            (None, None) if !name.contains('@') => section.wrong(&format!(
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

fn tables(value: &DeValue<'_>) -> Option<BTreeMap<String, Value>> {
    let tables = value.as_table()?.iter();
    tables.map(|(name, value)| Some((name.get_ref().to_string(), object(value.get_ref())?))).collect()
}

fn object(value: &DeValue<'_>) -> Option<Value> {
    json(value).filter(Value::is_object)
}

/// An assignor's configuration reaches it by way of JSON, which has no dates (they become text), and no infinities
/// (they are refused).
fn json(value: &DeValue<'_>) -> Option<Value> {
    Some(match value {
        DeValue::String(text) => Value::String(text.to_string()),
        DeValue::Integer(number) => Value::from(i64::from_str_radix(number.as_str(), number.radix()).ok()?),
        DeValue::Float(number) => Value::Number(Number::from_f64(number.as_str().parse().ok()?)?),
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
