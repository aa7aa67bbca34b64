//! A TOML file as sections of dotted keys, each with its line: what is asked for is checked, what nobody asked for is
//! unknown.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::ops::{Range, RangeInclusive};
use std::time::Duration;

use toml::Spanned;
use toml::de::{DeTable, DeValue};

/// Where sentences about a file gather.
#[derive(Debug)]
pub(super) struct Report<'d> {
    text: &'d str,
    origin: &'d str,
    problems: RefCell<Vec<(usize, String)>>,
}

impl<'d> Report<'d> {
    pub(super) fn new(text: &'d str, origin: &'d str) -> Self {
        Self { text, origin, problems: RefCell::default() }
    }

    /// Adds a sentence about the place.
    pub(super) fn add(&self, place: &Range<usize>, what: &str) {
        let sentence = format!("{}, line {}: {what}", self.origin, self.line(place));
        self.problems.borrow_mut().push((place.start, sentence));
    }

    /// All sentences, in the file's order.
    pub(super) fn into_problems(self) -> Vec<String> {
        let mut problems = self.problems.into_inner();
        problems.sort_by_key(|(at, _)| *at);
        problems.into_iter().map(|(_, sentence)| sentence).collect()
    }

    fn line(&self, place: &Range<usize>) -> usize {
        1 + self.text.bytes().take(place.start).filter(|&byte| byte == b'\n').count()
    }

    /// The first line of what stands there.
    pub(super) fn excerpt(&self, place: &Range<usize>) -> &'d str {
        self.text.get(place.clone()).unwrap_or_default().lines().next().unwrap_or_default()
    }
}

/// One value of a section.
#[derive(Debug)]
struct Item<'d> {
    key_place: Range<usize>,
    value: &'d Spanned<DeValue<'d>>,
}

/// A table of a `[[key]]`, and where it begins.
pub(super) type Table<'d> = (&'d DeTable<'d>, Range<usize>);

/// The keys of one table, tables within it joined by dots: `a.b = 1`, `[a]` with `b = 1`, and `"a.b" = 1` are one key.
#[derive(Debug)]
pub(super) struct Section<'d> {
    report: &'d Report<'d>,
    items: BTreeMap<String, Item<'d>>,
    asked: Vec<&'static str>,
    /// Where the section begins, for what it lacks.
    place: Range<usize>,
}

impl<'d> Section<'d> {
    /// `whole` names the keys whose tables are values.
    pub(super) fn new((table, place): Table<'d>, whole: &[&str], report: &'d Report<'d>) -> Self {
        let mut section = Self { report, items: BTreeMap::new(), asked: Vec::new(), place };
        section.flatten("", table, whole);
        section
    }

    fn flatten(&mut self, prefix: &str, table: &'d DeTable<'d>, whole: &[&str]) {
        for (name, value) in table {
            let key =
                if prefix.is_empty() { name.get_ref().to_string() } else { format!("{prefix}.{}", name.get_ref()) };
            match value.get_ref() {
                DeValue::Table(inner) if !whole.contains(&key.as_str()) && !inner.is_empty() => {
                    self.flatten(&key, inner, whole);
                }
                _ => self.insert(key, Item { key_place: name.span(), value }),
            }
        }
    }

    fn insert(&mut self, key: String, item: Item<'d>) {
        match self.items.entry(key) {
            Entry::Vacant(free) => {
                free.insert(item);
            }
            Entry::Occupied(taken) => {
                self.report.add(&item.key_place, &format!("{} is set twice: keep one of them", taken.key()));
            }
        }
    }

