//! A counterexample for people: the law and what breaks it, the group as a table, and the lines of Rust that make it again.

use std::collections::BTreeMap;
use std::fmt::{self, Display, Write};

use super::entry::{Entries, Entry};
use super::group::TestTopic;
use super::search::{Counterexample, SEED};
use super::{TestGroup, TestMember, TestPlan};
use crate::abi::Mode;

impl Display for Counterexample {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Counterexample { seed, tried, .. } = self;
        writeln!(f, "the law {}", self.broken)?;
        writeln!(
            f,
            "\nThe smallest group that shows it (of random group {seed}, {tried} smaller ones tried; {SEED}={seed} begins with it):\n"
        )?;
        f.write_str(&table(&self.group, self.plan.as_ref()))?;
        writeln!(f, "\nTo look at it in a test:\n\n{}\nlet plan = group.plan(assign);", rust(&self.group))
    }
}

/// The group as a table: topics, then members with what they get.
pub fn table(group: &TestGroup, plan: Option<&TestPlan>) -> String {
    let mut topics = vec![["topic", "partitions", "racks"].map(str::to_owned).to_vec()];
    for (name, topic) in &group.topics {
        topics.push(vec![name.clone(), topic.partitions.to_string(), racks_of(topic)]);
    }
    let heads = ["member", "instance", "rack", "reads", "had", "facts", "gets"];
    let mut members = vec![heads.map(str::to_owned).to_vec()];
    for member in group.members.values() {
        members.push(row(member, plan));
    }
    let settings: Vec<String> =
        group.config.0.iter().map(|(name, value)| format!("{name} = {}", short(value))).collect();
    let or_none = |rows: &[Vec<String>], none: &str| if rows.len() > 1 { aligned(rows) } else { format!("  {none}\n") };
    let mut text = or_none(&topics, "no topics");
    text.push('\n');
    text += &or_none(&members, "no members");
    if !settings.is_empty() {
        text += &format!("\nsettings: {}\n", settings.join(", "));
    }
    text
}

/// A place for each partition, `r1+r2, -, r3`; nothing where no partition has a rack.
fn racks_of(topic: &TestTopic) -> String {
    let of = |at: u32| topic.racks.get(at as usize).map(|racks| racks.join("+")).filter(|racks| !racks.is_empty());
    let racks: Vec<Option<String>> = (0..topic.partitions).map(of).collect();
    match racks.iter().any(Option::is_some) {
        true => joined(racks.into_iter().map(|racks| racks.unwrap_or_else(|| "-".to_owned()))),
        false => String::new(),
    }
}

fn row(member: &TestMember, plan: Option<&TestPlan>) -> Vec<String> {
    let facts: Vec<String> = member.facts.0.iter().map(|(name, value)| format!("{name}={}", short(value))).collect();
    let mut had: BTreeMap<&str, Vec<u32>> = BTreeMap::new();
    for (topic, partition) in &member.owned {
        had.entry(topic).or_default().push(*partition);
    }
    let had: Vec<String> = had.into_iter().map(|(topic, numbers)| share(topic, numbers)).collect();
    let gets = plan.map(|plan| plan.members.get(&member.id).into_iter().flatten());
    let gets: Vec<String> = match gets {
        None => vec!["no plan".to_owned()],
        Some(topics) => topics.map(|(topic, numbers)| share(topic, numbers.clone())).collect(),
    };
    let gets = if gets.is_empty() { "nothing".to_owned() } else { gets.join(" ") };
    vec![
        member.id.clone(),
        member.instance_id.clone().unwrap_or_default(),
        member.rack.clone().unwrap_or_default(),
        member.topics.iter().cloned().collect::<Vec<_>>().join(" "),
        had.join(" "),
        facts.join(" "),
        gets,
    ]
}

/// Columns that are empty but for their head are left out.
fn aligned(rows: &[Vec<String>]) -> String {
    let columns = rows.first().map_or(0, Vec::len);
    let width = |at: usize| rows.iter().map(|row| row[at].chars().count()).max().unwrap_or(0);
    let used = |at: &usize| *at == 0 || rows.iter().skip(1).any(|row| !row[*at].is_empty());
    let used: Vec<usize> = (0..columns).filter(used).collect();
    let mut text = String::new();
    for row in rows {
        let cells: Vec<String> = used.iter().map(|at| format!("{:width$}", row[*at], width = width(*at))).collect();
        text += format!("  {}", cells.join("  ")).trim_end();
        text.push('\n');
    }
    text
}

/// `t:0-2,5`
fn share(topic: &str, mut numbers: Vec<u32>) -> String {
    numbers.sort_unstable();
    numbers.dedup();
    let mut runs: Vec<(u32, u32)> = Vec::new();
    for number in numbers {
        match runs.last_mut() {
            Some((_, last)) if *last + 1 == number => *last = number,
            _ => runs.push((number, number)),
        }
    }
    let runs: Vec<String> = runs
        .iter()
        .map(|(first, last)| if first == last { first.to_string() } else { format!("{first}-{last}") })
        .collect();
    format!("{topic}:{}", runs.join(","))
}

