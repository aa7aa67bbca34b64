//! A plan against another one, for people and for scripts: by member, by topic, in a sentence, as a picture.

use std::path::Path;

use anyhow::Result;
use serde_json::{Value, json};

use super::files;
use super::output::{partitions, table};
use crate::lead::compare::{Counts, Partition, TopicSpread};
use crate::lead::{Comparison, Row, picture};

/// One document of it.
pub fn document(plan: &Comparison) -> Value {
    let Comparison { rows, sizes: _, partitions, moved, new, unowned } = plan;
    let (before, after) = plan.balance();
    let near = plan.near().map(|(before, after)| json!({ "before": before, "after": after }));
    json!({
        "partitions": partitions,
        "moved": moved,
        "new": new,
        "unowned": { "before": unowned.0, "after": unowned.1 },
        "balance": { "before": counts(before), "after": counts(after) },
        "near": near,
        "topics": plan.topics().iter().map(topic).collect::<Vec<_>>(),
        "members": rows.iter().map(member).collect::<Vec<_>>(),
    })
}

fn counts(counts: Counts) -> Value {
    json!({ "least": counts.least, "most": counts.most, "deviation": rounded(counts.deviation) })
}

/// Three digits tell plans apart; more only look exact.
fn rounded(number: f64) -> f64 {
    (number * 1000.0).round() / 1000.0
}

fn topic(spread: &TopicSpread) -> Value {
    json!({
        "topic": spread.topic,
        "partitions": spread.partitions,
        "members": spread.members,
        "moved": spread.moved,
        "unowned": { "before": spread.unowned.0, "after": spread.unowned.1 },
        "balance": { "before": counts(spread.counts.0), "after": counts(spread.counts.1) },
    })
}

fn member(row: &Row) -> Value {
    json!({
        "member": row.name,
        "rack": row.rack,
        "before": by_topic(row.before.iter()),
        "after": by_topic(row.after.iter()),
        "gets": by_topic(row.gets()),
        "gives": by_topic(row.gives()),
        "near": row.near.map(|(before, after)| json!({ "before": before, "after": after })),
    })
}

fn by_topic<'a>(all: impl Iterator<Item = &'a Partition>) -> Value {
    let mut topics = serde_json::Map::new();
    for (topic, number) in all {
        let list = topics.entry(topic.to_string()).or_insert_with(|| json!([]));
        if let Value::Array(list) = list {
            list.push(json!(number));
        }
    }
    Value::Object(topics)
}

/// The members as a table; the words say what both plans are.
pub fn members(plan: &Comparison, [before, after]: [&str; 2]) -> String {
    let rows = plan.rows.iter().map(|row| {
        vec![
            row.name.clone(),
            row.rack.clone().unwrap_or_else(|| "-".to_owned()),
            row.before.len().to_string(),
            row.after.len().to_string(),
            row.near.map_or_else(|| "-".to_owned(), |(before, after)| format!("{before} → {after}")),
            listed(row.gets()),
            listed(row.gives()),
        ]
    });
    table(&["MEMBER", "RACK", before, after, "NEAR", "GETS", "GIVES UP"], rows)
}

/// The topics as a table, the widest spread first.
pub fn topics(plan: &Comparison) -> String {
    let mut topics = plan.topics();
    let width = |it: &TopicSpread| it.counts.1.most - it.counts.1.least;
    topics.sort_by_key(|it| std::cmp::Reverse(width(it)));
    let span = |counts: Counts| format!("{}-{}", counts.least, counts.most);
    let rows = topics.into_iter().map(|it| {
        let (before, after) = it.counts;
        vec![
            it.topic.to_string(),
            it.partitions.to_string(),
            it.members.to_string(),
            it.moved.to_string(),
            format!("{} → {}", span(before), span(after)),
            format!("{} → {}", it.unowned.0, it.unowned.1),
        ]
    });
    table(&["TOPIC", "PARTITIONS", "MEMBERS", "MOVE", "PER MEMBER", "UNOWNED"], rows)
}

fn listed<'a>(all: impl Iterator<Item = &'a Partition>) -> String {
    let mut topics: Vec<(&str, Vec<i32>)> = Vec::new();
    for (topic, number) in all {
        match topics.last_mut() {
            Some((last, list)) if *last == topic.as_str() => list.push(*number),
            _ => topics.push((topic.as_str(), vec![*number])),
        }
    }
    match topics.is_empty() {
        true => "-".to_owned(),
        false => partitions(topics.iter().map(|(topic, list)| (*topic, list.as_slice()))),
    }
}

/// `of 12 partitions 3 move, 0 are new, …`
pub fn summary(plan: &Comparison) -> String {
    let ((least, most), (least_after, most_after)) = plan.spread();
    let mut text = format!("of {} partitions {} move", plan.partitions, plan.moved);
    if plan.new > 0 {
        text.push_str(&format!(", {} find an owner", plan.new));
    }
    if plan.unowned.1 > 0 {
        text.push_str(&format!(", {} stay without one", plan.unowned.1));
    }
    text.push_str(&format!("; a member has {least} to {most}, and would have {least_after} to {most_after}"));
    if let Some((before, after)) = plan.near() {
        text.push_str(&format!("; {before} are near their member, and {after} would be"));
    }
    text
}

/// The same of two plans, of which neither is in force.
pub fn between(plan: &Comparison) -> String {
    let (old, new) = plan.balance();
    let mut text = format!(
        "of {} partitions {} go to another member; a member has {} to {} (deviation {:.2}) in the old plan, {} to {} ({:.2}) \
         in the new",
        plan.partitions, plan.moved, old.least, old.most, old.deviation, new.least, new.most, new.deviation
    );
    if plan.unowned != (0, 0) {
        text.push_str(&format!("; {} have no owner in the old plan, {} in the new", plan.unowned.0, plan.unowned.1));
    }
    if let Some((old, new)) = plan.near() {
        text.push_str(&format!("; {old} are near their member in the old plan, {new} in the new"));
    }
    text
}

/// Draws it into a file.
pub fn draw(plan: &Comparison, title: &str, path: &Path) -> Result<()> {
    files::write("the picture", path, picture::svg(plan, title).as_bytes())
}
