//! Typed values by name: a member's facts, the configuration.

use crate::Refusal;
use crate::abi::msgpack::{Malformed, Reader};
use crate::refusal::push_number;

/// A map of names to values, read where it is. A value that is missing or of another type is `None`.
#[derive(Clone, Copy, Debug)]
pub struct Values<'a> {
    map: &'a [u8],
}

impl<'a> Values<'a> {
    pub(crate) fn new(map: &'a [u8]) -> Self {
        Values { map }
    }

    /// Reads a map that stands inside of another value.
    pub fn read(from: &mut Reader<'a>) -> Result<Self, Malformed> {
        from.raw_map("a map").map(Values::new)
    }

    /// A text.
    pub fn text(&self, name: &str) -> Option<&'a str> {
        self.get(name)?.text("a text").ok()
    }

    /// A number, integer or not.
    pub fn number(&self, name: &str) -> Option<f64> {
        self.get(name)?.number("a number").ok()
    }

    /// True or false.
    pub fn flag(&self, name: &str) -> Option<bool> {
        self.get(name)?.boolean("true or false").ok()
    }

    /// Any value, to be read by hand: lists, maps.
    pub fn get(&self, name: &str) -> Option<Reader<'a>> {
        self.find(name).unwrap_or(None)
    }

    /// Refuses a configuration with keys that nobody reads, and names the nearest of those that are `known`: a misspelt setting
    /// would do nothing for ever.
    ///
    /// ```
    /// use divvy_guest::prelude::*;
    ///
    /// fn assign(group: &Group<'_>, _: &mut Owners) -> Result<(), Refusal> {
    ///     group.config().only(&["copies", "racks"])
    /// }
    /// # let refused = divvy_guest::testing::TestGroup::new().config("copys", 2.0).plan(assign).unwrap_err();
    /// # assert_eq!(refused.message, "config: there is no key \"copys\": did you mean \"copies\"?");
    /// ```
    pub fn only(&self, known: &[&str]) -> Result<(), Refusal> {
        let mut from = Reader::new(self.map);
        for _ in 0..from.map("a map")? {
            let key = from.raw()?;
            from.skip()?;
            let name = Reader::new(key).text("a name").unwrap_or_default();
            if !known.contains(&name) {
                return Err(unknown(name, known));
            }
        }
        Ok(())
    }

    /// Which of some names a setting is, by position; `None` when it is not there, a refusal when it is anything else.
    pub fn choice(&self, name: &str, names: &[&str]) -> Result<Option<usize>, Refusal> {
        let Some(value) = self.get(name) else { return Ok(None) };
        let found = value.clone().text("a name").ok().and_then(|value| names.iter().position(|name| *name == value));
        found.map(Some).ok_or_else(|| {
            let mut remedy = String::from("write ");
            names.iter().enumerate().for_each(|(at, name)| {
                remedy.push_str(if at == 0 { "" } else { " or " });
                push_quoted(&mut remedy, name);
            });
            bad(name, value, &remedy)
        })
    }

    /// A whole number within bounds; `None` when it is not there, a refusal when it is anything else.
    pub fn whole(&self, name: &str, least: u64, most: u64) -> Result<Option<u64>, Refusal> {
        let Some(value) = self.get(name) else { return Ok(None) };
        let number = value.clone().number("a number").ok().filter(|number| *number == number.trunc());
        match number.filter(|number| *number >= least as f64 && *number <= most as f64) {
            Some(number) => Ok(Some(number as u64)),
            None => {
                let mut remedy = String::from("write a whole number from ");
                push_number(&mut remedy, least);
                remedy.push_str(" to ");
                push_number(&mut remedy, most);
                Err(bad(name, value, &remedy))
            }
        }
    }

    /// Lists of texts, `None` when it is not there; a refusal names the item that is anything else.
    pub fn text_lists(&self, name: &str, remedy: &str) -> Result<Option<Vec<Vec<&'a str>>>, Refusal> {
        let Some(value) = self.get(name) else { return Ok(None) };
        let inner = |name: &str, value| each(name, value, remedy, |name, it| text_of(name, it, remedy));
        each(name, value, remedy, inner).map(Some)
    }

    fn find(&self, name: &str) -> Result<Option<Reader<'a>>, Malformed> {
        let mut from = Reader::new(self.map);
        for _ in 0..from.map("a map")? {
            let key = from.raw()?;
            if Reader::new(key).text("a name") == Ok(name) {
                return Ok(Some(from));
            }
            from.skip()?;
        }
        Ok(None)
    }
}

