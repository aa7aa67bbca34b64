//! The parts of the configuration, and which topics are whose.

use divvy_guest::abi::msgpack::{Malformed, Reader};
use divvy_guest::bad_setting;
use divvy_guest::prelude::*;
use divvy_guest::strategy::copartition::{Form, form_of, join_of};

/// Parts, and patterns of a part: every topic is held against all of them.
const MOST: usize = 64;

/// Longer than the names of topics are.
const MOST_PATTERN_BYTES: usize = 256;

/// Some topics and how they are planned.
pub struct Part<'g> {
    /// By name.
    pub topics: Vec<Topic<'g>>,
    /// How.
    pub strategy: Strategy<'g>,
    patterns: Vec<&'g str>,
}

/// A strategy with its settings.
pub enum Strategy<'g> {
    /// One run of each topic for each reader.
    Range,
    /// One cursor over all topics of the part.
    RoundRobin,
    /// One member for each topic.
    SingleWriter,
    /// As even as it can be, and what moves for that is the least that there is.
    Sticky,
    /// Partitions of one number go together.
    Copartition {
        /// Sets of topics.
        join: Vec<Vec<&'g str>>,
        /// Sticky or range.
        form: Form,
    },
}

const NAMES: [&str; 5] = ["range", "roundrobin", "copartition", "single-writer", "sticky"];

const EXAMPLE: &str = "write a list of 1 to 64 parts, such as [{ topics = [\"*\"], strategy = \"roundrobin\" }]";

impl<'g> Part<'g> {
    /// Reads the parts and gives each topic to the first one with a pattern for it.
    pub fn all(group: &'g Group<'_>) -> Result<Vec<Self>, Refusal> {
        let config = group.config();
        config.only(&["parts"])?;
        let Some(value) = config.get("parts") else {
            return Err(Refusal::new("bad_config", "config: parts is missing: ".to_owned() + EXAMPLE));
        };
        let tables = |mut from: Reader<'g>| -> Result<Vec<Values<'g>>, Malformed> {
            (0..from.array("parts")?).map(|_| Values::read(&mut from)).collect()
        };
        let tables = tables(value.clone()).ok().filter(|tables| (1..=MOST).contains(&tables.len()));
        let tables = tables.ok_or_else(|| bad_setting("parts", value, EXAMPLE))?;
        let read = |(at, table): (usize, &Values<'g>)| Part::read(table).map_err(|refusal| within(at, &refusal));
        let mut parts: Vec<Self> = tables.iter().enumerate().map(read).collect::<Result<_, _>>()?;
        for topic in group.topics().filter(|topic| topic.len() > 0) {
            let of = parts.iter_mut().find(|part| part.patterns.iter().any(|pattern| matches(pattern, topic.name())));
            of.ok_or_else(|| without_part(topic))?.topics.push(topic);
        }
        parts.iter_mut().for_each(|part| part.join_all(group));
        Ok(parts)
    }

    fn read(table: &Values<'g>) -> Result<Self, Refusal> {
        let strategy = table.choice("strategy", &NAMES)?;
        match strategy {
            Some(2) => table.only(&["topics", "strategy", "join", "form"])?,
            _ => table.only(&["topics", "strategy"])?,
        }
        let strategy = match strategy {
            Some(0) => Strategy::Range,
            Some(1) => Strategy::RoundRobin,
            Some(2) => Strategy::Copartition { join: join_of(table)?.unwrap_or_default(), form: form_of(table)? },
            Some(3) => Strategy::SingleWriter,
            Some(_) => Strategy::Sticky,
            None => {
                return Err(Refusal::new("bad_config", "config: strategy is missing: write strategy = \"roundrobin\""));
            }
        };
        let Some(value) = table.get("topics") else {
            return Err(Refusal::new("bad_config", "config: topics is missing: write topics = [\"*\"]"));
        };
        let texts = |mut from: Reader<'g>| -> Result<Vec<&'g str>, Malformed> {
            (0..from.array("patterns")?).map(|_| from.text("a pattern")).collect()
        };
        let is_fine = |patterns: &Vec<&str>| {
            let fits = |pattern: &&str| (1..=MOST_PATTERN_BYTES).contains(&pattern.len());
            (1..=MOST).contains(&patterns.len()) && patterns.iter().all(fits)
        };
        let patterns = texts(value.clone()).ok().filter(is_fine);
        let remedy = "write 1 to 64 names, * for any characters, such as [\"orders\", \"payments-*\"]";
        let patterns = patterns.ok_or_else(|| bad_setting("topics", value, remedy))?;
        Ok(Part { topics: Vec::new(), strategy, patterns })
    }

    /// Without sets of its own a part's topics are one. A topic that it names and that is not there is missed, not passed over.
    fn join_all(&mut self, group: &Group<'_>) {
        if let Strategy::Copartition { join, .. } = &mut self.strategy
            && join.is_empty()
        {
            let mut all: Vec<&'g str> = self.topics.iter().map(|topic| topic.name()).collect();
            let named = self.patterns.iter().copied().filter(|pattern| !pattern.contains('*'));
            let missing: Vec<&str> = named.filter(|name| group.topic(name).is_none()).collect();
            all.extend(missing);
            join.push(all);
        }
    }
}

/// The refusal of a part says of which.
pub fn within(at: usize, refusal: &Refusal) -> Refusal {
    let mut text = String::from("config: parts[");
    if at >= 10 {
        text.push(char::from(b'0' + (at / 10) as u8));
    }
    text.push(char::from(b'0' + (at % 10) as u8));
    text.push_str("]: ");
    text.push_str(refusal.message().strip_prefix("config: ").unwrap_or(refusal.message()));
    Refusal::new(refusal.code(), text)
}

fn without_part(topic: Topic<'_>) -> Refusal {
    let mut text = String::from("config: no part has a pattern for topic ");
    text.push_str(topic.name());
    text.push_str(": write one at the end, such as { topics = [\"*\"], strategy = \"roundrobin\" }");
    Refusal::new("topic_without_part", text)
}

/// Whether a name is what a pattern says; `*` stands for any characters, none too.
fn matches(pattern: &str, name: &str) -> bool {
    let (pattern, name) = (pattern.as_bytes(), name.as_bytes());
    let (mut at, mut here) = (0, 0);
    // Where the last star stands, and where the name went on behind it: a star takes as little as it can.
    let mut star = None;
    while here < name.len() {
        match pattern.get(at) {
            Some(b'*') => {
                star = Some((at, here));
                at += 1;
            }
            Some(byte) if *byte == name[here] => {
                at += 1;
                here += 1;
            }
            _ => {
                let Some((behind, from)) = star else { return false };
                star = Some((behind, from + 1));
                (at, here) = (behind + 1, from + 1);
            }
        }
    }
    pattern[at..].iter().all(|byte| *byte == b'*')
}

#[cfg(test)]
mod tests {
    use super::matches;

    #[test]
    fn a_star_stands_for_any_characters() {
        let yes =
            [("*", ""), ("*", "a"), ("a", "a"), ("a*", "a"), ("a*b*c", "a-b-b-c"), ("*-x", "a-x-x"), ("a**", "ab")];
        yes.iter().for_each(|(pattern, name)| assert!(matches(pattern, name), "{pattern} {name}"));
        let no =
            [("a", "ab"), ("a*", "b"), ("a*a", "a"), ("*-x", "a-y"), ("a*b*c", "a-c-b"), ("", "a"), ("ab*ba", "aba")];
        no.iter().for_each(|(pattern, name)| assert!(!matches(pattern, name), "{pattern} {name}"));
    }
}
