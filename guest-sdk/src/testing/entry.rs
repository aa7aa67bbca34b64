//! Values of facts and settings.

use super::Dice;
use crate::abi::msgpack::Writer;

/// A fact's or a setting's value.
#[derive(Clone, PartialEq, Debug)]
pub enum Entry {
    /// A text.
    Text(String),
    /// A number.
    Number(f64),
    /// True or false.
    Flag(bool),
    /// Several.
    List(Vec<Entry>),
    /// Several by name.
    Map(Vec<(String, Entry)>),
}

impl From<&str> for Entry {
    fn from(text: &str) -> Self {
        Entry::Text(text.to_owned())
    }
}

impl From<f64> for Entry {
    fn from(number: f64) -> Self {
        Entry::Number(number)
    }
}

impl From<bool> for Entry {
    fn from(flag: bool) -> Self {
        Entry::Flag(flag)
    }
}

impl<E: Into<Entry>> From<Vec<E>> for Entry {
    fn from(entries: Vec<E>) -> Self {
        Entry::List(entries.into_iter().map(Into::into).collect())
    }
}

impl Entry {
    /// Several by name.
    pub fn map<const N: usize>(entries: [(&str, Entry); N]) -> Self {
        Entry::Map(entries.into_iter().map(|(name, entry)| (name.to_owned(), entry)).collect())
    }

    fn shuffled(&self, dice: &mut Dice) -> Entry {
        match self {
            Entry::List(entries) => Entry::List(entries.iter().map(|entry| entry.shuffled(dice)).collect()),
            Entry::Map(entries) => Entry::Map(shuffled(entries, dice)),
            plain => plain.clone(),
        }
    }

    fn write(&self, writer: &mut Writer<'_>) {
        match self {
            Entry::Text(text) => writer.text(text),
            Entry::Number(number) => writer.number(*number),
            Entry::Flag(flag) => writer.boolean(*flag),
            Entry::List(entries) => {
                writer.array(entries.len());
                entries.iter().for_each(|entry| entry.write(writer));
            }
            Entry::Map(entries) => write_map(entries, writer),
        }
    }
}

fn write_map(entries: &[(String, Entry)], writer: &mut Writer<'_>) {
    writer.map(entries.len());
    for (name, entry) in entries {
        writer.text(name);
        entry.write(writer);
    }
}

/// Values by name.
#[derive(Clone, PartialEq, Debug, Default)]
pub(super) struct Entries(pub(super) Vec<(String, Entry)>);

impl Entries {
    pub(super) fn set(&mut self, name: &str, value: Entry) {
        match self.0.iter_mut().find(|(other, _)| other == name) {
            Some((_, old)) => *old = value,
            None => self.0.push((name.to_owned(), value)),
        }
    }

    /// As bytes, in another order for each seed, nested maps as well; 0 is the order in which they were said.
    pub(super) fn said(&self, seed: u64) -> Vec<u8> {
        match seed {
            0 => self.to_msgpack(),
            seed => Entries(shuffled(&self.0, &mut Dice::new(seed))).to_msgpack(),
        }
    }

    fn to_msgpack(&self) -> Vec<u8> {
        let mut bytes = Vec::new();
        write_map(&self.0, &mut Writer::new(&mut bytes));
        bytes
    }
}

fn shuffled(entries: &[(String, Entry)], dice: &mut Dice) -> Vec<(String, Entry)> {
    let mut entries: Vec<(String, Entry)> =
        entries.iter().map(|(name, value)| (name.clone(), value.shuffled(dice))).collect();
    dice.shuffle(&mut entries);
    entries
}
