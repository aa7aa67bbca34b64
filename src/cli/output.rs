//! What people and scripts read: aligned tables or JSON, colour only where somebody sees it, and nothing in a text that a
//! terminal would take for an order.

use std::io::{IsTerminal, Write};

use anyhow::{Context, Result};
use comfy_table::{ContentArrangement, Table, presets};
use serde::Serialize;

use super::failure::ReaderGone;
pub use crate::text::plain;

/// `1 member`, `2 members`.
pub fn counted(count: impl std::fmt::Display, one: &str) -> String {
    let count = count.to_string();
    format!("{count} {one}{}", if count == "1" { "" } else { "s" })
}

/// Where a command's answer goes.
#[derive(Clone, Copy)]
pub struct Output {
    json: bool,
    colour: bool,
}

/// What a colour says.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Tone {
    /// As it should be.
    Good,
    /// Somebody should look.
    Bad,
    /// Of less interest.
    Faint,
}

impl Output {
    /// JSON, or text; with colour on a terminal that did not ask for none (`NO_COLOR`).
    pub fn new(json: bool) -> Self {
        let wanted = std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty());
        Self { json, colour: wanted && std::io::stdout().is_terminal() }
    }

    /// The same for a script.
    pub fn as_json(&self) -> Self {
        Self { json: true, ..*self }
    }

    /// Whether a script reads it.
    pub fn is_json(&self) -> bool {
        self.json
    }

    /// One JSON document on one line, or else the text.
    pub fn print(&self, value: &impl Serialize, text: impl FnOnce() -> String) -> Result<()> {
        let text = if self.json { serde_json::to_string(value)? } else { text() };
        self.line(&text)
    }

    /// A line. A reader that went away (`| head`) is [`ReaderGone`]: a reason to stop, and no failure to speak of.
    pub fn line(&self, text: &str) -> Result<()> {
        let mut stdout = std::io::stdout().lock();
        match writeln!(stdout, "{text}").and_then(|()| stdout.flush()) {
            Err(error) if error.kind() == std::io::ErrorKind::BrokenPipe => Err(ReaderGone.into()),
            other => other.context("the answer cannot be written to stdout"),
        }
    }

    /// The text in a colour, if anybody sees colours.
    pub fn tone(&self, tone: Tone, text: &str) -> String {
        if !self.colour {
            return text.to_owned();
        }
        let code = match tone {
            Tone::Good => 32,
            Tone::Bad => 31,
            Tone::Faint => 2,
        };
        format!("\u{1b}[{code}m{text}\u{1b}[0m")
    }
}

/// A line for people, beside the answer. Unlike `eprintln!` it does not panic when nobody reads it.
pub fn aside(text: &str) {
    // There is nobody left to tell.
    let _ = writeln!(std::io::stderr().lock(), "{text}");
}

/// An aligned table without lines: it can be read, and cut by `awk`. A cell stays on its line, whatever is in it.
pub fn table(head: &[&str], rows: impl IntoIterator<Item = Vec<String>>) -> String {
    let mut table = Table::new();
    table.load_preset(presets::NOTHING).set_content_arrangement(ContentArrangement::Disabled);
    table.set_header(head);
    table.add_rows(rows.into_iter().map(|row| row.iter().map(|cell| plain(cell)).collect::<Vec<_>>()));
    for column in table.column_iter_mut() {
        column.set_padding((0, 2));
    }
    let lines = table.lines().map(|line| line.trim_end().to_owned());
    lines.collect::<Vec<_>>().join("\n")
}

/// `clicks 0-3 7, queries 0`: partitions by topic, in order, runs joined.
pub fn partitions<'a>(topics: impl IntoIterator<Item = (&'a str, &'a [i32])>) -> String {
    let mut topics: Vec<_> = topics.into_iter().filter(|(_, partitions)| !partitions.is_empty()).collect();
    topics.sort_unstable();
    let text: Vec<String> =
        topics.into_iter().map(|(topic, partitions)| format!("{topic} {}", runs(partitions))).collect();
    if text.is_empty() { "nothing".to_owned() } else { text.join(", ") }
}

fn runs(partitions: &[i32]) -> String {
    let mut partitions = partitions.to_vec();
    partitions.sort_unstable();
    let mut runs: Vec<(i32, i32)> = Vec::new();
    for partition in partitions {
        match runs.last_mut() {
            Some((_, last)) if last.checked_add(1) == Some(partition) => *last = partition,
            _ => runs.push((partition, partition)),
        }
    }
    let texts =
        runs.iter().map(|(first, last)| if first == last { first.to_string() } else { format!("{first}-{last}") });
    texts.collect::<Vec<_>>().join(" ")
}
