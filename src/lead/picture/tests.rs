//! What a picture shows, of whom, and how large it may be.

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
    assert!(svg.contains("role=\"img\"") && svg.contains("<title id=\"title\">indexers under weighted@1</title>"));
    assert!(svg.contains("2 members, a column for each partition: 1 come to a member, 1 go from one."), "{svg}");
}

#[test]
fn a_title_has_as_many_lines_as_it_needs_and_no_word_is_lost() {
    assert_eq!(wrapped("a plan of two", 6), ["a plan", "of two"]);
    assert_eq!(wrapped("short", 80), ["short"]);
    assert_eq!(wrapped("abcdefgh ij", 4), ["abcd", "efgh", "ij"]);
    assert_eq!(wrapped("", 4), [""]);
    let all = state(&[0]);
    let plan = compared([party("a", &all, &all)], &topics(&[]));
    let title = "a group with a long name ".repeat(12);
    let (long, short) = (svg(&plan, title.trim()), svg(&plan, "short"));
    let lines = |svg: &str| svg.matches("font-size=\"14\"").count();
    assert_eq!((lines(&long), lines(&short)), (4, 1));
}

#[test]
fn a_topics_name_that_is_wider_than_its_columns_is_slanted() {
    let named = |name: &str, count: i32| {
        let partitions = (0..count).collect();
        let list = vec![crate::embedded::consumer::TopicPartitions { topic: name, partitions }];
        crate::embedded::consumer::Assignment { topics: list, user_data: None }.encode()
    };
    let picture = |name: &str, count| {
        let all = named(name, count);
        svg(&compared([party("a", &all, &all)], &topics(&[])), "t")
    };
    assert!(!picture("clicks", 1).contains("rotate("), "alone it has room beside it");
    let long = picture(&"clicks-".repeat(9), 1);
    assert!(long.contains("rotate(-50"), "{long}");
    assert!(long.contains(&format!("<title>{}, 1 partition</title>", "clicks-".repeat(9))));
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

#[test]
fn long_names_are_told_apart_by_their_ends() {
    let all = state(&[0]);
    let names = ["1", "2"].map(|end| format!("search-indexer-deployment-7d9c5b6f4d-{end}"));
    let parties = names.iter().map(|name| party(name, &all, &all));
    let svg = svg(&compared(parties, &topics(&[])), "t");
    let shown: Vec<&str> =
        svg.lines().filter_map(|line| line.split_once("url(#names)\">")?.1.split('<').next()).collect();
    assert_eq!(shown, ["search-in…7d9c5b6f4d-1 (eu-1a)", "search-in…7d9c5b6f4d-2 (eu-1a)"]);
}
