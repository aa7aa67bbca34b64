//! A line of a script, word by word.

use std::collections::VecDeque;

use divvy_guest::abi::UNKNOWN_LAG;
use serde_json::Value;

use crate::embedded::user_data::RACK;
use crate::ids::TopicName;
use crate::topics::{MAX_RACKS_PER_PARTITION, Rack, Topic};
use crate::whatif::life::{Happening, Reads, Spec, topic};
use crate::whatif::limits::{self, MAX_TIME_MS};

/// One line, taken apart: a verb, plain words and `key=value`; what is not taken is a mistake.
pub(super) struct Said<'a> {
    pub(super) verb: &'a str,
    words: VecDeque<&'a str>,
    pub(super) keys: Vec<(&'a str, &'a str)>,
    /// A key that is said twice.
    twice: Option<&'a str>,
}

impl<'a> Said<'a> {
    pub(super) fn of(text: &'a str) -> Self {
        let mut parts = text.split_whitespace();
        let verb = parts.next().unwrap_or_default();
        let (mut words, mut keys, mut twice) = (VecDeque::new(), Vec::new(), None);
        for part in parts {
            match part.split_once('=') {
                Some(pair) => {
                    twice = twice.or_else(|| keys.iter().any(|(key, _)| *key == pair.0).then_some(pair.0));
                    keys.push(pair);
                }
                None => words.push_back(part),
            }
        }
        Self { verb, words, keys, twice }
    }

    pub(super) fn take(&mut self, key: &str) -> Option<&'a str> {
        let at = self.keys.iter().position(|(name, _)| *name == key)?;
        Some(self.keys.remove(at).1)
    }

    pub(super) fn flag(&mut self, word: &str) -> bool {
        let at = self.words.iter().position(|it| *it == word);
        at.and_then(|at| self.words.remove(at)).is_some()
    }

    pub(super) fn one(&mut self, form: &str) -> Result<String, String> {
        self.words.pop_front().map(str::to_owned).ok_or_else(|| format!("it is too short: write `{form}`"))
    }

    pub(super) fn each(&mut self, form: &str, make: impl Fn(String) -> Happening) -> Result<Vec<Happening>, String> {
        let mut all = vec![make(self.one(form)?)];
        all.extend(self.words.drain(..).map(|name| make(name.to_owned())));
        Ok(all)
    }

    pub(super) fn number(&mut self, form: &str, most: u64) -> Result<u64, String> {
        let text = self.one(form)?;
        number(&text, most).ok_or_else(|| format!("{text} is no number from 1 to {most}: write `{form}`"))
    }

    pub(super) fn time(&mut self, key: &str) -> Result<Option<u64>, String> {
        self.take(key).map(parse_time).transpose()
    }

    pub(super) fn racks(&mut self) -> Vec<Rack> {
        self.take("racks").map(list).unwrap_or_default()
    }

    pub(super) fn topic(&mut self) -> Result<(TopicName, Topic), String> {
        const FORM: &str = "topic NAME partitions=N [racks=A,B,C] [replicas=N]";
        let name = TopicName::from(self.one(FORM)?);
        let count = self.take("partitions").and_then(|text| number(text, u64::from(u32::MAX)));
        let count = count.ok_or_else(|| format!("the number of partitions is missing: write `{FORM}`"))?;
        limits::fits(count)?;
        let racks = self.racks();
        let replicas = match self.take("replicas") {
            None => 1,
            Some(text) => number(text, MAX_RACKS_PER_PARTITION as u64)
                .ok_or_else(|| format!("replicas={text} is no number from 1 to {MAX_RACKS_PER_PARTITION}"))?,
        };
        Ok((name, topic(count as u32, &racks, replicas as usize)))
    }

    /// What is left of the line is a member's.
    pub(super) fn spec(&mut self, name: String) -> Result<Spec, String> {
        let is_static = self.flag("static");
        let reads = self.take("topics").map_or(Reads::All, reads);
        let facts = self.keys.drain(..).map(|(key, text)| match key {
            RACK => (key.to_owned(), Value::from(text)),
            _ => (key.to_owned(), value(text)),
        });
        Ok(Spec { is_static, reads, facts: facts.collect(), ..Spec::new(name) })
    }

    pub(super) fn end(&self) -> Result<(), String> {
        if let Some(key) = self.twice {
            return Err(format!("`{key}=` stands twice: strike one of both"));
        }
        let words = self.words.iter().map(|word| (*word).to_owned());
        let mut left = words.chain(self.keys.iter().map(|(key, value)| format!("{key}={value}")));
        left.next().map_or(Ok(()), |word| Err(format!("`{word}` is nothing that `{}` takes: strike it", self.verb)))
    }
}

fn number(text: &str, most: u64) -> Option<u64> {
    text.parse().ok().filter(|number| (1..=most).contains(number))
}

fn list(text: &str) -> Vec<String> {
    text.split(',').map(str::trim).filter(|it| !it.is_empty()).map(str::to_owned).collect()
}

pub(super) fn reads(text: &str) -> Reads {
    match text {
        "*" => Reads::All,
        _ => Reads::These(list(text).into_iter().map(TopicName::from).collect()),
    }
}

/// `5,0,?`: `?` is what nobody knows.
pub(super) fn lags(text: &str) -> Result<Vec<Option<u64>>, String> {
    let wrong = |it: &str| format!("{it} is no lag: write a number, or ? where it is unknown");
    let each = |it: &str| match it {
        "?" => Ok(None),
        // The largest number stands for what is unknown.
        _ => it.parse().ok().filter(|lag| *lag != UNKNOWN_LAG).map(Some).ok_or_else(|| wrong(it)),
    };
    text.split(',').map(|it| each(it.trim())).collect()
}

pub(super) fn value(text: &str) -> Value {
    serde_json::from_str(text).unwrap_or_else(|_| Value::from(text))
}

/// `500ms`, `20s`, `2m`, or milliseconds.
pub fn parse_time(text: &str) -> Result<u64, String> {
    let (digits, factor) = match text {
        _ if text.ends_with("ms") => (&text[..text.len() - 2], 1),
        _ if text.ends_with('s') => (&text[..text.len() - 1], 1_000),
        _ if text.ends_with('m') => (&text[..text.len() - 1], 60_000),
        _ => (text, 1),
    };
    let time = digits.parse::<u64>().ok().and_then(|number| number.checked_mul(factor));
    time.filter(|ms| *ms <= MAX_TIME_MS)
        .ok_or_else(|| format!("{text} is no time: write 500ms, 20s or 2m, at most {}m", MAX_TIME_MS / 60_000))
}
