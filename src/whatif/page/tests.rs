//! The page as a strict reader sees it.

use super::*;
use crate::whatif::report::{After, Size};
use crate::whatif::{Times, report};

fn report(module: &str) -> Report {
    let step = |title: &str, moved| StepReport {
        title: title.to_owned(),
        moved,
        after: After { members: 2, partitions: 4, least: 1, most: 3, ..After::default() },
        notes: vec!["a < b & \"c\"".to_owned()],
        ..StepReport::default()
    };
    let played = |name: &str| Played {
        module: name.to_owned(),
        protocol: name.to_owned(),
        digest: None,
        mode: "eager",
        protocol_type: "consumer".to_owned(),
        fallback: None,
        steps: vec![step("all join", 0), step("leave <w1>", 3)],
        total: report::Total::default(),
        warnings: vec![],
    };
    Report {
        seed: Some(7),
        from_group: None,
        times: Times::default(),
        start: Size { members: 2, topics: 1, partitions: 4 },
        modules: vec![played(module), played("sticky")],
        left_out: vec![],
    }
}

/// Whether every tag is closed in its order, and every attribute quoted.
fn is_well_formed(html: &str) -> Result<(), String> {
    let mut open: Vec<&str> = Vec::new();
    let mut rest = html.strip_prefix("<!DOCTYPE html>").ok_or("no doctype")?;
    while let Some(at) = rest.find('<') {
        if rest[..at].contains('>') && open.last() != Some(&"style") {
            return Err(format!("a bare > in {:?}", &rest[..at]));
        }
        let end = rest[at..].find('>').ok_or("a tag without an end")? + at;
        let tag = &rest[at + 1..end];
        rest = &rest[end + 1..];
        if let Some(name) = tag.strip_prefix('/') {
            let last = open.pop();
            if last != Some(name) {
                return Err(format!("{name} closes {last:?}"));
            }
            continue;
        }
        if tag.matches('"').count() % 2 != 0 {
            return Err(format!("an open quote in {tag}"));
        }
        let name = tag.split_whitespace().next().unwrap_or_default();
        if !tag.ends_with('/') {
            open.push(name);
        }
    }
    if open.is_empty() { Ok(()) } else { Err(format!("left open: {open:?}")) }
}

#[test]
fn it_is_well_formed_and_needs_nothing_from_elsewhere() {
    let page = html(&report("<script>alert(1)</script>\"&'\u{7}"), "a <life>");
    is_well_formed(&page).unwrap();
    for outside in ["http:", "https:", "url(", "@import", "src=", "href=", "<script", "<link", "javascript:"] {
        assert!(!page.contains(outside), "{outside}");
    }
    assert!(page.contains("prefers-color-scheme: dark") && page.contains("a &lt;life&gt;"));
}

#[test]
fn each_chart_has_a_title_and_a_table_beside_it() {
    let page = html(&report("range"), "a life");
    let charts = page.matches("role=\"img\"").count();
    // Nothing is known of racks and of times here, so that there are two less.
    assert_eq!(charts, CHARTS.len() - 2);
    assert_eq!(page.matches("<caption>").count(), charts);
    for place in page.match_indices("aria-labelledby=\"chart-") {
        let ids = page[place.0 + 17..].split('"').next().unwrap();
        ids.split(' ').for_each(|id| assert_eq!(page.matches(&format!("id=\"{id}\"")).count(), 1, "{id}"));
    }
    assert!(page.contains("range, step 1 (leave &lt;w1&gt;): 3"));
}

#[test]
fn whatever_scrolls_is_reached_by_the_keyboard_and_has_a_name() {
    let page = html(&report("range"), "a life");
    let scrolls = |line: &&str| ["class=\"wide\"", "class=\"numbers\""].iter().any(|class| line.contains(class));
    let all: Vec<&str> = page.lines().filter(scrolls).collect();
    assert_eq!(all.len(), page.matches("<table>").count());
    for line in all {
        assert!(line.contains("role=\"region\" aria-label=\"") && line.contains("tabindex=\"0\""), "{line}");
    }
}

#[test]
fn paper_is_white_and_nothing_is_hidden_on_it() {
    let page = html(&report("range"), "a life");
    // A dark screen's colours are for screens alone; what scrolls there is printed whole.
    assert_eq!(
        page.matches("prefers-color-scheme: dark").count(),
        page.matches("@media screen and (prefers-color-scheme: dark)").count()
    );
    let (_, print) = page.split_once("@media print").unwrap();
    assert!(print.contains(".wide, .numbers { max-height: none; overflow: visible;"));
}

#[test]
fn one_is_no_plural_and_names_are_whole_for_who_asks() {
    let long = "a-name-that-never-ends-".repeat(9);
    let page = html(&report(&long), "a life");
    assert!(page.contains("2 members and 4 partitions of 1 topic at the beginning, then 1 step."), "{page}");
    assert!(page.contains(&format!("<span class=\"name\" title=\"{long}\">{long}</span>")));
}

#[test]
fn numbers_of_an_axis_are_short() {
    let short = [(0.25, "0.25"), (9_999.0, "9999"), (12_000.0, "12k"), (1_600_000.0, "1.6M"), (2e9, "2G")];
    short.iter().for_each(|(value, text)| assert_eq!(chart::short(*value), *text));
}

#[test]
fn lines_differ_by_more_than_their_colour() {
    let keys: std::collections::BTreeSet<String> =
        (0..8).map(|at| chart::key(at).replace(&format!("s{at}"), "").replace(&format!("f{at}"), "")).collect();
    assert_eq!(keys.len(), 8);
}

#[test]
fn axes_end_at_numbers_that_people_read() {
    let whole = [(0.0, 4.0), (3.0, 4.0), (5.0, 8.0), (9.0, 12.0), (11.0, 12.0), (224.0, 240.0), (838.0, 1_000.0)];
    whole.iter().for_each(|(most, top)| assert_eq!(chart::ceiling(*most, true), *top, "{most}"));
    let parts = [(0.25, 0.32), (1.5, 1.6), (5.0, 6.0), (838.3, 1_000.0)];
    let labels = [(0, 1), (1, 1), (3, 5), (17, 20), (21, 50), (501, 1_000)];
    labels.iter().for_each(|(least, every)| assert_eq!(chart::round(*least), *every));
    parts.iter().for_each(|(most, top)| assert!((chart::ceiling(*most, false) - top).abs() < 1e-9, "{most}"));
}
