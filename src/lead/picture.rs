//! A plan as a picture: a row for each member, a column for each partition, grouped by topic. Pale is what stays, dark what
//! comes, an open cell what goes, so that nobody has to tell colours apart. It is one SVG without scripts or fonts of its own,
//! so that any browser shows it.

use std::collections::BTreeMap;
use std::fmt::Write;

use super::compare::{Comparison, Row};
use crate::ids::TopicName;

#[cfg(test)]
mod tests;

/// A cell of so many units, when there are few of them …
const LARGE: usize = 16;

/// … and when there are many.
const SMALL: usize = 5;

/// From so many columns on cells are small.
const MANY: usize = 96;

/// More columns than this are no picture any more: partitions share them.
const MOST_COLUMNS: usize = 1_200;

/// More rows than this are cut off, and it is said.
const MOST_ROWS: usize = 400;

/// From the edge to whatever stands there.
const MARGIN: usize = 8;

/// Room for a name, in units; a character takes about seven, and what is wider is cut at the columns.
const NAMES: usize = 220;

/// As many characters fit there.
const NAME_CHARACTERS: usize = 30;

/// A picture of few columns has room for its title.
const NARROWEST: usize = 640;

/// A character of the title takes about so much …
const TITLE_CHARACTER: usize = 8;

/// … and a line of it.
const TITLE_LINE: usize = 18;

/// Room for a title of one line and the legend.
const LEGEND: usize = 48;

/// From one row to the next.
const ROW: usize = LARGE + 2;

/// Room for topics' names that stand upright …
const UPRIGHT: usize = 24;

/// … or at so many degrees: then this many characters of a name are shown, which takes so much room.
const SLANT: usize = 50;
const SLANTED_CHARACTERS: usize = 24;
const SLANTED: usize = 136;

/// A character of a topic's name takes about so much.
const CHARACTER: usize = 7;

/// Space between two topics.
const GAP: usize = 6;

const STYLE: &str =
    ".s{fill:#b3c3d6}.c{fill:#12693a}.g{fill:#fff;stroke:#b3261e;stroke-width:1.5}.t{fill:#1b1f24}.f{fill:#57606a}";

/// What a cell says; the strongest word counts where partitions share one.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Cell {
    Stays,
    Goes,
    Comes,
}

/// Where each topic's columns begin.
struct Columns {
    /// By name: the first unit and how many partitions.
    topics: BTreeMap<TopicName, (usize, usize)>,
    /// How many partitions share a column.
    per_column: usize,
    cell: usize,
    width: usize,
    /// Whether a topic's name is wider than its columns.
    are_slanted: bool,
}

impl Columns {
    fn new(plan: &Comparison) -> Self {
        let mut sizes = BTreeMap::<TopicName, usize>::new();
        for (topic, number) in plan.rows.iter().flat_map(|row| row.before.iter().chain(&row.after)) {
            let size = sizes.entry(topic.clone()).or_default();
            *size = (*size).max(usize::try_from(*number).map_or(0, |number| number + 1));
        }
        let all: usize = sizes.values().sum();
        let per_column = all.div_ceil(MOST_COLUMNS).max(1);
        let cell = if all > MANY { SMALL } else { LARGE };
        let mut x = NAMES;
        let (mut topics, mut are_slanted) = (BTreeMap::new(), false);
        let alone = sizes.len() == 1;
        for (topic, size) in sizes {
            let room = size.div_ceil(per_column) * cell;
            let name = topic.as_str().chars().count() * CHARACTER;
            // Beside the last one is room for the counts' column.
            are_slanted |= name > room + if alone { NAMES } else { 0 };
            topics.insert(topic, (x, size));
            x += room + GAP;
        }
        // The name of the last topic leans over what is beside it.
        Self { topics, per_column, cell, width: x + NAMES, are_slanted }
    }

    /// Room for the topics' names.
    fn head(&self) -> usize {
        let longest = self.topics.keys().map(|name| name.as_str().chars().count().min(SLANTED_CHARACTERS)).max();
        match self.are_slanted {
            true => UPRIGHT + longest.unwrap_or(0) * (SLANTED - UPRIGHT) / SLANTED_CHARACTERS,
            false => UPRIGHT,
        }
    }

