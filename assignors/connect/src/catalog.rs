//! Which connectors there are, with how many tasks each. In Kafka Connect the leading worker reads that in its config topic; a strategy
//! reads nothing, so it is told: by the application in its context, else by the configuration.
//!
//! The context is the MessagePack array `[1, config offset: int or nil, {connector: number of tasks}]`, which may grow at the end.

use divvy_guest::abi::msgpack::{Malformed, Reader, Writer};
use divvy_guest::prelude::*;

const VERSION: u64 = 1;

/// Connectors and tasks together that one plan may have: a hundred times the largest clusters that are talked about.
const MAX_WORK: u64 = 1_000_000;

/// A connector's name in an assignment has two bytes for its length.
const MAX_NAME_BYTES: usize = 1024;

/// The connectors, by name, and every piece of work by number: a connector's comes right before those of its tasks.
pub struct Catalog<'a> {
    /// How far the configuration was read, if somebody said so.
    pub offset: Option<i64>,
    /// Name, number of tasks, number of the connector's own piece.
    connectors: Vec<(&'a str, u32, u32)>,
    pieces: u32,
}

impl<'a> Catalog<'a> {
    /// What the application says, else the configuration.
    pub fn of(group: &StateGroup<'a>) -> Result<Self, Refusal> {
        let read = match (group.context(), group.config().get("connectors")) {
            (Some(context), _) => context_of(context).map_err(|_| {
                Refusal::new("bad_context", "the context is not [1, config offset or nil, {connector: tasks}]")
            }),
            (None, Some(from)) => connectors(&mut from.clone()).map(|connectors| (None, connectors)).map_err(|_| {
                divvy_guest::bad_setting("connectors", from, "write the number of tasks of each, such as { jdbc = 4 }")
            }),
            (None, None) => Err(Refusal::new(
                "connectors_unknown",
                "which connectors there are is not known: give the leader a context, or write config.connect.connectors",
            )),
        };
        let (offset, mut connectors) = read?;
        connectors.sort_unstable();
        let mut pieces = 0;
        let mut numbered: Vec<(&str, u32, u32)> = Vec::with_capacity(connectors.len());
        for (name, tasks) in connectors {
            let is_odd =
                name.is_empty() || name.len() > MAX_NAME_BYTES || numbered.last().is_some_and(|it| it.0 == name);
            if is_odd || tasks >= MAX_WORK || pieces + tasks >= MAX_WORK {
                return Err(Refusal::new(
                    "bad_connectors",
                    "connectors need distinct names of 1 to 1024 bytes, and may have a million tasks all together",
                ));
            }
            numbered.push((name, tasks as u32, pieces as u32));
            pieces += tasks + 1;
        }
        Ok(Catalog { offset, connectors: numbered, pieces: pieces as u32 })
    }

    /// How many pieces of work there are.
    pub fn pieces(&self) -> usize {
        self.pieces as usize
    }

    /// The connectors by name: name, number of tasks, number of its own piece.
    pub fn connectors(&self) -> &[(&'a str, u32, u32)] {
        &self.connectors
    }

    /// The number of a piece of work, if there is such a one.
    pub fn number(&self, connector: &str, task: i32) -> Option<u32> {
        let at = self.connectors.binary_search_by(|it| it.0.cmp(connector)).ok()?;
        let (_, tasks, first) = self.connectors[at];
        match u32::try_from(task) {
            Ok(task) if task < tasks => Some(first + 1 + task),
            Err(_) if task == -1 => Some(first),
            _ => None,
        }
    }

    /// For each piece whether it is a connector.
    pub fn are_connectors(&self) -> Vec<bool> {
        let mut are = vec![false; self.pieces()];
        self.connectors.iter().for_each(|&(_, _, first)| are[first as usize] = true);
        are
    }

    /// Ascending numbers as connectors with their tasks.
    pub fn work(&self, numbers: &[u32]) -> Vec<(&'a str, Vec<i32>)> {
        let mut work: Vec<(&str, Vec<i32>)> = Vec::new();
        let mut end = 0;
        for &number in numbers {
            let at = self.connectors.partition_point(|it| it.2 <= number) - 1;
            let (name, tasks, first) = self.connectors[at];
            if work.is_empty() || number >= end {
                work.push((name, Vec::new()));
            }
            end = first + tasks + 1;
            if let Some(last) = work.last_mut() {
                last.1.push((number - first) as i32 - 1);
            }
        }
        work
    }
}

/// Writes a context.
pub fn context(offset: Option<i64>, connectors: &[(&str, u32)]) -> Vec<u8> {
    let mut context = Vec::new();
    let mut to = Writer::new(&mut context);
    to.array(3);
    to.unsigned(VERSION);
    match offset {
        Some(offset) => to.signed(offset),
        None => to.nil(),
    }
    to.map(connectors.len());
    for (name, tasks) in connectors {
        to.text(name);
        to.unsigned(u64::from(*tasks));
    }
    context
}

type Read<'a> = (Option<i64>, Vec<(&'a str, u64)>);

fn context_of(context: &[u8]) -> Result<Read<'_>, Malformed> {
    let mut from = Reader::new(context);
    from.fields(3, "a context of 3 items")?;
    if from.unsigned("a version")? == 0 {
        return Err(from.malformed("a version from 1"));
    }
    let offset = if from.nil() { None } else { Some(from.signed("a config offset or nil")?) };
    Ok((offset, connectors(&mut from)?))
}

fn connectors<'a>(from: &mut Reader<'a>) -> Result<Vec<(&'a str, u64)>, Malformed> {
    let connector = |from: &mut Reader<'a>| {
        let name = from.text("a connector's name")?;
        let tasks = from.clone().number("a number of tasks")?;
        from.skip()?;
        match tasks == tasks.trunc() && (0.0..1e15).contains(&tasks) {
            true => Ok((name, tasks as u64)),
            false => Err(from.malformed("a number of tasks")),
        }
    };
    (0..from.map("connectors")?).map(|_| connector(from)).collect()
}
