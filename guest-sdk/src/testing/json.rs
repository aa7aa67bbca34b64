//! A group as a case of a file of vectors, for `divvy assignor check` and `test`: topics and members, a line each.

use std::collections::BTreeMap;

use super::entry::{Entries, Entry};
use super::law::Law;
use super::{TestGroup, TestMember};

/// The case of that name that expects the law to hold. What a case cannot say (clock, seed, columns, user data) is left out.
pub fn case(group: &TestGroup, name: &str, law: Law) -> String {
    let topics: Vec<String> = group
        .topics
        .iter()
        .map(|(name, topic)| {
            let racks = |at: u32| list(topic.racks.get(at as usize).into_iter().flatten().map(|rack| quoted(rack)));
            let racks = match topic.racks.iter().all(Vec::is_empty) {
                true => String::new(),
                false => format!(", \"racks\": {}", list((0..topic.partitions).map(racks))),
            };
            format!("    {}: {{ \"partitions\": {}{racks} }}", quoted(name), topic.partitions)
        })
        .collect();
    let members: Vec<String> =
        group.members.values().map(|it| format!("    {}", member(it, group.generation - 1))).collect();
    let mut lines = vec![
        format!("  \"name\": {}", quoted(name)),
        format!("  \"topics\": {}", block('{', &topics, '}')),
        format!("  \"members\": {}", block('[', &members, ']')),
    ];
    if !group.config.0.is_empty() {
        lines.push(format!("  \"config\": {}", object(&group.config.0)));
    }
    if let Some(memo) = &group.memo {
        let hex: String = memo.iter().map(|byte| format!("{byte:02x}")).collect();
        lines.push(format!("  \"memo\": {{ \"hex\": \"{hex}\" }}"));
    }
    lines.push(format!("  \"laws\": [{}]", quoted(&law.to_string())));
    format!("{{\n{}\n}}", lines.join(",\n"))
}

fn member(member: &TestMember, generation: i32) -> String {
    let mut keys = vec![format!("\"id\": {}", quoted(&member.id))];
    if let Some(instance_id) = &member.instance_id {
        keys.push(format!("\"instance_id\": {}", quoted(instance_id)));
    }
    if let Some(rack) = &member.rack {
        keys.push(format!("\"rack\": {}", quoted(rack)));
    }
    keys.push(format!("\"topics\": {}", list(member.topics.iter().map(|topic| quoted(topic)))));
    let mut owned: BTreeMap<&str, Vec<u32>> = BTreeMap::new();
    for (topic, partition) in &member.owned {
        owned.entry(topic).or_default().push(*partition);
    }
    if !owned.is_empty() {
        let owned =
            owned.iter().map(|(topic, of)| format!("{}: {}", quoted(topic), list(of.iter().map(u32::to_string))));
        keys.push(format!("\"owned\": {{ {} }}, \"generation\": {generation}", owned.collect::<Vec<_>>().join(", ")));
    }
    let Entries(facts) = &member.facts;
    if !facts.is_empty() {
        keys.push(format!("\"facts\": {}", object(facts)));
    }
    format!("{{ {} }}", keys.join(", "))
}

fn block(open: char, lines: &[String], close: char) -> String {
    if lines.is_empty() { format!("{open}{close}") } else { format!("{open}\n{}\n  {close}", lines.join(",\n")) }
}

fn list(items: impl Iterator<Item = String>) -> String {
    format!("[{}]", items.collect::<Vec<_>>().join(", "))
}

fn object(entries: &[(String, Entry)]) -> String {
    let entries = entries.iter().map(|(name, value)| format!("{}: {}", quoted(name), json(value)));
    format!("{{ {} }}", entries.collect::<Vec<_>>().join(", "))
}

fn json(value: &Entry) -> String {
    match value {
        Entry::Text(text) => quoted(text),
        // JSON has no word for what is no number.
        Entry::Number(number) if number.is_finite() => number.to_string(),
        Entry::Number(_) => "null".to_owned(),
        Entry::Flag(flag) => flag.to_string(),
        Entry::List(entries) => list(entries.iter().map(json)),
        Entry::Map(entries) => object(entries),
    }
}

fn quoted(text: &str) -> String {
    let mut quoted = String::from('"');
    for character in text.chars() {
        match character {
            '"' | '\\' => quoted.extend(['\\', character]),
            other if other.is_control() => quoted += &format!("\\u{:04x}", other as u32),
            other => quoted.push(other),
        }
    }
    quoted.push('"');
    quoted
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_case_says_all_that_a_strategy_may_look_at() {
        let group = TestGroup::new()
            .topic("t", 1)
            .topic_with_racks("u", vec![vec!["r1", "r2"], vec![]])
            .member(
                TestMember::new("a").reads(["t", "u"]).instance_id("i").rack("r1").fact("weight", 2.0).owned("t", [0]),
            )
            .member(TestMember::new("b\"\n"))
            .config("strict", true)
            .generation(4);
        let expected = r#"{
  "name": "n",
  "topics": {
    "t": { "partitions": 1 },
    "u": { "partitions": 2, "racks": [["r1", "r2"], []] }
  },
  "members": [
    { "id": "a", "instance_id": "i", "rack": "r1", "topics": ["t", "u"], "owned": { "t": [0] }, "generation": 3, "facts": { "weight": 2 } },
    { "id": "b\"\u000a", "topics": [] }
  ],
  "config": { "strict": true },
  "laws": ["balanced(1)"]
}"#;
        assert_eq!(case(&group, "n", Law::Balanced(1)), expected);
        assert!(case(&TestGroup::new(), "", Law::Sticky).contains("\"topics\": {},\n  \"members\": [],"));
    }
}