fn short(value: &Entry) -> String {
    match value {
        Entry::Text(text) => text.clone(),
        Entry::Number(number) => number.to_string(),
        Entry::Flag(flag) => flag.to_string(),
        Entry::List(entries) => format!("[{}]", entries.iter().map(short).collect::<Vec<_>>().join(", ")),
        Entry::Map(entries) => {
            let entries: Vec<String> =
                entries.iter().map(|(name, value)| format!("{name}: {}", short(value))).collect();
            format!("{{{}}}", entries.join(", "))
        }
    }
}

/// The group as the Rust that makes it.
pub fn rust(group: &TestGroup) -> String {
    let mut text = "let group = TestGroup::new()".to_owned();
    let mut call = |line: String| text += &format!("\n    .{line}");
    for (name, topic) in &group.topics {
        if topic.racks.iter().all(Vec::is_empty) {
            call(format!("topic({name:?}, {})", topic.partitions));
        } else {
            let racks = |at: u32| topic.racks.get(at as usize).map_or(&[][..], Vec::as_slice);
            let racks: Vec<String> = (0..topic.partitions).map(|at| format!("vec!{:?}", racks(at))).collect();
            call(format!("topic_with_racks({name:?}, vec![{}])", racks.join(", ")));
        }
    }
    group.members.values().for_each(|member| call(rust_member(member)));
    entries(&group.config, "config").for_each(&mut call);
    for (name, bytes) in &group.columns {
        call(format!("column({name:?}, vec!{bytes:?})"));
    }
    if group.mode == Mode::Cooperative {
        call("cooperative()".to_owned());
    }
    if group.has_copies {
        call("copies()".to_owned());
    }
    if group.generation != 1 {
        call(format!("generation({})", group.generation));
    }
    if group.seed != 0 {
        call(format!("seed({})", group.seed));
    }
    if group.now_ms != 0 {
        call(format!("now_ms({})", group.now_ms));
    }
    if let Some(memo) = &group.memo {
        call(format!("memo({memo:?})"));
    }
    text + ";"
}

fn rust_member(member: &TestMember) -> String {
    let mut text = format!("member(TestMember::new({:?})", member.id);
    if !member.topics.is_empty() {
        let _ = write!(text, ".reads({:?})", member.topics.iter().collect::<Vec<_>>());
    }
    if let Some(instance_id) = &member.instance_id {
        let _ = write!(text, ".instance_id({instance_id:?})");
    }
    if !member.client_id.is_empty() {
        let _ = write!(text, ".client_id({:?})", member.client_id);
    }
    if let Some(rack) = &member.rack {
        let _ = write!(text, ".rack({rack:?})");
    }
    for fact in entries(&member.facts, "fact") {
        let _ = write!(text, ".{fact}");
    }
    if let Some(data) = &member.user_data {
        let _ = write!(text, ".user_data({data:?})");
    }
    let mut owned: BTreeMap<&str, Vec<u32>> = BTreeMap::new();
    for (topic, partition) in &member.owned {
        owned.entry(topic).or_default().push(*partition);
    }
    for (topic, partitions) in owned {
        let _ = write!(text, ".owned({topic:?}, {partitions:?})");
    }
    text + ")"
}

pub(super) fn entries<'e>(entries: &'e Entries, call: &'e str) -> impl Iterator<Item = String> + 'e {
    entries.0.iter().map(move |(name, value)| format!("{call}({name:?}, {})", rust_entry(value)))
}

fn rust_entry(value: &Entry) -> String {
    match value {
        Entry::Text(text) => format!("{text:?}"),
        Entry::Number(number) => format!("{number:?}"),
        Entry::Flag(flag) => flag.to_string(),
        Entry::List(entries) => format!("Entry::List(vec![{}])", joined(entries.iter().map(nested))),
        Entry::Map(entries) => {
            let entries = entries.iter().map(|(name, value)| format!("({name:?}, {})", nested(value)));
            format!("Entry::map([{}])", joined(entries))
        }
    }
}

fn nested(value: &Entry) -> String {
    match value {
        Entry::List(_) | Entry::Map(_) => rust_entry(value),
        plain => format!("Entry::from({})", rust_entry(plain)),
    }
}

pub(super) fn joined(texts: impl Iterator<Item = String>) -> String {
    texts.collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_group_of_nobody_says_so() {
        assert_eq!(table(&TestGroup::new(), None), "  no topics\n\n  no members\n");
    }

    #[test]
    fn the_table_tells_which_partition_is_in_which_rack() {
        let group = TestGroup::new()
            .topic_with_racks("t", vec![vec![], vec!["r1", "r2"], vec![], vec!["r2"]])
            .topic_with_racks::<String>("u", vec![vec![], vec![]]);
        let text = "  topic  partitions  racks\n  t      4           -, r1+r2, -, r2\n  u      2\n";
        assert!(table(&group, None).starts_with(text), "{}", table(&group, None));
    }
}