    fn x(&self, topic: &TopicName, number: i32) -> usize {
        let (start, _) = self.topics.get(topic).copied().unwrap_or((NAMES, 0));
        start + usize::try_from(number).unwrap_or(0) / self.per_column * self.cell
    }
}

/// The picture; `title` stands above it.
pub fn svg(plan: &Comparison, title: &str) -> String {
    let columns = Columns::new(plan);
    let rows = plan.rows.len().min(MOST_ROWS);
    let width = columns.width.max(NARROWEST);
    let lines = wrapped(title, (width - 2 * MARGIN) / TITLE_CHARACTER);
    let page = Page { top: (lines.len() - 1) * TITLE_LINE, head: columns.head() };
    let height = page.rows() + rows * ROW + if rows < plan.rows.len() { 2 * LARGE } else { LARGE };
    let mut to = String::new();
    // Writing to a text cannot fail.
    let _ = writeln!(
        to,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" viewBox=\"0 0 {width} {height}\" \
         role=\"img\" aria-labelledby=\"title says\" font-family=\"system-ui, sans-serif\" font-size=\"12\">\n\
         <title id=\"title\">{}</title>\n<desc id=\"says\">{}</desc>\n\
         <rect width=\"{width}\" height=\"{height}\" fill=\"#fff\"/>\n<style>{STYLE}</style>\n\
         <clipPath id=\"names\"><rect width=\"{}\" height=\"{height}\"/></clipPath>",
        escaped(title),
        escaped(&says(plan)),
        NAMES - MARGIN,
    );
    for (at, line) in lines.iter().enumerate() {
        let y = 20 + at * TITLE_LINE;
        let _ = writeln!(to, "<text class=\"t\" x=\"{MARGIN}\" y=\"{y}\" font-size=\"14\">{}</text>", escaped(line));
    }
    legend(&mut to, page.top);
    for (topic, (x, size)) in &columns.topics {
        topic_name(&mut to, (topic, *size), *x, (&columns, page.rows()));
    }
    for (at, row) in plan.rows.iter().take(MOST_ROWS).enumerate() {
        draw(&mut to, row, page.rows() + at * ROW, &columns);
    }
    if rows < plan.rows.len() {
        let (y, more) = (page.rows() + rows * ROW + LARGE, plan.rows.len() - rows);
        let _ = writeln!(to, "<text class=\"f\" x=\"{MARGIN}\" y=\"{y}\">and {more} members more</text>");
    }
    to.push_str("</svg>\n");
    to
}

/// Where things stand from above.
struct Page {
    /// How much lower all is for a title of several lines.
    top: usize,
    /// Room for the topics' names.
    head: usize,
}

impl Page {
    fn rows(&self) -> usize {
        LEGEND + self.top + self.head
    }
}

/// What it shows, for somebody who does not see it.
fn says(plan: &Comparison) -> String {
    let gives: usize = plan.rows.iter().map(|row| row.gives().count()).sum();
    let gets: usize = plan.rows.iter().map(|row| row.gets().count()).sum();
    let members = plan.rows.len();
    format!(
        "A row for each of {members} members, a column for each partition: {gets} come to a member, {gives} go from one."
    )
}

fn legend(to: &mut String, top: usize) {
    for (class, word, x) in [("s", "stays", 8), ("c", "comes", 72), ("g", "goes", 142)] {
        let (y, text) = (top + 30, top + 39);
        let _ = writeln!(
            to,
            "<rect class=\"{class}\" x=\"{x}\" y=\"{y}\" width=\"10\" height=\"10\"/><text class=\"f\" x=\"{}\" y=\"{text}\">{word}</text>",
            x + 15
        );
    }
}

