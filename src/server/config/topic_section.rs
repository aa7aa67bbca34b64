//! `[[topic]]`: a topic that is always there.

use std::collections::BTreeSet;

use toml::de::DeValue;

use super::document::{Report, Section, Table};
use crate::ids::TopicName;
use crate::server::topics::{MAX_PARTITIONS_PER_TOPIC, check};
use crate::topics::{Rack, Topic};

const RACKS: &str =
    r#"a list of at least one rack, or of lists of racks: ["a", "b"] or [["a", "b"], ["b"]], or leave it out"#;

/// All topics. Of one name the first counts, and each other one is a mistake.
pub(super) fn read_all<'d>(tables: Vec<Table<'d>>, report: &'d Report<'d>) -> Vec<(TopicName, Topic)> {
    let mut names = BTreeSet::new();
    let topic = |table: Table<'d>| {
        let place = table.1.clone();
        let (name, topic) = read(table, report)?;
        if !names.insert(name.clone()) {
            report.add(&place, &twice(&name));
            return None;
        }
        Some((name, topic))
    };
    tables.into_iter().filter_map(topic).collect()
}

/// What is said of a name that two have.
pub(super) fn twice(name: &TopicName) -> String {
    format!("topic {name} is configured twice: keep one [[topic]] of that name")
}

/// The topic, if it has all that makes one.
fn read<'d>(table: Table<'d>, report: &'d Report<'d>) -> Option<(TopicName, Topic)> {
    let mut section = Section::new(table, &[], report);
    section.needs("name", r#"name = "clicks""#);
    section.needs("partitions", "partitions = 12");
    let name = section.text("name", "the topic's name in quotes", |text| Some(TopicName::from(text)));
    let partitions = section.number("partitions", 1..=MAX_PARTITIONS_PER_TOPIC.into()).map(count);
    let racks = section.get("racks", RACKS, rack_lists).unwrap_or_default();
    let topic = name.zip(partitions).map(|(name, partitions)| {
        let topic = Topic { partitions, racks: deal(&racks, partitions) };
        if let Err(error) = check(name.as_str(), &topic) {
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
    let hands: Vec<_> = value.as_array()?.iter().map(|value| hand(value.get_ref())).collect::<Option<_>>()?;
    (!hands.is_empty()).then_some(hands)
}

/// Partition `p` gets hand `p` modulo their number.
fn deal(hands: &[Vec<Rack>], partitions: u32) -> Vec<Vec<Rack>> {
    if hands.is_empty() { Vec::new() } else { hands.iter().cycle().take(partitions as usize).cloned().collect() }
}

/// A number of partitions, which was bounded already.
pub(super) fn count(number: u64) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}
