//! A plan as a picture: a row for each member, a column for each partition, grouped by topic. Filled is what stays, green what
//! comes, an open red cell what goes. It is one SVG without scripts or fonts of its own, so that any browser shows it.

use std::collections::BTreeMap;
use std::fmt::Write;

use super::compare::{Comparison, Row};
use crate::ids::TopicName;

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

/// Room for a name, in units; a character takes about seven.
const NAMES: usize = 220;

/// As many characters fit there.
const NAME_CHARACTERS: usize = 30;

/// Room above for the title and the topics' names.
const HEAD: usize = 72;

/// Space between two topics.
const GAP: usize = 6;

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
        let mut topics = BTreeMap::new();
        for (topic, size) in sizes {
            topics.insert(topic, (x, size));
            x += size.div_ceil(per_column) * cell + GAP;
        }
        Self { topics, per_column, cell, width: x + NAMES }
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
    let height = HEAD + rows * (LARGE + 2) + if rows < plan.rows.len() { 2 * LARGE } else { LARGE };
    let mut to = String::new();
    // Writing to a text cannot fail.
    let _ = writeln!(
        to,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{w}\" height=\"{height}\" viewBox=\"0 0 {w} {height}\" \
         font-family=\"sans-serif\" font-size=\"12\">\n<rect width=\"{w}\" height=\"{height}\" fill=\"#fff\"/>\n\
         <style>.s{{fill:#5b7fa6}}.c{{fill:#2e9e5b}}.g{{fill:#fff;stroke:#c0392b;stroke-width:1.5}}.t{{fill:#222}}.f{{fill:#777}}</style>\n\
         <text class=\"t\" x=\"8\" y=\"20\" font-size=\"14\">{}</text>",
        escaped(title),
        w = columns.width.max(640),
    );
    let _ = writeln!(
        to,
        "<rect class=\"s\" x=\"8\" y=\"30\" width=\"10\" height=\"10\"/><text class=\"f\" x=\"22\" y=\"39\">stays</text>\
         <rect class=\"c\" x=\"64\" y=\"30\" width=\"10\" height=\"10\"/><text class=\"f\" x=\"78\" y=\"39\">comes</text>\
         <rect class=\"g\" x=\"126\" y=\"30\" width=\"10\" height=\"10\"/><text class=\"f\" x=\"140\" y=\"39\">goes</text>"
    );
    for (topic, (x, size)) in &columns.topics {
        let room = (size.div_ceil(columns.per_column) * columns.cell) / 7;
        let _ = writeln!(
            to,
            "<text class=\"t\" x=\"{x}\" y=\"{}\">{}<title>{}, {size} partitions</title></text>",
            HEAD - 10,
            escaped(&cut(topic.as_str(), room.max(1))),
            escaped(topic.as_str()),
        );
    }
    for (at, row) in plan.rows.iter().take(MOST_ROWS).enumerate() {
        draw(&mut to, row, HEAD + at * (LARGE + 2), &columns);
    }
    if rows < plan.rows.len() {
        let (y, more) = (HEAD + rows * (LARGE + 2) + LARGE, plan.rows.len() - rows);
        let _ = writeln!(to, "<text class=\"f\" x=\"8\" y=\"{y}\">and {more} members more</text>");
    }
    to.push_str("</svg>\n");
    to
}

fn draw(to: &mut String, row: &Row, y: usize, columns: &Columns) {
    let rack = row.rack.as_deref().map(|rack| format!(" ({rack})")).unwrap_or_default();
    let name = format!("{}{rack}", row.name);
    let text = y + LARGE - 4;
    let _ = writeln!(
        to,
        "<text class=\"t\" x=\"8\" y=\"{text}\">{}<title>{}</title></text>",
        escaped(&cut(&name, NAME_CHARACTERS)),
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
    let end = columns.width.saturating_sub(NAMES) + 8;
    let _ = writeln!(to, "<text class=\"f\" x=\"{end}\" y=\"{text}\">{counts}</text>");
}

fn cut(text: &str, most: usize) -> String {
    if text.chars().count() <= most {
        return text.to_owned();
    }
    let head: String = text.chars().take(most.saturating_sub(1)).collect();
    format!("{head}…")
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

#[cfg(test)]
mod tests {
    use super::super::compare::tests::{state, topics};
    use super::super::compare::{Party, compared};
    use super::*;

    fn party<'a>(name: &str, before: &'a [u8], after: &'a [u8]) -> Party<'a> {
        Party { name: name.into(), rack: Some("eu-1a".into()), wants: Default::default(), before: Some(before), after }
    }

    #[test]
    fn each_cell_says_whether_it_stays_comes_or_goes() {
        let (a, b, both) = (state(&[0, 1, 2]), state(&[3]), [state(&[0, 1]), state(&[2, 3])]);
        let plan = compared([party("a", &a, &both[0]), party("b", &b, &both[1])], &topics(&[]));
        let svg = svg(&plan, "indexers under weighted@1");
        let count = |class: &str| svg.matches(&format!("<rect class=\"{class}\"")).count() - 1;
        assert_eq!((count("s"), count("c"), count("g")), (3, 1, 1), "{svg}");
        assert!(svg.contains("a (eu-1a)") && svg.contains("3 → 2") && svg.ends_with("</svg>\n"));
    }

    #[test]
    fn a_name_is_no_markup() {
        let all = state(&[0]);
        let plan = compared([party("<script>\u{7}\"&", &all, &all)], &topics(&[]));
        let svg = svg(&plan, "<b>");
        assert!(
            svg.contains("&lt;script&gt;\u{fffd}&quot;&amp;") && !svg.contains("<script>") && svg.contains("&lt;b&gt;")
        );
    }

    #[test]
    fn a_huge_group_stays_a_picture() {
        let many: Vec<i32> = (0..100_000).collect();
        let all = state(&many);
        let names: Vec<String> = (0..1_000).map(|it| format!("member-{it:04}")).collect();
        let plan = compared(
            names.iter().map(|name| party(name, b"", if name == "member-0000" { &all } else { b"" })),
            &topics(&[]),
        );
        let svg = svg(&plan, "large");
        assert!(svg.len() < 1_000_000 && svg.contains("and 600 members more"), "{}", svg.len());
    }
}