/// A topic's name above its columns; slanted where names are wider than these.
fn topic_name(to: &mut String, (topic, size): (&TopicName, usize), x: usize, (columns, rows): (&Columns, usize)) {
    let name = topic.as_str();
    let (shown, turn) = match columns.are_slanted {
        false => (name.to_owned(), String::new()),
        true => (cut(name, SLANTED_CHARACTERS), format!(" transform=\"rotate(-{SLANT} {x} {})\"", rows - 6)),
    };
    let count = if size == 1 { "partition" } else { "partitions" };
    let _ = writeln!(
        to,
        "<text class=\"t\" x=\"{x}\" y=\"{}\"{turn}>{}<title>{}, {size} {count}</title></text>",
        rows - 6,
        escaped(&shown),
        escaped(name),
    );
}

/// A title in lines of so many characters, broken between words where there are any.
fn wrapped(text: &str, most: usize) -> Vec<String> {
    let mut lines = vec![String::new()];
    for word in text.split(' ').flat_map(|word| pieces(word, most)) {
        let last = lines.last().map_or(0, |line| line.chars().count());
        match lines.last_mut() {
            Some(line) if last == 0 => line.push_str(&word),
            Some(line) if last + 1 + word.chars().count() <= most => *line = format!("{line} {word}"),
            _ => lines.push(word),
        }
    }
    lines
}

fn pieces(word: &str, most: usize) -> Vec<String> {
    let characters: Vec<char> = word.chars().collect();
    characters.chunks(most.max(1)).map(|piece| piece.iter().collect()).collect()
}

fn draw(to: &mut String, row: &Row, y: usize, columns: &Columns) {
    let rack = row.rack.as_deref().map(|rack| format!(" ({rack})")).unwrap_or_default();
    let name = format!("{}{rack}", row.name);
    let text = y + LARGE - 4;
    let _ = writeln!(
        to,
        "<text class=\"t\" x=\"{MARGIN}\" y=\"{text}\" clip-path=\"url(#names)\">{}<title>{}</title></text>",
        escaped(&cut_inside(&name, NAME_CHARACTERS)),
        escaped(&name),
    );
    let mut cells = BTreeMap::<usize, Cell>::new();
    let mut put = |topic: &TopicName, number: i32, cell: Cell| {
        let at = cells.entry(columns.x(topic, number)).or_insert(cell);
        *at = (*at).max(cell);
    };
    row.before.intersection(&row.after).for_each(|(topic, number)| put(topic, *number, Cell::Stays));
    row.gives().for_each(|(topic, number)| put(topic, *number, Cell::Goes));
    row.gets().for_each(|(topic, number)| put(topic, *number, Cell::Comes));
    for (x, cell) in cells {
        let class = match cell {
            Cell::Stays => 's',
            Cell::Goes => 'g',
            Cell::Comes => 'c',
        };
        let width = columns.cell - 1;
        let _ = writeln!(to, "<rect class=\"{class}\" x=\"{x}\" y=\"{y}\" width=\"{width}\" height=\"{LARGE}\"/>");
    }
    let (before, after) = (row.before.len(), row.after.len());
    let counts = if before == after { after.to_string() } else { format!("{before} → {after}") };
    let end = columns.width.saturating_sub(NAMES) + MARGIN;
    let _ = writeln!(to, "<text class=\"f\" x=\"{end}\" y=\"{text}\">{counts}</text>");
}

fn cut(text: &str, most: usize) -> String {
    if text.chars().count() <= most {
        return text.to_owned();
    }
    let head: String = text.chars().take(most.saturating_sub(1)).collect();
    format!("{head}…")
}

/// Without its middle: members of one deployment differ at the end of their names.
fn cut_inside(text: &str, most: usize) -> String {
    let characters: Vec<char> = text.chars().collect();
    if characters.len() <= most {
        return text.to_owned();
    }
    let (head, tail) = ((most - 1) / 3, most - 1 - (most - 1) / 3);
    let ends = [&characters[..head], &['…'][..], &characters[characters.len() - tail..]];
    ends.into_iter().flatten().collect()
}

/// A name is somebody else's text: it must not become markup.
fn escaped(text: &str) -> String {
    let mut to = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '<' => to.push_str("&lt;"),
            '>' => to.push_str("&gt;"),
            '&' => to.push_str("&amp;"),
            '"' => to.push_str("&quot;"),
            character if character.is_control() => to.push('\u{fffd}'),
            character => to.push(character),
        }
    }
    to
}