/// Reads a list; of each item the name says where it stands.
fn each<'a, T>(
    name: &str,
    list: Reader<'a>,
    remedy: &str,
    read: impl Fn(&str, Reader<'a>) -> Result<T, Refusal>,
) -> Result<Vec<T>, Refusal> {
    let mut from = list.clone();
    let len = from.array("a list").map_err(|_| bad(name, list, remedy))?;
    let item = |at: usize| {
        let mut place = String::from(name);
        place.push('[');
        push_number(&mut place, at as u64);
        place.push(']');
        let item = read(&place, from.clone())?;
        from.skip()?;
        Ok(item)
    };
    (0..len).map(item).collect()
}

fn text_of<'a>(name: &str, value: Reader<'a>, remedy: &str) -> Result<&'a str, Refusal> {
    value.clone().text("a text").map_err(|_| bad(name, value, remedy))
}

/// The refusal of a setting: its name, its value, and what to write instead.
pub fn bad(name: &str, value: Reader<'_>, remedy: &str) -> Refusal {
    let mut text = String::from("config: ");
    text.push_str(name);
    text.push_str(" is ");
    push_shown(&mut text, value);
    text.push_str(": ");
    text.push_str(remedy);
    Refusal::new("bad_config", text)
}

fn unknown(name: &str, known: &[&str]) -> Refusal {
    let mut text = String::from("config: there is no key ");
    push_quoted(&mut text, name);
    // At most every third letter is wrong.
    let near = known.iter().map(|known| (distance(name, known), *known)).min();
    match near.filter(|(distance, known)| *distance <= known.len().div_ceil(3)) {
        Some((_, near)) => {
            text.push_str(": did you mean ");
            push_quoted(&mut text, near);
            text.push('?');
        }
        None if known.is_empty() => text.push_str(": this strategy has no settings"),
        None => {
            text.push_str(": there are ");
            text.push_str(&known.join(", "));
        }
    }
    Refusal::new("bad_config", text)
}

/// How many letters have to be changed, added or left out (Levenshtein). Only the beginning of a long name is looked at.
fn distance(one: &str, other: &str) -> usize {
    const MOST: usize = 64;
    let (one, other) = (&one.as_bytes()[..one.len().min(MOST)], &other.as_bytes()[..other.len().min(MOST)]);
    let mut row: Vec<usize> = (0..=other.len()).collect();
    for (at, a) in one.iter().enumerate() {
        let mut diagonal = std::mem::replace(&mut row[0], at + 1);
        for (column, b) in other.iter().enumerate() {
            let changed = diagonal + usize::from(a != b);
            diagonal = row[column + 1];
            row[column + 1] = changed.min(diagonal + 1).min(row[column] + 1);
        }
    }
    row[other.len()]
}

/// As much of a text as fits into a sentence.
fn push_quoted(to: &mut String, text: &str) {
    const MOST: usize = 60;
    to.push('"');
    to.extend(text.chars().take(MOST));
    to.push_str(if text.chars().nth(MOST).is_some() { "…\"" } else { "\"" });
}

fn push_shown(to: &mut String, value: Reader<'_>) {
    if let Ok(text) = value.clone().text("a text") {
        push_quoted(to, text);
    } else if let Ok(flag) = value.clone().boolean("a flag") {
        to.push_str(if flag { "true" } else { "false" });
    } else if let Ok(number) = value.clone().number("a number") {
        to.push_str(if number < 0.0 { "-" } else { "" });
        push_number(to, number.abs() as u64);
        if number != number.trunc() {
            let thousandths = ((number.abs() % 1.0) * 1000.0) as u64;
            to.push_str(if thousandths < 10 {
                ".00"
            } else if thousandths < 100 {
                ".0"
            } else {
                "."
            });
            push_number(to, thousandths);
        }
    } else if let Ok(len) = value.clone().array("a list") {
        to.push_str(if len == 0 { "an empty list" } else { "a list of " });
        if len > 0 {
            push_number(to, len as u64);
        }
    } else if value.clone().map("a map").is_ok() {
        to.push_str("a map");
    } else {
        to.push_str("nothing");
    }
}