    /// A value as `read` understands it; if it does not, `expected` says what to write instead.
    pub(super) fn get<T>(
        &mut self,
        key: &'static str,
        expected: &str,
        read: impl FnOnce(&DeValue<'_>) -> Option<T>,
    ) -> Option<T> {
        let item = self.take(key)?;
        let value = read(item.value.get_ref());
        if value.is_none() {
            let place = item.value.span();
            self.report.add(&place, &format!("{key} = {}: write {expected}", self.report.excerpt(&place)));
        }
        value
    }

    /// A value as it stands there, for a reader that has its own sentences.
    pub(super) fn value(&mut self, key: &'static str) -> Option<&'d Spanned<DeValue<'d>>> {
        self.take(key).map(|item| item.value)
    }

    /// Whether the key is there and was not read yet.
    pub(super) fn has(&self, key: &str) -> bool {
        self.items.contains_key(key)
    }

    fn take(&mut self, key: &'static str) -> Option<Item<'d>> {
        self.asked.push(key);
        self.items.remove(key)
    }

    pub(super) fn number(&mut self, key: &'static str, bounds: RangeInclusive<u64>) -> Option<u64> {
        let expected = format!("a number from {} to {}", bounds.start(), bounds.end());
        self.bounded(key, &expected, bounds)
    }

    pub(super) fn milliseconds(&mut self, key: &'static str, bounds: RangeInclusive<u64>) -> Option<Duration> {
        let expected = format!("a number of milliseconds from {} to {}", bounds.start(), bounds.end());
        self.bounded(key, &expected, bounds).map(Duration::from_millis)
    }

    pub(super) fn minutes(&mut self, key: &'static str, bounds: RangeInclusive<u64>) -> Option<Duration> {
        let expected = format!("a number of minutes from {} to {}", bounds.start(), bounds.end());
        self.bounded(key, &expected, bounds).map(|minutes| Duration::from_secs(60 * minutes))
    }

    fn bounded(&mut self, key: &'static str, expected: &str, bounds: RangeInclusive<u64>) -> Option<u64> {
        self.get(key, expected, |value| integer(value).filter(|number| bounds.contains(number)))
    }

    pub(super) fn boolean(&mut self, key: &'static str) -> Option<bool> {
        self.get(key, "true or false", |value| value.as_bool())
    }

    /// Text that `read` understands.
    pub(super) fn text<T>(
        &mut self,
        key: &'static str,
        expected: &str,
        read: impl FnOnce(&str) -> Option<T>,
    ) -> Option<T> {
        self.get(key, expected, |value| value.as_str().and_then(read))
    }

    /// One of a few words.
    pub(super) fn choice<T: Copy>(&mut self, key: &'static str, words: &[(&str, T)]) -> Option<T> {
        let expected = words.iter().map(|(word, _)| format!("{word:?}")).collect::<Vec<_>>().join(" or ");
        self.text(key, &expected, |text| words.iter().find(|(word, _)| *word == text).map(|(_, choice)| *choice))
    }

    /// The tables of a `[[key]]`.
    pub(super) fn tables(&mut self, key: &'static str) -> Vec<Table<'d>> {
        let Some(item) = self.take(key) else { return Vec::new() };
        let tables = item.value.get_ref().as_array().and_then(|values| {
            values.iter().map(|value| Some((value.get_ref().as_table()?, value.span()))).collect::<Option<Vec<_>>>()
        });
        tables.unwrap_or_else(|| {
            self.report.add(&item.key_place, &format!("{key}: write it as [[{key}]], in double brackets"));
            Vec::new()
        })
    }

    /// Says so if a key is missing that must be here; `line` is one that would do.
    pub(super) fn needs(&self, key: &str, line: &str) {
        if !self.has(key) {
            self.wrong(&format!("{key} is missing here: write {line}"));
        }
    }

    /// Says what is wrong with the section as a whole.
    pub(super) fn wrong(&self, what: &str) {
        self.report.add(&self.place, what);
    }

    /// Everything that may stand here was asked for: what is left is unknown.
    pub(super) fn finish(self) {
        for (key, item) in &self.items {
            let remedy = match nearest(key, &self.asked) {
                Some(near) => format!("did you mean {near}?"),
                None if key.starts_with("group.") || key.starts_with("topic.") => {
                    "if it belongs to some groups or to a topic, write it under [[group]] or [[topic]]".to_owned()
                }
                None => format!("the keys here are {}", self.asked.join(", ")),
            };
            self.report.add(&item.key_place, &format!("there is no key {key}: {remedy}"));
        }
    }
}

/// A number that is not negative.
pub(super) fn integer(value: &DeValue<'_>) -> Option<u64> {
    let number = value.as_integer()?;
    u64::from_str_radix(number.as_str(), number.radix()).ok()
}

/// The key that was meant: at most every third letter is wrong, and `_`, `-` and capitals do not count.
fn nearest(key: &str, known: &[&'static str]) -> Option<&'static str> {
    let plain = key.to_lowercase().replace(['_', '-'], ".");
    let scored = known.iter().map(|&name| (strsim::damerau_levenshtein(&plain, name), name));
    scored.min().filter(|(distance, name)| *distance <= name.len() / 3).map(|(_, name)| name)
}
